//! Brings an index up to date with the tree: what changed is found, read, parsed and written in one commit.
//!
//! The plan is made without any lock, so looking costs readers nothing; only when there is something to write is the lock
//! taken and the plan made again. A file is unchanged if its size and both its times are those of the index
//! and none of the times lies at or after the scan that led to the index (an edit within the same tick of the clock
//! would leave no trace). Everything else is read and compared by content hash, and only a different hash is parsed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rayon::prelude::*;
use reseek_symbols::{Extractor, Language};
use serde::{Deserialize, Serialize};
use tantivy::indexer::UserOperation;
use tantivy::{IndexWriter, TantivyDocument, Term};

use crate::analyzer::Analyzer;
use crate::classify::is_test_path;
use crate::config::Config;
use crate::corpus::{self, FoundFile, Outcome, SkipReason, WalkOptions};
use crate::documents::{self, DocumentBuilder, SourceFile};
use crate::entry::{FileFlags, Stamp};
use crate::error::Error;
use crate::format::{ANALYZER_VERSION, FORMAT_VERSION, Meta, Totals};
use crate::git::Repository;
use crate::schema::{Fields, path_key, schema};
use crate::snapshot::{ManifestFile, Snapshot};
use crate::store::{self, Current, Index, IndexState, WriteLock};

/// Smallest memory that one tantivy indexing thread accepts, in bytes.
const MIN_THREAD_MEMORY: usize = 15_000_000;
/// Memory for the postings of all indexing threads together, in bytes, where the configuration names none.
const DEFAULT_MEMORY_BYTES: usize = 100_000_000;
/// Files per unit of work.
const BATCH_FILES: usize = 16;

/// What a running update tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The tree is being walked.
    Walking,
    /// So many of so many files are read and parsed.
    Indexing {
        /// Files done.
        done: u64,
        /// Files in all.
        total: u64,
    },
    /// The commit is being written.
    Committing,
}

/// How to update.
pub struct UpdateOptions<'a> {
    /// Threads for walking and parsing; 0 for one per core.
    pub threads: usize,
    /// Whether to build anew although the index could be updated.
    pub rebuild: bool,
    /// The time now in nanoseconds since 1970, taken before the call.
    pub now_ns: i64,
    /// How long to wait for another writer.
    pub patience: Duration,
    /// Told of the progress, from several threads.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// Set to give up; the index stays as it was.
    pub cancel: &'a AtomicBool,
}

/// What an update did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UpdateReport {
    /// Files that are new in the index.
    pub added: u64,
    /// Files that were written anew.
    pub changed: u64,
    /// Files that left the index.
    pub removed: u64,
    /// Files that had been touched and turned out the same.
    pub touched: u64,
    /// Files that were left alone.
    pub unchanged: u64,
    /// Commits that entered the history.
    pub commits_added: u64,
    /// Commits that left the history.
    pub commits_removed: u64,
    /// Why the index was built from scratch, if it was.
    pub rebuilt: Option<String>,
    /// Whether anything was written.
    pub committed: bool,
    /// Problems that did not stop the update, such as an ignore file that cannot be read.
    pub problems: Vec<String>,
}

/// What the tree holds that the index does not, by sizes and times alone.
#[derive(Debug, Default)]
pub struct Plan {
    /// Files to read: new, or with another stamp than in the index.
    read: Vec<(FoundFile, Option<ManifestFile>)>,
    /// Files to remove.
    remove: Vec<ManifestFile>,
    /// Files to note as skipped.
    skip: Vec<(String, Stamp, SkipReason, Option<ManifestFile>)>,
    /// Files left alone.
    unchanged: u64,
    /// The commit that the work tree is at now, if another than in the index.
    head: Option<Option<String>>,
    /// Problems of the walk.
    problems: Vec<String>,
}

impl Plan {
    /// How many files differ from the index, touched ones included.
    pub fn n_changed(&self) -> u64 {
        (self.read.len() + self.remove.len() + self.skip.len()) as u64
    }

