//! The two stories of the loop, told over the small projects in `tests/projects`.
//!
//! Nothing in the program knows them: the words come from the task, the code, its history and the lexicon.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::util::{World, repository};

const EXPIRY: &str = "Fix the authentication token expiry bug";
const LIMITING: &str = "Add rate limiting to API endpoints";

/// A world whose root is a copy of one of the projects.
fn copy(project: &str) -> World {
    let world = World::new(&[]);
    let from = repository().join("tests/projects").join(project);
    let mut folders = vec![from.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let relative =
                    path.strip_prefix(&from).unwrap().to_str().unwrap().replace('\\', "/");
                world.write(&relative, fs::read(&path).unwrap());
            }
        }
    }
    world
}

fn retrieve(world: &World, task: &str, more: &[&str]) -> Value {
    world.run(&[&["retrieve", task, "--json"], more].concat()).expect(0).json()
}

/// The file names of the results, in order.
fn names(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| result["path"].as_str().unwrap().rsplit('/').next().unwrap())
        .collect()
}

/// The relevance that a cycle gave to a file.
#[track_caller]
fn relevance(answer: &Value, cycle: usize, name: &str) -> f64 {
    let evaluation = answer["cycles"][cycle - 1]["evaluation"].as_array().unwrap();
    let file =
        evaluation.iter().find(|file| Path::new(file["path"].as_str().unwrap()).ends_with(name));
    file.unwrap_or_else(|| panic!("cycle {cycle} did not judge {name}"))["relevance"]
        .as_f64()
        .unwrap()
}

/// The terms of a cycle's query with this origin.
fn terms<'a>(answer: &'a Value, cycle: usize, origin: &str) -> Vec<&'a str> {
    let keywords = answer["cycles"][cycle - 1]["query"]["keywords"].as_array().unwrap();
    keywords
        .iter()
        .filter(|keyword| keyword["origin"] == origin)
        .map(|keyword| keyword["term"].as_str().unwrap())
        .collect()
}

#[test]
fn a_bug_leads_from_its_own_words_to_the_files_that_those_lean_on() {
    let answer = retrieve(&copy("auth"), EXPIRY, &[]);
    assert!(relevance(&answer, 1, "tokens.ts") >= 0.7);
    assert!(relevance(&answer, 1, "auth.ts") >= 0.7);
    assert!(relevance(&answer, 1, "user.ts") < 0.5);
    assert!(relevance(&answer, 1, "session-manager.ts") < 0.7);
    assert!(relevance(&answer, 1, "jwt-utils.ts") < 0.7);
    let feedback = terms(&answer, 2, "feedback");
    assert!(feedback.contains(&"refresh") && feedback.contains(&"jwt"), "{feedback:?}");
    let mut found = names(&answer);
    found.sort_unstable();
    assert_eq!(found, ["auth.ts", "jwt-utils.ts", "session-manager.ts", "tokens.ts"]);
    assert_eq!(answer["stop"], "sufficient");
}

/// Checks that the throttle module, the middleware's index and the router's set-up are found, and that the word
/// `throttle` came in a later cycle from `origin` and from nowhere else.
#[track_caller]
fn check_throttle(world: &World, origin: &str, more: &[&str]) {
    let answer = retrieve(world, LIMITING, more);
    let found = names(&answer);
    for name in ["throttle.ts", "index.ts", "router-setup.ts"] {
        assert!(found.contains(&name), "{name} is not among {found:?}");
    }
    assert!(answer["cycles"].as_array().unwrap().len() > 1);
    for other in ["task", "stem", "abbreviation", "lexicon", "comment", "history", "feedback"] {
        assert!(!terms(&answer, 1, other).contains(&"throttle"));
        let here = terms(&answer, 2, other).contains(&"throttle");
        assert_eq!(here, other == origin, "{other}");
    }
}

#[test]
fn the_lexicon_alone_bridges_from_rate_limiting_to_throttle() {
    check_throttle(&copy("throttle"), "lexicon", &[]);
}

#[test]
fn doc_comments_alone_bridge_from_rate_limiting_to_throttle() {
    let world = copy("throttle");
    let change = |path: &str, from: &str, to: &str| {
        let text = fs::read_to_string(world.root().join(path)).unwrap();
        assert!(text.contains(from), "{path}");
        world.write(path, text.replace(from, to));
    };
    change(
        "src/middleware/throttle.ts",
        "export function throttle",
        "/** Rate limiting: lets each caller through a limited number of times. */\nexport function throttle",
    );
    change(
        "src/middleware/index.ts",
        "every API call.",
        "every API call. Rate limiting comes last.",
    );
    check_throttle(&world, "comment", &["--without", "lexicon"]);
}

#[test]
fn the_history_alone_bridges_from_rate_limiting_to_throttle() {
    let world = copy("throttle");
    let root = world.root();
    let commit = |message: &str| {
        world.git(&root, &["add", "-A"]);
        world.git(&root, &["commit", "-qm", message]);
    };
    let touch = |path: &str| {
        let text = fs::read_to_string(root.join(path)).unwrap();
        world.write(path, text + "\n");
    };
    world.git(&root, &["init", "-q"]);
    commit("Start");
    touch("src/middleware/throttle.ts");
    commit("Add rate limiting of callers");
    touch("src/middleware/throttle.ts");
    touch("src/middleware/index.ts");
    commit("Turn rate limiting on for every call");
    check_throttle(&world, "history", &["--without", "lexicon"]);
}

#[test]
fn answers_are_equal_to_the_byte_over_ten_runs_and_two_fresh_indexes() {
    let world = copy("auth");
    let other = world.beside("other-index");
    let other = other.to_str().unwrap();
    for command in [
        ["retrieve", EXPIRY, "--json"],
        ["retrieve", EXPIRY, "--trace"],
        ["search", "token expiry", "--json"],
        ["search", "session kind:function", "--format=text"],
    ] {
        let first = world.run(&command).expect(0).stdout;
        for _ in 1..10 {
            assert_eq!(world.run(&command).expect(0).stdout, first);
        }
        world.run(&["index", "--force", "--threads", "1", "--index-dir", other]).expect(0);
        let fresh = world.run(&[&command[..], &["--index-dir", other]].concat()).expect(0).stdout;
        assert_eq!(
            mask(&fresh, other),
            mask(&first, world.root().join(".reseek").to_str().unwrap())
        );
    }
}

/// The answer without the place and the number of commits of its index.
fn mask(answer: &str, folder: &str) -> String {
    let answer = answer.replace(folder, "INDEX");
    answer.lines().filter(|line| !line.contains("generation")).collect::<Vec<_>>().join("\n")
}
