//! What one-shot search puts first, on corpora of a few tiny files. Ranks and bands are checked, never scores.

#![expect(clippy::unwrap_used, reason = "a test stops where its set-up fails")]

mod search_support;

use reseek_query::search::MatchBand;
use search_support::{Corpus, check, check_found, name};

/// Files as owned pairs, for corpora that are made by a loop.
fn numbered(n: usize, path: &str, text: impl Fn(usize) -> String) -> Vec<(String, String)> {
    (0..n).map(|i| (path.replace('#', &format!("{i:03}")), text(i))).collect()
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

const USERS: &[(&str, &str)] = &[
    ("src/camel.ts", "export function getUserById(id: string) {\n  return load(id);\n}\n"),
    ("src/snake.ts", "export function get_user_by_id(id: string) {\n  return load(id);\n}\n"),
    ("src/getter.ts", "export class UserByIdGetter {\n  run() {}\n}\n"),
    ("src/get-user-by-id.ts", "console.log(1);\n"),
];

#[test]
fn words_find_names_in_every_case_convention_and_file_names() {
    check_found(
        USERS,
        &["user", "get user", "by id"],
        &["getUserById", "get_user_by_id", "UserByIdGetter", "src/get-user-by-id.ts"],
    );
}

#[test]
fn the_name_as_spelled_is_first_and_exact() {
    check(USERS, &["getUserById"], &["getUserById", "get_user_by_id"]);
    check(USERS, &["get_user_by_id"], &["get_user_by_id", "getUserById"]);
    assert_eq!(Corpus::new(USERS).hits("getUserById")[0].band, MatchBand::Exact);
}

#[test]
fn every_spelling_of_a_class_name_finds_it() {
    check(
        &[
            ("a.ts", "export class OvertimeService {}\n"),
            ("b.ts", "// the overtime of this service\nexport function service() {}\n"),
        ],
        &[
            "OvertimeService",
            "overtimeservice",
            "OVERTIME_SERVICE",
            "overtime service",
            "overtime-service",
        ],
        &["OvertimeService"],
    );
}

#[test]
fn a_text_with_only_the_pieces_of_a_name_is_lower_and_says_so() {
    let corpus = Corpus::new(&[
        ("a.ts", "class HttpsConnection {}\n"),
        ("b.ts", "// https handshake failed for connection 42\nexport function retry() {}\n"),
    ]);
    let hits = corpus.hits("HttpsConnection");
    assert_eq!(
        (name(&hits[0]).as_str(), hits[0].band, hits[0].only_parts),
        ("HttpsConnection", MatchBand::Exact, false)
    );
    for other in &hits[1..] {
        assert_eq!(
            (other.path.as_str(), other.band, other.only_parts),
            ("b.ts", MatchBand::Partial, true)
        );
    }
}

#[test]
fn a_name_of_sixty_or_three_hundred_letters_is_found_whole_and_by_its_words() {
    let long = "createSubscriptionRenewalReminderNotificationSchedulerForTeams";
    let longest = format!("handle{}Thing", "Very".repeat(72));
    let text = format!("export function {long}() {{}}\nexport function {longest}() {{}}\n");
    let files = [("a.ts", text.as_str()), ("b.ts", "export function renewal() {}\n")];
    check(&files, &[long], &[long]);
    check(&files, &["renewal reminder scheduler"], &[long]);
    check(&files, &[&longest], &[&longest]);
}

#[test]
fn a_function_word_that_is_a_name_is_found_when_it_is_the_whole_query() {
    let names = "export function of() {}\nexport function is() {}\nexport function useFor() {}\n";
    let state = |i| format!("export function isState{i}() {{ return where(defined); }}\n");
    let text = names.to_owned() + &(0..50).map(state).collect::<Vec<_>>().concat();
    let files = [("a.ts", text.as_str())];
    check(&files, &["of"], &["of"]);
    check(&files, &["is"], &["is"]);
    let corpus = Corpus::new(&files);
    let names = corpus.names("where is useFor defined");
    assert_eq!(names[0], "useFor");
    assert!(!names.iter().take(3).any(|name| name.starts_with("is")), "{names:?}");
}

#[test]
fn a_verb_and_its_particle_find_the_one_word_of_the_code() {
    let files = [
        ("auth/login.ts", "export function persistLogin(user: User) {\n  session.save(user);\n}\n"),
        (
            "logging/logger.ts",
            "export function flushLogs() {\n  sink.flush();\n}\nexport const logUser = 1;\n",
        ),
        (
            "db/migrate.ts",
            "export function rollbackMigration() {}\nexport function rollForward() {}\n",
        ),
        ("db/back.ts", "export function backUp() {}\nexport function migration() {}\n"),
    ];
    let corpus = Corpus::new(&files);
    let names = corpus.names("function that logs a user in");
    let rank = |wanted: &str| names.iter().position(|name| name == wanted);
    assert!(rank("persistLogin").is_some(), "{names:?}");
    assert!(
        rank("flushLogs").is_none_or(|flush| rank("persistLogin").unwrap() < flush),
        "{names:?}"
    );
    check(&files, &["roll back a migration", "rolls back the migration"], &["rollbackMigration"]);
}

#[test]
fn plural_and_longer_forms_are_found_below_the_word_itself() {
    let files = [
        ("emits.ts", "export const componentEmits = 1;\n"),
        ("rate.ts", "export class RateLimiter {}\nexport function limit() {}\n"),
        ("fetch.ts", "export function throttledFetch() {}\nexport function throttle() {}\n"),
        (
            "configuration.ts",
            "export function loadConfiguration() {}\nexport function config() {}\n",
        ),
    ];
    check(&files, &["component emit"], &["componentEmits"]);
    check(&files, &["limit"], &["limit", "RateLimiter"]);
    check(&files, &["throttle"], &["throttle", "throttledFetch"]);
    check(&files, &["config"], &["config", "loadConfiguration"]);
}

#[test]
fn the_definition_comes_before_tests_that_mention_the_name_often() {
    let test = |i: usize| {
        format!(
            "import {{ openVault }} from '../src/store';\ndescribe('openVault', () => {{\n  it('opens {i}', () => {{\n{}  }});\n}});\n",
            "    openVault();\n".repeat(20)
        )
    };
    let mut files = numbered(5, "test/store#.test.ts", test);
    files.push((
        "src/store.ts".to_owned(),
        "export function openVault() {\n  return 1;\n}\n".to_owned(),
    ));
    check(&borrowed(&files), &["openVault", "openvault", "where is openVault"], &["openVault"]);
}

#[test]
fn a_class_comes_before_the_same_word_in_comments() {
    let mut files = numbered(20, "src/c#.ts", |i| {
        format!(
            "// the store keeps the store of store {i}\nexport function keep{i}() {{ /* store */ }}\n"
        )
    });
    files.push(("src/store.ts".to_owned(), "export class Store {}\n".to_owned()));
    check(
        &borrowed(&files),
        &["store", "Store", "stores", "where is the store defined"],
        &["Store"],
    );
}

#[test]
fn a_sentence_around_a_name_never_pushes_it_down() {
    let files = [
        (
            "filters.ts",
            "export function filterDictsByKey() {}\nexport function where() {}\nexport function defined() {}\n",
        ),
        ("env.ts", "export const isCi = () => true;\nexport function isDefined() {}\n"),
        (
            "registry.ts",
            "export class FilterRegistry {\n  get(name: string) {}\n  set() {}\n}\nexport class Other {\n  get() {}\n}\n",
        ),
    ];
    check(
        &files,
        &[
            "where is filterDictsByKey defined",
            "filterDictsByKey",
            "how does the filterDictsByKey() function work with a registry",
        ],
        &["filterDictsByKey"],
    );
    check(&files, &["where is isCi defined", "who uses `isCi`"], &["isCi"]);
    check(
        &files,
        &["FilterRegistry.get", "where is FilterRegistry.get defined", "FilterRegistry#get"],
        &["FilterRegistry.get"],
    );
    assert_eq!(
        Corpus::new(&files).hits("where is filterDictsByKey defined")[0].band,
        MatchBand::Exact
    );
}

#[test]
fn a_long_sentence_that_spells_a_name_keeps_it_first() {
    let files = [
        ("api.ts", "export function handleApiRequest(user: User) {\n  return 1;\n}\n"),
        (
            "json.ts",
            "// return json for the user and return the api json\nexport function returnJson(user: User) {}\nexport function userApi() {}\n",
        ),
        (
            "user.ts",
            "export interface User { json: string }\n// handle the user\nexport function handleUser() {}\n",
        ),
    ];
    check(
        &files,
        &["handle the api request for the user and return json", "handling api requests"],
        &["handleApiRequest"],
    );
}

#[test]
fn one_definition_is_one_row_and_its_imports_are_a_count() {
    let mut files = numbered(7, "src/use#.ts", |i| {
        format!("import {{ parseTtl }} from './ttl';\nexport const ttl{i} = parseTtl('1');\n")
    });
    files.extend(numbered(3, "src/barrel#/index.ts", |_| {
        "export { parseTtl } from '../ttl';\n".to_owned()
    }));
    files.push((
        "src/ttl.ts".to_owned(),
        "export function parseTtl(value: number): number;\nexport function parseTtl(value: string): number;\nexport function parseTtl(value: any): number {\n  return 1;\n}\n".to_owned(),
    ));
    let hits = Corpus::new(&borrowed(&files)).hits("parseTtl");
    let rows: Vec<_> = hits.iter().filter(|hit| name(hit) == "parseTtl").collect();
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (hits[0].path.as_str(), hits[0].band, hits[0].n_references),
        ("src/ttl.ts", MatchBand::Exact, Some(10))
    );
    assert!(hits[1..].iter().all(|hit| hit.band < MatchBand::Exact && hit.n_references.is_none()));
}

