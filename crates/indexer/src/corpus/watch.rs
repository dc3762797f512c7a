//! Tells which paths of a corpus change, in batches, from the events of the operating system.
//!
//! Only folders that a walk lists are watched, so `node_modules` and whatever an ignore rule leaves out cost nothing, and
//! beside them the few folders where git keeps what is checked out. Events only say *where* to look: what is
//! there is judged by the rules of the walk, so events may come twice, late or too many without harm. Too few is the danger;
//! whenever events may have been lost (an overflow, a folder that came or went, a name that cannot be told) the batch
//! says that everything must be looked at.
//!
//! Invariant: events reach the batch in the order in which things happened, and a batch takes all that have come. A file that
//! somebody puts into the cookie folder therefore stands for everything that happened before.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind};
use notify::{ErrorKind, Event, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::check::changes_rules;
use crate::error::Error;
use crate::git::Repository;

/// Beyond so many paths, looking at everything is cheaper than looking at each.
const MAX_PATHS: usize = 5_000;
/// How long a batch may be held back by a git command that is changing the tree.
const MAX_GIT_WAIT: Duration = Duration::from_secs(5);
/// Longest time that a batch gathers while events keep coming.
const MAX_GATHER: Duration = Duration::from_millis(250);

/// What changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Paths relative to the root.
    pub(crate) paths: BTreeSet<String>,
    /// Whether everything must be looked at, folders included.
    pub(crate) is_whole: bool,
    /// Names of cookies that stand for what happened before.
    pub(crate) cookies: BTreeSet<String>,
}

/// Where events are sorted into.
#[derive(Debug, Default)]
struct Pending {
    batch: Batch,
    /// Whether git's own files changed.
    git: bool,
    /// Whether a git command is changing the tree.
    git_is_busy: bool,
    /// Absolute paths that came, went or moved, so that a watch on them may be gone.
    unsettled: BTreeSet<PathBuf>,
    first: Option<Instant>,
    last: Option<Instant>,
}

impl Pending {
    fn is_empty(&self) -> bool {
        let batch = &self.batch;
        batch.paths.is_empty() && !batch.is_whole && batch.cookies.is_empty() && !self.git
    }
}

/// The places that events are told apart by.
#[derive(Debug)]
struct Places {
    root: PathBuf,
    cookie_folder: PathBuf,
    git_dir: Option<PathBuf>,
    common_dir: Option<PathBuf>,
}

#[derive(Debug)]
struct Shared {
    places: Places,
    pending: Mutex<Pending>,
    changed: Condvar,
}

/// Watches a corpus.
pub(crate) struct Watcher {
    shared: Arc<Shared>,
    events: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
}

/// Start of the names of cookies.
pub(crate) const COOKIE: &str = "sync-";

impl Watcher {
    /// A watcher that watches nothing yet but `cookie_folder`, which must exist.
    pub(crate) fn new(root: &Path, cookie_folder: &Path) -> Result<Self, Error> {
        let root = std::fs::canonicalize(root)
            .map_err(|_| Error::RootNotFound { path: root.to_path_buf() })?;
        let cookie_folder = std::fs::canonicalize(cookie_folder)
            .map_err(|source| Error::Io { path: cookie_folder.to_path_buf(), source })?;
        let repository = Repository::discover(&root);
        let places = Places {
            root,
            cookie_folder,
            git_dir: repository.as_ref().map(|repository| repository.git_dir().to_path_buf()),
            common_dir: repository
                .as_ref()
                .and_then(|repository| repository.common_dir().canonicalize().ok()),
        };
        let shared = Arc::new(Shared {
            places,
            pending: Mutex::new(Pending::default()),
            changed: Condvar::new(),
        });
        let sink = Arc::clone(&shared);
        let events =
            notify::recommended_watcher(move |event| sink.receive(event)).map_err(watch_error)?;
        let mut this = Self { shared, events, watched: BTreeSet::new() };
        let cookie_folder = this.shared.places.cookie_folder.clone();
        this.add(cookie_folder)?;
        Ok(this)
    }

