//! One root: its index, kept fresh by a thread that lives only while there is work, and asked by any number of calls.
//!
//! A call draws a ticket and waits, for a bounded time, until an update that began *after* the ticket was drawn has
//! ended; several calls share one update. When the time is over before, the call answers from the index as it is and
//! says so, or, while there is none, tells how far the first build has come. Updates go on between calls, so a first build
//! is never lost to an impatient client.
//!
//! Between processes the lock of the index decides who writes: the others find it busy, read what is there, and see
//! the new index as soon as it is in force. A process that ends gives the lock back, and the next update of any other takes it.
//!
//! A watcher that knows the tree to be unchanged would plug into [`Engine::view`]: with its word for it, no ticket is needed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reseek_indexer::update::{self, Progress, UpdateOptions};
use reseek_indexer::{Error as IndexError, Index, IndexState, Snapshot};

use crate::status::Status;
use crate::surroundings::{Place, Refusal, Surroundings};

/// How long an update waits for another writer before it looks again whether that one has done its work.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long an update that has an index to answer from waits for other writers in all.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);
/// How long a first build waits for another process that builds the same index.
const LONG_PATIENCE: Duration = Duration::from_mins(10);
/// How often a waiting call looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);
/// Notes of one answer; the rest is counted.
const MAX_NOTES: usize = 5;

/// A root and its index.
pub(crate) struct Engine {
    root: PathBuf,
    surroundings: Arc<dyn Surroundings>,
    state: Mutex<State>,
    changed: Condvar,
    cancel: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The latest ticket drawn.
    drawn: u64,
    /// Every ticket up to this one is served.
    served: u64,
    /// Whether the thread is there.
    is_running: bool,
    /// Whether the running update is one without which there is nothing to answer from.
    is_first: bool,
    /// How far the running update has come.
    progress: Building,
    /// What the last update came to.
    last: Option<Result<Outcome, Refusal>>,
}

/// What an update came to.
#[derive(Clone)]
struct Outcome {
    place: Arc<Place>,
    index: Arc<Index>,
    n_changed: u64,
    notes: Vec<String>,
}

/// How far an update has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Building {
    /// Files done.
    pub(crate) done: u64,
    /// Files in all; 0 while they are being counted.
    pub(crate) total: u64,
    /// Who holds the index, if it is another process.
    pub(crate) holder: Option<String>,
}

/// An index that can be asked.
pub(crate) struct Ready {
    /// Where it is.
    pub(crate) place: Arc<Place>,
    /// The view that all of one answer comes from.
    pub(crate) snapshot: Snapshot,
    /// What is said of the index.
    pub(crate) status: Status,
}

/// What a call finds.
pub(crate) enum View {
    /// An index.
    Ready(Box<Ready>),
    /// The first build, under way.
    Building(Building),
}

impl Engine {
    pub(crate) fn new(root: PathBuf, surroundings: Arc<dyn Surroundings>) -> Self {
        Self {
            root,
            surroundings,
            state: Mutex::default(),
            changed: Condvar::new(),
            cancel: AtomicBool::new(false),
        }
    }

