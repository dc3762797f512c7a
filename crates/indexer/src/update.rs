//! Brings an index up to date with the tree: what changed is found, read, parsed and written in one commit.
//!
//! The [plan](Plan) is made without any lock, so looking costs readers nothing; only when there is something to write
//! is the lock taken, and the plan is made again if somebody else wrote meanwhile. Files that look changed are read and compared
//! by content hash, and only a different hash is parsed and written.
//!
//! An update either commits as a whole or leaves the index as it was, whatever ends it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rayon::prelude::*;
use reseek_symbols::{Extractor, Language};
use serde::Serialize;
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
use crate::git::{Commit, Repository};
pub use crate::plan::{Plan, plan, walk_options};
use crate::plan::{has_content, kept, plan_build, plan_paths, plan_tree, skip_stamp, stamp};
use crate::schema::{Fields, path_key, schema};
use crate::snapshot::{ManifestFile, Snapshot};
use crate::stamps::Stamps;
use crate::store::{self, Current, Index, IndexState, WriteLock};

/// Smallest memory that one tantivy indexing thread accepts, in bytes.
const MIN_THREAD_MEMORY: usize = 15_000_000;
/// Memory for the postings of all indexing threads together, in bytes, where the configuration names none.
const DEFAULT_MEMORY_BYTES: usize = 100_000_000;
/// Files per unit of work.
const BATCH_FILES: usize = 16;
/// Threads that read and parse for each that writes postings. Writing takes a fifth of the time of parsing, and each writer
/// leaves a segment with a dictionary of its own, which costs time now and with every query.
const PARSERS_PER_WRITER: usize = 4;
/// Up to so many files, one indexing thread writes one segment; more threads would only leave more segments to merge.
const SMALL_UPDATE_FILES: usize = 200;

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
    /// Paths that were newly noted as skipped, or for another reason than before.
    pub skipped: u64,
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

/// Builds or updates the index in `folder` of the tree below `root`, and opens it.
pub fn update(
    root: &Path,
    folder: &Path,
    config: &Config,
    options: &UpdateOptions<'_>,
) -> Result<(Index, UpdateReport), Error> {
    run(root, folder, config, options, None)
}

/// Like [`update`], looking only at some paths, relative to the root, of which it is known that nothing else changed.
/// Where that is not enough (an ignore file, a new folder, an index that must be built) it looks at everything.
pub fn update_paths(
    root: &Path,
    folder: &Path,
    config: &Config,
    options: &UpdateOptions<'_>,
    paths: &BTreeSet<String>,
) -> Result<(Index, UpdateReport), Error> {
    run(root, folder, config, options, Some(paths))
}

/// Where and how one update works.
struct Task<'a> {
    root: &'a Path,
    folder: &'a Path,
    config: &'a Config,
    walk_options: WalkOptions,
    options: &'a UpdateOptions<'a>,
    paths: Option<&'a BTreeSet<String>>,
}

/// An index with the plan that brings it up to date.
struct Planned {
    index: Index,
    snapshot: Snapshot,
    stamps: Stamps,
    plan: Plan,
}

