//! Sources that tools of this kind have been seen to fail on, each with all the symbols it must give.
//!
//! A table has one symbol a line: kind, name, container (`-` at the top) and lines; `?` before the
//! kind marks a symbol that may be there or not. Nothing else may be there.

use reseek_symbols::{DiagnosticKind, Extractor, Language, ParsedFile, Symbol};

macro_rules! case {
    ($file:literal) => {
        ($file, include_str!(concat!("cases/", $file)))
    };
}

fn read(name: &str, source: &str) -> ParsedFile {
    let language = Language::of_path(name).expect("a known extension");
    Extractor::new().extract(source.as_bytes(), language, name.contains(".test."))
}

fn line_of(symbol: &Symbol) -> String {
    let container = if symbol.container.is_empty() { "-" } else { &symbol.container };
    let lines = symbol.lines;
    format!("{} {} {} {}-{}", symbol.kind, symbol.name, container, lines.start, lines.end)
}

/// Compares all symbols of a source with a table, and gives the parsed file for further questions.
#[track_caller]
fn check((name, source): (&str, &str), table: &str) -> ParsedFile {
    let file = read(name, source);
    let mut found: Vec<String> = file.symbols.iter().map(line_of).collect();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (optional, line) = match line.strip_prefix('?') {
            Some(rest) => (true, rest.trim()),
            None => (false, line),
        };
        match found.iter().position(|symbol| symbol == line) {
            Some(place) => {
                found.remove(place);
            }
            None => assert!(optional, "{name}: missing {line}; left: {found:#?}"),
        }
    }
    assert!(found.is_empty(), "{name}: not in the table: {found:#?}");
    file
}

#[track_caller]
fn symbol<'a>(file: &'a ParsedFile, name: &str) -> &'a Symbol {
    file.symbols.iter().find(|symbol| symbol.name == name).expect("a symbol of that name")
}

/// The line ranges of the syntax errors.
fn errors(file: &ParsedFile) -> Vec<(u32, u32)> {
    let errors = file.diagnostics.iter();
    let errors = errors.filter(|diagnostic| diagnostic.kind == DiagnosticKind::SyntaxError);
    errors.map(|diagnostic| (diagnostic.lines.start, diagnostic.lines.end)).collect()
}

#[test]
fn variance_modifiers_are_errors_of_the_grammar_but_lose_nothing() {
    let file = check(
        case!("variance_modifiers.ts"),
        "interface Sink - 1-3
        method push Sink 2-2
        class Channel - 4-9
        constructor constructor Channel 5-5
        ? property buffer Channel 5-5
        method drain Channel 6-8
        function openChannel - 10-12",
    );
    assert_eq!(errors(&file), [(1, 1), (4, 4)]);
    assert_eq!(symbol(&file, "Sink").signature, "export interface Sink<in T>");
    assert_eq!(symbol(&file, "Channel").signature, "export class Channel<in out T>");
}

#[test]
fn an_ampersand_in_a_jsx_attribute_does_not_end_the_component() {
    let file = check(
        case!("ampersand_in_jsx_attribute.tsx"),
        "function FontLink - 1-8
        function FontFallback - 9-11",
    );
    assert_eq!(errors(&file), [(5, 5)]);
}

#[test]
fn a_type_only_star_export_is_a_re_export_and_no_definition() {
    let file = check(case!("export_type_star.ts"), "function encodeFrame - 2-4");
    assert_eq!(file.imports.len(), 1);
    assert_eq!(file.imports[0].module, "./wire-types");
    assert!(file.imports[0].re_export);
}

#[test]
fn a_tagged_template_with_type_arguments_counts_as_partly_read() {
    let file = check(
        case!("tagged_template_with_types.ts"),
        "function loadPlan - 2-6
        function planCacheKey - 7-7",
    );
    assert_eq!(errors(&file), [(3, 3)]);
}

#[test]
fn a_named_default_export_is_a_symbol_and_the_default() {
    let file = check(
        case!("default_page.tsx"),
        "function CheckoutPage - 2-4
        function generateMetadata - 5-7",
    );
    let page = symbol(&file, "CheckoutPage");
    assert!(page.exported && page.default_export);
    let metadata = symbol(&file, "generateMetadata");
    assert!(metadata.exported && !metadata.default_export);
}

#[test]
fn a_default_export_without_a_name_is_called_default() {
    let file = check(case!("default_arrow.ts"), "function default - 1-3");
    assert!(file.symbols[0].default_export);
    let file = check(
        case!("default_class.ts"),
        "class default - 1-5
        method run default 2-4",
    );
    assert!(file.symbols.iter().all(|symbol| symbol.exported));
}

