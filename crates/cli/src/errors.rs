//! From an error to what a person or a program is told: what happened, what to do, and the exit code.
//!
//! Exit codes are an interface. 0: found or done. 1: nothing found. 2: an error. 3: there is no index that can be
//! read. 4: another process is writing the index. "Nothing found" is never an error, and an error is never
//! "nothing found". Interruption is left to the system, so the shell sees 130; the index stays whole at any moment.

use std::fmt::Write as _;
use std::path::PathBuf;

use reseek_eval::Error as EvalError;
use reseek_indexer::Error as IndexError;
use reseek_query::Error as QueryError;
use serde::Serialize;

/// Nothing was found.
pub(crate) const NOTHING_FOUND: u8 = 1;
/// An error.
pub(crate) const FAILED: u8 = 2;
/// No index that can be read.
pub(crate) const NO_INDEX: u8 = 3;
/// Another process is writing the index.
pub(crate) const BUSY: u8 = 4;

/// Errors of the command line itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Problem {
    /// The command line asks for something that does not exist.
    #[error("{message}")]
    Usage {
        /// What is wrong.
        message: String,
        /// What would be right.
        advice: String,
    },
    /// The program met something that it was not written for; what it was stands above on standard error.
    #[error("reseek met something that it was not written for")]
    Defect,
    /// There is no index, and none may be built.
    #[error("there is no index in {}", folder.display())]
    NoIndex {
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// The index is of an earlier version, and may not be rebuilt.
    #[error("the index in {} has version {found}, which an earlier program wrote", folder.display())]
    Older {
        /// The index folder.
        folder: PathBuf,
        /// Versions found.
        found: String,
    },
    /// The index is damaged, and may not be rebuilt.
    #[error("the index in {} is damaged: {what}", folder.display())]
    Damaged {
        /// The index folder.
        folder: PathBuf,
        /// What cannot be read.
        what: String,
    },
    /// The index folder cannot be written.
    #[error("cannot write the index in {}: {source}", folder.display())]
    Unwritable {
        /// The index folder.
        folder: PathBuf,
        /// The reason that the system gave.
        source: std::io::Error,
    },
    /// The index folder holds the index of another root.
    #[error("the index in {} is that of {owner}, not of {}", folder.display(), root.display())]
    OtherRoot {
        /// The index folder.
        folder: PathBuf,
        /// The root that is asked about.
        root: PathBuf,
        /// The root that the index is of.
        owner: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritten {
        /// The file.
        path: PathBuf,
        /// The reason that the system gave.
        source: std::io::Error,
    },
    /// A file that was named cannot be read.
    #[error("cannot read {}: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// An error as it is told.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Explained {
    /// A stable name of the kind of error.
    pub(crate) kind: &'static str,
    /// What happened, with the file or query.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) advice: String,
    /// The exit code.
    #[serde(skip)]
    pub(crate) code: u8,
}

/// The JSON document of an error.
#[derive(Serialize)]
struct Document<'a> {
    error: &'a Explained,
}

impl Explained {
    /// An error of the command line's form, as the parser words it.
    pub(crate) fn usage(text: &str) -> Self {
        let mut message = text.trim_start_matches("error: ").trim().to_owned();
        let advice = match message.find("\n\n") {
            Some(at) => message.split_off(at).trim().to_owned(),
            None => "see `reseek --help`".to_owned(),
        };
        Self { kind: "usage", message, advice, code: FAILED }
    }

    /// What to tell of an error.
    pub(crate) fn new(error: &anyhow::Error) -> Self {
        let (kind, advice, code) = error
            .chain()
            .find_map(|cause| {
                if let Some(problem) = cause.downcast_ref::<Problem>() {
                    return Some(of_problem(problem));
                }
                if let Some(error) = cause.downcast_ref::<IndexError>() {
                    return Some(of_index(error));
                }
                if let Some(error) = cause.downcast_ref::<EvalError>() {
                    return Some(of_eval(error));
                }
                match cause.downcast_ref::<QueryError>()? {
                    QueryError::Index(error) => Some(of_index(error)),
                    QueryError::Query { .. } => Some((
                        "query",
                        "`reseek search --help` shows the language of queries".into(),
                        FAILED,
                    )),
                    QueryError::Cancelled => Some(("cancelled", "run it again".into(), FAILED)),
                    _ => None,
                }
            })
            .unwrap_or_else(|| {
                ("other", "run it again with `--verbose` to see more".to_owned(), FAILED)
            });
        Self { kind, message: message(error), advice, code }
    }

