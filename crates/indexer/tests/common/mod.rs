//! What the tests of this crate share: everything an index says, as comparable text, and a clock that is that of the files.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, UNIX_EPOCH};

use reseek_indexer::entry::FileFlags;
use reseek_indexer::format::Meta;
use reseek_indexer::update::{UpdateOptions, UpdateReport, update};
use reseek_indexer::{Config, Error, Index, IndexState, Snapshot};

/// The time now by the clock that stamps files, in nanoseconds since 1970.
pub(crate) fn now_ns(scratch: &Path) -> i64 {
    let probe = scratch.join("clock");
    fs::write(&probe, "").unwrap();
    let time = fs::metadata(&probe).unwrap().modified().unwrap();
    time.duration_since(UNIX_EPOCH).unwrap().as_nanos() as i64
}

/// Runs an update with two threads; `scratch` is any folder that can be written.
pub(crate) fn refresh(
    root: &Path,
    folder: &Path,
    scratch: &Path,
) -> Result<(Index, UpdateReport), Error> {
    with_options(scratch, |options| update(root, folder, &Config::load(root)?, options))
}

/// Gives the options of an ordinary update to `run`.
pub(crate) fn with_options<T>(scratch: &Path, run: impl FnOnce(&UpdateOptions<'_>) -> T) -> T {
    run(&UpdateOptions {
        threads: 2,
        rebuild: false,
        now_ns: now_ns(scratch),
        patience: Duration::from_secs(20),
        progress: &|_| {},
        cancel: &AtomicBool::new(false),
    })
}

/// The index in a folder, which must be there and readable.
pub(crate) fn open(folder: &Path) -> Index {
    match Index::open(folder) {
        IndexState::Ready(index) => index,
        IndexState::Missing => panic!("missing"),
        IndexState::Older { found } => panic!("older {found}"),
        IndexState::Newer { found } => panic!("newer {found}"),
        IndexState::Damaged { what } => panic!("damaged {what}"),
        IndexState::Foreign => panic!("foreign"),
    }
}

/// Paths of all files that are indexed, without those that are skipped.
pub(crate) fn paths(snapshot: &Snapshot) -> Vec<String> {
    let files = snapshot.manifest().unwrap().into_iter();
    files.filter(|file| !file.flags.has(FileFlags::SKIPPED)).map(|file| file.path).collect()
}

/// Everything that answers can depend on, one fact a line, by paths and ordinals instead of document numbers.
pub(crate) fn dump(snapshot: &Snapshot) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    let meta = Meta { generation: 0, scan_time_ns: 0, ..snapshot.meta().clone() };
    lines.push(format!("meta {meta:?}"));
    let mut names: BTreeMap<u32, String> = BTreeMap::new();
    for file in snapshot.manifest()? {
        let entry = snapshot.entry(file.doc)?;
        lines.push(format!(
            "file {} flags {} hash {} lengths {:?} key {} {entry:?}",
            file.path,
            file.flags.0,
            file.hash,
            snapshot.lengths(file.doc),
            snapshot.key(file.doc)
        ));
        assert_eq!(snapshot.file(&file.path)?, Some(file.doc), "{}", file.path);
        names.insert(file.doc, file.path.clone());
        for (place, _) in entry.symbols.iter().enumerate() {
            let doc = file.doc + place as u32 + 1;
            assert_eq!(snapshot.ordinal(doc), place as u32 + 1, "{}", file.path);
            lines.push(format!(
                "symbol {}:{} kind {}",
                file.path,
                place + 1,
                snapshot.kind_code(doc)
            ));
        }
        let mut commits = Vec::new();
        for commit in snapshot.commits_touching(snapshot.key(file.doc))? {
            commits.push(snapshot.commit(commit)?.1);
        }
        commits.sort_unstable();
        lines.push(format!("touched {} {commits:?}", file.path));
    }
    for id in snapshot.commit_ids()? {
        lines.push(format!("commit {id}"));
    }
    let fields = snapshot.fields();
    let scored = [
        ("path", fields.path),
        ("folders", fields.folders),
        ("file_name", fields.file_name),
        ("file_compounds", fields.file_compounds),
        ("file_text", fields.file_text),
        ("imports", fields.imports),
        ("name", fields.name),
        ("exact_name", fields.exact_name),
        ("compounds", fields.compounds),
        ("container", fields.container),
        ("signature", fields.signature),
        ("doc", fields.doc),
        ("body", fields.body),
        ("text", fields.text),
        ("references", fields.references),
        ("message", fields.message),
    ];
    for (name, field) in scored {
        for term in snapshot.terms_with_prefix(field, "", usize::MAX)? {
            let mut found = Vec::new();
            snapshot.scan(field, &term, |hit| found.push(hit))?;
            let mut hits = Vec::new();
            for hit in found {
                let who = match names.get(&snapshot.file_of(hit.doc)) {
                    Some(path) => path.clone(),
                    None => format!("{:?}", snapshot.commit(hit.doc)?),
                };
                hits.push((who, snapshot.ordinal(hit.doc), hit.term_freq, hit.length_code));
            }
            hits.sort_unstable();
            if !hits.is_empty() {
                lines.push(format!("{name} {term} {hits:?}"));
            }
        }
    }
    Ok(lines)
}

/// The first facts by which two dumps differ; empty if they are equal.
pub(crate) fn difference(index: &[String], fresh: &[String]) -> String {
    let mut text = String::new();
    for (sign, these, others) in
        [("only in the index", index, fresh), ("only in a fresh one", fresh, index)]
    {
        let others: std::collections::BTreeSet<&String> = others.iter().collect();
        for line in these.iter().filter(|line| !others.contains(line)).take(6) {
            let shown: String = line.chars().take(400).collect();
            let _ = writeln!(text, "{sign}: {shown}");
        }
    }
    text
}

/// Copies all files of a folder that has no folders in it but one level of data.
pub(crate) fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}
