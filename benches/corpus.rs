//! The corpus of the benches: the two projects of `eval/gate`, copied as often as asked for under names of their own.
//!
//! Every copy has other identifiers, because the word `Copy` and its number follow each `class` and `function` keyword's name; so
//! vocabulary and postings grow as they do in a monorepo. Nothing is random.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use reseek_indexer::update::{UpdateOptions, update};
use reseek_indexer::{Config, Index};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ts" || extension == "tsx")
        {
            found.push(path);
        }
    }
}

/// The TypeScript sources of the gate's projects with their paths, in the order of the paths.
pub(crate) fn gate() -> Vec<(String, String)> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("eval/gate");
    let mut found = Vec::new();
    sources(&top, &mut found);
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&top).expect("inside").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a text"))
        })
        .collect()
}

/// Writes a monorepo of `n_copies` copies below `root`; gives the number of files.
pub(crate) fn write(root: &Path, n_copies: usize) -> usize {
    let gate = gate();
    for copy in 0..n_copies {
        for (name, text) in &gate {
            let path = root.join(format!("packages/copy{copy}")).join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            let text = text
                .replace("export class ", &format!("export class Copy{copy}"))
                .replace("export function ", &format!("export function copy{copy}"));
            fs::write(path, text).expect("a file");
        }
    }
    gate.len() * n_copies
}

/// Builds or updates the index of `root` in `folder`.
pub(crate) fn index(root: &Path, folder: &Path, rebuild: bool) -> Index {
    let options = UpdateOptions {
        threads: 2,
        rebuild,
        // The files are older than the scan, so that none of them counts as changed within a tick of the clock.
        now_ns: i64::MAX,
        patience: Duration::from_secs(10),
        progress: &|_| {},
        cancel: &AtomicBool::new(false),
    };
    update(root, folder, &Config::default(), &options).expect("an index").0
}
