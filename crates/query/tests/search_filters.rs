//! Filters, exclusions and phrases of one-shot search, and the list of symbols by name.

#![expect(clippy::unwrap_used, reason = "a test stops where its set-up fails")]

mod search_support;

use reseek_query::find::{SymbolFilter, symbols};
use reseek_query::search::search;
use reseek_query::syntax::SearchQuery;
use reseek_symbols::SymbolKind;
use search_support::Corpus;

const SHOP: &[(&str, &str)] = &[
    (
        "app/(auth)/sign-in/[[...slug]]/page.tsx",
        "export default function Page() {\n  return 1;\n}\n",
    ),
    ("app/(auth)/layout.tsx", "export function Layout() {}\n"),
    ("app/@modal/[id]/page.tsx", "export function ModalPage() {}\n"),
    ("app/@modal/i/page.tsx", "export function OtherPage() {}\n"),
    ("legacy/cart.js", "function addToCart(item) {\n  return item;\n}\nexports.cart = 1;\n"),
    (
        "packages/a/src/cart.ts",
        "/** The cart of a customer who has\n * not paid yet. */\nexport class Cart {\n  items: string[] = [];\n  addItem(item: string) {\n    // too many requests in a row\n    throw new Error('Too many requests');\n  }\n}\nfunction cartTotal() {\n  return 'many too requests';\n}\nexport interface CartStore {}\n",
    ),
    (
        "packages/b/src/cart.test.ts",
        "describe('cart', () => {\n  it('adds an item to the cart', () => {});\n});\n",
    ),
];

/// The query finds exactly these, in any order.
#[track_caller]
fn check(query: &str, expected: &[&str]) {
    let mut names = Corpus::new(SHOP).names(query);
    names.sort();
    let mut expected: Vec<String> = expected.iter().map(|&name| name.to_owned()).collect();
    expected.sort();
    assert_eq!(names, expected, "{query}");
}

/// The paths of the hits, each once, sorted.
#[track_caller]
fn check_paths(query: &str, expected: &[&str]) {
    let mut paths: Vec<String> =
        Corpus::new(SHOP).hits(query).into_iter().map(|hit| hit.path).collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths, expected, "{query}");
}

#[test]
fn kinds_narrow_and_are_left_out() {
    check("cart kind:class,interface", &["Cart", "CartStore"]);
    check("kind:interface", &["CartStore"]);
    check("cart kind:class -kind:class", &[]);
    check("path:packages/a -kind:class,interface,method,property", &["cartTotal"]);
}

#[test]
fn route_folders_are_paths_where_they_exist_and_globs_where_not() {
    check_paths("path:app/(auth)", &[SHOP[1].0, SHOP[0].0]);
    check_paths("path:app/(auth)/sign-in/[[...slug]]/page.tsx", &[SHOP[0].0]);
    check_paths("path:app/@modal/[id]", &[SHOP[2].0]);
    check_paths("page path:app/@modal/[hij]", &[SHOP[3].0]);
    check_paths("path:packages/*/src cart", &[SHOP[5].0, SHOP[6].0]);
    check_paths("path:packages path:legacy cart -path:packages/b", &[SHOP[4].0, SHOP[5].0]);
}

#[test]
fn languages_and_file_names_narrow() {
    check_paths("cart lang:js", &["legacy/cart.js"]);
    check_paths("kind:function lang:tsx file:layout", &["app/(auth)/layout.tsx"]);
    check_paths("file:CART", &[SHOP[4].0, SHOP[5].0, SHOP[6].0]);
    check_paths("file:*.test.ts", &[SHOP[6].0]);
    check_paths("cart -lang:ts", &["legacy/cart.js"]);
}

#[test]
fn a_word_is_left_out_from_names_paths_and_text() {
    check_paths("cart -legacy -test", &[SHOP[5].0]);
    check("cart kind:class,interface -store", &["Cart"]);
}

#[test]
fn an_import_of_what_is_left_out_does_not_leave_out_the_importer() {
    let corpus = Corpus::new(&[
        (
            "src/cart.ts",
            "import { old } from './legacy';\nexport function openCart() {}\nexport function legacyCart() {}\n",
        ),
        ("src/legacy.ts", "export function old() { return cart; }\n"),
    ]);
    assert_eq!(corpus.names("cart -legacy"), ["openCart"]);
}

#[test]
fn names_narrow_to_the_name_its_beginning_or_its_parts() {
    check(
        "name:cart",
        &[
            "Cart",
            "CartStore",
            "addToCart",
            "cartTotal",
            "cart",
            "cart",
            "cart.adds an item to the cart",
        ],
    );
    assert_eq!(Corpus::new(SHOP).names("name:cart").first().map(String::as_str), Some("Cart"));
    check("name:Cart.addItem kind:method", &["Cart.addItem"]);
    check("name:item name:add kind:method", &["Cart.addItem"]);
    check("-name:cart path:packages/a", &["Cart.items", "Cart.addItem"]);
}

