//! `status`, and what `index` leaves out: counted, listed, and explained by the rule that decided.

use crate::util::{World, project};

#[test]
fn status_tells_what_is_skipped_with_reasons_and_examples() {
    let world = project();
    world.write("src/picture.ts", [0, 1, 2]);
    world.write("src/broken.ts", "export function fine() {}\nexport class { ??? \n");
    world.run(&["index"]).expect(0);
    let document = world.run(&["status", "--json"]).expect(0).json();
    assert_eq!(document["status"]["skipped"]["binary"], 1);
    assert_eq!(document["skipped_examples"]["binary"][0], "src/picture.ts");
    assert_eq!(document["status"]["n_partly_parsed"], 1);
    assert_eq!(document["partly_parsed_examples"][0], "src/broken.ts");
    let text = world.run(&["status"]).expect(0).stdout;
    assert!(text.contains("binary  1: src/picture.ts"), "{text}");
}

#[test]
fn status_says_that_the_index_is_behind_and_writes_nothing() {
    let world = project();
    world.run(&["index"]).expect(0);
    world.write("src/new.ts", "export const fresh = 1;\n");
    for _ in 0..2 {
        let document = world.run(&["status", "--json"]).expect(0).json();
        assert_eq!(document["status"]["behind"], true);
        assert_eq!(document["status"]["n_changed"], 1);
        assert_eq!(document["status"]["generation"], 1);
    }
    assert!(world.run(&["status"]).stdout.contains("BEHIND by 1 file"));
    world.run(&["refresh"]).expect(0);
    assert_eq!(world.run(&["status", "--json"]).json()["status"]["behind"], false);
}

#[test]
fn an_answer_without_a_refresh_says_that_nobody_looked() {
    let world = project();
    world.run(&["index"]).expect(0);
    world.write("src/new.ts", "export function brandNew() {}\n");
    let document = world.run(&["search", "brandNew", "--no-refresh", "--json"]).expect(1).json();
    assert!(document["status"]["behind"].is_null());
    world.run(&["search", "brandNew"]).expect(0);
}

/// A world without git or ignore files, with a folder of dependencies.
fn with_modules() -> World {
    World::new(&[
        ("node_modules/x/index.ts", "export function fromModules() {}\n"),
        ("packages/p/node_modules/y/index.ts", "export function fromModules() {}\n"),
        ("src/a.ts", "export function fromSource() {}\n"),
        ("gen/b.ts", "export function fromGenerated() {}\n"),
    ])
}

#[test]
fn node_modules_is_off_by_default_and_the_rule_is_named() {
    let world = with_modules();
    assert_eq!(world.run(&["index", "--json"]).expect(0).json()["status"]["n_files"], 2);
    let text = world.run(&["status", "--explain", "node_modules/x/index.ts"]).expect(0).stdout;
    assert!(text.contains("left out") && text.contains("node_modules"), "{text}");
}

#[test]
fn every_spelling_of_an_exclusion_works() {
    for spelling in ["node_modules", "node_modules/**", "node_modules/", "**/node_modules/**"] {
        let world = with_modules();
        world.run(&["index", "--exclude", "!node_modules"]).expect(0);
        world.run(&["search", "fromModules"]).expect(0);
        world.run(&["index", "--exclude", spelling]).expect(0);
        world.run(&["search", "fromModules"]).expect(1);
        world.run(&["search", "fromSource"]).expect(0);
    }
    for spelling in ["gen", "gen/**", "gen/"] {
        let world = with_modules();
        world.run(&["index", "--exclude", spelling]).expect(0);
        world.run(&["search", "fromGenerated"]).expect(1);
        let text = world.run(&["status", "--explain", "gen/b.ts"]).expect(0).stdout;
        assert!(text.contains(spelling), "{text}");
    }
}

#[test]
fn corpus_options_are_remembered_until_the_next_index() {
    let world = with_modules();
    world.run(&["index", "--exclude", "gen"]).expect(0);
    for args in [&["search", "fromGenerated"][..], &["refresh"], &["search", "fromGenerated"]] {
        let run = world.run(args);
        assert_eq!(run.code, i32::from(args.len() == 2), "{run:?}");
        assert!(!run.stderr.contains("rebuilt"), "{run:?}");
    }
    assert_eq!(world.run(&["status", "--json"]).json()["configuration"]["exclude"][0], "gen");
    world.run(&["index"]).expect(0);
    world.run(&["search", "fromGenerated"]).expect(0);
}

#[test]
fn other_corpus_options_reach_the_index() {
    let world = World::new(&[
        (".hidden/a.ts", "export const a = 1;\n"),
        ("b.tsx", "export const b = 1;\n"),
        ("c.ts", "export const c = 'cccccccccccccccccccccccccccccccccc';\n"),
    ]);
    let n_files = |args: &[&str]| {
        let document = world.run(&[&["index", "--json"], args].concat()).expect(0).json();
        document["status"]["n_files"].as_u64().unwrap()
    };
    assert_eq!(n_files(&[]), 2);
    assert_eq!(n_files(&["--hidden"]), 3);
    assert_eq!(n_files(&["--languages", "tsx"]), 1);
    assert_eq!(n_files(&["--include", "*.tsx"]), 1);
    assert_eq!(n_files(&["--max-file-size", "30"]), 1);
}

#[test]
fn a_path_that_is_not_there_is_explained_as_such() {
    let run = project().run(&["status", "--explain", "src/none.ts"]).expect(1);
    assert!(run.stdout.contains("no such file"), "{}", run.stdout);
}

#[test]
fn nothing_found_says_what_was_searched() {
    let world = project();
    world.write("src/picture.ts", [0, 1, 2]);
    let text = world.run(&["retrieve", "quantum chromodynamics"]).expect(1).stdout;
    assert!(
        text.contains("5 files") && text.contains("1 binary") && text.contains("hint:"),
        "{text}"
    );
}

#[test]
fn what_git_ignores_everywhere_for_this_user_is_left_out_inside_a_repository_only() {
    let world = World::new(&[
        ("kept.ts", "export const keptHere = 1;\n"),
        ("made.gen.ts", "export const madeHere = 1;\n"),
    ]);
    let settings = world.home().join(".config/git");
    std::fs::create_dir_all(&settings).unwrap();
    std::fs::write(settings.join("ignore"), "*.gen.ts\n").unwrap();
    world.run(&["search", "madeHere"]).expect(0);
    world.git(&world.root(), &["init", "-q"]);
    world.run(&["search", "madeHere"]).expect(1);
    world.run(&["search", "keptHere"]).expect(0);
}
