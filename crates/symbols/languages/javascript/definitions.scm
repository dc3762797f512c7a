; With a line break before the name, the grammar reads `static get` as one word.

(method_definition "static get" name: (_) @name body: (_) @body) @definition.getter

; Class fields, whose node the two grammars name differently.

(field_definition property: (_) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method

(field_definition property: (_) @name value: (_) @value) @definition.property

(field_definition property: (_) @name !value) @definition.property