fn run(
    root: &Path,
    folder: &Path,
    config: &Config,
    options: &UpdateOptions<'_>,
    paths: Option<&BTreeSet<String>>,
) -> Result<(Index, UpdateReport), Error> {
    let walk_options = walk_options(root, folder, config, options.threads);
    let task = Task { root, folder, config, walk_options, options, paths };
    (options.progress)(Progress::Walking);
    // Before anything is written: making the index folder would make the root as well.
    if !root.is_dir() {
        return Err(Error::RootNotFound { path: root.to_owned() });
    }
    let mut planned = None;
    if !options.rebuild
        && let IndexState::Ready(index) = Index::open(folder)
    {
        planned = task.plan(index)?;
        if let Some(Planned { plan, .. }) = &planned
            && plan.is_empty()
            && let Some(Planned { index, plan, .. }) = planned
        {
            let (unchanged, problems) = (plan.unchanged, plan.problems);
            return Ok((index, UpdateReport { unchanged, problems, ..UpdateReport::default() }));
        }
    }
    let _lock = match WriteLock::acquire(folder, options.patience) {
        Ok(lock) => lock,
        Err(error) => match planned.and_then(|planned| task.without_writing(planned)) {
            Some(done) => return Ok(done),
            None => return Err(error),
        },
    };
    // Most often nobody wrote between the look and the lock.
    if let Some(planned) = planned.filter(|planned| planned.index.is_latest(&planned.snapshot)) {
        return task.apply(planned);
    }
    let mut generation = 0;
    let reason = match Index::open(folder) {
        IndexState::Ready(index) if options.rebuild => {
            generation = index.snapshot().map_or(0, |snapshot| snapshot.meta().generation);
            Some("asked for")
        }
        IndexState::Ready(index) => {
            generation = index.snapshot()?.meta().generation;
            match task.plan(index)? {
                Some(planned) => return task.apply(planned),
                None => Some("the configuration changed"),
            }
        }
        IndexState::Missing => None,
        IndexState::Older { .. } => Some("the index was written by an earlier version"),
        IndexState::Damaged { .. } => Some("the index was damaged"),
        IndexState::Newer { found } => {
            return Err(Error::Newer { folder: folder.to_owned(), found });
        }
        IndexState::Foreign => return Err(Error::Foreign { folder: folder.to_owned() }),
    };
    task.build(generation, reason)
}

impl Task<'_> {
    /// The plan for an index; `None` if it was built by other options.
    fn plan(&self, index: Index) -> Result<Option<Planned>, Error> {
        let snapshot = index.snapshot()?;
        if snapshot.meta().options != self.config.options_hash() {
            return Ok(None);
        }
        let stamps = Stamps::load(self.folder, index.data());
        let of_paths = match self.paths {
            Some(paths) => plan_paths(self.root, &snapshot, &self.walk_options, paths)?,
            None => None,
        };
        let plan = match of_paths {
            Some(plan) => plan,
            None => plan_tree(self.root, &snapshot, &self.walk_options, &stamps)?,
        };
        Ok(Some(Planned { index, snapshot, stamps, plan }))
    }

    /// The result of an update that cannot write, if it turns out that there is nothing to write: every file that looks
    /// changed has the content that the index knows.
    fn without_writing(&self, planned: Planned) -> Option<(Index, UpdateReport)> {
        let Planned { index, plan, .. } = planned;
        let is_same = |(found, old): &(FoundFile, Option<ManifestFile>)| {
            old.as_ref().is_some_and(|old| has_content(self.root, found, old, &self.walk_options))
        };
        let is_unchanged = plan.remove.is_empty() && plan.skip.is_empty() && !plan.head_moved();
        (is_unchanged && plan.read.iter().all(is_same)).then(|| {
            let touched = plan.read.len() as u64;
            let report = UpdateReport {
                touched,
                unchanged: plan.unchanged,
                problems: plan.problems,
                ..UpdateReport::default()
            };
            (index, report)
        })
    }

    /// Builds a new data folder and puts it in force.
    fn build(&self, generation: u64, reason: Option<&str>) -> Result<(Index, UpdateReport), Error> {
        store::remove_leftovers(self.folder);
        let (current, index) = store::create_data(self.folder)?;
        let result = self.fill(&index, &current, generation);
        if result.is_err() {
            // The folder is not in force; what cannot be removed now goes with the next build.
            let _ = std::fs::remove_dir_all(self.folder.join(&current.data));
        }
        let (index, report) = result?;
        Ok((index, UpdateReport { rebuilt: reason.map(str::to_owned), ..report }))
    }

    fn fill(
        &self,
        index: &tantivy::Index,
        current: &Current,
        generation: u64,
    ) -> Result<(Index, UpdateReport), Error> {
        let plan = plan_build(self.root, &self.walk_options)?;
        let meta = Meta {
            format: FORMAT_VERSION,
            analyzer: ANALYZER_VERSION,
            options: self.config.options_hash(),
            generation,
            history_depth: self.config.history.depth,
            ..Meta::default()
        };
        let job = Job::new(self, index, meta, None)?;
        let (_, report) = job.carry_out(plan, &mut Stamps::default())?;
        store::put_in_force(self.folder, current)?;
        Ok((Index::open_data(self.folder, current)?, report))
    }

    fn apply(&self, planned: Planned) -> Result<(Index, UpdateReport), Error> {
        let Planned { index, snapshot, mut stamps, plan } = planned;
        if plan.is_empty() {
            let (unchanged, problems) = (plan.unchanged, plan.problems);
            return Ok((index, UpdateReport { unchanged, problems, ..UpdateReport::default() }));
        }
        index.remove_orphans()?;
        let job = Job::new(self, index.tantivy(), snapshot.meta().clone(), Some(&snapshot))?;
        let n_changed = plan.n_changed();
        let (meta, report) = job.carry_out(plan, &mut stamps)?;
        if report.committed || n_changed > 0 {
            stamps.save(self.folder, index.data(), meta.generation, meta.scan_time_ns)?;
        }
        Ok((index, report))
    }
}