    /// What to tell of an error of the index.
    pub(crate) fn of_index(error: &IndexError) -> Self {
        let (kind, advice, code) = of_index(error);
        Self { kind, message: error.to_string(), advice, code }
    }

    /// The error as one JSON document with its line end.
    pub(crate) fn to_json(&self) -> String {
        // A struct of texts always serialises.
        let mut text = serde_json::to_string(&Document { error: self }).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// The chain of causes in one line, none twice.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.contains(&cause) {
            continue;
        }
        if !text.is_empty() {
            text.push_str(": ");
        }
        let _ = write!(text, "{cause}");
    }
    text
}

fn of_problem(problem: &Problem) -> (&'static str, String, u8) {
    match problem {
        Problem::Usage { advice, .. } => ("usage", advice.clone(), FAILED),
        Problem::Defect => (
            "defect",
            "check the index with `reseek verify`, rebuild it with `reseek index --force`, and report it".to_owned(),
            FAILED,
        ),
        Problem::NoIndex { .. } => (
            "no-index",
            "build it with `reseek index`, or leave `--no-refresh` out".to_owned(),
            NO_INDEX,
        ),
        Problem::Older { .. } => (
            "index-older",
            "rebuild it with `reseek index`, or leave `--no-refresh` out".to_owned(),
            NO_INDEX,
        ),
        Problem::Damaged { .. } => {
            ("index-damaged", "rebuild it with `reseek index --force`".to_owned(), NO_INDEX)
        }
        Problem::Unwritable { .. } => (
            "unwritable",
            "choose a folder for the index with `--index-dir DIR` or RESEEK_INDEX_DIR".to_owned(),
            FAILED,
        ),
        Problem::OtherRoot { .. } => (
            "index-of-other-root",
            "choose another folder with `--index-dir DIR`, or replace that index with `reseek index`"
                .to_owned(),
            NO_INDEX,
        ),
        Problem::Unwritten { .. } => {
            ("unwritten", "choose another place for it, with `--out` or `--output`".to_owned(), FAILED)
        }
        Problem::Unreadable { .. } => {
            ("unreadable", "check the path and its rights".to_owned(), FAILED)
        }
    }
}

fn of_eval(error: &EvalError) -> (&'static str, String, u8) {
    let (kind, advice) = match error {
        EvalError::Read { .. } => ("unreadable", "check the path and its rights"),
        EvalError::Write { .. } => ("unwritten", "choose another place for it, with `--out`"),
        EvalError::Line { .. } => ("format", "correct that line"),
        EvalError::Measure { .. } => {
            ("measure", "write it as in `nDCG@10`, `R@20`, `RR`, `R@8k tokens`")
        }
        EvalError::MissingTokens { .. } => {
            ("tokens", "take the run in JSON lines, which holds token costs")
        }
        EvalError::Topic { .. } => ("topic", "correct the topic, or the suite"),
        EvalError::Incomparable { .. } => ("incomparable", "compare runs over the same topics"),
        EvalError::Git { .. } => ("git", "check the repository and the revision"),
        EvalError::Config { .. } => ("config", "correct the key, or take it out"),
        _ => ("other", "run it again with `--verbose` to see more"),
    };
    (kind, advice.to_owned(), FAILED)
}

