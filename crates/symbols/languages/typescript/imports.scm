; Imports that only TypeScript has.

((import_statement (import_require_clause (identifier) @import.name source: (string) @import.module)) @import
  (#set! name "*"))
