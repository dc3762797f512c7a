//! The errors of this crate, one enum, each variant carrying the path or the pattern that it speaks of.
//!
//! A file that cannot be indexed is not an error: it is a [`SkipReason`](crate::corpus::SkipReason) in the
//! report. Errors are for what stops a whole operation, or for what a person has to put right.

use std::path::PathBuf;

/// What can go wrong in this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused to read or write `path`.
    #[error("cannot access {}: {source}", path.display())]
    Io {
        /// The file or folder that was asked for.
        path: PathBuf,
        /// The reason that the operating system gave.
        #[source]
        source: std::io::Error,
    },
    /// The configuration file does not say what it must. The message names the key and what would be right.
    #[error("{}:{line}: {message}", path.display())]
    Config {
        /// The configuration file, or the place on the command line.
        path: PathBuf,
        /// One-based line; 0 where the text has no line, as for command line flags.
        line: usize,
        /// What is wrong, with the key and the nearest right spelling where there is one.
        message: String,
    },
    /// A pattern of the configuration, the command line or an ignore file cannot be read as a glob.
    #[error("bad pattern `{pattern}`: {message}")]
    Glob {
        /// The pattern as it was written, with its file and line where it has them.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// A git process failed. An index works without history, so callers report this and carry on.
    #[error("`{command}` failed: {message}")]
    Git {
        /// The command, without options that only isolate it from the user's settings.
        command: String,
        /// The first lines that git wrote to its error stream, or why it could not be started.
        message: String,
    },
    /// Git refuses the repository because another user owns it. The remedy is git's `safe.directory` setting.
    #[error(
        "git refuses {}: it belongs to another user; allow it with `git config --global --add safe.directory {}`",
        path.display(),
        path.display()
    )]
    GitOwnership {
        /// The work tree that git refuses.
        path: PathBuf,
    },
    /// The root folder does not exist, or is not a folder.
    #[error("no folder at {}", path.display())]
    RootNotFound {
        /// The root as it was given.
        path: PathBuf,
    },
    /// The root is the whole disk or a home folder, which nearly always is a mistake.
    #[error("refusing to index {}: it is {what}; allow it explicitly if that is what you want", path.display())]
    RootRefused {
        /// The root, with symbolic links resolved.
        path: PathBuf,
        /// What the root is, in words.
        what: &'static str,
    },
    /// The operating system gave no thread.
    #[error("cannot start {threads} threads: {message}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The reason that the operating system gave.
        message: String,
    },
    /// The store below the index failed.
    #[error("the index store failed: {0}")]
    Store(#[from] tantivy::TantivyError),
    /// The index cannot be read as what it should be; `reseek index --force` builds it anew.
    #[error("the index is damaged: {what}")]
    Damaged {
        /// What could not be read.
        what: String,
    },
    /// Another writer holds the index.
    #[error("the index is being written by {holder}")]
    Busy {
        /// Who holds it.
        holder: String,
    },
    /// The index was written by a later version of the program.
    #[error("the index in {} has version {found}, which is newer than this program reads", folder.display())]
    Newer {
        /// The index folder.
        folder: PathBuf,
        /// Versions found, as `format.analyzer`.
        found: String,
    },
    /// There is no index where one is needed.
    #[error("no index in {}", folder.display())]
    NoIndex {
        /// The index folder.
        folder: PathBuf,
    },
    /// The index was written by an earlier version of the program; the next update builds it anew.
    #[error("the index in {} has version {found}, which is older than this program reads", folder.display())]
    Older {
        /// The index folder.
        folder: PathBuf,
        /// Versions found, as `format.analyzer`.
        found: String,
    },
    /// The folder for the index holds something else.
    #[error("{} is not an index folder and is not empty", folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
    },
    /// The operating system watches no further folders for this user. The tree can still be looked at from time to time.
    #[error("the system's limit of watched folders is reached; raise fs.inotify.max_user_watches")]
    WatchLimit,
    /// The caller gave up; the index stays as it was.
    #[error("stopped before the index was written; it is as it was")]
    Cancelled,
}

impl Error {
    /// Whether the index on disk is not what a writer left there, so that only building it anew helps.
    pub fn is_damage(&self) -> bool {
        use std::io::ErrorKind::{InvalidData, UnexpectedEof};
        match self {
            Self::Damaged { .. } => true,
            Self::Store(error) => match error {
                tantivy::TantivyError::DataCorruption(_)
                | tantivy::TantivyError::OpenReadError(_)
                | tantivy::TantivyError::IncompatibleIndex(_) => true,
                tantivy::TantivyError::IoError(error) => {
                    matches!(error.kind(), InvalidData | UnexpectedEof)
                }
                _ => false,
            },
            _ => false,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(source: std::io::Error) -> Self {
        Self::Store(source.into())
    }
}
