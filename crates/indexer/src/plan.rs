//! Compares the tree with the index by names, sizes and times; opens no file that these show to be unchanged.
//!
//! A file is unchanged if its size and both its times are those of the index and it was not changed at or after the scan
//! that led to the index (an edit within one tick of the clock leaves no trace). What cannot be read is never
//! taken for deleted: the index keeps the last content it knows and the plan says so.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::io;
use std::iter::Peekable;
use std::path::Path;

use crate::config::Config;
use crate::corpus::check::changes_rules;
use crate::corpus::read::content_hash;
use crate::corpus::{
    self, Checker, FoundFile, Outcome, SkipReason, Skipped, Verdict, Walk, WalkOptions,
};
use crate::entry::{FileFlags, Stamp};
use crate::error::Error;
use crate::format::Meta;
use crate::git::Repository;
use crate::schema::path_key;
use crate::snapshot::{ManifestFile, Snapshot};
use crate::stamps::Stamps;
use crate::store::Index;

/// What the tree holds that the index does not.
#[derive(Debug, Default)]
pub struct Plan {
    /// Files to read: new, or with another stamp than in the index.
    pub(crate) read: Vec<(FoundFile, Option<ManifestFile>)>,
    /// Files to remove.
    pub(crate) remove: Vec<ManifestFile>,
    /// Paths to note as skipped.
    pub(crate) skip: Vec<(Skipped, Option<ManifestFile>)>,
    /// Files left alone.
    pub(crate) unchanged: u64,
    /// The history to bring up to date, if it may have changed.
    pub(crate) history: Option<HistoryPlan>,
    /// Problems that do not stop an update.
    pub(crate) problems: Vec<String>,
    /// Whether every file was looked at, so that the time of this scan may count for all of them.
    pub(crate) is_whole: bool,
}

/// What git says now.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct HistoryPlan {
    /// The checked-out commit.
    pub(crate) head: Option<String>,
    /// See [`Meta::shallow`].
    pub(crate) shallow: u64,
    /// Whether either differs from the index; if not, the history is missing and is tried again.
    pub(crate) moved: bool,
}

impl Plan {
    /// How many files differ from the index, touched ones included.
    pub fn n_changed(&self) -> u64 {
        (self.read.len() + self.remove.len() + self.skip.len()) as u64
    }

    /// Whether the git work tree is at another commit than the index.
    pub fn head_moved(&self) -> bool {
        self.history.as_ref().is_some_and(|history| history.moved)
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.n_changed() == 0 && self.history.is_none()
    }

    /// Paths that differ from the index, sorted; for messages.
    pub fn changed_paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = self.read.iter().map(|(file, _)| file.path.as_str()).collect();
        paths.extend(self.remove.iter().map(|file| file.path.as_str()));
        paths.extend(self.skip.iter().map(|(skipped, _)| skipped.path.as_str()));
        paths.sort_unstable();
        paths
    }
}

/// The walk options that a configuration stands for.
pub fn walk_options(root: &Path, folder: &Path, config: &Config, threads: usize) -> WalkOptions {
    let mut options = config.walk_options();
    options.threads = threads;
    options.index_dir = folder
        .strip_prefix(root)
        .ok()
        .and_then(Path::to_str)
        .map(|inside| inside.replace('\\', "/"));
    options
}

/// Compares the whole tree with a view of the index. Files that only look changed, or were written so shortly before the
/// last scan that their times prove nothing, are read and counted as unchanged if they are.
pub fn plan(
    root: &Path,
    index: &Index,
    snapshot: &Snapshot,
    options: &WalkOptions,
) -> Result<Plan, Error> {
    let stamps = Stamps::load(index.folder(), index.data());
    let mut plan = plan_tree(root, snapshot, options, &stamps)?;
    let n_doubtful = plan.read.len();
    plan.read.retain(|(found, old)| {
        !old.as_ref().is_some_and(|old| has_content(root, found, old, options))
    });
    plan.unchanged += (n_doubtful - plan.read.len()) as u64;
    Ok(plan)
}

