//! Finds the root and its index, and makes the index fresh before it is asked.
//!
//! Every command looks for the root in one way, so that a query from a sub-folder never builds a second index:
//! `--root`, else the nearest folder above with an index, else the top of the git work tree, else the working
//! directory. The search upwards ends at a linked git work tree, which must not be answered from another checkout.
//!
//! A query that finds the index busy or its folder read-only answers from the index as it is and says so.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use reseek_indexer::config::{Config, Overrides};
use reseek_indexer::corpus::WalkOptions;
use reseek_indexer::corpus::walk::{check_root, global_excludes};
use reseek_indexer::git::Repository;
use reseek_indexer::store::INDEX_FOLDER;
use reseek_indexer::update::{self, UpdateOptions, UpdateReport};
use reseek_indexer::watch::{Waited, wait_fresh, watching};
use reseek_indexer::{Error as IndexError, Index, IndexState, Snapshot};
use reseek_mcp::status::Status;
use serde::{Deserialize, Serialize};

use crate::args::{CorpusArgs, Global};
use crate::environment;
use crate::errors::{Explained, Problem};
use crate::output::Output;
use crate::progress::Bar;

/// How long a query waits for another writer when it can answer without.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);
/// How long anything else waits for another writer: as long as the first build of a large tree may take.
const LONG_PATIENCE: Duration = Duration::from_mins(10);
/// File in the index folder that holds [`Remembered`].
const REMEMBERED: &str = "CURRENT.options";

/// What an index folder knows of itself beside the index.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Remembered {
    /// The root, if the folder lies outside of it; else the place says it, and the tree may be moved.
    root: Option<String>,
    /// The corpus options of the last `index`.
    corpus: CorpusArgs,
}

/// Where the files and the index are, and by what configuration.
#[derive(Clone)]
pub(crate) struct Place {
    /// The root, without symbolic links.
    pub(crate) root: PathBuf,
    /// The index folder; need not exist.
    pub(crate) folder: PathBuf,
    /// The configuration with what the command line says.
    pub(crate) config: Config,
    /// The corpus options beside `reseek.toml`.
    corpus: CorpusArgs,
    /// The root that the index folder holds the index of, if it says so.
    owner: Option<String>,
    /// Threads to walk and parse with; 0 for one per core.
    pub(crate) threads: usize,
    wait: Option<Duration>,
}

/// An index that is ready to be asked.
pub(crate) struct Session {
    /// Where it is.
    pub(crate) place: Place,
    /// The view that all of one answer comes from.
    pub(crate) snapshot: Snapshot,
    /// What every answer says of the index.
    pub(crate) status: Status,
}

impl Place {
    /// Finds root, index folder and configuration.
    pub(crate) fn find(global: &Global) -> anyhow::Result<Self> {
        let folder = global
            .index_dir
            .as_ref()
            .map(std::path::absolute)
            .transpose()
            .context("the index folder has no absolute path")?;
        let root = match global.root.first() {
            Some(root) => root.clone(),
            None => find_root(&environment::working_dir()?, folder.as_deref()),
        };
        Self::at(global, &root, folder)
    }

    /// The place of a root, whose index folder may be said to be elsewhere.
    fn at(global: &Global, root: &Path, folder: Option<PathBuf>) -> anyhow::Result<Self> {
        let root = check_root(root, environment::home().as_deref(), global.allow_large_root)?;
        fs::read_dir(&root).map_err(|source| IndexError::Io { path: root.clone(), source })?;
        let folder = folder.unwrap_or_else(|| root.join(INDEX_FOLDER));
        let Remembered { root: owner, corpus } = remembered(&folder);
        let mut config = load(&root)?.with(overrides(&corpus)?);
        config.lexicon.enabled &= !global.no_lexicon;
        let wait = global.wait.map(Duration::from_secs);
        Ok(Self { root, folder, config, corpus, owner, threads: global.threads, wait })
    }