    /// Watches these folders of the corpus, relative to the root, and git's; says whether any of them is new.
    ///
    /// # Errors
    ///
    /// [`Error::WatchLimit`] when the system has no watches left.
    pub(crate) fn watch(&mut self, folders: &[String]) -> Result<bool, Error> {
        let root = self.shared.places.root.clone();
        let mut wanted: BTreeSet<PathBuf> = folders
            .iter()
            .map(|folder| if folder.is_empty() { root.clone() } else { root.join(folder) })
            .collect();
        wanted.insert(root.clone());
        wanted.insert(self.shared.places.cookie_folder.clone());
        wanted.extend(self.folders_of_git());
        let gone: Vec<PathBuf> = self.watched.difference(&wanted).cloned().collect();
        for folder in gone {
            self.watched.remove(&folder);
            // The folder may have gone, and its watch with it.
            let _ = self.events.unwatch(&folder);
        }
        let new: Vec<PathBuf> = wanted.difference(&self.watched).cloned().collect();
        let is_new = !new.is_empty();
        for folder in new {
            self.add(folder)?;
        }
        Ok(is_new)
    }

    fn add(&mut self, folder: PathBuf) -> Result<(), Error> {
        match self.events.watch(&folder, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.watched.insert(folder);
                Ok(())
            }
            // It went since it was listed; the event of that is on its way.
            Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => Ok(()),
            Err(error) if is_not_found(&error) => Ok(()),
            Err(error) => Err(watch_error(error)),
        }
    }

    /// Where git keeps what is checked out, and the folders above the root whose ignore files count.
    fn folders_of_git(&self) -> Vec<PathBuf> {
        let places = &self.shared.places;
        let Some(repository) = Repository::discover(&places.root) else { return Vec::new() };
        let mut folders: Vec<PathBuf> = places
            .root
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(repository.top()))
            .map(Path::to_path_buf)
            .collect();
        folders.push(repository.git_dir().to_path_buf());
        let common_dir = repository
            .common_dir()
            .canonicalize()
            .unwrap_or_else(|_| repository.common_dir().to_path_buf());
        folders.extend(["info", "reftable"].iter().map(|name| common_dir.join(name)));
        let mut open = vec![common_dir.join("refs/heads")];
        while let Some(folder) = open.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            let is_folder =
                |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
            open.extend(entries.flatten().filter(is_folder).map(|entry| entry.path()));
            folders.push(folder);
        }
        folders.push(common_dir);
        folders.retain(|folder| folder.is_dir());
        folders
    }

    /// Waits for changes, at most `patience`. Gives them once `quiet` has passed without a further one, at once if somebody
    /// waits with a cookie, and not while a git command is changing the tree.
    pub(crate) fn next(&mut self, quiet: Duration, patience: Duration) -> Option<Batch> {
        let shared = Arc::clone(&self.shared);
        let started = Instant::now();
        let mut pending = shared.lock();
        loop {
            let wait = match (pending.first, pending.last) {
                (Some(first), Some(last)) if !pending.is_empty() => {
                    let left = if pending.git_is_busy {
                        MAX_GIT_WAIT.saturating_sub(first.elapsed())
                    } else if pending.batch.cookies.is_empty() {
                        let quiet = quiet.saturating_sub(last.elapsed());
                        quiet.min(MAX_GATHER.saturating_sub(first.elapsed()))
                    } else {
                        Duration::ZERO
                    };
                    if left.is_zero() {
                        break;
                    }
                    left
                }
                _ => {
                    let left = patience.saturating_sub(started.elapsed());
                    if left.is_zero() {
                        self.settle(&mut pending);
                        return None;
                    }
                    left
                }
            };
            pending = shared
                .changed
                .wait_timeout(pending, wait)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        self.settle(&mut pending);
        let git_is_busy = false;
        let taken = std::mem::replace(&mut *pending, Pending { git_is_busy, ..Pending::default() });
        Some(taken.batch)
    }

    /// Forgets watches that may be gone, so that they are set again.
    fn settle(&mut self, pending: &mut Pending) {
        for path in std::mem::take(&mut pending.unsettled) {
            let below: Vec<PathBuf> = self
                .watched
                .range(path.clone()..)
                .take_while(|watched| watched.starts_with(&path))
                .cloned()
                .collect();
            for folder in below {
                self.watched.remove(&folder);
            }
        }
    }

    /// Puts back what could not be dealt with.
    pub(crate) fn put_back(&self, batch: Batch) {
        let mut pending = self.shared.lock();
        pending.batch.paths.extend(batch.paths);
        pending.batch.cookies.extend(batch.cookies);
        pending.batch.is_whole |= batch.is_whole;
    }
}

