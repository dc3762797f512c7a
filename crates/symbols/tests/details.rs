//! The fields of symbols and imports, own text and references, and limits, each on a few lines.

use reseek_symbols::limits::{MAX_DEPTH, MAX_SIGNATURE_BYTES, MAX_SYMBOLS};
use reseek_symbols::{
    DiagnosticKind, Extractor, Language, ParsedFile, Span, Symbol, each_reference, extract,
    own_ranges, references,
};

fn read(extension: &str, source: &str) -> ParsedFile {
    let language = Language::of_path(&format!("x.{extension}")).expect("a known extension");
    extract(source.as_bytes(), language)
}

/// `kind container.name` of every symbol, `*` before those exported, `**` before the default.
fn outline(file: &ParsedFile) -> String {
    let line = |symbol: &Symbol| {
        let export = match (symbol.default_export, symbol.exported) {
            (true, _) => "**",
            (false, true) => "*",
            (false, false) => "",
        };
        let dot = if symbol.container.is_empty() { "" } else { "." };
        format!("{export}{} {}{dot}{}", symbol.kind, symbol.container, symbol.name)
    };
    file.symbols.iter().map(line).collect::<Vec<_>>().join("; ")
}

#[track_caller]
fn check(extension: &str, source: &str, expected: &str) {
    assert_eq!(outline(&read(extension, source)), expected, "{source}");
}

#[test]
fn exports_are_found_wherever_they_are_written() {
    check("ts", "const a = 1; const b = 2; export { a, b as c };", "*variable a; *variable b");
    check("ts", "function f() {} export { f as default };", "**function f");
    check("ts", "class A { m() {} } export default A;", "**class A; *method A.m");
    check("ts", "function f() {} export = f;", "**function f");
    check("js", "function f() {} module.exports = f;", "**function f");
    check("js", "function f() {} exports.f = f;", "*function f");
    check("js", "function f() {} module.exports = { g: f };", "*function f");
    check("ts", "export { a } from './a'; const a = 1;", "variable a");
}

#[test]
fn a_default_export_is_named_where_it_has_a_name() {
    check(
        "js",
        "export default { data() {}, methods: { go() {} } }",
        "**variable default; *method default.data; *method default.methods.go",
    );
    check("js", "export default memo(function Card() {})", "**function Card");
    check("js", "module.exports = class Pool { get() {} }", "**class Pool; *method Pool.get");
    check("js", "module.exports = function () {}", "**function default");
    check("js", "exports.limit = 3; exports.other = require('x');", "*variable limit");
}

#[test]
fn members_have_the_kinds_of_the_language() {
    check(
        "ts",
        "class A { #p = 1; static accessor z = 3; get q() { return 1 } set q(v) {} 'a b'() {}
          [Symbol.iterator]() {} on = () => {}; declare d: string; static async *gen() {} }",
        "class A; property A.#p; property A.z; getter A.q; setter A.q; method A.a b; \
         method A.[Symbol.iterator]; method A.on; property A.d; method A.gen",
    );
    check(
        "js",
        "class A { #p = 1; on = () => {}; x; static get y() { return 1 } }",
        "class A; property A.#p; method A.on; property A.x; getter A.y",
    );
    check(
        "ts",
        "export enum E { A, B = 2, 'c d' = 3 }",
        "*enum E; *enum-member E.A; *enum-member E.B; *enum-member E.c d",
    );
    check("ts", "declare const enum E { A }", "enum E; enum-member E.A");
}

#[test]
fn declared_modules_export_what_is_in_them() {
    check(
        "ts",
        "declare module 'm' { function f(): void; interface I { x: 1 } }",
        "*namespace m; *function m.f; *interface m.I; *property m.I.x",
    );
    check(
        "ts",
        "declare global { interface Window { x: 1 } var y: string }",
        "*namespace global; *interface global.Window; *property global.Window.x; \
         *variable global.y",
    );
    check("ts", "export declare namespace N { let y: string }", "*namespace N; *variable N.y");
}