/// Whether a file has the content, or the reason to be skipped, that the index knows.
pub(crate) fn has_content(
    root: &Path,
    found: &FoundFile,
    old: &ManifestFile,
    options: &WalkOptions,
) -> bool {
    match corpus::read::read(root, found, options) {
        Outcome::Read(contents) => contents.hash == old.hash && !old.flags.has(FileFlags::SKIPPED),
        Outcome::Skipped { reason, file } => {
            old.flags.skip_reason() == Some(reason) && old.stamp.size == file.size
        }
        Outcome::Absent => false,
    }
}

pub(crate) fn plan_tree(
    root: &Path,
    snapshot: &Snapshot,
    options: &WalkOptions,
    stamps: &Stamps,
) -> Result<Plan, Error> {
    let history = plan_history(root, snapshot.meta());
    let walk = corpus::walk::walk(root, options)?;
    let mut plan = compare(walk, snapshot.manifest()?, snapshot.meta(), stamps);
    plan.add_history(history);
    Ok(plan)
}

/// The plan of a first build: everything is new.
pub(crate) fn plan_build(root: &Path, options: &WalkOptions) -> Result<Plan, Error> {
    let history = plan_history(root, &Meta::default());
    let walk = corpus::walk::walk(root, options)?;
    let mut plan = compare(walk, Vec::new(), &Meta::default(), &Stamps::default());
    plan.add_history(history);
    // The first commit of an index always says where the work tree is.
    plan.history.get_or_insert_default();
    Ok(plan)
}

/// Compares some paths with the index, each as a walk would find it. `None` if that takes a walk: when a rule may have
/// changed, or a folder came, or something cannot be read. Files are read whatever their stamps say.
pub(crate) fn plan_paths(
    root: &Path,
    snapshot: &Snapshot,
    options: &WalkOptions,
    paths: &BTreeSet<String>,
) -> Result<Option<Plan>, Error> {
    if paths.iter().any(|path| changes_rules(path)) {
        return Ok(None);
    }
    let mut checker = Checker::new(root, options)?;
    let mut plan = Plan::default();
    for path in paths {
        let known = snapshot.manifest_file(path)?;
        match checker.check(path) {
            Verdict::Indexed(found) => {
                if known.is_none() && snapshot.file_by_key(path_key(path))?.is_some() {
                    return Ok(None);
                }
                plan.read.push((found, known));
            }
            Verdict::Skipped { reason, path: at, size }
                if at == *path && reason != SkipReason::Unreadable =>
            {
                match reason {
                    SkipReason::Unsupported => plan.remove.extend(known),
                    _ => plan.add_skipped(Skipped { path: at, reason, size }, known),
                }
                plan.remove.extend(snapshot.manifest_below(path)?);
            }
            Verdict::Ignored { .. } | Verdict::Missing => {
                plan.remove.extend(known);
                plan.remove.extend(snapshot.manifest_below(path)?);
            }
            Verdict::Outside => {}
            _ => return Ok(None),
        }
    }
    // A file that took the place of a folder leaves what was below it.
    let folders: Vec<String> = plan.read.iter().map(|(found, _)| found.path.clone()).collect();
    for folder in folders {
        plan.remove.extend(snapshot.manifest_below(&folder)?);
    }
    plan.remove.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    plan.remove.dedup_by(|a, b| a.path == b.path);
    plan.problems = checker.problems().iter().map(ToString::to_string).collect();
    plan.add_history(plan_history(root, snapshot.meta()));
    Ok(Some(plan))
}

impl Plan {
    fn add_history(&mut self, history: Result<Option<HistoryPlan>, Error>) {
        match history {
            Ok(history) => self.history = history,
            Err(error) => self.problems.push(format!("the history stays as it was: {error}")),
        }
    }

    fn add_skipped(&mut self, skipped: Skipped, known: Option<ManifestFile>) {
        match known {
            Some(file)
                if file.flags.skip_reason() == Some(skipped.reason)
                    && file.stamp == skip_stamp(&skipped) =>
            {
                self.unchanged += 1;
            }
            known => self.skip.push((skipped, known)),
        }
    }
}

/// The stamp of a path that is skipped without a look at its times.
pub(crate) fn skip_stamp(skipped: &Skipped) -> Stamp {
    Stamp { size: skipped.size, ..Stamp::default() }
}

