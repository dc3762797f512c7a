//! Keeps an index fresh while the tree changes, and lets others wait until it is.
//!
//! A watcher gathers what the operating system tells for some tens of milliseconds, then updates the index in one commit:
//! of the paths that changed where that is enough, of everything where it is not. It holds a lock on the file
//! `watch` in the index folder, so that every other process sees whether one is running; the system frees the lock when the
//! watcher ends in whatever way.
//!
//! Whoever must know that the index has everything that was written up to now puts a file `sync-N` into the index folder and
//! waits until the watcher has removed it. The events of that file and of the tree come in one order, so when the watcher
//! sees it, it has seen all that was written before; it then updates at once.

use std::fs::{self, File, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::corpus::check::changes_rules;
use crate::corpus::walk::walk;
use crate::corpus::watch::{Batch, COOKIE, Watcher};
use crate::corpus::{Checker, Verdict};
use crate::error::Error;
use crate::store::{WriteLock, io};
use crate::update::{Progress, UpdateOptions, UpdateReport, update, update_paths, walk_options};

/// Time without a further event after which a batch is taken.
const QUIET: Duration = Duration::from_millis(25);
/// How often a watcher looks whether it is to stop and whether the root is still there.
const IDLE: Duration = Duration::from_millis(250);
/// How often the tree is looked at where the system tells nothing.
const POLL: Duration = Duration::from_secs(2);
/// How long a watcher waits for another writer before it tries again later.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause after a failed update, before it is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// Name of the file that says who watches.
const WATCH: &str = "watch";

/// What is watched, and how.
pub struct WatchOptions<'a> {
    /// The root of the corpus.
    pub root: &'a Path,
    /// The index folder.
    pub folder: &'a Path,
    /// Reads the configuration; called again whenever its file changes.
    pub config: &'a dyn Fn() -> Result<Config, Error>,
    /// Threads for walking and parsing; 0 for one per core.
    pub threads: usize,
    /// The time now in nanoseconds since 1970.
    pub now_ns: &'a dyn Fn() -> i64,
    /// Whether to look at the tree from time to time instead of asking the system for events, which network
    /// file systems do not give.
    pub poll: bool,
    /// Told of the progress of the first build.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// How a watcher learns of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WatchMode {
    /// The operating system tells.
    Events,
    /// The tree is looked at every two seconds.
    Polling,
}

/// What a watcher tells as it goes.
#[derive(Debug)]
pub enum WatchEvent<'a> {
    /// Changes are noticed from here on, and the index is fresh.
    Ready(WatchMode),
    /// The index was brought up to date.
    Updated {
        /// What changed.
        report: &'a UpdateReport,
        /// How long it took.
        took: Duration,
    },
    /// Something failed; the watcher tries again and carries on.
    Problem(&'a Error),
}

/// Why a watcher ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// It was told to.
    Stopped,
    /// The root folder is gone.
    RootGone,
}

/// Who watches an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watching {
    /// The process.
    pub pid: u32,
    /// How it learns of changes.
    pub mode: WatchMode,
}

/// What came of waiting for a fresh index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// The index has everything that was written before the call.
    Fresh,
    /// The time was up.
    TimedOut,
    /// Nobody watches; look at the tree instead.
    NotWatching,
}

/// The watcher of an index folder, if one is running.
pub fn watching(folder: &Path) -> Option<Watching> {
    let mut file = File::open(folder.join(WATCH)).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            file.read_to_string(&mut text).ok()?;
            serde_json::from_str(&text).ok()
        }
        _ => None,
    }
}

/// Waits until the watcher of an index has taken in everything that was written before the call, at most `patience`.
pub fn wait_fresh(folder: &Path, patience: Duration) -> Result<Waited, Error> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let started = Instant::now();
    if watching(folder).is_none() {
        return Ok(Waited::NotWatching);
    }
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("{COOKIE}{}-{number}", std::process::id()));
    File::create(&path).map_err(io(&path))?;
    let mut n_looks = 0_u32;
    let result = loop {
        if !path.exists() {
            break Waited::Fresh;
        }
        if started.elapsed() >= patience {
            break Waited::TimedOut;
        }
        if n_looks % 64 == 63 && watching(folder).is_none() {
            break Waited::NotWatching;
        }
        n_looks += 1;
        std::thread::sleep(Duration::from_millis(1));
    };
    if result != Waited::Fresh {
        // The watcher may remove it at the same moment.
        let _ = fs::remove_file(&path);
    }
    Ok(result)
}

/// The right to watch an index; given back when dropped or when the process ends in whatever way.
struct WatchLock {
    path: PathBuf,
    file: File,
}

