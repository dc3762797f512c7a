; Single nodes that every dialect of JavaScript shares. One node kind a line; see ../README.md.

(comment) @comment
(hash_bang_line) @comment
(string) @string
(template_string) @string
(template_substitution) @code
(regex) @string

(decorator) @leading

(export_statement) @wrapper
(expression_statement) @wrapper
(assignment_expression) @wrapper
(lexical_declaration) @wrapper
(variable_declaration) @wrapper

(statement_block) @local
(arrow_function) @local
(function_expression) @local
(generator_function) @local
(for_statement) @local
(for_in_statement) @local