    /// The place with other corpus options than the remembered ones, and its folder free for another root.
    pub(crate) fn with_corpus(
        mut self,
        corpus: &CorpusArgs,
        global: &Global,
    ) -> anyhow::Result<Self> {
        self.config = load(&self.root)?.with(overrides(corpus)?);
        self.config.lexicon.enabled &= !global.no_lexicon;
        self.corpus = corpus.clone();
        self.owner = None;
        Ok(self)
    }

    /// Refuses an index folder that holds the index of another root: one variable for all projects would
    /// have each of them throw away the index of the one before.
    pub(crate) fn check_owner(&self) -> anyhow::Result<()> {
        match &self.owner {
            Some(owner) if *owner != slashed(&self.root) => Err(Problem::OtherRoot {
                folder: self.folder.clone(),
                root: self.root.clone(),
                owner: owner.clone(),
            }
            .into()),
            _ => Ok(()),
        }
    }

    /// The rules of the walk.
    pub(crate) fn walk_options(&self) -> WalkOptions {
        update::walk_options(&self.root, &self.folder, &self.config, self.threads)
    }

    /// A path that a person gave, relative to the root: as seen from the working directory if something is there,
    /// else as seen from the root.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let from_here = environment::working_dir()
            .ok()
            .and_then(|here| fs::canonicalize(here.join(path)).ok())
            .and_then(|path| path.strip_prefix(&self.root).map(Path::to_path_buf).ok());
        slashed(from_here.as_deref().unwrap_or(path))
    }

    /// Builds the index or brings it up to date.
    pub(crate) fn update(
        &self,
        rebuild: bool,
        patience: Duration,
        quiet: bool,
    ) -> anyhow::Result<(Index, UpdateReport)> {
        // The update looks at this itself, but only once it holds a lock, and a lock in a folder of somebody else
        // is a file too many.
        match Index::open(&self.folder) {
            IndexState::Newer { found } => {
                return Err(IndexError::Newer { folder: self.folder.clone(), found }.into());
            }
            IndexState::Foreign => {
                return Err(IndexError::Foreign { folder: self.folder.clone() }.into());
            }
            _ => {}
        }
        let bar = Bar::new(quiet);
        let result = update::update(
            &self.root,
            &self.folder,
            &self.config,
            &UpdateOptions {
                threads: self.threads,
                rebuild,
                now_ns: environment::now_ns(),
                patience: self.wait.unwrap_or(patience),
                progress: &|progress| bar.update(progress),
                cancel: &AtomicBool::new(false),
            },
        );
        bar.finish();
        let (index, report) = result.map_err(|error| self.explained(error))?;
        self.remember()?;
        Ok((index, report))
    }

    /// Like [`update`](Self::update), waiting for other writers as long as it takes them.
    pub(crate) fn update_patiently(
        &self,
        rebuild: bool,
        quiet: bool,
    ) -> anyhow::Result<(Index, UpdateReport)> {
        self.update(rebuild, LONG_PATIENCE, quiet)
    }

    /// Remembers the corpus options for all commands to come, and the root where the folder does not tell it.
    pub(crate) fn remember(&self) -> anyhow::Result<()> {
        let path = self.folder.join(REMEMBERED);
        let is_inside = self.folder.parent() == Some(self.root.as_path());
        let wanted = Remembered {
            root: (!is_inside).then(|| slashed(&self.root)),
            corpus: self.corpus.clone(),
        };
        if wanted == remembered(&self.folder) {
            return Ok(());
        }
        // A reader that sees half of the file takes it for none, and the next `index` writes it again.
        fs::write(&path, serde_json::to_string(&wanted)?)
            .map_err(|source| self.explained(IndexError::Io { path, source }))
    }

    /// An error of writing names the remedy that helps against it: another folder for the index.
    fn explained(&self, error: IndexError) -> anyhow::Error {
        match error {
            IndexError::Io { path, source }
                if path.starts_with(&self.folder) && is_refusal(&source) =>
            {
                Problem::Unwritable { folder: self.folder.clone(), source }.into()
            }
            IndexError::Store(_) => {
                let folder = self.folder.display();
                anyhow::Error::new(error).context(format!("cannot write the index in {folder}"))
            }
            other => other.into(),
        }
    }

    /// The configuration as it is now.
    pub(crate) fn reload(&self) -> Result<Config, IndexError> {
        let message = |error: anyhow::Error| IndexError::Config {
            path: self.folder.join(REMEMBERED),
            line: 0,
            message: error.to_string(),
        };
        let mut config = load(&self.root)?.with(overrides(&self.corpus).map_err(message)?);
        config.lexicon.enabled &= self.config.lexicon.enabled;
        Ok(config)
    }

    /// Opens the index as it is.
    pub(crate) fn open_as_is(&self) -> anyhow::Result<Index> {
        let folder = self.folder.clone();
        Err(match Index::open(&self.folder) {
            IndexState::Ready(index) => return Ok(index),
            IndexState::Missing => Problem::NoIndex { folder }.into(),
            IndexState::Older { found } => Problem::Older { folder, found }.into(),
            IndexState::Damaged { what } => Problem::Damaged { folder, what }.into(),
            IndexState::Newer { found } => IndexError::Newer { folder, found }.into(),
            IndexState::Foreign => IndexError::Foreign { folder }.into(),
        })
    }
}

