//! Everything that is read from one realistic sample per language, as snapshots.

use std::fmt::Write;

use reseek_symbols::{Language, ParsedFile, extract, references};

/// All fields of a parsed file in a compact form, made to be read in reviews.
fn describe(source: &str, file: &ParsedFile) -> String {
    let mut out = String::new();
    let text = |span: reseek_symbols::Span| String::from_utf8_lossy(span.slice(source.as_bytes()));
    for (index, symbol) in file.symbols.iter().enumerate() {
        let exported = match (symbol.exported, symbol.default_export) {
            (_, true) => " default",
            (true, false) => " exported",
            (false, false) => "",
        };
        let parent = symbol.parent.map_or("-".to_owned(), |parent| parent.to_string());
        let container = if symbol.container.is_empty() { "-" } else { &symbol.container };
        writeln!(
            out,
            "{index} {} `{}` in {container} ({parent}){exported} lines {}-{} bytes {}-{} signature {}-{}",
            symbol.kind,
            symbol.name,
            symbol.lines.start,
            symbol.lines.end,
            symbol.span.start,
            symbol.span.end,
            symbol.signature_span.start,
            symbol.signature_span.end,
        )
        .expect("a string grows");
        writeln!(out, "    {}", symbol.signature).expect("a string grows");
        if let Some(span) = symbol.doc_span {
            writeln!(out, "    doc {}-{} {:?}", span.start, span.end, symbol.doc)
                .expect("a string grows");
        }
        let used = references(source.as_bytes(), file, Some(index as u32)).join(" ");
        writeln!(out, "    uses {used}").expect("a string grows");
    }
    let used = references(source.as_bytes(), file, None).join(" ");
    writeln!(out, "outside uses {used}").expect("a string grows");
    for import in &file.imports {
        let what = if import.re_export { "re-export" } else { "import" };
        writeln!(out, "{what} {} {:?} line {}", import.module, import.names, import.line)
            .expect("a string grows");
    }
    for comment in &file.comments {
        writeln!(out, "comment {:?}", text(*comment)).expect("a string grows");
    }
    for string in &file.strings {
        writeln!(out, "string {:?}", text(*string)).expect("a string grows");
    }
    for diagnostic in &file.diagnostics {
        let lines = diagnostic.lines;
        writeln!(out, "{:?} lines {}-{}", diagnostic.kind, lines.start, lines.end)
            .expect("a string grows");
    }
    out
}

#[track_caller]
fn check(language: &str, source: &str) {
    let language = Language::by_name(language).expect("a row of the table");
    let file = extract(source.as_bytes(), language);
    insta::assert_snapshot!(language.name(), describe(source, &file));
}

#[test]
fn a_typescript_module_gives_all_its_symbols() {
    check("typescript", include_str!("../languages/typescript/sample.ts"));
}

#[test]
fn a_tsx_module_gives_its_components_and_hooks() {
    check("tsx", include_str!("../languages/tsx/sample.tsx"));
}

#[test]
fn a_commonjs_module_gives_its_exports_and_prototypes() {
    check("javascript", include_str!("../languages/javascript/sample.js"));
}