pub(crate) fn of_index(error: &IndexError) -> (&'static str, String, u8) {
    match error {
        IndexError::Io { .. } => {
            ("io", "check that the path exists and may be read".to_owned(), FAILED)
        }
        IndexError::Config { .. } => {
            ("config", "correct the line, or take it out".to_owned(), FAILED)
        }
        IndexError::Glob { .. } => {
            ("pattern", "write a path, or a glob such as `packages/*/src/**`".to_owned(), FAILED)
        }
        IndexError::RootNotFound { .. } => {
            ("root-not-found", "give an existing folder with `--root DIR`".to_owned(), FAILED)
        }
        IndexError::RootRefused { .. } => (
            "root-refused",
            "give a project with `--root DIR`, or add `--allow-large-root`".to_owned(),
            FAILED,
        ),
        IndexError::Threads { .. } => {
            ("threads", "ask for fewer with `--threads N`".to_owned(), FAILED)
        }
        IndexError::Store(_) if error.is_damage() => {
            ("index-damaged", "rebuild it with `reseek index --force`".to_owned(), NO_INDEX)
        }
        IndexError::Store(_) => (
            "store",
            "check the free space on that disk, or choose another folder with `--index-dir DIR`"
                .to_owned(),
            FAILED,
        ),
        IndexError::Damaged { .. } => {
            ("index-damaged", "rebuild it with `reseek index --force`".to_owned(), NO_INDEX)
        }
        IndexError::Busy { .. } => {
            ("busy", "wait for that process and run it again".to_owned(), BUSY)
        }
        IndexError::Newer { .. } => (
            "index-newer",
            "use the newer program, or another folder with `--index-dir DIR`".to_owned(),
            NO_INDEX,
        ),
        IndexError::Foreign { .. } => {
            ("index-foreign", "choose another folder with `--index-dir DIR`".to_owned(), NO_INDEX)
        }
        IndexError::NoIndex { .. } => {
            ("no-index", "build it with `reseek index`".to_owned(), NO_INDEX)
        }
        IndexError::Older { .. } => {
            ("index-older", "rebuild it with `reseek index`".to_owned(), NO_INDEX)
        }
        IndexError::WatchLimit => {
            ("watch-limit", "raise the limit, or use `reseek watch --poll`".to_owned(), FAILED)
        }
        IndexError::Cancelled => ("cancelled", "run it again".to_owned(), FAILED),
        _ => ("other", "run it again with `--verbose` to see more".to_owned(), FAILED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(error: impl Into<anyhow::Error>, kind: &str, code: u8) {
        let explained = Explained::new(&error.into());
        assert_eq!((explained.kind, explained.code), (kind, code));
        assert!(!explained.message.is_empty() && !explained.advice.is_empty());
    }

    #[test]
    fn each_state_of_the_index_has_its_kind_and_code() {
        let folder = PathBuf::from("x");
        check(Problem::NoIndex { folder: folder.clone() }, "no-index", NO_INDEX);
        check(
            Problem::Damaged { folder: folder.clone(), what: "w".into() },
            "index-damaged",
            NO_INDEX,
        );
        check(
            Problem::Older { folder: folder.clone(), found: "0.1".into() },
            "index-older",
            NO_INDEX,
        );
        check(
            IndexError::Newer { folder: folder.clone(), found: "9.9".into() },
            "index-newer",
            NO_INDEX,
        );
        check(IndexError::Foreign { folder }, "index-foreign", NO_INDEX);
        check(IndexError::Busy { holder: "process 1".into() }, "busy", BUSY);
    }

    #[test]
    fn an_error_of_the_index_is_the_same_through_a_query() {
        check(QueryError::Index(IndexError::Busy { holder: "process 1".into() }), "busy", BUSY);
    }

    #[test]
    fn a_cause_that_the_message_holds_already_is_not_told_twice() {
        let source = std::io::Error::other("disk on fire");
        let error = anyhow::Error::new(Problem::Unwritable { folder: "x".into(), source });
        assert_eq!(message(&error), "cannot write the index in x: disk on fire");
    }

    #[test]
    fn what_the_parser_says_is_split_into_message_and_advice() {
        let explained =
            Explained::usage("error: unexpected argument '--x' found\n\nUsage: reseek [OPTIONS]\n");
        assert_eq!(explained.message, "unexpected argument '--x' found");
        assert_eq!(explained.advice, "Usage: reseek [OPTIONS]");
    }
}