impl WatchLock {
    fn acquire(folder: &Path, mode: WatchMode) -> Result<Self, Error> {
        let path = folder.join(WATCH);
        let options =
            || File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = options().map_err(io(&path))?;
        // Others hold the lock for an instant to see whether somebody does.
        let mut n_tries = 0;
        while let Err(error) = file.try_lock() {
            match error {
                TryLockError::WouldBlock if n_tries < 20 => {
                    n_tries += 1;
                    std::thread::sleep(Duration::from_millis(5));
                }
                TryLockError::WouldBlock => {
                    let holder = watching(folder).map_or_else(
                        || "another watcher".to_owned(),
                        |watching| format!("process {}, which watches it", watching.pid),
                    );
                    return Err(Error::Busy { holder });
                }
                TryLockError::Error(source) => return Err(Error::Io { path, source }),
            }
        }
        let text = serde_json::to_string(&Watching { pid: std::process::id(), mode }).map_err(
            |error| Error::Damaged { what: format!("the watcher cannot tell of itself: {error}") },
        )?;
        file.set_len(0)
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(text.as_bytes()))
            .map_err(io(&path))?;
        Ok(Self { path, file })
    }

    /// Whether others still see this lock: somebody may have removed the index folder.
    fn is_seen(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let (Ok(named), Ok(held)) = (fs::metadata(&self.path), self.file.metadata()) else {
                return false;
            };
            named.ino() == held.ino() && named.dev() == held.dev()
        }
        #[cfg(not(unix))]
        self.path.exists()
    }
}

impl Drop for WatchLock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// Watches until `stop` is set or the root is gone. Builds the index or brings it up to date first.
///
/// # Errors
///
/// What keeps a watcher from starting: [`Error::Busy`] when another one runs, an index that may not be written, a
/// configuration that cannot be read. Later failures are told as [`WatchEvent::Problem`].
pub fn watch(
    options: &WatchOptions<'_>,
    tell: &mut dyn FnMut(WatchEvent<'_>),
    stop: &AtomicBool,
) -> Result<WatchEnd, Error> {
    let config = (options.config)()?;
    // Makes the folder, and refuses one that is not ours, before anything is left in it.
    drop(WriteLock::acquire(options.folder, PATIENCE)?);
    let mut session = Session { options, tell, stop, config, watcher: None, lock: None };
    session.start()?;
    session.run()
}

struct Session<'a, 'b> {
    options: &'a WatchOptions<'a>,
    tell: &'a mut dyn FnMut(WatchEvent<'_>),
    stop: &'b AtomicBool,
    config: Config,
    /// Absent while polling.
    watcher: Option<Watcher>,
    lock: Option<WatchLock>,
}

impl Session<'_, '_> {
    /// Sets the watches, then looks at everything, so that nothing falls between.
    fn start(&mut self) -> Result<(), Error> {
        self.lock = None;
        self.watcher = None;
        if !self.options.poll {
            let watcher = Watcher::new(self.options.root, self.options.folder);
            match watcher.and_then(|mut watcher| self.cover(&mut watcher).map(|()| watcher)) {
                Ok(watcher) => self.watcher = Some(watcher),
                Err(error @ Error::WatchLimit) => (self.tell)(WatchEvent::Problem(&error)),
                Err(error) => return Err(error),
            }
        }
        let mode = if self.watcher.is_some() { WatchMode::Events } else { WatchMode::Polling };
        self.lock = Some(WatchLock::acquire(self.options.folder, mode)?);
        let cookies = self.cookies();
        self.update(&Batch { is_whole: true, cookies, ..Batch::default() })?;
        (self.tell)(WatchEvent::Ready(mode));
        Ok(())
    }

    /// Watches all folders of the corpus. A folder that came while the watches were set may hold others, so this looks
    /// until there is nothing new.
    fn cover(&self, watcher: &mut Watcher) -> Result<(), Error> {
        let options = walk_options(
            self.options.root,
            self.options.folder,
            &self.config,
            self.options.threads,
        );
        while watcher.watch(&walk(self.options.root, &options)?.folders)? {}
        Ok(())
    }