#[test]
fn inner_functions_and_classes_are_symbols_and_inner_variables_are_not() {
    check(
        "ts",
        "function f() { const x = 1; const g = () => x; function h() {} class C {} }",
        "function f; function f.g; function f.h; class f.C",
    );
    check("js", "if (a) { let x = 1; } for (const y of z) {} const k = 1;", "variable k");
    check("js", "(function () { var x = 1; function lib() {} })();", "function lib");
    check(
        "js",
        "register(class Thing extends Base { run() {} });",
        "class Thing; method Thing.run",
    );
}

#[test]
fn destructured_names_are_found_in_nested_patterns() {
    check(
        "ts",
        "const { a: { b, c = 1, d: e }, f: [g, h = 2, ...i], j: k = 3, ...l } = m;",
        "variable b; variable c; variable e; variable g; variable h; variable i; variable k; \
         variable l",
    );
    check(
        "js",
        "const [a, [b], { c, d: e, f = 1 }, g = 2, ...h] = i;",
        "variable a; variable b; variable c; variable e; variable f; variable g; variable h",
    );
}

#[test]
fn every_kind_of_value_can_be_exported() {
    check(
        "js",
        "exports.a = 'a'; exports.b = `b`; module.exports.c = function d() {}; exports.e = class {};
         exports.f = f(); exports.g = () => 1; exports.h = [];",
        "*variable a; *variable b; *function c; *class e; *variable f; *function g; *variable h",
    );
    check("js", "export default 'text';", "**variable default");
    check("js", "export default { a: 1 };", "**variable default");
    check("ts", "export default { a: 1 } satisfies B;", "**variable default");
}

#[test]
fn what_require_gives_is_no_definition() {
    check(
        "js",
        "const fs = require('fs'); const { a } = require('b'); const c = d();",
        "variable c",
    );
}

#[test]
fn overloads_without_an_implementation_are_one_symbol() {
    let file =
        read("ts", "/** Doc. */\ndeclare function f(a: 1): 1;\ndeclare function f(a: 2): 2;\n");
    assert_eq!(outline(&file), "function f");
    assert_eq!(file.symbols[0].signature, "declare function f(a: 1): 1");
    assert_eq!((file.symbols[0].lines.start, file.symbols[0].lines.end), (2, 3));
    assert_eq!(file.symbols[0].doc, "Doc.");
}

#[test]
fn overloads_apart_from_each_other_stay_apart() {
    check(
        "ts",
        "interface A { f(): 1; g(): 2; f(a: 1): 1 }",
        "interface A; method A.f; method A.g; method A.f",
    );
}

#[track_caller]
fn check_signature(extension: &str, source: &str, expected: &str) {
    assert_eq!(read(extension, source).symbols[0].signature, expected);
}

#[test]
fn signatures_end_before_the_body_and_hold_no_comments() {
    check_signature(
        "ts",
        "export async function f(\n  a: string, // first\n  b = {},\n): Promise<void> { }",
        "export async function f( a: string, b = {}, ): Promise<void>",
    );
    check_signature(
        "ts",
        "@Dec({ a: 1 })\nexport class A extends B implements C {}",
        "export class A extends B implements C",
    );
    check_signature("ts", "@Dec() class A {}", "class A");
    check_signature("ts", "const f = <T,>(a: T) => a;", "const f = <T,>(a: T) =>");
}

#[test]
fn signatures_of_variables_show_the_start_of_the_value() {
    check_signature("js", "const a = 1;", "const a = 1");
    let long = format!("const a = \"{}\";", "é".repeat(100));
    let signature = read("js", &long).symbols[0].signature.clone();
    assert!(signature.starts_with("const a = \"éé"));
    assert!(signature.len() <= 90 && signature.ends_with('é'), "{signature}");
}

#[test]
fn long_signatures_are_cut_at_a_character_boundary() {
    let source = format!("function f({}) {{}}", "ä, ".repeat(400));
    let signature = read("js", &source).symbols[0].signature.clone();
    assert!(signature.len() <= MAX_SIGNATURE_BYTES);
    assert!(signature.len() > MAX_SIGNATURE_BYTES - 8);
}