pub(crate) fn stamp(file: &FoundFile) -> Stamp {
    Stamp { size: file.size, mtime_ns: file.mtime_ns, ctime_ns: file.ctime_ns }
}

/// What a walk found at one path.
enum Found {
    File(FoundFile),
    Skipped(Skipped),
}

impl Found {
    fn path(&self) -> &str {
        match self {
            Self::File(file) => &file.path,
            Self::Skipped(skipped) => &skipped.path,
        }
    }
}

/// The two lists of a walk as one, by path. Names that are not UTF-8 are told with replacements, so that several may
/// look alike, and like one that is; then the first counts, a file before what was skipped.
fn found(walk: Walk) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::with_capacity(walk.files.len() + walk.skipped.len());
    found.extend(walk.files.into_iter().map(Found::File));
    found.extend(walk.skipped.into_iter().map(Found::Skipped));
    found.sort_by(|a, b| a.path().cmp(b.path()));
    found.dedup_by(|later, first| later.path() == first.path());
    found
}

/// Leaves out all but the first of paths that share a key, because the index could not tell them apart, and tells it.
fn leave_out_collisions(
    found: &mut Vec<Found>,
    key: impl Fn(&str) -> u64,
    problems: &mut Vec<String>,
) {
    let mut keys: Vec<(u64, usize)> =
        found.iter().enumerate().map(|(at, found)| (key(found.path()), at)).collect();
    keys.sort_unstable();
    let mut out: Vec<usize> =
        keys.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1).collect();
    out.sort_unstable_by(|a, b| b.cmp(a));
    for at in out {
        let lost = found.remove(at);
        problems.push(format!(
            "{}: left out, because another path has the same key; rename it",
            lost.path()
        ));
    }
}

fn compare(mut walk: Walk, manifest: Vec<ManifestFile>, meta: &Meta, stamps: &Stamps) -> Plan {
    let scan_time_ns = stamps.scan_time_ns(meta.generation, meta.scan_time_ns);
    let mut plan = Plan {
        problems: walk.problems.iter().map(ToString::to_string).collect(),
        is_whole: true,
        ..Plan::default()
    };
    let closed = std::mem::take(&mut walk.unreadable_dirs);
    let mut found = found(walk);
    // Paths that are all known had different keys when they came.
    let is_known =
        |path: &str| manifest.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
    if found.len() > manifest.len() || !found.iter().all(|found| is_known(found.path())) {
        leave_out_collisions(&mut found, path_key, &mut plan.problems);
    }
    let mut gone = Gone { closed, n_kept: Vec::new() };
    let mut known = manifest.into_iter().peekable();
    for found in found {
        let file = take_up_to(&mut known, found.path(), |file| gone.judge(file, &mut plan));
        match (found, file) {
            (Found::File(found), None) => plan.read.push((found, None)),
            (Found::File(found), Some(file)) => {
                let now = stamp(&found);
                let is_settled = now == stamps.last(&file)
                    && !now.is_racy(scan_time_ns)
                    && file.flags.skip_reason() != Some(SkipReason::Unreadable);
                if is_settled {
                    plan.unchanged += 1;
                } else {
                    plan.read.push((found, Some(file)));
                }
            }
            (Found::Skipped(skipped), Some(file))
                if skipped.reason == SkipReason::Unreadable
                    && !file.flags.has(FileFlags::SKIPPED) =>
            {
                plan.problems.push(kept(&file.path));
            }
            (Found::Skipped(skipped), file) => plan.add_skipped(skipped, file),
        }
    }
    for file in known {
        gone.judge(file, &mut plan);
    }
    for (folder, n_kept) in gone.n_kept {
        let folder = if folder.is_empty() { "the root" } else { &folder };
        plan.problems.push(format!(
            "{folder}: the folder is unreadable; answers about {n_kept} files below come from their last known content"
        ));
    }
    plan
}

/// The message about a file that cannot be read now.
pub(crate) fn kept(path: &str) -> String {
    format!("{path}: unreadable; answers come from its last known content")
}

