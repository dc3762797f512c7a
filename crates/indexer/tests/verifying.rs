//! The check of an index against the tree and against itself, and its repair.

#![expect(clippy::unwrap_used, reason = "a test: a panic is how it fails")]

mod common;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use reseek_indexer::Config;
use reseek_indexer::verify::{VerifyReport, repair, verify};

use crate::common::{difference, dump, open, refresh, with_options};

/// A tree with its index, just built.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Scratch {
        let scratch = Scratch(tempfile::tempdir().unwrap());
        fs::create_dir(scratch.root()).unwrap();
        for name in ["a.ts", "b.ts"] {
            fs::write(scratch.root().join(name), format!("export const {} = 1;\n", &name[..1]))
                .unwrap();
        }
        refresh(&scratch.root(), &scratch.folder(), scratch.0.path()).unwrap();
        scratch
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("tree")
    }

    fn folder(&self) -> PathBuf {
        self.root().join(".reseek")
    }

    fn verify(&self) -> VerifyReport {
        verify(&self.root(), &self.folder(), &Config::load(&self.root()).unwrap(), 1).unwrap()
    }

    /// Repairs, after which the index must be sound and equal to a fresh one.
    fn check_repair(&self, found: &VerifyReport) {
        assert!(!found.is_sound());
        let config = Config::load(&self.root()).unwrap();
        with_options(self.0.path(), |options| {
            repair(&self.root(), &self.folder(), &config, options, found)
        })
        .unwrap();
        assert_eq!(
            self.verify(),
            VerifyReport { n_files: self.verify().n_files, ..VerifyReport::default() }
        );
        let (fresh, _) =
            refresh(&self.root(), &self.0.path().join("fresh"), self.0.path()).unwrap();
        let ours = dump(&open(&self.folder()).snapshot().unwrap()).unwrap();
        assert_eq!(difference(&ours, &dump(&fresh.snapshot().unwrap()).unwrap()), "");
    }
}

#[test]
fn a_fresh_index_is_sound() {
    let report = Scratch::new().verify();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.n_files, 2);
}

#[test]
fn new_gone_and_edited_files_are_told_apart() {
    let scratch = Scratch::new();
    fs::write(scratch.root().join("a.ts"), "export const other = 1;\n").unwrap();
    fs::remove_file(scratch.root().join("b.ts")).unwrap();
    fs::write(scratch.root().join("c.ts"), "").unwrap();
    let report = scratch.verify();
    assert_eq!(report.different, ["a.ts"]);
    assert_eq!(report.surplus, ["b.ts"]);
    assert_eq!(report.missing, ["c.ts"]);
    assert!(report.faults.is_empty());
    scratch.check_repair(&report);
}

#[test]
fn a_wrong_record_of_a_file_that_looks_unchanged_is_found_and_mended() {
    let scratch = Scratch::new();
    // A record that claims a later time than any edit makes a refresh trust what it must not trust.
    fs::write(scratch.root().join("a.ts"), "export const z = 1;\n").unwrap();
    let far = i64::MAX / 2;
    let config = Config::default();
    let before = scratch.verify();
    assert_eq!(before.different, ["a.ts"]);
    with_options(scratch.0.path(), |options| {
        let options = reseek_indexer::update::UpdateOptions {
            now_ns: far,
            patience: Duration::ZERO,
            ..*options
        };
        reseek_indexer::update::update(&scratch.root(), &scratch.folder(), &config, &options)
    })
    .unwrap();
    assert!(scratch.verify().is_sound());
}

#[test]
fn a_broken_file_of_the_index_is_found_by_its_checksum_and_mended() {
    let scratch = Scratch::new();
    let file = fs::read_dir(scratch.folder().join("data-1"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "store"))
        .unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[0] ^= 0x55;
    fs::write(&file, bytes).unwrap();
    let report = scratch.verify();
    assert!(report.faults.iter().any(|fault| fault.contains("checksum")), "{report:?}");
    scratch.check_repair(&report);
}

#[test]
fn other_options_than_those_of_the_index_are_told_and_mended() {
    let scratch = Scratch::new();
    fs::write(scratch.root().join("reseek.toml"), "exclude = [\"b.ts\"]\n").unwrap();
    let report = scratch.verify();
    assert!(report.options_differ);
    scratch.check_repair(&report);
}

#[test]
fn an_index_that_is_not_there_is_an_error() {
    let scratch = Scratch::new();
    fs::remove_dir_all(scratch.folder()).unwrap();
    let result = verify(&scratch.root(), &scratch.folder(), &Config::default(), 1);
    assert!(matches!(result, Err(reseek_indexer::Error::NoIndex { .. })));
}
