//! An index that version 1 of the format wrote is still opened, or known as of an earlier version; it is never misread.
//!
//! `compat/index_v1` is the index of three small files. A new version of the format gets a folder of its own beside it.

#![expect(clippy::unwrap_used, reason = "a test: a panic is how it fails")]

mod common;

use std::fs;
use std::path::Path;

use reseek_indexer::format::{ANALYZER_VERSION, FORMAT_VERSION};
use reseek_indexer::{Index, IndexState};

#[test]
fn x_04_an_index_of_version_1_is_opened_or_known_as_older() {
    // Opening takes a lock file, so a copy is opened.
    let scratch = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compat/index_v1"), scratch.path());
    match Index::open(scratch.path()) {
        IndexState::Ready(index) => {
            assert_eq!((FORMAT_VERSION, ANALYZER_VERSION), (1, 1));
            let snapshot = index.snapshot().unwrap();
            assert_eq!(common::paths(&snapshot), ["readme.md", "src/token.ts"]);
            assert_eq!(snapshot.meta().skipped.get("binary"), Some(&1));
            let file = snapshot.file("src/token.ts").unwrap().unwrap();
            let names: Vec<String> = snapshot
                .entry(file)
                .unwrap()
                .symbols
                .into_iter()
                .map(|symbol| symbol.name)
                .collect();
            assert_eq!(names, ["parseToken", "RateLimiter", "limit"]);
            let dump = common::dump(&snapshot).unwrap();
            assert!(dump.iter().any(|line| line.starts_with("exact_name ratelimiter")), "{dump:?}");
        }
        IndexState::Older { found } => assert_eq!(found, "1.1"),
        _ => panic!("neither opened nor older"),
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&to).unwrap();
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}
