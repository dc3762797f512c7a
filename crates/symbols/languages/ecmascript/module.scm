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
  right: [
    (arrow_function) @definition.function @body.of
    (function_expression) @definition.function @body.of
    (generator_function) @definition.function @body.of
    (class) @definition.class @body.of
    (identifier) @export.name
    (object) @definition.variable @value
    (array) @definition.variable @value
    (call_expression) @definition.variable @value
    (new_expression) @definition.variable @value
    (string) @definition.variable @value
    (template_string) @definition.variable @value
    (number) @definition.variable @value
    (true) @definition.variable @value
    (false) @definition.variable @value
  ] @_right)
  (#match? @_exports "^(module\\.)?exports$")
  (#not-match? @_right "^require\\(")
  (#set! exported "true"))

((assignment_expression
  left: (member_expression) @_module
  right: [
    (identifier) @export.default-name
    (arrow_function) @definition.function @body.of
    (function_expression !name) @definition.function @body.of
    (function_expression name: (_) @name) @definition.function @body.of
    (class !name) @definition.class @body.of
    (class name: (_) @name) @definition.class @body.of
  ])
  (#eq? @_module "module.exports")
  (#set! default "true"))

((assignment_expression
  left: (member_expression) @_module
  right: (object [
    (method_definition name: (_) @name) @definition.function @body.of
    (pair key: (_) @name
      value: [(arrow_function) (function_expression) (generator_function)] @body.of)
      @definition.function
    (shorthand_property_identifier) @export.name
    (pair value: (identifier) @export.name)
  ]))
  (#eq? @_module "module.exports")
  (#set! exported "true"))

; Functions assigned to a property of something else.

((assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @container.text property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @definition.method @body.of)
  (#not-eq? @name "exports"))