impl Session {
    /// Opens the index for a query: fresh, unless that was declined or is impossible at the moment.
    pub(crate) fn open(global: &Global, output: &Output) -> anyhow::Result<Self> {
        let place = Place::find(global)?;
        place.check_owner()?;
        if global.no_refresh {
            let index = place.open_as_is()?;
            return Self::new(place, &index, None, Vec::new());
        }
        if let Some(session) = Self::watched(&place)? {
            for note in &session.status.notes {
                output.note(note);
            }
            return Ok(session);
        }
        let is_there = matches!(Index::open(&place.folder), IndexState::Ready(_));
        let patience = if is_there { SHORT_PATIENCE } else { LONG_PATIENCE };
        match place.update(false, patience, global.quiet) {
            Ok((index, report)) => {
                if let Some(reason) = &report.rebuilt {
                    output.note(&format!("the index was rebuilt: {reason}"));
                }
                let mut notes = report.problems;
                for note in &notes {
                    output.note(note);
                }
                notes.extend(
                    report.rebuilt.map(|reason| format!("the index was rebuilt: {reason}")),
                );
                Self::new(place, &index, Some(0), notes)
            }
            Err(error) if is_there && is_passing(&error) => {
                let index = place.open_as_is()?;
                let why = Explained::new(&error).message;
                let note = format!("answered from the index as it is: {why}");
                output.note(&note);
                let plan =
                    update::plan(&place.root, &index, &index.snapshot()?, &place.walk_options())?;
                let n_changed = plan.n_changed().max(u64::from(plan.head_moved()));
                Self::new(place, &index, Some(n_changed), vec![note])
            }
            Err(error) => Err(error),
        }
    }

    /// A session on an index that a watcher keeps fresh, once the watcher has caught up. `None` where none watches, or
    /// one that does not know the present configuration.
    fn watched(place: &Place) -> anyhow::Result<Option<Self>> {
        let waited = wait_fresh(&place.folder, place.wait.unwrap_or(SHORT_PATIENCE));
        // Who may not write into the index folder cannot ask the watcher, and looks at the files.
        let Ok(waited @ (Waited::Fresh | Waited::TimedOut)) = waited else { return Ok(None) };
        let IndexState::Ready(index) = Index::open(&place.folder) else { return Ok(None) };
        let snapshot = index.snapshot()?;
        if snapshot.meta().options != place.config.options_hash() {
            return Ok(None);
        }
        if waited == Waited::Fresh {
            return Self::new(place.clone(), &index, Some(0), Vec::new()).map(Some);
        }
        let plan = update::plan(&place.root, &index, &snapshot, &place.walk_options())?;
        let n_changed = plan.n_changed().max(u64::from(plan.head_moved()));
        let note = "the watcher did not catch up in time".to_owned();
        let notes = if n_changed > 0 { vec![note] } else { Vec::new() };
        Self::new(place.clone(), &index, Some(n_changed), notes).map(Some)
    }