/// A writer that is started when the first change comes; many updates find that nothing changed after all.
struct Writer<'a> {
    index: &'a tantivy::Index,
    n_threads: usize,
    memory_bytes: usize,
    started: OnceLock<IndexWriter>,
    starting: Mutex<()>,
}

impl Writer<'_> {
    fn get(&self) -> Result<&IndexWriter, Error> {
        if let Some(writer) = self.started.get() {
            return Ok(writer);
        }
        let _starting = lock(&self.starting);
        if self.started.get().is_none() {
            let writer = self.index.writer_with_num_threads(self.n_threads, self.memory_bytes)?;
            // Nobody else can have set it: the mutex is held.
            let _ = self.started.set(writer);
        }
        self.started
            .get()
            .ok_or_else(|| Error::Damaged { what: "the writer did not start".to_owned() })
    }

    /// Runs operations as one: documents that are added together stay together and in order.
    fn run(&self, operations: Vec<UserOperation<TantivyDocument>>) -> Result<(), Error> {
        self.get()?.run(operations)?;
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is guarded is a sum or a list that every holder leaves whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Everything that the writing of one commit works with.
struct Job<'a> {
    task: &'a Task<'a>,
    index: &'a tantivy::Index,
    /// The view that the plan was made for; `None` for a first build.
    snapshot: Option<&'a Snapshot>,
    meta: Meta,
    pool: rayon::ThreadPool,
    fields: Fields,
}

/// What the threads of a job find out.
#[derive(Default)]
struct Findings {
    sums: Mutex<Sums>,
    touched: Mutex<Vec<(String, Stamp, u64)>>,
    written: Mutex<Vec<String>>,
    unreadable: Mutex<Vec<String>>,
    added: AtomicU64,
    changed: AtomicU64,
    removed: AtomicU64,
    skipped: AtomicU64,
    n_touched: AtomicU64,
}

/// The sums of a commit in the making.
#[derive(Default)]
struct Sums {
    totals: Totals,
    skipped: BTreeMap<String, u64>,
}

/// The changes of the history, and what the commit says of them.
#[derive(Default)]
struct HistoryChange {
    added: u64,
    removed: u64,
    n_commits: u64,
    error: Option<String>,
}