#[test]
fn source_comes_before_its_declaration_file_and_what_only_is_declared_is_found() {
    let files = [
        (
            "types/clock.d.ts",
            "export declare function useClock(): number;\nexport declare function useTimer(): number;\n",
        ),
        ("src/clock.ts", "export function useClock() {\n  return 1;\n}\n"),
    ];
    let corpus = Corpus::new(&files);
    let paths: Vec<String> =
        corpus.hits("useClock").into_iter().take(2).map(|hit| hit.path).collect();
    assert_eq!(paths, ["src/clock.ts", "types/clock.d.ts"]);
    check(&files, &["useTimer"], &["useTimer"]);
}

#[test]
fn a_word_for_a_kind_narrows_and_adds_no_noise() {
    let mut files = numbered(100, "src/i#.ts", |i| {
        format!(
            "export interface Interface{i} {{}}\n// an interface, an enum, a class named {i}\nexport class Named{i} {{}}\n"
        )
    });
    files.push(("src/rate.ts".to_owned(), "export interface RateStore {}\n".to_owned()));
    files.push(("src/rates.ts".to_owned(), "export class RateStore {}\n".to_owned()));
    files.push((
        "src/job.ts".to_owned(),
        "export enum JobState { Open }\nexport function jobState() {}\n".to_owned(),
    ));
    files.push((
        "src/pool.ts".to_owned(),
        "export const pool = 1;\nexport class Pool {}\n".to_owned(),
    ));
    let corpus = Corpus::new(&borrowed(&files));
    for (query, wanted, kind) in [
        ("interface RateStore", "RateStore", "interface"),
        ("class RateStore", "RateStore", "class"),
        ("enum JobState", "JobState", "enum"),
        ("class named Pool", "Pool", "class"),
        ("the class Pool", "Pool", "class"),
    ] {
        let hits = corpus.hits(query);
        let first = hits[0].symbol.as_ref().unwrap();
        assert_eq!((first.name.as_str(), first.kind), (wanted, kind), "{query}");
        assert!(
            hits.iter().all(|hit| !name(hit).contains("Interface") && !name(hit).contains("Named")),
            "{query}"
        );
    }
}

