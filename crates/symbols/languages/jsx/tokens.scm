; The prose between JSX tags is text for people, like a string.

(jsx_text) @string