fn is_not_found(error: &notify::Error) -> bool {
    matches!(&error.kind, ErrorKind::Io(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}

fn watch_error(error: notify::Error) -> Error {
    let path = error.paths.first().cloned().unwrap_or_default();
    match error.kind {
        ErrorKind::MaxFilesWatch => Error::WatchLimit,
        // The limit of watchers, where the one above is the limit of watched folders.
        ErrorKind::Io(source) if source.raw_os_error() == Some(24) => Error::WatchLimit,
        ErrorKind::Io(source) => Error::Io { path, source },
        kind => Error::Io { path, source: io::Error::other(notify::Error::new(kind)) },
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        // Every holder leaves a whole state: what it adds is added by single calls.
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn receive(&self, event: notify::Result<Event>) {
        let mut pending = self.lock();
        let was_busy = pending.git_is_busy;
        let is_news = if let Ok(event) = event {
            self.places.sort(&event, &mut pending)
        } else {
            pending.batch.is_whole = true;
            true
        };
        if !is_news && was_busy == pending.git_is_busy {
            return;
        }
        let now = Instant::now();
        pending.first.get_or_insert(now);
        pending.last = Some(now);
        if pending.batch.paths.len() > MAX_PATHS {
            pending.batch.paths.clear();
            pending.batch.is_whole = true;
        }
        self.changed.notify_all();
    }
}

impl Places {
    /// Sorts an event; says whether it is one that matters.
    fn sort(&self, event: &Event, pending: &mut Pending) -> bool {
        if event.need_rescan() {
            pending.batch.is_whole = true;
            return true;
        }
        match event.kind {
            // Reading is no change; that of the walk itself would otherwise never end.
            EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write) => {
                return false;
            }
            EventKind::Access(_)
            | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => {}
            _ => pending.unsettled.extend(event.paths.iter().cloned()),
        }
        let mut is_news = false;
        for path in &event.paths {
            is_news |= self.sort_path(path, event.kind, pending);
        }
        is_news
    }

    fn sort_path(&self, path: &Path, kind: EventKind, pending: &mut Pending) -> bool {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.starts_with(&self.cookie_folder) {
            let is_cookie = path.parent() == Some(&self.cookie_folder)
                && name.starts_with(COOKIE)
                && matches!(kind, EventKind::Create(CreateKind::File));
            // A folder that goes takes the index along.
            let is_gone = path == self.cookie_folder
                && matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
            pending.batch.is_whole |= is_gone;
            if is_cookie {
                pending.batch.cookies.insert(name.to_owned());
            }
            return is_cookie || is_gone;
        }
        let git_dir = self.git_dir.as_deref().filter(|folder| path.starts_with(folder));
        let common_dir = self.common_dir.as_deref().filter(|folder| path.starts_with(folder));
        if let Some(folder) = git_dir.or(common_dir) {
            return Self::sort_git(path.strip_prefix(folder).unwrap_or(path), kind, pending);
        }
        match path.strip_prefix(&self.root) {
            Ok(relative) if relative.as_os_str().is_empty() => {
                // The folder itself: it goes, or it is moved.
                let is_news = !matches!(
                    kind,
                    EventKind::Modify(ModifyKind::Metadata(_)) | EventKind::Access(_)
                );
                pending.batch.is_whole |= is_news;
                is_news
            }
            Ok(relative) => {
                match relative.to_str() {
                    Some(relative) => {
                        pending.batch.paths.insert(relative.replace('\\', "/"));
                    }
                    None => pending.batch.is_whole = true,
                }
                true
            }
            // A folder above the root: only its ignore files matter.
            Err(_) => {
                let is_rule = changes_rules(name);
                pending.batch.is_whole |= is_rule;
                is_rule
            }
        }
    }

    fn sort_git(relative: &Path, kind: EventKind, pending: &mut Pending) -> bool {
        let Some(relative) = relative.to_str() else { return false };
        if relative == "index.lock" {
            // Git holds this lock while it changes the tree, and then moves it over the index or removes it.
            pending.git_is_busy = matches!(kind, EventKind::Create(_));
            return false;
        }
        if relative == "info/exclude" {
            pending.batch.is_whole = true;
            return true;
        }
        let is_ref = relative.starts_with("refs/") || relative.starts_with("reftable");
        let is_head = matches!(relative, "HEAD" | "packed-refs" | "shallow") || is_ref;
        let is_news = is_head && relative.strip_suffix(".lock").is_none();
        pending.git |= is_news;
        is_news
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{DataChange, Flag, ModifyKind, RemoveKind, RenameMode};

    use super::*;

    const WRITTEN: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));

    fn places() -> Places {
        Places {
            root: PathBuf::from("/w/tree"),
            cookie_folder: PathBuf::from("/w/tree/.reseek"),
            git_dir: Some(PathBuf::from("/w/.git")),
            common_dir: Some(PathBuf::from("/w/.git")),
        }
    }

    fn sorted(events: &[(EventKind, &str)]) -> Pending {
        let mut pending = Pending::default();
        for (kind, path) in events {
            places().sort(&Event::new(*kind).add_path(PathBuf::from(path)), &mut pending);
        }
        pending
    }

    fn check_paths(events: &[(EventKind, &str)], expected: &[&str]) {
        let pending = sorted(events);
        assert_eq!(pending.batch.paths.iter().map(String::as_str).collect::<Vec<_>>(), expected);
        assert!(!pending.batch.is_whole);
    }

    #[test]
    fn an_event_names_its_path_relative_to_the_root() {
        check_paths(&[(WRITTEN, "/w/tree/src/a.ts"), (WRITTEN, "/w/tree/src/a.ts")], &["src/a.ts"]);
    }

    #[test]
    fn both_names_of_a_rename_are_looked_at() {
        let rename = |mode| EventKind::Modify(ModifyKind::Name(mode));
        check_paths(
            &[
                (rename(RenameMode::From), "/w/tree/b.swp"),
                (rename(RenameMode::To), "/w/tree/a.ts"),
            ],
            &["a.ts", "b.swp"],
        );
    }

    #[test]
    fn reading_is_no_change() {
        let opened = EventKind::Access(AccessKind::Open(AccessMode::Any));
        let read = EventKind::Access(AccessKind::Close(AccessMode::Read));
        assert!(sorted(&[(opened, "/w/tree/a.ts"), (read, "/w/tree/a.ts")]).is_empty());
    }

    #[test]
    fn an_overflow_of_the_queue_means_that_everything_is_looked_at() {
        let mut pending = Pending::default();
        assert!(places().sort(&Event::new(EventKind::Other).set_flag(Flag::Rescan), &mut pending));
        assert!(pending.batch.is_whole);
    }

    #[test]
    fn the_index_folder_feeds_nothing_but_cookies() {
        let created = EventKind::Create(CreateKind::File);
        let pending = sorted(&[
            (created, "/w/tree/.reseek/stamps.new"),
            (WRITTEN, "/w/tree/.reseek/lock"),
            (created, "/w/tree/.reseek/data-2"),
        ]);
        assert!(pending.is_empty());
        let pending = sorted(&[(created, "/w/tree/.reseek/sync-7-1")]);
        assert_eq!(pending.batch.cookies, BTreeSet::from(["sync-7-1".to_owned()]));
        assert!(pending.batch.paths.is_empty());
    }

    #[test]
    fn the_checked_out_commit_is_noticed_and_locks_of_git_are_not() {
        let created = EventKind::Create(CreateKind::File);
        assert!(
            sorted(&[(created, "/w/.git/HEAD.lock"), (created, "/w/.git/refs/heads/main.lock")])
                .is_empty()
        );
        for path in
            ["/w/.git/HEAD", "/w/.git/refs/heads/main", "/w/.git/packed-refs", "/w/.git/shallow"]
        {
            let pending = sorted(&[(WRITTEN, path)]);
            assert!(pending.git && !pending.batch.is_whole, "{path}");
        }
    }

    #[test]
    fn git_is_busy_from_the_lock_of_its_index_until_that_is_moved_or_removed() {
        let created = EventKind::Create(CreateKind::File);
        let moved = EventKind::Modify(ModifyKind::Name(RenameMode::From));
        let removed = EventKind::Remove(RemoveKind::File);
        assert!(sorted(&[(created, "/w/.git/index.lock")]).git_is_busy);
        assert!(
            !sorted(&[(created, "/w/.git/index.lock"), (moved, "/w/.git/index.lock")]).git_is_busy
        );
        assert!(
            !sorted(&[(created, "/w/.git/index.lock"), (removed, "/w/.git/index.lock")])
                .git_is_busy
        );
    }

    #[test]
    fn a_change_of_gits_own_excludes_changes_the_rules() {
        assert!(sorted(&[(WRITTEN, "/w/.git/info/exclude")]).batch.is_whole);
    }

    #[test]
    fn above_the_root_only_ignore_files_matter() {
        assert!(sorted(&[(WRITTEN, "/w/other.ts")]).is_empty());
        assert!(sorted(&[(WRITTEN, "/w/.gitignore")]).batch.is_whole);
    }

    #[test]
    fn the_end_of_the_root_is_noticed() {
        assert!(sorted(&[(EventKind::Remove(RemoveKind::Folder), "/w/tree")]).batch.is_whole);
    }
}
