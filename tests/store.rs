//! The index folder: other versions, other owners, other writers, places that cannot be written.

use std::fs::{self, File};

use serde_json::Value;

use crate::util::{World, project};

/// Rewrites one value of the file that says which version the index has.
fn set_current(world: &World, key: &str, value: u64) {
    let path = world.root().join(".reseek/CURRENT");
    let mut current: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    current[key] = value.into();
    fs::write(path, current.to_string()).unwrap();
}

#[test]
fn a_newer_index_is_refused_with_its_version_and_left_alone() {
    for key in ["format", "analyzer"] {
        let world = project();
        world.run(&["index"]).expect(0);
        set_current(&world, key, 999);
        let before = fs::read(world.root().join(".reseek/CURRENT")).unwrap();
        for args in [&["search", "token"][..], &["index"], &["index", "--force"], &["status"]] {
            let document = world.run(&[args, &["--json"]].concat()).expect(3).json();
            assert_eq!(document["error"]["kind"], "index-newer", "{args:?}");
            assert!(document["error"]["message"].as_str().unwrap().contains("999"), "{args:?}");
            assert!(
                document["error"]["advice"].as_str().unwrap().contains("--index-dir"),
                "{args:?}"
            );
        }
        assert_eq!(fs::read(world.root().join(".reseek/CURRENT")).unwrap(), before);
    }
}

#[test]
fn an_older_index_is_rebuilt_and_that_is_told() {
    for key in ["format", "analyzer"] {
        let world = project();
        world.run(&["index"]).expect(0);
        set_current(&world, key, 0);
        let run = world.run(&["search", "isTokenExpired", "--json"]).expect(0);
        assert!(run.stderr.contains("rebuilt"), "{}", run.stderr);
        assert!(run.json()["status"]["notes"][0].as_str().unwrap().contains("earlier version"));
        let again = world.run(&["search", "isTokenExpired", "--json"]).expect(0);
        assert_eq!(again.stderr, "");
    }
}

#[test]
fn an_older_index_that_may_not_be_rebuilt_is_told_as_such() {
    let world = project();
    world.run(&["index"]).expect(0);
    set_current(&world, "format", 0);
    let document = world.run(&["search", "token", "--no-refresh", "--json"]).expect(3).json();
    assert_eq!(document["error"]["kind"], "index-older");
}

#[test]
fn a_folder_of_somebody_else_is_not_touched() {
    let world = project();
    let theirs = world.beside("theirs");
    fs::create_dir(&theirs).unwrap();
    fs::write(theirs.join("thesis.txt"), "years of work").unwrap();
    let args = ["index", "--force", "--index-dir", theirs.to_str().unwrap(), "--json"];
    assert_eq!(world.run(&args).expect(3).json()["error"]["kind"], "index-foreign");
    let names: Vec<_> =
        fs::read_dir(&theirs).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["thesis.txt"]);
}

#[test]
fn an_index_folder_that_cannot_be_written_is_told_with_the_remedy() {
    let world = project();
    world.write(".reseek", "a file in the way");
    let run = world.run(&["retrieve", "token expired", "--threshold", "0.3"]).expect(2);
    assert!(run.stderr.contains("cannot write the index in"), "{}", run.stderr);
    assert!(run.stderr.contains("--index-dir"), "{}", run.stderr);
    let elsewhere = world.beside("elsewhere");
    world
        .run(&[
            "retrieve",
            "token expired",
            "--threshold",
            "0.3",
            "--index-dir",
            elsewhere.to_str().unwrap(),
        ])
        .expect(0);
}

#[test]
fn a_failed_write_leaves_the_old_index_usable_and_says_that_it_is_behind() {
    let world = project();
    world.run(&["index"]).expect(0);
    let lock = world.root().join(".reseek/lock");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    world.write("src/new.ts", "export const fresh = 1;\n");
    let run = world.run(&["search", "isTokenExpired", "--json"]).expect(0);
    assert_eq!(run.json()["status"]["behind"], true);
    assert!(run.stderr.contains("as it is"), "{}", run.stderr);
}

#[test]
fn a_query_beside_a_writer_is_answered_from_the_index_as_it_is() {
    let world = project();
    world.run(&["index"]).expect(0);
    let lock = File::options().write(true).open(world.root().join(".reseek/lock")).unwrap();
    lock.lock().unwrap();
    let fresh = world.run(&["search", "isTokenExpired", "--json", "--wait", "0"]).expect(0);
    assert_eq!(fresh.json()["status"]["behind"], false, "an index that is fresh needs no writer");
    world.write("src/new.ts", "export const fresh = 1;\n");
    let behind = world.run(&["search", "isTokenExpired", "--json", "--wait", "0"]).expect(0);
    assert_eq!(behind.json()["status"]["behind"], true);
    assert_eq!(behind.json()["status"]["n_changed"], 1);
    assert!(behind.json()["status"]["notes"][0].as_str().unwrap().contains("being written"));
}

#[test]
fn a_writer_beside_a_writer_has_an_exit_code_of_its_own() {
    let world = project();
    world.run(&["index"]).expect(0);
    let lock = File::options().write(true).open(world.root().join(".reseek/lock")).unwrap();
    lock.lock().unwrap();
    let document = world.run(&["index", "--force", "--wait", "0", "--json"]).expect(4).json();
    assert_eq!(document["error"]["kind"], "busy");
    drop(lock);
    world.run(&["index", "--force", "--wait", "0"]).expect(0);
}

#[test]
fn many_first_queries_at_once_all_answer_from_one_build() {
    let world = project();
    let children: Vec<_> = (0..8)
        .map(|_| {
            world
                .command(&world.root(), &["search", "isTokenExpired", "--json"])
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["status"]["generation"], 1);
    }
}