#[test]
fn the_definition_is_alone_in_the_exact_band_and_matched_by_its_name() {
    let calls = "  rankScore();\n".repeat(9);
    let test =
        format!("import {{ rankScore }} from './score';\nit('ranks', () => {{\n{calls}}});\n");
    let corpus = Corpus::new(&[
        (
            "score.ts",
            "/** Calls rankScore; rankScore is pure. */\nexport function rankScore() {}\n",
        ),
        ("score.test.ts", &test),
        ("index.ts", "export { rankScore } from './score';\n"),
        ("use.ts", "import { rankScore } from './score';\nexport const used = rankScore();\n"),
    ]);
    let hits = corpus.hits("rankScore");
    assert_eq!(name(&hits[0]), "rankScore");
    assert_eq!(hits.iter().filter(|hit| hit.band == MatchBand::Exact).count(), 1);
    assert_eq!(hits[0].matched[0].fields[0], "name");
    assert_eq!(hits[0].n_references, Some(3));
}

#[test]
fn tests_come_last_unless_the_query_asks_for_tests_by_a_whole_word() {
    let files = [
        ("src/session.ts", "export function renewSession() {\n  return latest();\n}\n"),
        (
            "src/session.test.ts",
            "describe('session', () => {\n  it('renews the latest session', () => {\n    renewSession();\n  });\n});\n",
        ),
    ];
    let corpus = Corpus::new(&files);
    for query in ["renew session", "renew the latest session", "session contest"] {
        assert_eq!(corpus.hits(query)[0].path, "src/session.ts", "{query}");
    }
    for query in
        ["renew session test", "test renewSession", "tests of session renewal", "spec session"]
    {
        assert_eq!(corpus.hits(query)[0].path, "src/session.test.ts", "{query}");
    }
}