/// Takes files off a sorted list as long as they come before `path`, and then the one at `path`.
fn take_up_to(
    known: &mut Peekable<std::vec::IntoIter<ManifestFile>>,
    path: &str,
    mut before: impl FnMut(ManifestFile),
) -> Option<ManifestFile> {
    while let Some(file) = known.peek() {
        match file.path.as_str().cmp(path) {
            Ordering::Less => known.next().map(&mut before),
            Ordering::Equal => return known.next(),
            Ordering::Greater => return None,
        };
    }
    None
}

/// Judges files that the walk did not come by.
struct Gone {
    /// Folders that could not be listed.
    closed: Vec<String>,
    /// How many files below each of them are kept.
    n_kept: Vec<(String, u64)>,
}

impl Gone {
    fn judge(&mut self, file: ManifestFile, plan: &mut Plan) {
        let closed = self.closed.iter().find(|folder| {
            folder.is_empty()
                || file.path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        });
        match closed {
            None => plan.remove.push(file),
            Some(folder) => match self.n_kept.last_mut() {
                Some((last, n_kept)) if last == folder => *n_kept += 1,
                _ => self.n_kept.push((folder.clone(), 1)),
            },
        }
    }
}

/// Whether the history in the index may be another than that of the repository now.
fn plan_history(root: &Path, meta: &Meta) -> Result<Option<HistoryPlan>, Error> {
    let (head, shallow) = if let Some(repository) = Repository::discover(root) {
        (repository.head()?, shallow(&repository)?)
    } else {
        closed_repository(root)?;
        (None, 0)
    };
    let moved = head != meta.head || shallow != meta.shallow;
    let is_missing = meta.history_error.is_some();
    Ok((moved || is_missing).then_some(HistoryPlan { head, shallow, moved }))
}

