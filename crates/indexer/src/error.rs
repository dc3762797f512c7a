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
}