    fn run(&mut self) -> Result<WatchEnd, Error> {
        let mut failed_at: Option<Instant> = None;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(WatchEnd::Stopped);
            }
            if !self.options.root.is_dir() {
                return Ok(WatchEnd::RootGone);
            }
            if failed_at.is_some_and(|failed_at| failed_at.elapsed() < RETRY) {
                std::thread::sleep(Duration::from_millis(50));
                continue;
            }
            let Some(batch) = self.next() else { continue };
            failed_at = None;
            match self.take(&batch) {
                Ok(()) => {}
                Err(Error::Cancelled) => return Ok(WatchEnd::Stopped),
                Err(_) if !self.options.root.is_dir() => return Ok(WatchEnd::RootGone),
                Err(error) => {
                    (self.tell)(WatchEvent::Problem(&error));
                    failed_at = Some(Instant::now());
                    if let Some(watcher) = &self.watcher {
                        // What was half done is looked at again as a whole.
                        watcher.put_back(Batch { is_whole: true, ..batch });
                    }
                }
            }
        }
    }

    /// The next batch, if one came within a short time.
    fn next(&mut self) -> Option<Batch> {
        if let Some(watcher) = &mut self.watcher {
            return watcher.next(QUIET, IDLE);
        }
        let started = Instant::now();
        while started.elapsed() < POLL && !self.stop.load(Ordering::Relaxed) {
            let cookies = self.cookies();
            if !cookies.is_empty() {
                return Some(Batch { is_whole: true, cookies, ..Batch::default() });
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Batch { is_whole: true, ..Batch::default() })
    }

    fn take(&mut self, batch: &Batch) -> Result<(), Error> {
        if batch.is_whole && self.lock.as_ref().is_some_and(|lock| !lock.is_seen()) {
            // Somebody removed the index folder, perhaps as a part of all: begin again if the root is still there after a
            // while, because a folder made anew in the midst of a removal would make that fail.
            let started = Instant::now();
            while started.elapsed() < RETRY && !self.stop.load(Ordering::Relaxed) {
                if !self.options.root.is_dir() {
                    return Err(Error::RootNotFound { path: self.options.root.to_owned() });
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            drop(WriteLock::acquire(self.options.folder, PATIENCE)?);
            return self.start();
        }
        if batch.is_whole || batch.paths.iter().any(|path| changes_rules(path)) {
            self.config = (self.options.config)()?;
        }
        let is_whole = batch.is_whole || self.has_folders(batch)?;
        if is_whole && let Some(mut watcher) = self.watcher.take() {
            match self.cover(&mut watcher) {
                Ok(()) => self.watcher = Some(watcher),
                Err(error @ Error::WatchLimit) => {
                    (self.tell)(WatchEvent::Problem(&error));
                    return self.start_polling(batch);
                }
                Err(error) => {
                    self.watcher = Some(watcher);
                    return Err(error);
                }
            }
        }
        self.update(&Batch { is_whole, paths: batch.paths.clone(), cookies: batch.cookies.clone() })
    }

    fn start_polling(&mut self, batch: &Batch) -> Result<(), Error> {
        self.lock = None;
        self.lock = Some(WatchLock::acquire(self.options.folder, WatchMode::Polling)?);
        (self.tell)(WatchEvent::Ready(WatchMode::Polling));
        self.update(&Batch {
            is_whole: true,
            paths: batch.paths.clone(),
            cookies: batch.cookies.clone(),
        })
    }

    /// Whether a folder that a walk would enter is among the paths, or one may have changed the rules.
    fn has_folders(&self, batch: &Batch) -> Result<bool, Error> {
        if batch.paths.iter().any(|path| changes_rules(path)) {
            return Ok(true);
        }
        let mut checker = None;
        for path in &batch.paths {
            if !self.options.root.join(path).is_dir() {
                continue;
            }
            if checker.is_none() {
                let options = walk_options(
                    self.options.root,
                    self.options.folder,
                    &self.config,
                    self.options.threads,
                );
                checker = Some(Checker::new(self.options.root, &options)?);
            }
            if checker.as_mut().is_some_and(|checker| checker.check(path) == Verdict::Folder) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn update(&mut self, batch: &Batch) -> Result<(), Error> {
        let started = Instant::now();
        let update_options = UpdateOptions {
            threads: self.options.threads,
            rebuild: false,
            now_ns: (self.options.now_ns)(),
            patience: PATIENCE,
            progress: self.options.progress,
            cancel: self.stop,
        };
        let (root, folder) = (self.options.root, self.options.folder);
        let (_, report) = if batch.is_whole {
            update(root, folder, &self.config, &update_options)?
        } else {
            update_paths(root, folder, &self.config, &update_options, &batch.paths)?
        };
        for cookie in &batch.cookies {
            // Whoever waited may have given up and removed it.
            let _ = fs::remove_file(folder.join(cookie));
        }
        if report.committed || !report.problems.is_empty() {
            (self.tell)(WatchEvent::Updated { report: &report, took: started.elapsed() });
        }
        Ok(())
    }

    /// Cookies that are there now.
    fn cookies(&self) -> std::collections::BTreeSet<String> {
        let Ok(entries) = fs::read_dir(self.options.folder) else {
            return std::collections::BTreeSet::new();
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| name.starts_with(COOKIE)).collect()
    }
}