/// See [`Meta::shallow`].
fn shallow(repository: &Repository) -> Result<u64, Error> {
    let path = repository.common_dir().join("shallow");
    match std::fs::read(&path) {
        Ok(bytes) => Ok(content_hash(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(source) => Err(Error::Io { path, source }),
    }
}

/// Tells a repository that may not be read from none.
fn closed_repository(root: &Path) -> Result<(), Error> {
    for folder in root.ancestors() {
        let path = folder.join(".git/HEAD");
        match path.symlink_metadata() {
            Err(source) if source.kind() == io::ErrorKind::PermissionDenied => {
                return Err(Error::Io { path, source });
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(path: &str) -> Found {
        Found::Skipped(Skipped { path: path.to_owned(), reason: SkipReason::Secret, size: 0 })
    }

    fn known(path: &str, hash: u64, ctime_ns: i64) -> ManifestFile {
        ManifestFile {
            path: path.to_owned(),
            stamp: Stamp { size: 1, mtime_ns: ctime_ns, ctime_ns },
            hash,
            flags: FileFlags(0),
            doc: 0,
        }
    }

    fn file(path: &str, ctime_ns: i64) -> FoundFile {
        let language = crate::corpus::kind::language_of(path).unwrap();
        FoundFile {
            path: path.to_owned(),
            size: 1,
            mtime_ns: ctime_ns,
            ctime_ns,
            language: language.name,
            kind: language.kind,
        }
    }

    fn paths(plan: &Plan) -> (Vec<&str>, Vec<&str>) {
        let read = plan.read.iter().map(|(file, _)| file.path.as_str()).collect();
        (read, plan.remove.iter().map(|file| file.path.as_str()).collect())
    }

    /// Scan times and stamps far apart from each other and not on whole seconds.
    const EARLY: i64 = 1_000_000_000_001;
    const LATE: i64 = 2_000_000_000_001;
    const SCAN: i64 = 3_000_000_000_001;

    fn check(walk: Walk, manifest: Vec<ManifestFile>) -> Plan {
        let meta = Meta { scan_time_ns: SCAN, generation: 1, ..Meta::default() };
        compare(walk, manifest, &meta, &Stamps::default())
    }

    #[test]
    fn new_changed_and_gone_files_are_told_apart() {
        let walk = Walk {
            files: vec![file("a.ts", EARLY), file("b.ts", LATE), file("d.ts", EARLY)],
            ..Walk::default()
        };
        let plan = check(
            walk,
            vec![known("a.ts", 1, EARLY), known("b.ts", 1, EARLY), known("c.ts", 1, EARLY)],
        );
        assert_eq!(paths(&plan), (vec!["b.ts", "d.ts"], vec!["c.ts"]));
        assert_eq!(plan.unchanged, 1);
        assert_eq!(plan.changed_paths(), ["b.ts", "c.ts", "d.ts"]);
    }

    #[test]
    fn a_file_stamped_at_the_scan_is_read_again_though_its_stamp_is_the_same() {
        let walk = Walk { files: vec![file("a.ts", SCAN), file("b.ts", EARLY)], ..Walk::default() };
        let plan = check(walk, vec![known("a.ts", 1, SCAN), known("b.ts", 1, EARLY)]);
        assert_eq!(paths(&plan), (vec!["a.ts"], vec![]));
    }

    #[test]
    fn files_below_a_folder_that_cannot_be_listed_are_kept_and_counted() {
        let walk = Walk { unreadable_dirs: vec!["lib".to_owned()], ..Walk::default() };
        let plan = check(
            walk,
            vec![
                known("lib/a.ts", 1, EARLY),
                known("lib/b.ts", 1, EARLY),
                known("library.ts", 1, EARLY),
            ],
        );
        assert_eq!(paths(&plan), (vec![], vec!["library.ts"]));
        assert_eq!(plan.problems.len(), 1);
        assert!(plan.problems[0].contains("2 files"), "{:?}", plan.problems);
    }

    #[test]
    fn nothing_is_removed_when_the_root_cannot_be_listed() {
        let walk = Walk { unreadable_dirs: vec![String::new()], ..Walk::default() };
        let plan = check(walk, vec![known("a.ts", 1, EARLY)]);
        assert!(plan.is_empty());
        assert!(plan.problems[0].starts_with("the root"));
    }

    #[test]
    fn names_that_look_alike_after_replacement_count_once() {
        let alike = |reason| Skipped { path: "\u{fffd}.ts".to_owned(), reason, size: 4 };
        let walk = Walk {
            skipped: vec![alike(SkipReason::NonUtf8Name), alike(SkipReason::NonUtf8Name)],
            ..Walk::default()
        };
        assert_eq!(check(walk, Vec::new()).skip.len(), 1);
        let walk = Walk {
            files: vec![file("\u{fffd}.ts", EARLY)],
            skipped: vec![alike(SkipReason::NonUtf8Name)],
            ..Walk::default()
        };
        let plan = check(walk, Vec::new());
        assert_eq!((plan.read.len(), plan.skip.len()), (1, 0));
    }

    #[test]
    fn of_paths_with_one_key_the_first_stays_and_the_others_are_told() {
        let mut found = vec![skipped("a"), skipped("b"), skipped("c"), skipped("dd"), skipped("e")];
        let mut problems = Vec::new();
        leave_out_collisions(&mut found, |path| path.len() as u64, &mut problems);
        assert_eq!(found.iter().map(Found::path).collect::<Vec<_>>(), ["a", "dd"]);
        assert_eq!(problems.len(), 3);
        assert!(problems.iter().any(|problem| problem.starts_with("b: left out")));
    }

    #[test]
    fn a_skipped_path_that_stays_as_it_was_is_no_change() {
        let skip = Skipped { path: "a.ts".to_owned(), reason: SkipReason::TooLarge, size: 9 };
        let mut file = known("a.ts", 0, 0);
        file.flags = FileFlags::skipped(SkipReason::TooLarge);
        file.stamp = Stamp { size: 9, ..Stamp::default() };
        let walk = || Walk { skipped: vec![skip.clone()], ..Walk::default() };
        assert!(check(walk(), vec![file.clone()]).is_empty());
        file.flags = FileFlags::skipped(SkipReason::Minified);
        assert_eq!(check(walk(), vec![file]).skip.len(), 1);
    }

    #[test]
    fn a_file_that_could_not_be_read_is_tried_again_though_nothing_moved() {
        let mut file_known = known("a.ts", 0, EARLY);
        file_known.flags = FileFlags::skipped(SkipReason::Unreadable);
        let walk = Walk { files: vec![file("a.ts", EARLY)], ..Walk::default() };
        assert_eq!(check(walk, vec![file_known]).read.len(), 1);
    }
}
