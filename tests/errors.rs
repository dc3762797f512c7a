//! Exit codes and what errors say: distinct, documented, the same facts in words and in JSON.

use std::fs;

use crate::util::{World, project};

/// An error has this exit code, and names this kind and a remedy, on both channels.
#[track_caller]
fn check(world: &World, args: &[&str], code: i32, kind: &str, advice: &str) {
    let run = world.run(args).expect(code);
    assert_eq!(run.stdout, "", "an error in words is no answer");
    assert!(run.stderr.starts_with("error: ") && run.stderr.contains(advice), "{}", run.stderr);
    let json_args = [args, &["--json"]].concat();
    let document = world.run(&json_args).expect(code).json();
    assert_eq!(document["error"]["kind"], kind, "{document}");
    assert!(!document["error"]["message"].as_str().unwrap().is_empty());
    assert!(document["error"]["advice"].as_str().unwrap().contains(advice), "{document}");
}

#[test]
fn a_hit_is_0_and_no_hit_is_1() {
    let world = project();
    world.run(&["retrieve", "token expired", "--threshold", "0.3"]).expect(0);
    world.run(&["retrieve", "quantum chromodynamics"]).expect(1);
    world.run(&["search", "isTokenExpired"]).expect(0);
    world.run(&["search", "zzzqqq"]).expect(1);
    world.run(&["symbols", "Session"]).expect(0);
    world.run(&["symbols", "zzzqqq"]).expect(1);
}

#[test]
fn no_index_is_told_from_no_hit() {
    let world = project();
    check(&world, &["retrieve", "token", "--no-refresh"], 3, "no-index", "reseek index");
    check(&world, &["status"], 3, "no-index", "reseek index");
    assert!(!world.root().join(".reseek").exists(), "looking builds nothing");
}

#[test]
fn a_damaged_index_is_told_where_it_may_not_be_rebuilt() {
    let world = project();
    world.run(&["index"]).expect(0);
    fs::write(world.root().join(".reseek/CURRENT"), "{").unwrap();
    check(&world, &["search", "token", "--no-refresh"], 3, "index-damaged", "reseek index --force");
}

#[test]
fn a_damaged_index_is_rebuilt_by_a_query_and_that_is_told() {
    let world = project();
    world.run(&["index"]).expect(0);
    fs::write(world.root().join(".reseek/CURRENT"), "{").unwrap();
    let run = world.run(&["search", "isTokenExpired"]).expect(0);
    assert!(run.stderr.contains("rebuilt: the index was damaged"), "{}", run.stderr);
}

#[test]
fn a_wrong_flag_is_an_error() {
    let world = project();
    let document = world.run(&["retrieve", "x", "--bogus", "--json"]).expect(2).json();
    assert_eq!(document["error"]["kind"], "usage");
    assert!(document["error"]["message"].as_str().unwrap().contains("--bogus"));
    world.run(&["retrieve", "x", "--bogus"]).expect(2);
}

#[test]
fn a_missing_root_is_an_error() {
    check(&project(), &["search", "x", "--root", "nowhere"], 2, "root-not-found", "--root");
}

#[test]
fn a_file_as_the_root_is_an_error() {
    check(&project(), &["index", "--root", "README.md"], 2, "root-not-found", "--root");
}

#[test]
fn a_query_that_cannot_be_read_is_an_error() {
    check(&project(), &["search", "kind:nonsense"], 2, "query", "--help");
}

#[test]
fn an_empty_task_is_an_error() {
    check(&project(), &["retrieve", "  "], 2, "usage", "plain words");
}

#[test]
fn a_format_that_a_command_lacks_is_an_error() {
    let world = project();
    let run = world.run(&["status", "--format", "vimgrep"]).expect(2);
    assert!(run.stderr.contains("text, json"), "{}", run.stderr);
}

#[test]
fn a_wrong_configuration_names_file_line_and_key() {
    let world = project();
    world.write("reseek.toml", "hidden = true\nexlude = [\"x\"]\n");
    check(&world, &["index"], 2, "config", "correct the line");
    let run = world.run(&["index"]);
    assert!(
        run.stderr.contains("reseek.toml:2") && run.stderr.contains("exclude"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_bad_pattern_is_an_error() {
    let world = project();
    check(&world, &["index", "--exclude", "a[b"], 2, "pattern", "glob");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let world = project();
    for args in [&["symbols"][..], &["symbols", "--json"], &["status"], &["man"]] {
        world.run(&["index"]).expect(0);
        let mut child = world
            .command(&world.root(), args)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{args:?}");
    }
}

#[test]
fn outline_of_a_missing_file_is_an_error() {
    check(&project(), &["outline", "src/none.ts"], 2, "unreadable", "check the path");
}

#[test]
fn outline_of_a_file_without_a_grammar_is_an_error() {
    check(&project(), &["outline", "README.md"], 2, "unreadable", "check the path");
}
