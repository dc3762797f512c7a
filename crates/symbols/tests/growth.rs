//! Extraction costs about as much per part of a file however many parts there are.
//!
//! Held by counting nodes and steps of matching instead of measuring time. The forms are those of
//! generated sources (registries, tables, bundles), which are the long ones in real repositories.

use reseek_symbols::{Extractor, Language};

/// How many parts the generated sources have.
const COUNTS: [usize; 2] = [1_000, 10_000];
/// How many those have that real repositories are known to have the longest of.
const MANY: usize = 50_000;
/// Nodes and steps that a part may cost: the widest of the forms below has about 50 nodes a part.
const MAX_WORK_PER_PART: u64 = 400;

/// Extracts sources of ever more parts and compares what a part costs.
#[track_caller]
fn check_up_to(
    name: &str,
    (start, part, end): (&str, &dyn Fn(usize) -> String, &str),
    most: usize,
) {
    let language = Language::of_path(name).expect("a known extension");
    let mut extractor = Extractor::new();
    let mut least = u64::MAX;
    for count in COUNTS.into_iter().chain((most > COUNTS[1]).then_some(most)) {
        let parts: String = (0..count).map(part).collect();
        let source = [start, &parts, end].concat();
        extractor.extract(source.as_bytes(), language, true);
        let work = extractor.work().div_ceil(count as u64);
        assert!(work <= MAX_WORK_PER_PART, "{work} steps a part in {count} parts");
        // What the rest of the file costs counts more where there are few parts.
        assert!(
            work <= least.saturating_add(1),
            "{work} steps a part in {count}, {least} in fewer"
        );
        least = least.min(work);
    }
}

#[track_caller]
fn check(name: &str, start: &str, part: impl Fn(usize) -> String, end: &str) {
    check_up_to(name, (start, &part, end), COUNTS[1]);
}

#[track_caller]
fn check_many(name: &str, start: &str, part: impl Fn(usize) -> String, end: &str) {
    check_up_to(name, (start, &part, end), MANY);
}

#[test]
fn members_of_an_object() {
    let part = |i| format!("m{i}: {{ a: 1, b() {{}}, c: () => {{}} }}, n{i}, 'o-{i}': f(x),\n");
    check_many("x.ts", "export const icons = {\n", part, "};");
    check("x.js", "module.exports = {\n", part, "};");
    check("x.js", "export default {\n", part, "};");
}

#[test]
fn objects_in_an_array() {
    check_many(
        "x.ts",
        "const rows = [",
        |i| format!("{{ id: {i}, run() {{ go({i}); }} }},\n"),
        "];",
    );
}

#[test]
fn members_of_a_class() {
    let part = |i| format!("@I() f{i} = {i}; get g{i}() {{}}\n");
    check_many("x.ts", "export class A {\n", part, "}");
    check("x.js", "class A {\n", |i| format!("f{i} = () => {{}}; static m{i}() {{}}\n"), "}");
}

#[test]
fn members_of_an_interface_and_of_an_object_type() {
    let part = |i| format!("p{i}?: A; m{i}(): void;\n");
    check_many("x.ts", "export interface A {\n", part, "}");
    check("x.ts", "export type A = B & {\n", part, "};");
}

#[test]
fn members_of_an_enum() {
    check_many("x.ts", "export enum A {\n", |i| format!("A{i}, B{i} = {i},\n"), "}");
}

#[test]
fn members_of_a_union() {
    check_many("x.ts", "export type A =\n", |i| format!("| 'a{i}' | {{ kind: {i} }}\n"), ";");
}

#[test]
fn parameters_of_a_constructor() {
    let part = |i| format!("private readonly p{i}: P, q{i}?: Q,\n");
    check("x.ts", "class A { constructor(", part, ") {} }");
}

#[test]
fn arguments_of_a_call() {
    check("x.test.ts", "it('a', ", |i| format!("{i}, () => {{}}, 'b', "), ");");
    check("x.js", "const a = memo(", |i| format!("function () {{}}, b{i}, "), ");");
}

#[test]
fn links_of_a_chain_of_calls() {
    check_many("x.test.ts", "const a = b", |i| format!(".m{i}('x', (v) => v)"), ";");
    check("x.test.ts", "describe", |_| "('a')".to_owned(), ";");
    check("x.js", "", |i| format!("a{i}.b = "), "c;");
}

#[test]
fn names_of_a_statement() {
    check_many("x.ts", "import {", |i| format!("a{i} as b{i}, "), "} from 'm';");
    check("x.ts", "export {", |i| format!("a{i} as b{i}, "), "};");
    check("x.ts", "export {", |i| format!("a{i} as b{i}, "), "} from 'm';");
    check("x.ts", "const {", |i| format!("a{i}, b: {{ c{i} }}, "), "} = d;");
    check("x.ts", "const [", |i| format!("a{i}, "), "] = d;");
    check("x.ts", "const ", |i| format!("a{i} = {i}, "), "z = 0;");
}

#[test]
fn statements_of_a_file() {
    let part =
        |i| format!("export const a{i} = f({i}); function g{i}() {{}} exports.b{i} = {i};\n");
    check_many("x.js", "", part, "");
    check("x.test.ts", "", |i| format!("it('does {i}', () => {{ expect(a).toBe({i}); }});\n"), "");
    check("x.ts", "declare module 'm' {\n", |i| format!("function f(a: A{i}): void;\n"), "}");
}

#[test]
fn levels_of_nesting() {
    let end = |text: &str| text.repeat(COUNTS[0]);
    check_many("x.test.ts", "", |i| format!("describe('a{i}', () => {{ "), &end("}); "));
    check("x.ts", "const f = ", |i| format!("(a{i}) => "), "1;");
    check("x.ts", "const o = ", |i| format!("{{ a{i}: "), &end("} "));
    check("x.js", "const a = ", |_| "[".to_owned(), &end("]"));
}

#[test]
fn tags_of_a_component() {
    let part = |i| format!("<Row key={{{i}}} on={{() => go({i})}}>text</Row>\n");
    check("x.tsx", "export const A = () => <div>\n", part, "</div>;");
}