#[test]
fn examples_generated_code_and_texts_come_after_source() {
    let body = "export function drawChart() {\n  return paint();\n}\n";
    let generated = format!("// Code generated by x. DO NOT EDIT.\n{body}");
    let corpus = Corpus::new(&[
        ("README.md", "# Draw chart\nHow to draw a chart: draw the chart.\n"),
        ("a/examples/chart.ts", body),
        ("gen/chart.ts", &generated),
        ("src/chart.ts", body),
    ]);
    for query in ["drawChart", "draw chart", "how to draw a chart"] {
        let paths: Vec<String> = corpus.hits(query).into_iter().map(|hit| hit.path).collect();
        assert_eq!(paths[0], "src/chart.ts", "{query}: {paths:?}");
        assert_eq!(paths.last().map(String::as_str), Some("README.md"), "{query}: {paths:?}");
    }
}

#[test]
fn a_file_is_found_by_its_name_and_by_its_path() {
    let files = [
        ("src/rate-limit.ts", "app.use(1);\n"),
        ("src/other.ts", "// rate limit\nexport function other() {}\n"),
        ("lib/rate-limit.ts", "app.use(2);\n"),
    ];
    check(
        &files,
        &["rate-limit.ts", "rate limit", "rateLimit"],
        &["lib/rate-limit.ts", "src/rate-limit.ts"],
    );
    check(&files, &["src/rate-limit.ts", "./src/rate-limit.ts"], &["src/rate-limit.ts"]);
    let routes = [
        (
            "app/(shop)/[id]/page.tsx",
            "export default function Page() {\n  return app(shop(id));\n}\n",
        ),
        ("app/(auth)/page.tsx", "export default function Page() {}\n"),
        ("src/shop.ts", "export function appShopIdPage() {}\nexport const shop = 1;\n"),
    ];
    check(&routes, &["app/(shop)/[id]/page.tsx", "(shop)/[id]/page.tsx"], &[routes[0].0]);
}

#[test]
fn one_file_does_not_fill_the_list_while_others_wait() {
    let entry = |i| format!("export function cacheEntry{i}() {{}}\n");
    let many = (0..30).map(entry).collect::<Vec<_>>().concat();
    let corpus = Corpus::new(&[
        ("a.ts", many.as_str()),
        ("b.ts", "export function warm() { return cache(); }\n"),
        ("c.ts", "export function cold() { return cache(); }\n"),
    ]);
    let paths: Vec<String> =
        corpus.answer("cache", 5).hits.into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths, ["a.ts", "a.ts", "a.ts", "b.ts", "c.ts"]);
    let all = corpus.answer("cache", 100);
    assert_eq!((all.hits.len(), all.n_matching), (32, 32));
}

#[test]
fn equal_hits_are_ordered_by_path_however_the_index_came_about() {
    let files = numbered(30, "pkg#/helper.ts", |_| {
        "export function toTitle(text: string) {\n  return text;\n}\n".to_owned()
    });
    let files = borrowed(&files);
    let json = |corpus: &Corpus| {
        let queries = ["toTitle", "title", "helper text"];
        queries.map(|query| serde_json::to_string(&corpus.answer(query, 7)).unwrap())
    };
    let first = Corpus::with_threads(&files, 1);
    let expected = json(&first);
    let paths: Vec<String> =
        first.answer("title", 7).hits.into_iter().map(|hit| hit.path).collect();
    let wanted: Vec<String> = (0..7).map(|i| format!("pkg{i:03}/helper.ts")).collect();
    assert_eq!(paths, wanted);
    for _ in 0..20 {
        assert_eq!(json(&first), expected);
    }
    assert_eq!(json(&Corpus::with_threads(&files, 4)), expected);
    let mut grown = Corpus::new(&files[20..]);
    for one in files[..20].iter().rev() {
        grown.add(&[*one]);
    }
    assert_eq!(json(&grown), expected);
}

#[test]
fn the_extent_of_the_search_and_the_words_left_out_are_told() {
    let corpus =
        Corpus::new(&[("a.ts", "export function a1() {}\n"), ("b.ts", "export class B {}\n")]);
    let answer = corpus.answer("where is zebra", 5);
    assert_eq!((answer.hits.len(), answer.n_matching), (0, 0));
    assert_eq!((answer.searched.n_files, answer.searched.n_symbols), (2, 2));
    assert_eq!(answer.ignored, ["where", "is"]);
}
