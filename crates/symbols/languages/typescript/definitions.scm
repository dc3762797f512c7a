; Definitions that only TypeScript has.

(abstract_class_declaration name: (_) @name) @definition.class @body.of

(interface_declaration name: (_) @name) @definition.interface @body.of

(type_alias_declaration name: (_) @name value: (_) @value) @definition.type

(enum_declaration name: (_) @name) @definition.enum @body.of

(enum_body name: (_) @name @definition.enum-member)

(enum_assignment name: (_) @name value: (_) @value) @definition.enum-member

; Namespaces and declared modules.

(internal_module name: (_) @name) @definition.namespace @body.of

((module name: (string) @name) @definition.namespace @body.of
  (#set! exported "true"))

(module name: (_) @name) @definition.namespace @body.of

((ambient_declaration "global" @name (statement_block) @body) @definition.namespace
  (#set! exported "true"))

; Functions without a body: overloads and declarations.

(function_signature name: (_) @name) @definition.function

(class_body (method_signature "get" name: (_) @name) @definition.getter)

(class_body (method_signature "set" name: (_) @name) @definition.setter)

((class_body (method_signature name: (_) @name) @definition.constructor)
  (#eq? @name "constructor"))

(class_body (method_signature name: (_) @name) @definition.method)

(abstract_method_signature "get" name: (_) @name) @definition.getter

(abstract_method_signature "set" name: (_) @name) @definition.setter

(abstract_method_signature name: (_) @name) @definition.method

; Class fields. The grammar takes `accessor` for the name of the field.

((public_field_definition name: (property_identifier) @covered (ERROR (identifier) @name))
  @definition.property
  (#eq? @covered "accessor"))

(public_field_definition name: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @body.of) @definition.method

(public_field_definition name: (_) @name value: (_) @value) @definition.property

(public_field_definition name: (_) @name !value) @definition.property

; Parameters of a constructor that are fields as well.

((method_definition
  name: (_) @_constructor
  parameters: (formal_parameters [
    (required_parameter
      [(accessibility_modifier) (override_modifier) "readonly"]
      pattern: (identifier) @name) @definition.property
    (optional_parameter
      [(accessibility_modifier) (override_modifier) "readonly"]
      pattern: (identifier) @name) @definition.property
  ]))
  (#eq? @_constructor "constructor")
  (#set! level "outer"))

; Members of interfaces and of object types that an alias names.

(interface_body (method_signature "get" name: (_) @name) @definition.getter)

(interface_body (method_signature "set" name: (_) @name) @definition.setter)

(interface_body (method_signature name: (_) @name) @definition.method)

(interface_body (property_signature name: (_) @name) @definition.property)

(type_alias_declaration value: (object_type (method_signature name: (_) @name) @definition.method))

(type_alias_declaration value: (object_type (property_signature name: (_) @name) @definition.property))

(type_alias_declaration
  value: (intersection_type (object_type (method_signature name: (_) @name) @definition.method)))

(type_alias_declaration
  value: (intersection_type (object_type (property_signature name: (_) @name) @definition.property)))

; Exports that only TypeScript has.

(export_statement "=" (identifier) @export.default-name)

(export_statement "default"
  value: [
    (as_expression)
    (satisfies_expression)
  ] @definition.variable @value)