    /// Whether the git work tree is at another commit than the index.
    pub fn head_moved(&self) -> bool {
        self.head.is_some()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.n_changed() == 0 && !self.head_moved()
    }
}

/// Stamps of files whose content was found equal to the index although their times differ; without them a touched
/// tree would be read again by every update. Advisory: a record counts only while its hash is that of the index.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Stamps {
    data: String,
    /// Start of the last scan that checked contents.
    scan_time_ns: i64,
    files: BTreeMap<String, (Stamp, u64)>,
}

const STAMPS: &str = "stamps";

impl Stamps {
    fn load(folder: &Path, data: &str) -> Self {
        std::fs::read(folder.join(STAMPS))
            .ok()
            .and_then(|bytes| postcard::from_bytes::<Stamps>(&bytes).ok())
            .filter(|stamps| stamps.data == data)
            .unwrap_or_default()
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

/// Compares the tree with a view of the index, reading no file contents.
pub fn plan(
    root: &Path,
    index: &Index,
    snapshot: &Snapshot,
    options: &WalkOptions,
) -> Result<Plan, Error> {
    let stamps = Stamps::load(index.folder(), index.data());
    let head = head_of(Repository::discover(root).as_ref());
    plan_with(root, snapshot, options, &stamps, head)
}

fn plan_with(
    root: &Path,
    snapshot: &Snapshot,
    options: &WalkOptions,
    stamps: &Stamps,
    head: Option<String>,
) -> Result<Plan, Error> {
    let walk = corpus::walk::walk(root, options)?;
    let meta = snapshot.meta();
    let scan_time_ns = meta.scan_time_ns.max(stamps.scan_time_ns);
    let mut known: BTreeMap<String, ManifestFile> =
        snapshot.manifest()?.into_iter().map(|file| (file.path.clone(), file)).collect();
    let mut plan = Plan {
        problems: walk.problems.iter().map(ToString::to_string).collect(),
        head: (head != meta.head).then_some(head),
        ..Plan::default()
    };
    for found in walk.files {
        let stamp = stamp(&found);
        let Some(file) = known.remove(&found.path) else {
            plan.read.push((found, None));
            continue;
        };
        let verified = stamps.files.get(&found.path).filter(|(_, hash)| *hash == file.hash);
        let last = verified.map_or(file.stamp, |(stamp, _)| *stamp);
        if stamp == last && !stamp.is_racy(scan_time_ns) {
            plan.unchanged += 1;
        } else {
            plan.read.push((found, Some(file)));
        }
    }
    for skipped in walk.skipped {
        let file = known.remove(&skipped.path);
        let stamp = Stamp { size: skipped.size, ..Stamp::default() };
        match file {
            // What cannot be read now is not gone: keep what is known of it.
            Some(file)
                if skipped.reason == SkipReason::Unreadable
                    && !file.flags.has(FileFlags::SKIPPED) =>
            {
                plan.problems.push(format!(
                    "{}: unreadable; answers come from its last known content",
                    file.path
                ));
            }
            Some(file)
                if file.flags.has(FileFlags::SKIPPED)
                    && file.stamp == stamp
                    && snapshot.entry(file.doc)?.skipped == skipped.reason.as_str() => {}
            file => plan.skip.push((skipped.path, stamp, skipped.reason, file)),
        }
    }
    for (path, file) in known {
        let unreadable = walk.unreadable_dirs.iter().any(|folder| {
            folder.is_empty()
                || path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        });
        if unreadable {
            plan.problems.push(format!(
                "{path}: its folder is unreadable; answers come from its last known content"
            ));
        } else {
            plan.remove.push(file);
        }
    }
    Ok(plan)
}

/// The commit that the work tree is at; a repository that cannot be read counts as none.
fn head_of(repository: Option<&Repository>) -> Option<String> {
    repository.and_then(|repository| repository.head().ok().flatten())
}

fn stamp(file: &FoundFile) -> Stamp {
    Stamp { size: file.size, mtime_ns: file.mtime_ns, ctime_ns: file.ctime_ns }
}

/// Builds or updates the index in `folder` of the tree below `root`, and opens it.
pub fn update(
    root: &Path,
    folder: &Path,
    config: &Config,
    options: &UpdateOptions<'_>,
) -> Result<(Index, UpdateReport), Error> {
    let walk_options = walk_options(root, folder, config, options.threads);
    (options.progress)(Progress::Walking);
    if !options.rebuild
        && let IndexState::Ready(index) = Index::open(folder)
    {
        let snapshot = index.snapshot()?;
        if snapshot.meta().options == config.options_hash() {
            let plan = plan(root, &index, &snapshot, &walk_options)?;
            if plan.is_empty() {
                let report = UpdateReport {
                    unchanged: plan.unchanged,
                    problems: plan.problems,
                    ..UpdateReport::default()
                };
                return Ok((index, report));
            }
        }
    }
    let _lock = WriteLock::acquire(folder, options.patience)?;
    let reason = match Index::open(folder) {
        IndexState::Ready(index) if !options.rebuild => {
            let snapshot = index.snapshot()?;
            if snapshot.meta().options == config.options_hash() {
                store::remove_other_data(folder, index.data());
                let stamps = Stamps::load(folder, index.data());
                let mut job = Job::new(root, folder, config, &walk_options, options)?;
                job.apply(&index, &snapshot, stamps)?;
                return Ok((index, job.report));
            }
            Some("the configuration changed")
        }
        IndexState::Ready(_) => Some("asked for"),
        IndexState::Missing => None,
        IndexState::Older { .. } => Some("the index was written by an earlier version"),
        IndexState::Damaged { .. } => Some("the index was damaged"),
        IndexState::Newer { found } => {
            return Err(Error::Newer { folder: folder.to_owned(), found });
        }
        IndexState::Foreign => return Err(Error::Foreign { folder: folder.to_owned() }),
    };
    let generation = match Index::open(folder) {
        IndexState::Ready(index) => {
            index.snapshot().map_or(0, |snapshot| snapshot.meta().generation)
        }
        _ => 0,
    };
    let mut job = Job::new(root, folder, config, &walk_options, options)?;
    job.report.rebuilt = reason.map(str::to_owned);
    let index = job.build(generation)?;
    Ok((index, job.report))
}

/// Everything that one update works with.
struct Job<'a> {
    root: &'a Path,
    folder: &'a Path,
    config: &'a Config,
    walk_options: &'a WalkOptions,
    options: &'a UpdateOptions<'a>,
    repository: Option<Repository>,
    pool: rayon::ThreadPool,
    fields: Fields,
    report: UpdateReport,
}

/// The sums of a commit in the making; written to by several threads.
struct Sums {
    totals: Totals,
    skipped: BTreeMap<String, u64>,
}

impl<'a> Job<'a> {
    fn new(
        root: &'a Path,
        folder: &'a Path,
        config: &'a Config,
        walk_options: &'a WalkOptions,
        options: &'a UpdateOptions<'a>,
    ) -> Result<Self, Error> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build().map_err(
            |error| Error::Threads { threads: options.threads, message: error.to_string() },
        )?;
        let (_, fields) = schema();
        Ok(Self {
            root,
            folder,
            config,
            walk_options,
            options,
            repository: Repository::discover(root),
            pool,
            fields,
            report: UpdateReport::default(),
        })
    }