#[test]
fn decorators_belong_to_the_span_and_the_doc_stands_above_them() {
    let file = read("ts", "class A {\n  /** Runs. */\n  @Go()\n  @Slow()\n  run() {}\n}\n");
    let run = &file.symbols[1];
    assert_eq!((run.lines.start, run.lines.end), (3, 5));
    assert_eq!(run.doc, "Runs.");
    assert_eq!(run.signature, "run()");
}

#[test]
fn a_license_header_is_no_doc() {
    let file = read("ts", "/* License */\n\nexport const a = 1;\n\n// About b.\nconst b = 2;");
    assert_eq!(file.symbols[0].doc, "");
    assert_eq!(file.symbols[1].doc, "About b.");
    assert_eq!(file.symbols[1].doc_span.map(Span::len), Some(11));
}

#[test]
fn a_byte_order_mark_carriage_returns_and_a_shebang_are_no_errors() {
    for source in [
        "\u{feff}export const a = 1;\r\nfunction f() {\r\n}\r\n",
        "#!/usr/bin/env node\r\nexport const a = 1;\nfunction f() {\n}\n",
    ] {
        for language in Language::all() {
            let file = extract(source.as_bytes(), language);
            assert!(file.diagnostics.is_empty(), "{language:?} {source:?}");
            assert_eq!(outline(&file), "*variable a; function f", "{language:?}");
        }
    }
    let file = read("js", "#!/usr/bin/env node\nfunction f() {}");
    assert_eq!(file.symbols[0].doc, "", "a shebang is no doc");
    assert_eq!(file.symbols[0].lines.start, 2);
}

#[track_caller]
fn check_import(extension: &str, source: &str, module: &str, names: &[&str], re_export: bool) {
    let file = read(extension, source);
    assert_eq!(file.imports.len(), 1, "{source}");
    let import = &file.imports[0];
    assert_eq!((import.module.as_str(), import.re_export, import.line), (module, re_export, 1));
    assert_eq!(import.names, names, "{source}");
}

#[test]
fn imports_have_the_names_of_the_other_module() {
    check_import(
        "ts",
        "import d, { a as b, type T } from 'm';",
        "m",
        &["default", "a", "T"],
        false,
    );
    check_import("ts", "import d, * as n from 'm';", "m", &["default", "*"], false);
    check_import("ts", "import type X from './x';", "./x", &["default"], false);
    check_import("ts", "import 'm';", "m", &[], false);
    check_import("ts", "import e = require('e');", "e", &["*"], false);
}

#[test]
fn re_exports_are_imports_too() {
    check_import("js", "export { q as default, r } from 'z';", "z", &["q", "r"], true);
    check_import("js", "export * from 'z';", "z", &["*"], true);
    check_import("js", "export * as ns from 'z';", "z", &["*"], true);
}

#[test]
fn require_and_dynamic_imports_of_a_literal_are_imports() {
    check_import("js", "const x = require('m');", "m", &["*"], false);
    check_import(
        "js",
        "const { a, b: { c }, d = 1 } = require('m');",
        "m",
        &["a", "b", "d"],
        false,
    );
    check_import("js", "const a = require('m').one;", "m", &["one"], false);
    check_import("js", "require('m');", "m", &[], false);
    check_import("ts", "const { a } = await import('m');", "m", &["a"], false);
    check_import("ts", "const load = () => import('m');", "m", &[], false);
    assert!(read("js", "require(name); import(`./${x}`);").imports.is_empty());
}

/// `owner: identifiers` for every owner that has some.
#[track_caller]
fn check_references(extension: &str, source: &str, expected: &str) {
    let file = read(extension, source);
    let mut lines: Vec<(Option<u32>, Vec<&str>)> = Vec::new();
    each_reference(source.as_bytes(), &file, |owner, identifier| match lines.last_mut() {
        Some((last, identifiers)) if *last == owner => identifiers.push(identifier),
        _ => lines.push((owner, vec![identifier])),
    });
    for (owner, identifiers) in &lines {
        assert_eq!(&references(source.as_bytes(), &file, *owner), identifiers);
    }
    let name = |owner: &Option<u32>| match owner {
        Some(owner) => file.symbols[*owner as usize].name.clone(),
        None => "-".to_owned(),
    };
    let lines: Vec<String> = lines
        .iter()
        .map(|(owner, found)| format!("{}: {}", name(owner), found.join(" ")))
        .collect();
    assert_eq!(lines.join("; "), expected, "{source}");
}

