; Test blocks of the common runners: `describe("…", …)`, `it.only("…", …)`, `test.each(…)("…", …)`.
; Only matched in files that the caller calls test files.

((expression_statement
  (call_expression
    function: [
      (identifier) @_runner
      (member_expression object: (identifier) @_runner)
      (call_expression function: (member_expression object: (identifier) @_runner))
    ]
    arguments: (arguments
      . [(string) (template_string)] @name
      [(arrow_function) (function_expression)] @body.of))) @definition.test
  (#any-of? @_runner "describe" "it" "test" "suite" "context" "specify" "bench" "fdescribe" "xdescribe" "fit" "xit" "xtest")
  (#set! starts "describe it test suite context specify bench fdescribe xdescribe fit xit xtest"))

((expression_statement
  (call_expression
    function: [
      (identifier) @_runner
      (member_expression object: (identifier) @_runner)
    ]
    arguments: (arguments . [(string) (template_string)] @name))) @definition.test
  (#any-of? @_runner "it" "test" "specify" "xit" "xtest")
  (#set! starts "it test specify xit xtest"))