    fn writer(&self, index: &tantivy::Index, n_threads: usize) -> Result<IndexWriter, Error> {
        let memory =
            (self.config.memory.budget.map_or(DEFAULT_MEMORY_BYTES, |budget| budget.0 as usize)
                / n_threads)
                .max(MIN_THREAD_MEMORY);
        Ok(index.writer_with_num_threads(n_threads, memory * n_threads)?)
    }

    fn head(&self) -> Option<String> {
        head_of(self.repository.as_ref())
    }

    /// Builds a new data folder and puts it in force.
    fn build(&mut self, generation: u64) -> Result<Index, Error> {
        let (current, index) = store::create_data(self.folder)?;
        let result = self.fill(&index, &current, generation);
        if result.is_err() {
            // The folder is not in force; what cannot be removed now goes with the next build.
            let _ = std::fs::remove_dir_all(self.folder.join(&current.data));
        }
        result
    }

    fn fill(
        &mut self,
        index: &tantivy::Index,
        current: &Current,
        generation: u64,
    ) -> Result<Index, Error> {
        let head = self.head();
        let walk = corpus::walk::walk(self.root, self.walk_options)?;
        self.report.problems = walk.problems.iter().map(ToString::to_string).collect();
        let plan = Plan {
            read: walk.files.into_iter().map(|file| (file, None)).collect(),
            skip: walk
                .skipped
                .into_iter()
                .map(|s| (s.path, Stamp { size: s.size, ..Stamp::default() }, s.reason, None))
                .collect(),
            head: Some(head),
            ..Plan::default()
        };
        let meta = Meta {
            format: FORMAT_VERSION,
            analyzer: ANALYZER_VERSION,
            options: self.config.options_hash(),
            generation,
            history_depth: self.config.history.depth,
            ..Meta::default()
        };
        let n_threads = self.pool.current_num_threads().clamp(1, 4);
        let mut writer = self.writer(index, n_threads)?;
        self.write(&mut writer, plan, meta, None, &mut Stamps::default())?;
        writer.wait_merging_threads()?;
        store::put_in_force(self.folder, current)?;
        Index::open_data(self.folder, current)
    }

