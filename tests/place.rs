//! Which root a command answers for, and by which rule paths are printed.

use std::fs;

use crate::util::{World, project};

/// The root that a run in `dir` answers for, relative to the world.
#[track_caller]
fn root_of(world: &World, dir: &std::path::Path, args: &[&str]) -> String {
    let run = world.run_in(dir, &[&["symbols", "--json"], args].concat());
    let root = run.json()["status"]["root"].as_str().unwrap().to_owned();
    let top = fs::canonicalize(world.beside("")).unwrap();
    root.strip_prefix(top.to_str().unwrap()).unwrap().trim_start_matches('/').to_owned()
}

#[test]
fn the_nearest_index_above_is_used_and_paths_stay_relative_to_its_root() {
    let world = project();
    world.run(&["index"]).expect(0);
    let below = world.root().join("src/auth");
    assert_eq!(root_of(&world, &below, &[]), "root");
    assert!(!below.join(".reseek").exists());
    let run = world.run_in(&below, &["search", "isTokenExpired", "--format", "paths"]).expect(0);
    assert_eq!(run.lines()[0], "src/auth/token.ts");
}

#[test]
fn a_root_that_is_named_is_used_from_anywhere() {
    let world = project();
    let root = world.root();
    let run = world
        .run_in(
            &world.home(),
            &["search", "isTokenExpired", "--format", "paths", "--root", root.to_str().unwrap()],
        )
        .expect(0);
    assert_eq!(run.lines()[0], "src/auth/token.ts");
    assert!(root.join(".reseek").exists());
    assert!(!world.home().join(".reseek").exists());
}

#[test]
fn without_an_index_the_root_is_the_top_of_the_git_work_tree() {
    let world = project();
    world.git(&world.root(), &["init", "-q"]);
    assert_eq!(root_of(&world, &world.root().join("src/auth"), &[]), "root");
}

#[test]
fn without_an_index_or_git_the_root_is_the_working_directory() {
    let world = project();
    assert_eq!(root_of(&world, &world.root().join("src"), &[]), "root/src");
}

#[test]
fn from_a_nested_repository_the_index_above_it_answers() {
    let world = project();
    world.git(&world.root(), &["init", "-q"]);
    world.write("vendored/lib/inner.ts", "export function innerThing() {}\n");
    world.git(&world.root().join("vendored/lib"), &["init", "-q"]);
    world.run(&["index"]).expect(0);
    let inner = world.root().join("vendored/lib");
    assert_eq!(root_of(&world, &inner, &[]), "root");
    let run = world.run_in(&inner, &["search", "innerThing", "--format", "paths"]).expect(0);
    assert_eq!(run.lines(), ["vendored/lib/inner.ts"]);
    assert!(!inner.join(".reseek").exists());
}

#[test]
fn a_linked_work_tree_is_never_answered_from_the_main_one() {
    let world = project();
    world.git(&world.root(), &["init", "-q"]);
    world.git(&world.root(), &["add", "."]);
    world.git(&world.root(), &["commit", "-qm", "first"]);
    world.git(&world.root(), &["worktree", "add", "-q", "trees/other"]);
    world.run(&["index"]).expect(0);
    let other = world.root().join("trees/other");
    fs::write(other.join("src/only.ts"), "export function onlyHere() {}\n").unwrap();
    assert_eq!(root_of(&world, &other.join("src"), &[]), "root/trees/other");
    world.run_in(&other, &["search", "onlyHere"]).expect(0);
}

#[test]
fn the_index_may_live_elsewhere() {
    let world = project();
    let elsewhere = world.beside("elsewhere");
    let flag = [
        "retrieve",
        "token expired",
        "--threshold",
        "0.3",
        "--index-dir",
        elsewhere.to_str().unwrap(),
    ];
    world.run(&flag).expect(0);
    assert!(elsewhere.join("CURRENT").is_file());
    assert!(!world.root().join(".reseek").exists());
    let mut by_variable = world.command(&world.root(), &["status", "--json"]);
    by_variable.env("RESEEK_INDEX_DIR", &elsewhere);
    assert_eq!(crate::util::run(&mut by_variable).expect(0).json()["status"]["n_files"], 5);
}

