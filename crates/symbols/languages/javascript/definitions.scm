; With a line break before the name, the grammar reads `static get` as one word.

(method_definition "static get" name: (_) @name) @definition.getter @body.of

; Class fields, whose node the two grammars name differently.

(field_definition property: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @body.of) @definition.method

(field_definition property: (_) @name value: (_) @value) @definition.property

(field_definition property: (_) @name !value) @definition.property