#[test]
fn references_leave_out_comments_strings_numbers_and_keywords() {
    check_references(
        "ts",
        "start('one'); /* two */ const a = 0x1f + b1; // three",
        "-: start; a: a b1",
    );
    check_references("js", "if (x) { return typeof y; }", "-: x y");
    check_references("js", "f(/reg exp/.test($el))", "-: f test $el");
}

#[test]
fn code_inside_templates_counts_and_their_text_does_not() {
    check_references(
        "ts",
        "go(`text ${value} more ${other(`in ${deep}`)} end`)",
        "-: go value other deep",
    );
}

#[test]
fn text_between_jsx_tags_does_not_count() {
    check_references("tsx", "const a = <b c={d}>Hello {name}!</b>;", "a: a b c d name b");
}

#[test]
fn references_belong_to_the_innermost_symbol() {
    check_references(
        "ts",
        "import { z } from 'z';\nclass A {\n  /** Doc words. */\n  m() { n(); }\n  o = p;\n}\nq();",
        "-: z q; A: A; m: m n; o: o p",
    );
}

#[test]
fn own_ranges_leave_out_children_and_their_docs() {
    let source = "/** D. */\nclass A {\n  /** E. */\n  m() {}\n}\nz();";
    let file = read("ts", source);
    let text = |owner| {
        let ranges = own_ranges(&file, owner);
        let pieces =
            ranges.iter().map(|span| String::from_utf8_lossy(span.slice(source.as_bytes())));
        pieces.collect::<Vec<_>>().join("|")
    };
    assert_eq!(text(None), "\nz();");
    assert_eq!(text(Some(0)), "class A {\n  |\n}");
    assert_eq!(text(Some(1)), "m() {}");
    assert_eq!(text(Some(7)), "");
}

#[test]
fn names_of_one_destructuring_each_own_its_text() {
    check_references("ts", "const { a, b } = f();", "a: a b f; b: a b f");
}

#[test]
fn nesting_beyond_the_limit_is_told_and_the_rest_is_kept() {
    let depth = MAX_DEPTH * 3;
    let source =
        format!("const a = {}1{};\nfunction f() {{}}", "[".repeat(depth), "]".repeat(depth));
    let file = read("js", &source);
    assert_eq!(outline(&file), "variable a; function f");
    let kinds: Vec<_> = file.diagnostics.iter().map(|diagnostic| diagnostic.kind).collect();
    assert_eq!(kinds, [DiagnosticKind::TooDeep]);
}

#[test]
fn symbols_beyond_the_limit_are_left_out_and_told() {
    let file = read("js", &"var a;\n".repeat(MAX_SYMBOLS + 2));
    assert_eq!(file.symbols.len(), MAX_SYMBOLS);
    assert_eq!(file.diagnostics.len(), 1);
    assert_eq!(file.diagnostics[0].kind, DiagnosticKind::TooManySymbols);
    assert_eq!(file.diagnostics[0].lines.start, MAX_SYMBOLS as u32 + 1);
}

#[test]
fn an_extractor_gives_the_same_for_the_same_source() {
    let source = "export class A { m() {} }\nconst { b, c } = d();";
    let language = Language::by_name("tsx").expect("a row of the table");
    let mut extractor = Extractor::new();
    let first = extractor.extract(source.as_bytes(), language, false);
    extractor.extract(b"]]]{", language, true);
    assert_eq!(extractor.extract(source.as_bytes(), language, false), first);
}

#[test]
fn titles_of_nested_and_parametrised_tests_are_names() {
    let source = "describe.only('a', () => {\n  it.each([1])('b %i', () => {});\n  test(`c`, fn);\n  it.todo('d');\n});";
    let language = Language::by_name("typescript").expect("a row of the table");
    let file = Extractor::new().extract(source.as_bytes(), language, true);
    assert_eq!(outline(&file), "test a; test a.b %i; test a.c; test a.d");
}
