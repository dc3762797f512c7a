; Imports and re-exports that every dialect of JavaScript shares. Matches with the same @import node
; are one import; its names are collected over the matches.

(import_statement source: (string) @import.module) @import

((import_statement (import_clause (identifier) @import.name)) @import
  (#set! name "default"))

((import_statement (import_clause (namespace_import) @import.name)) @import
  (#set! name "*"))

(import_statement
  (import_clause (named_imports (import_specifier name: (_) @import.name)))) @import

((export_statement source: (string) @import.module) @import
  (#set! re_export "true"))

(export_statement (export_clause (export_specifier name: (_) @import.name)) source: (string)) @import

((export_statement "*" @import.name source: (string)) @import
  (#set! name "*"))

((export_statement (namespace_export) @import.name source: (string)) @import
  (#set! name "*"))

; `require` and dynamic imports of a literal.

((call_expression
  function: (_) @_function
  arguments: (arguments . (string) @import.module)) @import
  (#any-of? @_function "require" "import")
  (#set! starts "require import"))

((variable_declarator
  name: (identifier) @import.name
  value: [(call_expression) @import (await_expression (call_expression) @import)])
  (#match? @import "^(require|import)\\(")
  (#set! name "*"))

((variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @import.name
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @import.name)
    (pair_pattern key: (_) @import.name)
  ])
  value: [(call_expression) @import (await_expression (call_expression) @import)])
  (#match? @import "^(require|import)\\("))

((variable_declarator
  value: (member_expression
    object: [
      (call_expression) @import
      (parenthesized_expression (await_expression (call_expression) @import))
    ]
    property: (property_identifier) @import.name))
  (#match? @import "^(require|import)\\("))