    /// The root as it was named.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// How far the running update has come, if one is running.
    pub(crate) fn progress(&self) -> Option<Building> {
        let state = self.state();
        state.is_running.then(|| state.progress.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two statements, so a thread that panicked left nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index, brought up to date if that takes no longer than `patience`.
    pub(crate) fn view(
        self: &Arc<Self>,
        patience: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<View, Refusal> {
        let deadline = Instant::now() + patience;
        let mut state = self.state();
        state.drawn += 1;
        let ticket = state.drawn;
        if !state.is_running {
            state.is_running = true;
            // Until the thread has looked: what was never there has to be built.
            state.is_first = !matches!(state.last, Some(Ok(_)));
            let engine = Arc::clone(self);
            let started = std::thread::Builder::new()
                .name("reseek-update".to_owned())
                .spawn(move || engine.work());
            if let Err(error) = started {
                state.is_running = false;
                return Err(Refusal::new("threads", error.to_string(), "try again later"));
            }
        }
        while state.served < ticket && !stop() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self
                .changed
                .wait_timeout(state, left.min(LOOK))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        if state.served >= ticket
            && let Some(last) = state.last.clone()
        {
            drop(state);
            return last.and_then(|outcome| self.ready(outcome)).map(View::Ready);
        }
        let progress = state.progress.clone();
        let known = state.last.clone().and_then(Result::ok);
        drop(state);
        self.as_it_is(known, progress)
    }

    /// What can be said while an update is running.
    fn as_it_is(&self, known: Option<Outcome>, progress: Building) -> Result<View, Refusal> {
        let known = known.filter(|known| !known.index.is_superseded());
        let (place, index) = if let Some(known) = known {
            (known.place, known.index)
        } else {
            let place = self.surroundings.place(&self.root)?;
            match Index::open(&place.folder) {
                IndexState::Ready(index) => (Arc::new(place), Arc::new(index)),
                _ => return Ok(View::Building(progress)),
            }
        };
        let how_far = match (&progress.holder, progress.total) {
            (Some(holder), _) => format!("it is being written by {holder}"),
            (None, 0) => "the tree is still being looked through".to_owned(),
            (None, total) => format!("{} of {total} changed files are read", progress.done),
        };
        let note =
            format!("answered from the index as it was before the running update: {how_far}");
        let n_changed = progress.total.max(1);
        self.ready(Outcome { place, index, n_changed, notes: vec![note] }).map(View::Ready)
    }

    fn ready(&self, outcome: Outcome) -> Result<Box<Ready>, Refusal> {
        let Outcome { place, index, n_changed, mut notes } = outcome;
        let snapshot = index.snapshot().map_err(|error| self.surroundings.explain(&error))?;
        let meta = snapshot.meta();
        notes.extend(
            meta.history_error.as_ref().map(|error| format!("without commit history: {error}")),
        );
        if notes.len() > MAX_NOTES {
            let n_more = notes.len() - MAX_NOTES;
            notes.truncate(MAX_NOTES);
            notes.push(format!("and {n_more} more notes"));
        }
        let status = Status {
            root: slashed(&place.root),
            index: slashed(&place.folder),
            generation: meta.generation,
            head: meta.head.clone(),
            behind: Some(n_changed > 0),
            n_changed: Some(n_changed),
            n_files: meta.totals.n_files,
            n_symbols: meta.totals.n_symbols,
            n_partly_parsed: meta.totals.n_partly_parsed,
            skipped: meta.skipped.clone(),
            watching: false,
            notes,
        };
        Ok(Box::new(Ready { place, snapshot, status }))
    }

    /// The thread: updates until no ticket is left.
    fn work(&self) {
        loop {
            let ticket = {
                let mut state = self.state();
                if state.served >= state.drawn || self.cancel.load(Ordering::Relaxed) {
                    state.is_running = false;
                    state.is_first = false;
                    self.changed.notify_all();
                    return;
                }
                state.progress = Building::default();
                state.drawn
            };
            // A panic of a parser must not leave the calls waiting and the engine without a thread for ever.
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.update()))
                .unwrap_or_else(|_| {
                    Err(Refusal::new(
                        "internal",
                        format!(
                            "updating the index of {} failed unexpectedly",
                            self.root.display()
                        ),
                        "run `reseek index --force` at the root and see what it says",
                    ))
                });
            let mut state = self.state();
            state.served = ticket;
            state.last = Some(result);
            self.changed.notify_all();
        }
    }

    /// One update, or the index as it is where that is all that can be had.
    fn update(&self) -> Result<Outcome, Refusal> {
        let explain = |error: &IndexError| self.surroundings.explain(error);
        let started = Instant::now();
        loop {
            let place = Arc::new(self.surroundings.place(&self.root)?);
            let folder = place.folder.clone();
            let is_there = match Index::open(&folder) {
                IndexState::Newer { found } => {
                    return Err(explain(&IndexError::Newer { folder, found }));
                }
                IndexState::Foreign => return Err(explain(&IndexError::Foreign { folder })),
                IndexState::Ready(_) => true,
                _ => false,
            };
            self.state().is_first = !is_there;
            let options = UpdateOptions {
                threads: place.threads,
                rebuild: false,
                now_ns: self.surroundings.now_ns(),
                patience: PATIENCE,
                progress: &|progress| self.tell(progress),
                cancel: &self.cancel,
            };
            let error = match update::update(&place.root, &folder, &place.config, &options) {
                Ok((index, report)) => {
                    self.surroundings.updated(&place)?;
                    let mut notes = report.problems;
                    notes.extend(
                        report.rebuilt.map(|reason| format!("the index was rebuilt: {reason}")),
                    );
                    return Ok(Outcome { place, index: Arc::new(index), n_changed: 0, notes });
                }
                Err(error) => error,
            };
            if let IndexState::Ready(index) = Index::open(&folder)
                && matches!(
                    error,
                    IndexError::Busy { .. } | IndexError::Store(_) | IndexError::Io { .. }
                )
            {
                let options = place.walk_options();
                let plan = index
                    .snapshot()
                    .and_then(|snapshot| update::plan(&place.root, &index, &snapshot, &options))
                    .map_err(|error| explain(&error))?;
                let n_changed = plan.n_changed().max(u64::from(plan.head_moved()));
                let is_busy = matches!(error, IndexError::Busy { .. });
                if n_changed > 0 && is_busy && started.elapsed() < SHORT_PATIENCE {
                    // The other one is most likely writing just what is missing.
                    continue;
                }
                let note = format!("answered from the index as it is: {error}");
                let notes = if n_changed > 0 { vec![note] } else { Vec::new() };
                return Ok(Outcome { place, index: Arc::new(index), n_changed, notes });
            }
            let IndexError::Busy { holder } = &error else { return Err(explain(&error)) };
            if started.elapsed() > LONG_PATIENCE || self.cancel.load(Ordering::Relaxed) {
                return Err(explain(&error));
            }
            self.state().progress.holder = Some(holder.clone());
        }
    }

    fn tell(&self, progress: Progress) {
        if let Progress::Indexing { done, total } = progress {
            let mut state = self.state();
            // Told from several threads, so an earlier count may come later.
            state.progress.done = state.progress.done.max(done);
            state.progress.total = total;
            state.progress.holder = None;
        }
    }

    /// Ends the running update, or waits for it if it is the first build; not longer than `patience`.
    pub(crate) fn finish(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut state = self.state();
        while state.is_running && state.is_first && state.progress.holder.is_none() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self
                .changed
                .wait_timeout(state, left.min(LOOK))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        self.cancel.store(true, Ordering::Relaxed);
    }
}

/// A path with `/` between its names, on every platform.
pub(crate) fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        return text.into_owned();
    }
    text.trim_start_matches(r"\\?\").replace(std::path::MAIN_SEPARATOR, "/")
}