const FUNCTIONS_IN_CONSTANTS: &str = "function normalizeEmail - 1-1
    function fetchAccount - 2-4
    variable accountApi - 5-11
    method read accountApi 6-6
    method remove accountApi 7-9
    ? property limits accountApi 10-10
    function retryDelay - 12-14";

#[test]
fn constants_bound_to_functions_are_functions() {
    let file = check(case!("functions_in_constants.ts"), FUNCTIONS_IN_CONSTANTS);
    assert!(!symbol(&file, "normalizeEmail").exported);
    assert!(symbol(&file, "read").exported);
}

#[test]
fn members_of_interfaces_and_type_literals_have_their_container() {
    let file = check(
        case!("interface_members.ts"),
        "interface RateStore - 1-8
        property name RateStore 2-2
        method take RateStore 3-3
        property onLimit RateStore 4-4
        type Quota - 9-12
        ? property limit Quota 10-10
        ? method reset Quota 11-11",
    );
    assert!(symbol(&file, "take").exported);
}

#[test]
fn a_dotted_namespace_contains_what_is_in_it() {
    let file = check(
        case!("dotted_namespace.ts"),
        "namespace Billing.Invoices - 1-11
        interface Line Billing.Invoices 2-4
        ? property cents Billing.Invoices.Line 3-3
        function total Billing.Invoices 5-7
        namespace Internal Billing.Invoices 8-10
        variable taxRate Billing.Invoices.Internal 9-9",
    );
    assert!(symbol(&file, "total").exported);
    assert!(!symbol(&file, "Internal").exported);
    assert!(!symbol(&file, "taxRate").exported, "a member of what is not exported");
}

#[test]
fn an_abstract_class_keeps_its_members_and_modifiers() {
    let file = check(
        case!("abstract_class.ts"),
        "class Repository - 1-9
        method find Repository 2-2
        property table Repository 3-3
        method mustFind Repository 4-8",
    );
    let class = symbol(&file, "Repository");
    assert_eq!(class.signature, "export default abstract class Repository<T>");
    assert_eq!(
        symbol(&file, "find").signature,
        "abstract find(id: string): Promise<T | undefined>"
    );
}

#[test]
fn a_comparison_is_not_taken_for_type_arguments() {
    let file = check(
        case!("comparison_not_type_arguments.ts"),
        "class Scheduler - 1-10
        constructor constructor Scheduler 2-6
        ? property now Scheduler 2-2
        ? property due Scheduler 2-2
        method tick Scheduler 7-9
        function isLate - 11-11
        function afterLate - 12-12",
    );
    assert!(errors(&file).is_empty());
}

#[test]
fn fields_without_type_or_semicolon_do_not_hide_their_neighbours() {
    check(
        case!("bare_fields.ts"),
        "class Profile - 1-8
        property nickname Profile 2-2
        property var Profile 3-3
        property avatar Profile 4-4
        method rename Profile 5-7",
    );
}

#[test]
fn overloads_are_one_symbol_with_the_signature_of_the_implementation() {
    let file = check(
        case!("overloads.ts"),
        "function parseTtl - 1-5
        class Cache - 6-12
        method get Cache 7-11",
    );
    let signature = "export function parseTtl(value: number | string): number";
    assert_eq!(symbol(&file, "parseTtl").signature, signature);
    assert_eq!(symbol(&file, "get").signature, "get(key: string, fallback = \"\"): string");
}

#[test]
fn line_breaks_inside_a_member_do_not_split_it() {
    check(
        case!("members_with_line_breaks.js"),
        "class Session - 1-13
        getter token Session 2-5
        method renew Session 6-8
        property async Session 9-9
        method close Session 10-12",
    );
}

#[test]
fn a_static_block_with_a_comment_does_not_end_the_class() {
    check(
        case!("static_block.ts"),
        "class Registry - 1-11
        property map Registry 2-2
        method lookup Registry 8-10",
    );
}

#[test]
fn components_made_by_wrappers_are_functions_once_each() {
    let file = check(
        case!("wrapped_components.tsx"),
        "variable Panel - 3-5
        function UserCard - 6-8
        function TextField - 9-11
        function useDebounced - 12-12",
    );
    assert_eq!(errors(&file), [(3, 3)]);
}

