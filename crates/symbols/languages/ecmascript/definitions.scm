; Definitions that every dialect of JavaScript shares. Where two patterns define the same name of
; the same node, the upper one wins.

; Functions and classes.

(function_declaration name: (_) @name) @definition.function @body.of

(generator_function_declaration name: (_) @name) @definition.function @body.of

(class_declaration name: (_) @name) @definition.class @body.of

; Methods, of classes and of object literals.

(method_definition "get" name: (_) @name) @definition.getter @body.of

(method_definition "set" name: (_) @name) @definition.setter @body.of

((method_definition name: (property_identifier) @name) @definition.constructor @body.of
  (#eq? @name "constructor"))

(method_definition name: (_) @name) @definition.method @body.of

; Members of object literals that hold functions. Short lambdas inside function bodies are left to
; the text of the function; see module.scm.

(pair key: (_) @name
  value: [
    (arrow_function body: (statement_block))
    (function_expression)
    (generator_function)
  ] @body.of) @definition.method

(pair key: (_) @container.name value: (object)) @container

; Variables bound to functions and classes.

(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @body.of) @definition.function

((variable_declarator name: (identifier) @name
  value: (call_expression
    function: (_) @_wrap
    arguments: (arguments . [(arrow_function) (function_expression) (generator_function)] @body.of))) @definition.function
  (#match? @_wrap "^(React\\.)?(memo|forwardRef|observer|lazy|useCallback|useMemoizedFn|useEvent|cache|debounce|throttle|memoize|once|wrap|asyncHandler|catchAsync|defineEventHandler|eventHandler|defineComponent|withSentry|action)$"))

((variable_declarator name: (identifier) @name
  value: (call_expression
    function: (_) @_outer
    arguments: (arguments . (call_expression
      function: (_) @_inner
      arguments: (arguments . [(arrow_function) (function_expression)] @body.of))))) @definition.function
  (#match? @_outer "^(React\\.)?(memo|forwardRef|observer)$")
  (#match? @_inner "^(React\\.)?(memo|forwardRef|observer)$"))

(variable_declarator name: (identifier) @name value: (class) @covered @body.of) @definition.class

(class name: (_) @name) @definition.class @body.of

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
    (arrow_function)
    (function_expression !name)
    (generator_function !name)
  ] @definition.function @body.of)

(export_statement "default"
  value: [
    (function_expression name: (_) @name)
    (generator_function name: (_) @name)
  ] @definition.function @body.of)

(export_statement "default" value: (class !name) @definition.class @body.of)

(export_statement "default" value: (class name: (_) @name) @definition.class @body.of)

((export_statement "default"
  value: (call_expression
    function: (_) @_wrap
    arguments: (arguments . [
      (arrow_function)
      (function_expression !name)
      (function_expression name: (_) @name)
    ] @body.of)) @definition.function)
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

; Assignments to prototypes and to `this`.

((assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @container.text property: (_) @_prototype)
    property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @definition.method @body.of)
  (#eq? @_prototype "prototype"))

((assignment_expression
  left: (member_expression object: (_) @container.name property: (_) @_prototype)
  right: (object)) @container
  (#eq? @_prototype "prototype"))

(assignment_expression
  left: (member_expression object: (this) property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @definition.method @body.of)
