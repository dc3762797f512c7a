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
  function: (identifier) @_require
  arguments: (arguments . (string) @import.module)) @import
  (#eq? @_require "require")
  (#set! starts "require"))

((call_expression
  function: (import)
  arguments: (arguments . (string) @import.module)) @import
  (#set! starts "import"))

((variable_declarator
  name: (identifier) @import.name
  value: [
    (call_expression function: (identifier) @_require arguments: (arguments . (string))) @import
    (await_expression (call_expression function: (import) @_require arguments: (arguments . (string))) @import)
  ])
  (#match? @_require "^(require|import)$")
  (#set! name "*"))

((variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @import.name
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @import.name)
    (pair_pattern key: (_) @import.name)
  ])
  value: [
    (call_expression function: (identifier) @_require arguments: (arguments . (string))) @import
    (await_expression (call_expression function: (import) @_require arguments: (arguments . (string))) @import)
  ])
  (#match? @_require "^(require|import)$"))

((variable_declarator
  value: (member_expression
    object: [
      (call_expression function: (identifier) @_require arguments: (arguments . (string))) @import
      (parenthesized_expression
        (await_expression (call_expression function: (import) @_require arguments: (arguments . (string))) @import))
    ]
    property: (property_identifier) @import.name))
  (#match? @_require "^(require|import)$"))