#[test]
fn the_whole_disk_and_the_home_folder_need_a_flag() {
    let world = project();
    for root in ["/", world.home().to_str().unwrap()] {
        let document = world.run(&["index", "--root", root, "--json"]).expect(2).json();
        assert_eq!(document["error"]["kind"], "root-refused");
        assert!(document["error"]["advice"].as_str().unwrap().contains("--allow-large-root"));
    }
    assert!(!world.home().join(".reseek").exists());
    world.run_in(&world.home(), &["index"]).expect(2);
    world.run_in(&world.home(), &["index", "--allow-large-root"]).expect(0);
}

#[test]
fn an_ordinary_short_path_is_fine_and_nothing_above_it_is_indexed() {
    let world = project();
    let document = world
        .run_in(&world.root().join("src/auth"), &["index", "--root", ".", "--json"])
        .expect(0)
        .json();
    assert_eq!(document["status"]["n_files"], 2);
}

#[test]
fn every_spelling_of_a_path_is_one_path() {
    let world = project();
    let absolute = world.root().join("src/clock.ts");
    for path in [
        "src/clock.ts",
        "./src/clock.ts",
        "src//clock.ts",
        "src/./clock.ts",
        "src/auth/../clock.ts",
        absolute.to_str().unwrap(),
    ] {
        let document = world.run(&["status", "--explain", path, "--json"]).expect(0).json();
        assert_eq!(document["path"], "src/clock.ts", "{path}");
        assert_eq!(document["verdict"], "indexed", "{path}");
    }
    let from_below = world.run_in(
        &world.root().join("src"),
        &["status", "--explain", "clock.ts", "--json", "--root", ".."],
    );
    assert_eq!(from_below.expect(0).json()["path"], "src/clock.ts");
}

#[test]
fn a_path_outside_of_the_root_is_refused() {
    let world = project();
    fs::write(world.beside("secret.ts"), "export const a = 1;\n").unwrap();
    for path in ["../secret.ts", "src/../../secret.ts", "/etc/passwd"] {
        let document = world.run(&["status", "--explain", path, "--json"]).expect(1).json();
        assert_eq!(document["verdict"], "outside", "{path}");
    }
}

#[test]
fn an_index_elsewhere_knows_its_root() {
    let world = project();
    let elsewhere = world.beside("elsewhere");
    let elsewhere = elsewhere.to_str().unwrap();
    world.run(&["index", "--index-dir", elsewhere]).expect(0);
    let below = world.root().join("src/auth");
    assert_eq!(root_of(&world, &below, &["--index-dir", elsewhere]), "root");
}

#[test]
fn an_index_elsewhere_is_not_thrown_away_for_another_root() {
    let world = project();
    let elsewhere = world.beside("elsewhere");
    let elsewhere = elsewhere.to_str().unwrap();
    world.run(&["index", "--index-dir", elsewhere]).expect(0);
    let other = world.beside("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("a.ts"), "export const a = 1;\n").unwrap();
    for args in [&["search", "a"][..], &["refresh"], &["status"]] {
        let args = [args, &["--index-dir", elsewhere, "--json"]].concat();
        let document = world.run_in(&other, &args).expect(3).json();
        assert_eq!(document["error"]["kind"], "index-of-other-root", "{args:?}");
        assert!(document["error"]["message"].as_str().unwrap().contains("/root"), "{args:?}");
    }
    world.run_in(&other, &["index", "--index-dir", elsewhere]).expect(0);
    world.run_in(&other, &["search", "a", "--index-dir", elsewhere]).expect(0);
}

#[test]
fn a_root_that_is_moved_keeps_its_index() {
    let world = project();
    world.run(&["index"]).expect(0);
    let moved = world.beside("moved");
    fs::rename(world.root(), &moved).unwrap();
    let document = world.run_in(&moved, &["search", "isTokenExpired", "--json"]).expect(0).json();
    assert!(document["status"]["root"].as_str().unwrap().ends_with("/moved"));
}
