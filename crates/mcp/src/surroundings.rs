//! What the server takes from the process that runs it: places, advice, and the clock.
//!
//! The library reads neither environment nor configuration of the user; it is told. That keeps its answers
//! repeatable, and the rules for finding a root and an index folder in one place, the command line.

use std::path::{Path, PathBuf};

use reseek_indexer::corpus::WalkOptions;
use reseek_indexer::{Config, Error as IndexError, update};

/// Where the files and the index of a root are, and by what configuration.
#[derive(Clone, Debug)]
pub struct Place {
    /// The root, without symbolic links.
    pub root: PathBuf,
    /// The index folder; need not exist.
    pub folder: PathBuf,
    /// The configuration.
    pub config: Config,
    /// Threads to walk and parse with; 0 for one per core.
    pub threads: usize,
}

impl Place {
    /// The rules of the walk.
    pub fn walk_options(&self) -> WalkOptions {
        update::walk_options(&self.root, &self.folder, &self.config, self.threads)
    }
}

/// Why a tool cannot answer, as it is told to its caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// A stable name of the kind of reason.
    pub kind: &'static str,
    /// What is wrong, with the path or query.
    pub message: String,
    /// What to do about it, with the command where there is one.
    pub advice: String,
}

impl Refusal {
    /// A refusal from its parts.
    pub fn new(kind: &'static str, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind, message: message.into(), advice: advice.into() }
    }
}

/// What the process that runs the server knows and the library must not look up.
pub trait Surroundings: Send + Sync + 'static {
    /// The place of a root, with its configuration as it is now.
    fn place(&self, root: &Path) -> Result<Place, Refusal>;
    /// The root to serve when neither the command line nor the client names one.
    fn default_root(&self) -> Result<PathBuf, Refusal>;
    /// Called after every update that succeeded, so that later commands find the index again.
    fn updated(&self, place: &Place) -> Result<(), Refusal>;
    /// What to tell of an error, and what to do about it.
    fn explain(&self, error: &IndexError) -> Refusal;
    /// Nanoseconds since 1970.
    fn now_ns(&self) -> i64;
}