    fn apply(
        &mut self,
        index: &Index,
        snapshot: &Snapshot,
        mut stamps: Stamps,
    ) -> Result<(), Error> {
        let plan = plan_with(self.root, snapshot, self.walk_options, &stamps, self.head())?;
        self.report.unchanged = plan.unchanged;
        self.report.problems.clone_from(&plan.problems);
        if plan.is_empty() {
            return Ok(());
        }
        let n_threads =
            if plan.read.len() > 200 { self.pool.current_num_threads().clamp(1, 4) } else { 1 };
        let mut writer = self.writer(index.tantivy(), n_threads)?;
        self.write(&mut writer, plan, snapshot.meta().clone(), Some(snapshot), &mut stamps)?;
        if self.report.committed {
            writer.wait_merging_threads()?;
        }
        if self.report.committed || self.report.touched > 0 {
            index.data().clone_into(&mut stamps.data);
            stamps.scan_time_ns = self.options.now_ns;
            if let Ok(bytes) = postcard::to_stdvec(&stamps) {
                store::write_atomically(&self.folder.join(STAMPS), &bytes)?;
            }
        }
        Ok(())
    }

    /// Carries out a plan in one commit; commits nothing if every file turns out the same.
    fn write(
        &mut self,
        writer: &mut IndexWriter,
        plan: Plan,
        mut meta: Meta,
        snapshot: Option<&Snapshot>,
        stamps: &mut Stamps,
    ) -> Result<(), Error> {
        let sums = Mutex::new(Sums { totals: meta.totals, skipped: meta.skipped.clone() });
        let forget = |file: &ManifestFile| -> Result<(), Error> {
            let Some(snapshot) = snapshot else { return Ok(()) };
            let entry = snapshot.entry(file.doc)?;
            let mut sums = sums.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            sums.totals.remove(entry.share);
            if let Some(count) = sums.skipped.get_mut(&entry.skipped) {
                *count -= 1;
            }
            Ok(())
        };
        let note_skip =
            |path: &str, stamp: Stamp, reason: SkipReason, old: Option<&ManifestFile>| {
                if let Some(old) = old {
                    forget(old)?;
                }
                let mut sums = sums.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                *sums.skipped.entry(reason.as_str().to_owned()).or_default() += 1;
                drop(sums);
                let document = documents::skipped(&self.fields, path, stamp, reason.as_str());
                writer.run([self.delete(path), UserOperation::Add(document)])?;
                Ok::<(), Error>(())
            };
        let counts = Counts::default();
        for file in &plan.remove {
            forget(file)?;
            writer.run([self.delete(&file.path)])?;
            counts.removed.fetch_add(1, Ordering::Relaxed);
        }
        for (path, stamp, reason, old) in &plan.skip {
            note_skip(path, *stamp, *reason, old.as_ref())?;
            counts.skipped.fetch_add(1, Ordering::Relaxed);
        }

        let total = plan.read.len() as u64;
        let done = AtomicU64::new(0);
        let touched = Mutex::new(Vec::new());
        let history = |meta: &mut Meta| -> Result<(u64, u64), Error> {
            let Some(head) = &plan.head else { return Ok((0, 0)) };
            meta.head.clone_from(head);
            self.write_history(writer, meta, snapshot)
        };
        let files = || {
            plan.read.par_chunks(BATCH_FILES).try_for_each_init(
                || (Extractor::new(), DocumentBuilder::new(self.fields.clone())),
                |(extractor, builder), chunk| -> Result<(), Error> {
                    for (found, old) in chunk {
                        if self.options.cancel.load(Ordering::Relaxed) {
                            return Err(Error::Cancelled);
                        }
                        match corpus::read::read(self.root, found, self.walk_options) {
                            Outcome::Absent => {
                                if let Some(old) = old {
                                    forget(old)?;
                                    writer.run([self.delete(&found.path)])?;
                                    counts.removed.fetch_add(1, Ordering::Relaxed);
                                }
                            }
                            Outcome::Skipped { reason: SkipReason::Unreadable, .. }
                                if old
                                    .as_ref()
                                    .is_some_and(|old| !old.flags.has(FileFlags::SKIPPED)) => {}
                            Outcome::Skipped { reason, file } => {
                                note_skip(&found.path, stamp(&file), reason, old.as_ref())?;
                                counts.skipped.fetch_add(1, Ordering::Relaxed);
                            }
                            Outcome::Read(contents) => {
                                let same = old.as_ref().is_some_and(|old| {
                                    old.hash == contents.hash && !old.flags.has(FileFlags::SKIPPED)
                                });
                                if same {
                                    let mut touched = touched
                                        .lock()
                                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                                    touched.push((
                                        found.path.clone(),
                                        stamp(&contents.file),
                                        contents.hash,
                                    ));
                                } else {
                                    if let Some(old) = old {
                                        forget(old)?;
                                        counts.changed.fetch_add(1, Ordering::Relaxed);
                                    } else {
                                        counts.added.fetch_add(1, Ordering::Relaxed);
                                    }
                                    let (documents, share) = build(extractor, builder, &contents);
                                    let mut operations = Vec::with_capacity(documents.len() + 1);
                                    operations.push(self.delete(&found.path));
                                    operations
                                        .extend(documents.into_iter().map(UserOperation::Add));
                                    writer.run(operations)?;
                                    let mut sums = sums
                                        .lock()
                                        .unwrap_or_else(std::sync::PoisonError::into_inner);
                                    sums.totals.add(share);
                                }
                            }
                        }
                        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                        (self.options.progress)(Progress::Indexing { done, total });
                    }
                    Ok(())
                },
            )
        };
        // Git reads the history in its own process while files are parsed.
        let (files, history) = self.pool.install(|| rayon::join(files, || history(&mut meta)));
        files?;
        let (commits_added, commits_removed) = history?;
        let touched = touched.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.report.touched = touched.len() as u64;
        for (path, stamp, hash) in touched {
            stamps.files.insert(path, (stamp, hash));
        }
        self.report.added = counts.added.into_inner();
        self.report.changed = counts.changed.into_inner();
        self.report.removed = counts.removed.into_inner();
        self.report.commits_added = commits_added;
        self.report.commits_removed = commits_removed;
        let n_written = self.report.added
            + self.report.changed
            + self.report.removed
            + counts.skipped.into_inner();
        if n_written == 0 && plan.head.is_none() {
            return Ok(());
        }
        (self.options.progress)(Progress::Committing);
        let sums = sums.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        meta.generation += 1;
        meta.scan_time_ns = self.options.now_ns;
        meta.totals = sums.totals;
        meta.skipped = sums.skipped;
        meta.skipped.retain(|_, count| *count > 0);
        let payload = serde_json::to_string(&meta).map_err(|error| Error::Damaged {
            what: format!("the commit record cannot be written: {error}"),
        })?;
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&payload);
        prepared.commit()?;
        self.report.committed = true;
        Ok(())
    }

    fn delete(&self, path: &str) -> UserOperation<TantivyDocument> {
        UserOperation::Delete(Term::from_field_u64(self.fields.key, path_key(path)))
    }

    /// Makes the commits of the index those of the repository; gives the numbers of added and removed ones.
    fn write_history(
        &self,
        writer: &IndexWriter,
        meta: &mut Meta,
        snapshot: Option<&Snapshot>,
    ) -> Result<(u64, u64), Error> {
        let known: Vec<String> =
            snapshot.map(Snapshot::commit_ids).transpose()?.unwrap_or_default();
        meta.history_error = None;
        let wanted = match (&self.repository, &meta.head) {
            (Some(repository), Some(head)) if self.config.history.depth > 0 => {
                match history(repository, head, self.config.history.depth, &known) {
                    Ok(wanted) => wanted,
                    Err(error) => {
                        meta.history_error = Some(error.to_string());
                        History::default()
                    }
                }
            }
            _ => History::default(),
        };
        let mut n_removed = 0;
        for id in known.iter().filter(|id| wanted.ids.binary_search(id).is_err()) {
            writer.run([UserOperation::Delete(Term::from_field_text(self.fields.commit, id))])?;
            n_removed += 1;
        }
        let mut analyzer = Analyzer::new();
        for commit in &wanted.new {
            let document = documents::commit(&self.fields, commit, &mut analyzer);
            writer.run([UserOperation::Add(document)])?;
        }
        meta.n_commits = wanted.ids.len() as u64;
        Ok((wanted.new.len() as u64, n_removed))
    }
}

