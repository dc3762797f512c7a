//! A running watcher beside queries, its end by signals, and the check of an index.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::util::{World, project};

/// A watcher that is ready; ended with the value, also when a test fails.
struct Watcher {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Watcher {
    fn start(world: &World, args: &[&str]) -> Watcher {
        let mut command = world.command(&world.root(), &[&["watch", "--json"], args].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut watcher = Watcher { child, lines };
        while watcher.line()["event"] != "ready" {}
        watcher
    }

    /// The next line; its absence fails the test.
    #[track_caller]
    fn line(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.lines.read_line(&mut line).unwrap() > 0, "the watcher ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a signal and gives the last line and the exit code.
    fn end(mut self, signal: &str) -> (Value, Option<i32>) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        let mut last = self.line();
        let mut text = String::new();
        while self.lines.read_line(&mut text).unwrap() > 0 {
            last = serde_json::from_str(&text).unwrap();
            text.clear();
        }
        (last, self.child.wait().unwrap().code())
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn i_21_each_query_after_a_write_is_fresh_and_says_that_somebody_watches() {
    let world = project();
    let _watcher = Watcher::start(&world, &[]);
    for n in 0..20 {
        world.write("src/new.ts", format!("export function freshlyMade{n}() {{}}\n"));
        let query = format!("name:freshlyMade{n}");
        let answer =
            world.run(&["search", &query, "--json", "--wait-fresh", "60"]).expect(0).json();
        assert_eq!(answer["status"]["watching"], true);
        assert_eq!(answer["status"]["behind"], false);
    }
}

#[test]
fn i_15_a_watcher_takes_in_what_changed_before_it_started() {
    let world = project();
    world.run(&["index"]).expect(0);
    fs::remove_file(world.root().join("src/color.ts")).unwrap();
    world.write("src/new.ts", "export const made = 1;\n");
    let _watcher = Watcher::start(&world, &[]);
    world.run(&["search", "name:made", "--no-refresh"]).expect(0);
    world.run(&["search", "name:palette", "--no-refresh"]).expect(1);
}

#[test]
fn x_10_signals_end_a_watcher_cleanly_and_the_index_stays() {
    for signal in ["-INT", "-TERM"] {
        let world = project();
        let watcher = Watcher::start(&world, &[]);
        let (last, code) = watcher.end(signal);
        assert_eq!((last["event"].as_str(), code), (Some("stopped"), Some(0)));
        let answer = world.run(&["search", "isTokenExpired", "--json"]).expect(0).json();
        assert_eq!(answer["status"]["watching"], false);
    }
}

#[test]
fn x_03_a_second_watcher_is_refused_with_the_name_of_the_first_and_queries_go_on() {
    let world = project();
    let watcher = Watcher::start(&world, &[]);
    let error = world.run(&["watch", "--json"]).expect(4).json();
    assert_eq!(error["error"]["kind"], "busy");
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.contains(&watcher.child.id().to_string()), "{message}");
    world.run(&["search", "isTokenExpired"]).expect(0);
    world.run(&["index"]).expect(0);
}

#[test]
fn x_06_a_rebuild_by_another_process_is_followed_by_the_watcher() {
    let world = project();
    let _watcher = Watcher::start(&world, &[]);
    world.run(&["index", "--force"]).expect(0);
    world.write("src/new.ts", "export function afterTheRebuild() {}\n");
    let answer =
        world.run(&["search", "name:afterTheRebuild", "--json", "--wait", "60"]).expect(0).json();
    assert_eq!(answer["status"]["watching"], true);
}

#[test]
fn a_watcher_that_looks_from_time_to_time_serves_those_who_wait() {
    let world = project();
    let _watcher = Watcher::start(&world, &["--poll"]);
    world.write("src/new.ts", "export function seenByPolling() {}\n");
    world.run(&["search", "name:seenByPolling", "--wait", "60"]).expect(0);
}

#[test]
fn verify_tells_what_differs_by_kind_and_repairs_it() {
    let world = project();
    world.run(&["index"]).expect(0);
    assert_eq!(world.run(&["verify", "--json"]).expect(0).json()["sound"], true);
    world.write("src/clock.ts", "export const other = 1;\n");
    world.write("src/new.ts", "export const made = 1;\n");
    fs::remove_file(world.root().join("src/color.ts")).unwrap();
    let report = world.run(&["verify", "--json"]).expect(1).json();
    assert_eq!(report["different"], serde_json::json!(["src/clock.ts"]));
    assert_eq!(report["missing"], serde_json::json!(["src/new.ts"]));
    assert_eq!(report["surplus"], serde_json::json!(["src/color.ts"]));
    let text = world.run(&["verify"]).expect(1).stdout;
    assert!(text.contains("--repair"), "{text}");
    let repaired = world.run(&["verify", "--repair", "--json"]).expect(0).json();
    assert_eq!((&repaired["sound"], &repaired["repaired"]), (&true.into(), &true.into()));
    assert!(world.run(&["verify"]).expect(0).stdout.contains("is sound"));
}

#[test]
fn verify_without_an_index_says_how_to_build_one() {
    let error = project().run(&["verify", "--json"]).expect(3).json();
    assert_eq!(error["error"]["kind"], "no-index");
}
