//! `--json` on every command: one valid document on standard output, whatever happens, and no colour in it.

use crate::util::{World, project};

/// Every command, once with an answer.
const COMMANDS: [&[&str]; 12] = [
    &["index"],
    &["index", "--force"],
    &["refresh"],
    &["search", "token"],
    &["retrieve", "token expired", "--threshold", "0.3"],
    &["retrieve", "token expired", "--threshold", "0.3", "--trace"],
    &["symbols"],
    &["outline", "src/auth/token.ts"],
    &["status"],
    &["status", "--explain", "src"],
    &["completions", "bash"],
    &["man"],
];

#[test]
fn every_command_answers_with_one_document() {
    let world = project();
    for args in COMMANDS {
        let run = world.run(&[args, &["--json"]].concat()).expect(0);
        assert!(run.json().is_object(), "{args:?}");
        assert_eq!(run.stdout.lines().count(), 1, "{args:?}");
        assert_eq!(run.stderr, "", "{args:?}");
    }
}

#[test]
fn a_document_says_which_index_it_came_from() {
    let world = project();
    for args in
        [&["search", "token"][..], &["retrieve", "token"], &["symbols"], &["index"], &["status"]]
    {
        let status = world.run(&[args, &["--json"]].concat()).json()["status"].clone();
        assert_eq!(status["n_files"], 5, "{args:?}: {status}");
        assert_eq!(status["behind"], false, "{args:?}");
        assert_eq!(status["generation"], 1, "{args:?}");
        assert!(status["root"].as_str().unwrap().ends_with("/root"), "{args:?}");
    }
}

#[test]
fn an_answer_without_hits_is_a_document_too() {
    let world = project();
    let run = world.run(&["retrieve", "quantum chromodynamics", "--json"]).expect(1);
    assert_eq!(run.json()["results"].as_array().unwrap().len(), 0);
    assert_eq!(run.json()["status"]["n_files"], 5);
}

#[test]
fn what_was_skipped_is_in_the_document() {
    let world = project();
    world.write("src/picture.ts", [0, 1, 2]);
    world.write(".env", "SECRET=1");
    let status = world.run(&["retrieve", "token", "--json"]).json()["status"].clone();
    assert_eq!(status["skipped"]["binary"], 1, "{status}");
    assert_eq!(status["skipped"]["secret"], 1, "{status}");
}

/// Whether the output of a search holds colour.
fn coloured(world: &World, args: &[&str], variable: Option<(&str, &str)>) -> bool {
    let mut command = world.command(&world.root(), &[&["search", "isTokenExpired"], args].concat());
    command.envs(variable);
    crate::util::run(&mut command).expect(0).stdout.contains('\u{1b}')
}

#[test]
fn colour_is_for_terminals_and_for_those_who_insist() {
    let world = project();
    assert!(!coloured(&world, &[], None));
    assert!(coloured(&world, &["--color", "always"], None));
    assert!(!coloured(&world, &["--color", "never"], None));
    assert!(!coloured(&world, &[], Some(("NO_COLOR", "1"))));
    assert!(!coloured(&world, &["--json", "--color", "always"], None));
}

#[test]
fn verbose_logs_go_to_standard_error() {
    let world = project();
    world
        .run(&["retrieve", "token expired", "--threshold", "0.3", "--json", "-vv"])
        .expect(0)
        .json();
}

#[test]
fn the_json_flag_and_the_json_format_are_one() {
    let world = project();
    world.run(&["index"]).expect(0);
    let flag = world.run(&["retrieve", "token", "--json"]).stdout;
    assert_eq!(world.run(&["retrieve", "token", "--format", "json"]).stdout, flag);
}
