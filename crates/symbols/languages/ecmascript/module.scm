; Definitions that count only outside of function bodies. What definitions.scm defines wins.

; Short lambdas of object literals.

(pair key: (_) @name value: (arrow_function) @body.of) @definition.method

; Variables; what `require` and `import()` give are imports, not definitions.

((variable_declarator name: (identifier) @name value: (_) @value) @definition.variable
  (#not-match? @value "^(require|await\\s+import)\\("))

(variable_declarator name: (identifier) @name !value) @definition.variable

((variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @name
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
    (pair_pattern value: (identifier) @name)
    (pair_pattern value: (assignment_pattern left: (identifier) @name))
    (rest_pattern (identifier) @name)
    (pair_pattern value: (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (pair_pattern value: (identifier) @name)
      (rest_pattern (identifier) @name)
    ]))
    (pair_pattern value: (array_pattern [
      (identifier) @name
      (assignment_pattern left: (identifier) @name)
      (rest_pattern (identifier) @name)
    ]))
  ])
  value: (_) @value) @definition.variable
  (#not-match? @value "^(require|await\\s+import)\\("))

((variable_declarator
  name: (array_pattern [
    (identifier) @name
    (assignment_pattern left: (identifier) @name)
    (rest_pattern (identifier) @name)
    (array_pattern (identifier) @name)
    (object_pattern [
      (shorthand_property_identifier_pattern) @name
      (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)
      (pair_pattern value: (identifier) @name)
      (rest_pattern (identifier) @name)
    ])
  ])
  value: (_) @value) @definition.variable)

; CommonJS.

((assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @body.of) @definition.function
  (#match? @_exports "^(module\\.)?exports$")
  (#set! exported "true"))

((assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @name)
  right: (class) @covered @body.of) @definition.class
  (#match? @_exports "^(module\\.)?exports$")
  (#set! exported "true"))

((assignment_expression
  left: (member_expression object: (_) @_exports)
  right: (identifier) @export.name)
  (#match? @_exports "^(module\\.)?exports$"))

((assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @name)
  right: [
    (object)
    (array)
    (call_expression)
    (new_expression)
    (string)
    (template_string)
    (number)
    (true)
    (false)
  ] @value) @definition.variable
  (#match? @_exports "^(module\\.)?exports$")
  (#not-match? @value "^require\\(")
  (#set! exported "true"))

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (identifier) @export.default-name)
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (arrow_function)
    (function_expression !name)
    (function_expression name: (_) @name)
  ] @body.of) @definition.function
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! default "true"))

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (class !name)
    (class name: (_) @name) @covered
  ] @body.of) @definition.class
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! default "true"))

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object [
    (method_definition name: (_) @name) @definition.function @body.of
    (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)] @body.of) @definition.function
    (shorthand_property_identifier) @export.name
    (pair value: (identifier) @export.name)
  ]))
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! exported "true"))

; Functions assigned to a property of something else.

((assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @container.text property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @body.of) @definition.method
  (#not-eq? @name "exports"))
