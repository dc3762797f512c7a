//! Checks an index against itself and against the tree, by content and not by sizes and times; and mends it.
//!
//! A refresh trusts what the file system says of a file. Here every file is read. What is found is told by kind: files that the
//! index lacks, has too many, or knows with another content, and faults of the index itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;

use crate::config::Config;
use crate::corpus::{self, Outcome, SkipReason, WalkOptions};
use crate::entry::FileFlags;
use crate::error::Error;
use crate::git::Repository;
use crate::snapshot::{ManifestFile, Snapshot};
use crate::store::{Index, IndexState};
use crate::update::{UpdateOptions, UpdateReport, update, update_paths, walk_options};

/// What a check found. All lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerifyReport {
    /// Files that were read and compared.
    pub n_files: u64,
    /// Paths of the tree that the index does not know.
    pub missing: Vec<String>,
    /// Paths in the index that are not in the tree.
    pub surplus: Vec<String>,
    /// Paths whose content, or reason to be skipped, is another than the index says.
    pub different: Vec<String>,
    /// Whether the work tree is at another commit than the index, or its commits are not those of the history.
    pub history_differs: bool,
    /// Whether the index was built by other options than the configuration has now.
    pub options_differ: bool,
    /// Faults of the index itself.
    pub faults: Vec<String>,
    /// Files of the tree that cannot be read, so that nothing can be said of them.
    pub unreadable: Vec<String>,
}

impl VerifyReport {
    /// Whether the index is sound and equal to the tree.
    pub fn is_sound(&self) -> bool {
        self.is_whole() && self.paths().is_empty() && !self.history_differs && !self.options_differ
    }

    /// Whether the index is sound in itself.
    fn is_whole(&self) -> bool {
        self.faults.is_empty()
    }

    /// All paths that differ.
    fn paths(&self) -> BTreeSet<String> {
        self.missing.iter().chain(&self.surplus).chain(&self.different).cloned().collect()
    }
}

/// Checks the index in `folder` of the tree below `root`. Writes nothing.
///
/// # Errors
///
/// An index that is absent, newer, of an earlier version or foreign is an error; a damaged one is a fault in the report.
pub fn verify(
    root: &Path,
    folder: &Path,
    config: &Config,
    threads: usize,
) -> Result<VerifyReport, Error> {
    let mut report = VerifyReport::default();
    let snapshot = match Index::open(folder) {
        IndexState::Ready(index) => {
            match index.broken_files() {
                Ok(broken) => report.faults.extend(
                    broken.iter().map(|file| format!("{}: its checksum is wrong", file.display())),
                ),
                Err(error) => report.faults.push(error.to_string()),
            }
            // What a broken file holds is not looked at: it could say anything.
            if !report.faults.is_empty() {
                return Ok(report);
            }
            match index.snapshot() {
                Ok(snapshot) => snapshot,
                Err(error) => {
                    report.faults.push(error.to_string());
                    return Ok(report);
                }
            }
        }
        IndexState::Damaged { what } => {
            report.faults.push(what);
            return Ok(report);
        }
        IndexState::Missing => return Err(Error::NoIndex { folder: folder.to_owned() }),
        IndexState::Older { found } => {
            return Err(Error::Older { folder: folder.to_owned(), found });
        }
        IndexState::Newer { found } => {
            return Err(Error::Newer { folder: folder.to_owned(), found });
        }
        IndexState::Foreign => return Err(Error::Foreign { folder: folder.to_owned() }),
    };
    report.options_differ = snapshot.meta().options != config.options_hash();
    let manifest = match snapshot.faults().and_then(|faults| {
        report.faults.extend(faults);
        snapshot.manifest()
    }) {
        Ok(manifest) => manifest,
        Err(error) => {
            report.faults.push(error.to_string());
            return Ok(report);
        }
    };
    report.history_differs = history_differs(root, &snapshot, config)?;
    let options = walk_options(root, folder, config, threads);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| Error::Threads { threads, message: error.to_string() })?;
    pool.install(|| compare(root, &options, manifest, &mut report))?;
    Ok(report)
}

/// Brings an index in order by what a check found: builds it anew if it has faults, else reads again what differs.
pub fn repair(
    root: &Path,
    folder: &Path,
    config: &Config,
    options: &UpdateOptions<'_>,
    found: &VerifyReport,
) -> Result<(Index, UpdateReport), Error> {
    if !found.is_whole() {
        return update(root, folder, config, &UpdateOptions { rebuild: true, ..*options });
    }
    let paths = found.paths();
    if !paths.is_empty() {
        // Sizes and times may be those of the index all the same, so each path is named.
        update_paths(root, folder, config, options, &paths)?;
    }
    update(root, folder, config, options)
}

/// What the tree has at one path.
#[derive(PartialEq, Eq)]
enum State {
    Content(u64),
    Skipped(SkipReason),
}

fn state_of(file: &ManifestFile) -> Option<State> {
    if file.flags.has(FileFlags::SKIPPED) {
        return file.flags.skip_reason().map(State::Skipped);
    }
    Some(State::Content(file.hash))
}

fn compare(
    root: &Path,
    options: &WalkOptions,
    manifest: Vec<ManifestFile>,
    report: &mut VerifyReport,
) -> Result<(), Error> {
    let walk = corpus::walk::walk(root, options)?;
    report.n_files = walk.files.len() as u64;
    let mut tree: BTreeMap<String, State> = walk
        .skipped
        .into_iter()
        .map(|skipped| (skipped.path, State::Skipped(skipped.reason)))
        .collect();
    let read: Vec<(String, Option<State>)> = walk
        .files
        .par_iter()
        .map(|file| {
            let state = match corpus::read::read(root, file, options) {
                Outcome::Read(contents) => Some(State::Content(contents.hash)),
                Outcome::Skipped { reason, .. } => Some(State::Skipped(reason)),
                Outcome::Absent => None,
            };
            (file.path.clone(), state)
        })
        .collect();
    tree.extend(read.into_iter().filter_map(|(path, state)| Some((path, state?))));
    for file in manifest {
        let is_closed =
            walk.unreadable_dirs.iter().any(|folder| Path::new(&file.path).starts_with(folder));
        match tree.remove(&file.path) {
            Some(State::Skipped(SkipReason::Unreadable)) if !file.flags.has(FileFlags::SKIPPED) => {
                report.unreadable.push(file.path);
            }
            None if is_closed => report.unreadable.push(file.path),
            None => report.surplus.push(file.path),
            Some(state) if Some(&state) == state_of(&file).as_ref() => {}
            Some(_) => report.different.push(file.path),
        }
    }
    report.missing.extend(tree.into_keys());
    Ok(())
}

fn history_differs(root: &Path, snapshot: &Snapshot, config: &Config) -> Result<bool, Error> {
    let repository = Repository::discover(root);
    let head = repository.as_ref().map_or(Ok(None), Repository::head)?;
    if head != snapshot.meta().head {
        return Ok(true);
    }
    let (Some(repository), Some(head), depth @ 1..) = (repository, head, config.history.depth)
    else {
        return Ok(snapshot.meta().n_commits > 0);
    };
    let mut commits = repository.rev_list(&head, depth)?;
    commits.sort_unstable();
    Ok(commits != snapshot.commit_ids()?)
}
