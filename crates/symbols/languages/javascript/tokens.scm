; Single nodes that only the JavaScript grammar has.

(html_comment) @comment