    /// A session on an open index; `n_changed` tells how many files are known to differ from it.
    pub(crate) fn new(
        place: Place,
        index: &Index,
        n_changed: Option<u64>,
        mut notes: Vec<String>,
    ) -> anyhow::Result<Self> {
        let snapshot = index.snapshot()?;
        let meta = snapshot.meta();
        notes.extend(
            meta.history_error.as_ref().map(|error| format!("without commit history: {error}")),
        );
        let status = Status {
            root: slashed(&place.root),
            index: slashed(&place.folder),
            generation: meta.generation,
            head: meta.head.clone(),
            behind: n_changed.map(|n| n > 0),
            n_changed,
            n_files: meta.totals.n_files,
            n_symbols: meta.totals.n_symbols,
            n_partly_parsed: meta.totals.n_partly_parsed,
            skipped: meta.skipped.clone(),
            watching: watching(&place.folder).is_some(),
            notes,
        };
        Ok(Self { place, snapshot, status })
    }
}

/// The configuration of a root, with what the user's git settings leave out everywhere.
fn load(root: &Path) -> Result<Config, IndexError> {
    let mut config = Config::load(root)?;
    config.global_excludes = global_excludes();
    Ok(config)
}

/// The root that a command in the working directory would use.
pub(crate) fn root_here(global: &Global) -> anyhow::Result<PathBuf> {
    let folder = global.index_dir.as_ref().map(std::path::absolute).transpose()?;
    Ok(find_root(&environment::working_dir()?, folder.as_deref()))
}

/// The root for a working directory. `folder` is the index folder, if it is given: then its own root counts, if that
/// is above, and no index that may lie in the tree.
fn find_root(here: &Path, folder: Option<&Path>) -> PathBuf {
    if let Some(root) = folder.and_then(|folder| remembered(folder).root).map(PathBuf::from)
        && here.starts_with(&root)
    {
        return root;
    }
    if folder.is_none() {
        for above in here.ancestors() {
            if above.join(INDEX_FOLDER).join("CURRENT").is_file() {
                return above.to_path_buf();
            }
            if is_linked_work_tree(above) {
                break;
            }
        }
    }
    Repository::discover(here)
        .map_or_else(|| here.to_path_buf(), |repository| repository.top().to_path_buf())
}

/// Whether a folder is the top of a linked git work tree: its `.git` is a file that points into `worktrees`.
fn is_linked_work_tree(folder: &Path) -> bool {
    fs::read_to_string(folder.join(".git")).is_ok_and(|text| {
        text.starts_with("gitdir:") && text.replace('\\', "/").contains("/worktrees/")
    })
}

/// What an index folder remembers; nothing if it cannot be read.
fn remembered(folder: &Path) -> Remembered {
    fs::read_to_string(folder.join(REMEMBERED))
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

/// The corpus options in the words of the indexer.
fn overrides(corpus: &CorpusArgs) -> anyhow::Result<Overrides> {
    let parsed = |what: String| anyhow::Error::msg(what);
    Ok(Overrides {
        include: corpus.include.clone(),
        exclude: corpus.exclude.clone(),
        max_file_size: corpus
            .max_file_size
            .as_deref()
            .map(str::parse)
            .transpose()
            .map_err(parsed)?,
        hidden: corpus.hidden.then_some(true),
        languages: corpus
            .languages
            .as_ref()
            .map(|names| names.iter().map(|name| name.parse()).collect())
            .transpose()
            .map_err(parsed)?,
        follow_links: corpus.follow_links.then_some(true),
        secrets: corpus.secrets.then_some(true),
        history_depth: corpus.history_depth,
        ..Overrides::default()
    })
}

/// Whether an error keeps from writing only, so that an index that is there can still be asked.
fn is_passing(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        matches!(
            cause.downcast_ref::<IndexError>(),
            Some(IndexError::Busy { .. } | IndexError::Store(_))
        ) || matches!(cause.downcast_ref::<Problem>(), Some(Problem::Unwritable { .. }))
    })
}

/// Whether the system refuses to write, rather than failing by the way.
fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::AlreadyExists
    )
}

/// A path with `/` between its names, on every platform.
pub(crate) fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' {
        return text.into_owned();
    }
    text.trim_start_matches(r"\\?\").replace(std::path::MAIN_SEPARATOR, "/")
}
