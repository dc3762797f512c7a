; Definitions that every dialect of JavaScript shares. Where two patterns define the same name of
; the same node, the upper one wins.

; Functions and classes.

(function_declaration name: (_) @name body: (_) @body) @definition.function

(generator_function_declaration name: (_) @name body: (_) @body) @definition.function

(class_declaration name: (_) @name body: (_) @body) @definition.class

; Methods, of classes and of object literals.

(method_definition "get" name: (_) @name body: (_) @body) @definition.getter

(method_definition "set" name: (_) @name body: (_) @body) @definition.setter

((method_definition name: (property_identifier) @name body: (_) @body) @definition.constructor
  (#eq? @name "constructor"))

(method_definition name: (_) @name body: (_) @body) @definition.method

; Members of object literals that hold functions. Short lambdas inside function bodies are left to
; the text of the function.

(pair key: (_) @name
  value: [
    (arrow_function body: (statement_block) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method

((pair key: (_) @name value: (arrow_function body: (_) @body)) @definition.method
  (#set! scope "module"))

(pair key: (_) @container.name value: (object)) @container

; Variables bound to functions and classes.

(variable_declarator name: (identifier) @name
  value: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.function

((variable_declarator name: (identifier) @name
  value: (call_expression
    function: (_) @_wrap
    arguments: (arguments . [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ]))) @definition.function
  (#match? @_wrap "^(React\\.)?(memo|forwardRef|observer|lazy|useCallback|useMemoizedFn|useEvent|cache|debounce|throttle|memoize|once|wrap|asyncHandler|catchAsync|defineEventHandler|eventHandler|defineComponent|withSentry|action)$"))

((variable_declarator name: (identifier) @name
  value: (call_expression
    function: (_) @_outer
    arguments: (arguments . (call_expression
      function: (_) @_inner
      arguments: (arguments . [
        (arrow_function body: (_) @body)
        (function_expression body: (_) @body)
      ]))))) @definition.function
  (#match? @_outer "^(React\\.)?(memo|forwardRef|observer)$")
  (#match? @_inner "^(React\\.)?(memo|forwardRef|observer)$"))

(variable_declarator name: (identifier) @name value: (class body: (_) @body) @covered) @definition.class

(class name: (_) @name body: (_) @body) @definition.class

; Other variables of a module; what `require` and `import()` give are imports, not definitions.

((variable_declarator name: (identifier) @name value: (_) @value) @definition.variable
  (#not-match? @value "^(require|await\\s+import)\\(")
  (#set! scope "module"))

((variable_declarator name: (identifier) @name !value) @definition.variable
  (#set! scope "module"))

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
  (#not-match? @value "^(require|await\\s+import)\\(")
  (#set! scope "module"))

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
  value: (_) @value) @definition.variable
  (#set! scope "module"))

; Exports of the language.

(export_statement declaration: (_)) @export

(export_statement "default") @export.default

(export_statement "default" value: (identifier) @export.default-name)

((export_statement !source
  (export_clause (export_specifier name: (_) @export.default-name alias: (_) @_alias)))
  (#eq? @_alias "default"))

(export_statement !source (export_clause (export_specifier name: (_) @export.name)))

(export_statement "default"
  value: [
    (arrow_function body: (_) @body)
    (function_expression !name body: (_) @body)
    (generator_function !name body: (_) @body)
  ] @definition.function)

(export_statement "default"
  value: [
    (function_expression name: (_) @name body: (_) @body)
    (generator_function name: (_) @name body: (_) @body)
  ] @definition.function)

(export_statement "default" value: (class !name body: (_) @body) @definition.class)

(export_statement "default" value: (class name: (_) @name body: (_) @body) @definition.class)

((export_statement "default"
  value: (call_expression
    function: (_) @_wrap
    arguments: (arguments . (function_expression name: (_) @name body: (_) @body)))
    @definition.function)
  (#match? @_wrap "^(React\\.)?(memo|forwardRef|observer)$"))

((export_statement "default"
  value: (call_expression
    function: (_) @_wrap
    arguments: (arguments . [
      (arrow_function body: (_) @body)
      (function_expression !name body: (_) @body)
    ])) @definition.function)
  (#match? @_wrap "^(React\\.)?(memo|forwardRef|observer|defineEventHandler|eventHandler|defineComponent)$"))

(export_statement "default"
  value: [
    (object)
    (array)
    (call_expression)
    (new_expression)
    (parenthesized_expression)
    (string)
    (template_string)
  ] @definition.variable @value)

; Assignments: prototypes and CommonJS.

((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @container.text property: (_) @_prototype)
    property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method
  (#eq? @_prototype "prototype"))

((assignment_expression
  left: (member_expression object: (_) @container.name property: (_) @_prototype)
  right: (object)) @container
  (#eq? @_prototype "prototype"))

((assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.function
  (#match? @_exports "^(module\\.)?exports$")
  (#set! exported "true"))

((assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @name)
  right: (class body: (_) @body) @covered) @definition.class
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
  (#set! exported "true")
  (#set! scope "module"))

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (identifier) @export.default-name)
  (#eq? @_module "module")
  (#eq? @_exports "exports"))

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (arrow_function body: (_) @body)
    (function_expression !name body: (_) @body)
    (function_expression name: (_) @name body: (_) @body)
  ]) @definition.function
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! default "true"))

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (class !name body: (_) @body)
    (class name: (_) @name body: (_) @body) @covered
  ]) @definition.class
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! default "true"))

((assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object [
    (method_definition name: (_) @name body: (_) @body) @definition.function
    (pair key: (_) @name value: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (generator_function body: (_) @body)
    ]) @definition.function
    (shorthand_property_identifier) @export.name
    (pair value: (identifier) @export.name)
  ]))
  (#eq? @_module "module")
  (#eq? @_exports "exports")
  (#set! exported "true"))

(assignment_expression
  left: (member_expression object: (this) property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method

((assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @container.text property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @definition.method
  (#set! scope "module"))