#[test]
fn commonjs_exports_and_prototype_methods_are_symbols_once_each() {
    let file = check(
        case!("commonjs.js"),
        "function Route - 2-4
        method match Route 5-7
        function createRoute - 8-8
        function isRoute - 9-11
        function parseQuery - 13-15
        function joinPath - 16-16",
    );
    assert!(file.symbols.iter().all(|symbol| symbol.exported), "the shorthand exports Route");
}

#[test]
fn an_arrow_in_a_conditional_does_not_swallow_the_rest() {
    check(
        case!("arrow_in_conditional.ts"),
        "? variable fast - 1-1
        variable limit - 2-2
        variable pick - 3-3
        variable chain - 4-4
        function stillHere - 5-7",
    );
}

const ANGLE_BRACKET_CASTS: &str = "variable canvas - 1-1
    variable sizes - 2-2
    function identity - 3-3
    function draw - 4-6";

const GENERIC_ARROWS: &str = "function identity - 1-1
    function keyed - 2-2
    function List - 3-5";

#[test]
fn casts_belong_to_typescript_and_tags_to_tsx() {
    let file = check(case!("angle_bracket_casts.ts"), ANGLE_BRACKET_CASTS);
    assert!(errors(&file).is_empty());
    let file = check(case!("generic_arrows.tsx"), GENERIC_ARROWS);
    assert!(errors(&file).is_empty());
}

#[test]
fn module_and_commonjs_extensions_are_read_like_the_plain_ones() {
    let (_, typescript) = case!("angle_bracket_casts.ts");
    check(("casts.mts", typescript), ANGLE_BRACKET_CASTS);
    check(("casts.cts", typescript), ANGLE_BRACKET_CASTS);
    let (_, javascript) = case!("functions_in_constants.mjs");
    check(("functions.mjs", javascript), FUNCTIONS_IN_CONSTANTS);
    check(("functions.cjs", javascript), FUNCTIONS_IN_CONSTANTS);
    check(
        case!("jsx_in_js.js"),
        "function keyed - 1-1
        function List - 2-4",
    );
}

#[test]
fn every_declarator_and_every_destructured_name_is_a_symbol() {
    let file = check(
        case!("several_declarators.ts"),
        "? function createStore - 1-1
        variable read - 2-2
        variable persist - 2-2
        variable version - 3-3
        function bump - 4-4
        variable first - 5-5
        variable others - 5-5",
    );
    let exported = file.symbols.iter().filter(|symbol| symbol.exported).count();
    assert_eq!(exported, 6, "all but the declared function");
}

#[test]
fn import_types_and_template_types_do_not_cut_an_alias_short() {
    check(
        case!("import_types.ts"),
        "type Upload - 1-3
        ? method checksum Upload 2-2
        type Handler - 4-4
        function isUpload - 5-7",
    );
}

#[test]
fn test_blocks_are_symbols_named_by_their_titles() {
    let case = case!("titles.test.ts");
    check(
        case,
        "test throttle - 2-7
        function makeClock throttle 3-3
        test drops the third call throttle 4-6",
    );
    let file = read("titles.ts", case.1);
    let names: Vec<&str> = file.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["makeClock"], "a file that is no test file has no test blocks");
}

#[test]
fn satisfies_as_const_and_using_do_not_break_their_neighbours() {
    check(
        case!("satisfies_and_using.ts"),
        "variable routes - 1-4
        ? method user routes 3-3
        variable theme - 5-5
        ? variable conn - 6-6
        function openConn - 7-9
        ? method [Symbol.dispose] openConn 8-8",
    );
}

#[test]
fn merge_markers_are_told_and_lose_nothing_around_them() {
    let file = check(
        case!("merge_markers.ts"),
        "function before - 1-3
        variable price - 7-7
        function after - 9-11",
    );
    assert_eq!(errors(&file), [(4, 8)]);
}

#[test]
fn functions_in_an_object_given_to_a_call_keep_the_way_to_them() {
    check(
        case!("object_given_to_call.ts"),
        "variable cartSlice - 2-12
        method addItem cartSlice.reducers 5-7
        method clear cartSlice.reducers 8-10
        ? method onReady - 14-16",
    );
}

#[test]
fn constructor_parameters_with_modifiers_are_fields() {
    let file = check(
        case!("parameter_properties.ts"),
        "class Endpoint - 2-4
        constructor constructor Endpoint 3-3
        ? property url Endpoint 3-3
        ? property retries Endpoint 3-3
        variable VERSION - 5-5
        type Getters - 6-6
        function assertOk - 7-7",
    );
    assert_eq!(errors(&file), [(1, 1)]);
}