#[test]
fn exported_and_test_narrow() {
    check("kind:function path:packages exported:no", &["cartTotal"]);
    check("kind:class,function path:packages exported:yes", &["Cart"]);
    check_paths("cart test:no path:packages", &[SHOP[5].0]);
    check_paths("cart test:only", &[SHOP[6].0]);
}

#[test]
fn a_phrase_is_confirmed_by_the_text_of_the_innermost_symbol() {
    check("\"too many requests\"", &["Cart.addItem"]);
    check("\"a customer who has not paid\"", &["Cart"]);
    check("\"too many requests\" kind:class", &["Cart"]);
    check("\"exports.cart = 1\"", &["cart"]);
    check("\"'adds an item to the cart'\"", &["cart.adds an item to the cart"]);
    check("\"requests too many\"", &[]);
}

#[test]
fn what_was_read_for_a_phrase_is_told() {
    let corpus = Corpus::new(SHOP);
    let answer = corpus.answer("\"too many requests\"", 5);
    let check = answer.phrases.unwrap();
    assert_eq!((check.n_read, check.n_unread, check.n_unreadable), (1, 0, 0));
    let query = SearchQuery::parse("\"requests too many\"").unwrap();
    let unchecked = search(&corpus.snapshot(), &query, 5).unwrap();
    assert_eq!(unchecked.phrases.map(|check| check.n_unread), Some(1));
    assert!(unchecked.hits.iter().all(|hit| hit.path == SHOP[5].0));
    assert!(!unchecked.hits.is_empty());
    let gone = |_: &str| None;
    let answer = reseek_query::search::search_with(&corpus.snapshot(), &query, 5, &gone).unwrap();
    assert_eq!((answer.hits.len(), answer.phrases.map(|check| check.n_unreadable)), (0, Some(1)));
}

#[test]
fn a_phrase_stops_reading_when_enough_is_confirmed() {
    let texts: Vec<(String, String)> = (0..30)
        .map(|i| {
            (
                format!("f{i:02}.ts"),
                format!("export function f{i:02}() {{\n  return 'gone fishing';\n}}\n"),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let corpus = Corpus::new(&files);
    for (limit, n_read) in [(5, 5), (30, 30), (100, 30)] {
        let answer = corpus.answer("\"gone fishing\"", limit);
        let check = answer.phrases.unwrap();
        assert_eq!(
            (answer.hits.len(), check.n_read, check.n_unread),
            (n_read, n_read, 30 - n_read),
            "{limit}"
        );
    }
}

#[test]
fn queries_that_cannot_find_anything_by_words_are_errors() {
    let snapshot = Corpus::new(SHOP).snapshot();
    let error = |query: &str| {
        search(&snapshot, &SearchQuery::parse(query).unwrap(), 5).unwrap_err().to_string()
    };
    assert_eq!(
        error("=> &&"),
        "bad query `=> &&`: it holds signs only, and the index knows words; add a word"
    );
    assert_eq!(
        error("\"=> (\""),
        "bad query `\"=> (\"`: it holds signs only, and the index knows words; add a word"
    );
    assert_eq!(error("cart path:[z-a]"), "bad pattern `[z-a]`: invalid range; 'z' > 'a'");
}

#[track_caller]
fn check_symbols(filter: &SymbolFilter, expected: &[&str]) {
    let found = symbols(&Corpus::new(SHOP).snapshot(), filter).unwrap();
    let names: Vec<String> = found
        .iter()
        .map(|found| {
            let dot = if found.symbol.container.is_empty() { "" } else { "." };
            format!("{}{dot}{}", found.symbol.container, found.symbol.name)
        })
        .collect();
    assert_eq!(names, expected, "{filter:?}");
}

#[test]
fn symbols_are_listed_whole_names_first_then_beginnings_then_parts() {
    let filter =
        SymbolFilter { name: Some("cart".to_owned()), limit: 10, ..SymbolFilter::default() };
    check_symbols(
        &filter,
        &[
            "Cart",
            "cart",
            "cart",
            "cartTotal",
            "CartStore",
            "addToCart",
            "cart.adds an item to the cart",
        ],
    );
    check_symbols(&SymbolFilter { limit: 1, ..filter.clone() }, &["Cart"]);
    check_symbols(
        &SymbolFilter { kind: vec![SymbolKind::Interface], ..filter.clone() },
        &["CartStore"],
    );
    check_symbols(
        &SymbolFilter { exported: Some(false), path: vec!["packages/a".to_owned()], ..filter },
        &["cartTotal"],
    );
}

#[test]
fn symbols_are_listed_without_a_name_and_by_container() {
    let all = SymbolFilter {
        path: vec!["packages/a/**".to_owned()],
        limit: 10,
        ..SymbolFilter::default()
    };
    check_symbols(&all, &["Cart", "cartTotal", "CartStore", "Cart.addItem", "Cart.items"]);
    let member = SymbolFilter {
        name: Some("cart.add item".to_owned()),
        kind: vec![SymbolKind::Method],
        limit: 10,
        ..SymbolFilter::default()
    };
    check_symbols(&member, &["Cart.addItem"]);
}