impl<'a> Job<'a> {
    fn new(
        task: &'a Task<'a>,
        index: &'a tantivy::Index,
        meta: Meta,
        snapshot: Option<&'a Snapshot>,
    ) -> Result<Self, Error> {
        let threads = task.options.threads;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Threads { threads, message: error.to_string() })?;
        let (_, fields) = schema();
        Ok(Self { task, index, snapshot, meta, pool, fields })
    }

    fn writer(&self, plan: &Plan) -> Writer<'a> {
        let n_threads = if plan.read.len() > SMALL_UPDATE_FILES {
            self.pool.current_num_threads().div_ceil(PARSERS_PER_WRITER).min(4)
        } else {
            1
        };
        let budget = self.task.config.memory.budget;
        let wanted = budget.map_or(DEFAULT_MEMORY_BYTES, |budget| budget.0 as usize);
        let per_thread = if plan.read.len() <= SMALL_UPDATE_FILES {
            MIN_THREAD_MEMORY
        } else {
            (wanted / n_threads).max(MIN_THREAD_MEMORY)
        };
        Writer {
            index: self.index,
            n_threads,
            memory_bytes: per_thread * n_threads,
            started: OnceLock::new(),
            starting: Mutex::new(()),
        }
    }

    /// Carries out a plan in one commit; commits nothing if every file turns out the same. Gives what the latest
    /// commit says, with the time of this scan.
    fn carry_out(mut self, plan: Plan, stamps: &mut Stamps) -> Result<(Meta, UpdateReport), Error> {
        let writer = self.writer(&plan);
        let findings = Findings {
            sums: Mutex::new(Sums { totals: self.meta.totals, skipped: self.meta.skipped.clone() }),
            ..Findings::default()
        };
        for file in &plan.remove {
            self.remove(&writer, &findings, file)?;
        }
        for (skipped, old) in &plan.skip {
            self.skip(
                &writer,
                &findings,
                &skipped.path,
                skip_stamp(skipped),
                skipped.reason,
                old.as_ref(),
            )?;
        }
        // Git reads the history in its own process while files are parsed.
        let (files, history) = self.pool.install(|| {
            rayon::join(
                || self.read_files(&writer, &findings, &plan),
                || self.history(&writer, &plan),
            )
        });
        files?;
        let history = history?;

        let mut report = UpdateReport {
            added: findings.added.into_inner(),
            changed: findings.changed.into_inner(),
            removed: findings.removed.into_inner(),
            skipped: findings.skipped.into_inner(),
            touched: findings.n_touched.into_inner(),
            unchanged: plan.unchanged,
            commits_added: history.as_ref().map_or(0, |history| history.added),
            commits_removed: history.as_ref().map_or(0, |history| history.removed),
            problems: plan.problems,
            ..UpdateReport::default()
        };
        for (path, stamp, hash) in
            findings.touched.into_inner().unwrap_or_else(PoisonError::into_inner)
        {
            stamps.note(path, stamp, hash);
        }
        for path in findings.written.into_inner().unwrap_or_else(PoisonError::into_inner) {
            stamps.forget(&path);
        }
        let mut unreadable =
            findings.unreadable.into_inner().unwrap_or_else(PoisonError::into_inner);
        unreadable.sort_unstable();
        report.problems.extend(unreadable.iter().map(|path| kept(path)));
        // The time of this scan counts only if every file was seen: what was passed over now must look as doubtful to the
        // next scan as it did to this one.
        let before = stamps.scan_time_ns(self.meta.generation, self.meta.scan_time_ns);
        let now = self.task.options.now_ns;
        let scan_time_ns =
            if plan.is_whole && unreadable.is_empty() { now } else { before.min(now) };

        let mut meta = self.meta.clone();
        meta.scan_time_ns = scan_time_ns;
        if let (Some(history), Some(planned)) = (history, plan.history) {
            meta.n_commits = history.n_commits;
            meta.history_error = history.error;
            meta.head = planned.head;
            meta.shallow = planned.shallow;
        }
        let sums = findings.sums.into_inner().unwrap_or_else(PoisonError::into_inner);
        meta.totals = sums.totals;
        meta.skipped = sums.skipped;
        meta.skipped.retain(|_, count| *count > 0);
        let n_written = report.added + report.changed + report.removed + report.skipped;
        let is_same = Meta { scan_time_ns: self.meta.scan_time_ns, ..meta.clone() } == self.meta
            && report.commits_added == 0
            && report.commits_removed == 0;
        if n_written == 0 && is_same && self.snapshot.is_some() {
            return Ok((meta, report));
        }
        meta.generation += 1;
        self.commit(writer, &meta)?;
        report.committed = true;
        self.meta = meta;
        Ok((self.meta, report))
    }

    fn commit(&self, writer: Writer<'_>, meta: &Meta) -> Result<(), Error> {
        if self.task.options.cancel.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        (self.task.options.progress)(Progress::Committing);
        let payload = serde_json::to_string(meta).map_err(|error| Error::Damaged {
            what: format!("the commit record cannot be written: {error}"),
        })?;
        writer.get()?;
        let Some(mut writer) = writer.started.into_inner() else { return Ok(()) };
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&payload);
        prepared.commit()?;
        writer.wait_merging_threads()?;
        Ok(())
    }

    fn delete(&self, path: &str) -> UserOperation<TantivyDocument> {
        UserOperation::Delete(Term::from_field_u64(self.fields.key, path_key(path)))
    }

    /// A deletion that comes before an addition: none in a first build, where nothing can be there.
    fn delete_old(
        &self,
        delete: impl FnOnce() -> UserOperation<TantivyDocument>,
    ) -> Option<UserOperation<TantivyDocument>> {
        self.snapshot.map(|_| delete())
    }

    /// Takes what the index says of a file out of the sums.
    fn forget(&self, findings: &Findings, file: &ManifestFile) -> Result<(), Error> {
        let Some(snapshot) = self.snapshot else { return Ok(()) };
        let entry = snapshot.entry(file.doc)?;
        let mut sums = lock(&findings.sums);
        sums.totals.remove(entry.share);
        if let Some(count) = sums.skipped.get_mut(&entry.skipped) {
            *count = count.saturating_sub(1);
        }
        drop(sums);
        lock(&findings.written).push(file.path.clone());
        Ok(())
    }

    fn remove(
        &self,
        writer: &Writer<'_>,
        findings: &Findings,
        file: &ManifestFile,
    ) -> Result<(), Error> {
        self.forget(findings, file)?;
        writer.run(vec![self.delete(&file.path)])?;
        findings.removed.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn skip(
        &self,
        writer: &Writer<'_>,
        findings: &Findings,
        path: &str,
        stamp: Stamp,
        reason: SkipReason,
        old: Option<&ManifestFile>,
    ) -> Result<(), Error> {
        if let Some(old) = old {
            self.forget(findings, old)?;
        }
        *lock(&findings.sums).skipped.entry(reason.as_str().to_owned()).or_default() += 1;
        let document = documents::skipped(&self.fields, path, stamp, reason);
        let mut operations = Vec::with_capacity(2);
        operations.extend(self.delete_old(|| self.delete(path)));
        operations.push(UserOperation::Add(document));
        writer.run(operations)?;
        findings.skipped.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn read_files(
        &self,
        writer: &Writer<'_>,
        findings: &Findings,
        plan: &Plan,
    ) -> Result<(), Error> {
        let (total, done) = (plan.read.len() as u64, AtomicU64::new(0));
        plan.read.par_chunks(BATCH_FILES).try_for_each_init(
            || Parser {
                extractor: Extractor::new(),
                builder: DocumentBuilder::new(self.fields.clone()),
            },
            |parser, chunk| -> Result<(), Error> {
                for (found, old) in chunk {
                    if self.task.options.cancel.load(Ordering::Relaxed) {
                        return Err(Error::Cancelled);
                    }
                    self.read_file(writer, findings, parser, found, old.as_ref())?;
                    let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                    (self.task.options.progress)(Progress::Indexing { done, total });
                }
                Ok(())
            },
        )
    }

    fn read_file(
        &self,
        writer: &Writer<'_>,
        findings: &Findings,
        parser: &mut Parser,
        found: &FoundFile,
        old: Option<&ManifestFile>,
    ) -> Result<(), Error> {
        let touched = |file: &FoundFile, hash: u64| {
            findings.n_touched.fetch_add(1, Ordering::Relaxed);
            lock(&findings.touched).push((found.path.clone(), stamp(file), hash));
        };
        match corpus::read::read(self.task.root, found, &self.task.walk_options) {
            Outcome::Absent => {
                if let Some(old) = old {
                    self.remove(writer, findings, old)?;
                }
            }
            Outcome::Skipped { reason: SkipReason::Unreadable, .. }
                if old.is_some_and(|old| !old.flags.has(FileFlags::SKIPPED)) =>
            {
                lock(&findings.unreadable).push(found.path.clone());
            }
            Outcome::Skipped { reason, file } => match old {
                Some(old)
                    if old.flags.skip_reason() == Some(reason) && old.stamp.size == file.size =>
                {
                    touched(&file, old.hash);
                }
                old => self.skip(writer, findings, &found.path, stamp(&file), reason, old)?,
            },
            Outcome::Read(contents) => match old {
                Some(old) if old.hash == contents.hash && !old.flags.has(FileFlags::SKIPPED) => {
                    touched(&contents.file, contents.hash);
                }
                old => {
                    let counter = if let Some(old) = old {
                        self.forget(findings, old)?;
                        &findings.changed
                    } else {
                        &findings.added
                    };
                    counter.fetch_add(1, Ordering::Relaxed);
                    let (documents, share) = parser.documents(&contents);
                    let mut operations = Vec::with_capacity(documents.len() + 1);
                    operations.extend(self.delete_old(|| self.delete(&found.path)));
                    operations.extend(documents.into_iter().map(UserOperation::Add));
                    writer.run(operations)?;
                    lock(&findings.sums).totals.add(share);
                }
            },
        }
        Ok(())
    }

    /// Makes the commits of the index those of the repository, if they may differ.
    fn history(&self, writer: &Writer<'_>, plan: &Plan) -> Result<Option<HistoryChange>, Error> {
        let Some(planned) = &plan.history else { return Ok(None) };
        let known: Vec<String> =
            self.snapshot.map(Snapshot::commit_ids).transpose()?.unwrap_or_default();
        let mut change = HistoryChange::default();
        let depth = self.task.config.history.depth;
        let repository = Repository::discover(self.task.root);
        let wanted = match (&repository, &planned.head) {
            (Some(repository), Some(head)) if depth > 0 => {
                // Where a shallow clone was cut off, a commit seems to bring all files, so all are read again.
                let kept = if planned.shallow == self.meta.shallow { &known[..] } else { &[] };
                match wanted(repository, head, depth, kept) {
                    Ok(wanted) => wanted,
                    // What cannot be read is not gone: the commits that are known stay, and the next update tries again.
                    Err(error) => {
                        change.error = Some(error.to_string());
                        Wanted { ids: known.clone(), new: Vec::new() }
                    }
                }
            }
            _ => Wanted::default(),
        };
        let delete =
            |id: &str| UserOperation::Delete(Term::from_field_text(self.fields.commit, id));
        for id in known.iter().filter(|id| wanted.ids.binary_search(id).is_err()) {
            writer.run(vec![delete(id)])?;
            change.removed += 1;
        }
        let mut analyzer = Analyzer::new();
        for commit in &wanted.new {
            let document = documents::commit(&self.fields, commit, &mut analyzer);
            let mut operations = Vec::with_capacity(2);
            operations.extend(self.delete_old(|| delete(&commit.id)));
            operations.push(UserOperation::Add(document));
            writer.run(operations)?;
            change.added += u64::from(known.binary_search(&commit.id).is_err());
        }
        change.n_commits = wanted.ids.len() as u64;
        Ok(Some(change))
    }
}

/// The commits that the index should hold.
#[derive(Default)]
struct Wanted {
    /// Ids of all, sorted.
    ids: Vec<String>,
    /// Those that it does not hold yet.
    new: Vec<Commit>,
}

fn wanted(
    repository: &Repository,
    head: &str,
    depth: usize,
    known: &[String],
) -> Result<Wanted, Error> {
    if known.is_empty() {
        let new = repository.log(head, depth)?;
        let mut ids: Vec<String> = new.iter().map(|commit| commit.id.clone()).collect();
        ids.sort_unstable();
        return Ok(Wanted { ids, new });
    }
    let mut ids = repository.rev_list(head, depth)?;
    let unknown: Vec<&str> =
        ids.iter().filter(|id| known.binary_search(id).is_err()).map(String::as_str).collect();
    let new = repository.log_of(&unknown)?;
    ids.sort_unstable();
    Ok(Wanted { ids, new })
}

/// What one thread reads files with.
struct Parser {
    extractor: Extractor,
    builder: DocumentBuilder,
}

impl Parser {
    fn documents(&mut self, contents: &corpus::Contents) -> (Vec<TantivyDocument>, Totals) {
        let path = contents.file.path.as_str();
        let parsed = Language::of_path(path).map(|language| {
            let text = contents.text.as_bytes();
            (language.name(), self.extractor.extract(text, language, is_test_path(path)))
        });
        self.builder.build(&SourceFile {
            path,
            stamp: stamp(&contents.file),
            hash: contents.hash,
            n_bytes: (contents.text.len() + contents.bom_bytes) as u64,
            text: &contents.text,
            parsed,
            generated: contents.generated,
        })
    }
}