/// The commits that the index should hold.
#[derive(Default)]
struct History {
    /// Ids of all, sorted.
    ids: Vec<String>,
    /// Those that it does not hold yet.
    new: Vec<crate::git::Commit>,
}

fn history(
    repository: &Repository,
    head: &str,
    depth: usize,
    known: &[String],
) -> Result<History, Error> {
    if known.is_empty() {
        let new = repository.log(head, depth)?;
        let mut ids: Vec<String> = new.iter().map(|commit| commit.id.clone()).collect();
        ids.sort_unstable();
        return Ok(History { ids, new });
    }
    let mut ids = repository.rev_list(head, depth)?;
    let unknown: Vec<&str> =
        ids.iter().filter(|id| known.binary_search(id).is_err()).map(String::as_str).collect();
    let new = if unknown.is_empty() { Vec::new() } else { repository.log_of(&unknown)? };
    ids.sort_unstable();
    Ok(History { ids, new })
}

#[derive(Default)]
struct Counts {
    added: AtomicU64,
    changed: AtomicU64,
    removed: AtomicU64,
    skipped: AtomicU64,
}

fn build(
    extractor: &mut Extractor,
    builder: &mut DocumentBuilder,
    contents: &corpus::Contents,
) -> (Vec<TantivyDocument>, Totals) {
    let path = contents.file.path.as_str();
    let parsed = Language::of_path(path).map(|language| {
        (language.name(), extractor.extract(contents.text.as_bytes(), language, is_test_path(path)))
    });
    builder.build(&SourceFile {
        path,
        stamp: stamp(&contents.file),
        hash: contents.hash,
        text: &contents.text,
        parsed,
        generated: contents.generated,
    })
}
