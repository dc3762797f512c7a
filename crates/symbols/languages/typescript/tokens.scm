; Single nodes that only TypeScript has.

(template_literal_type) @string
(template_type) @code
(ambient_declaration) @wrapper
(ambient_declaration) @ambient
