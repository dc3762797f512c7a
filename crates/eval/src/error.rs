//! The one error type of the crate.
//!
//! Each variant carries what a reader needs to act: the file and line, the topic, or the command.
//! The [`std::error::Error::source`] chain holds the cause where there is one.

use std::path::{Path, PathBuf};

use crate::topic::TopicId;

/// The result of a fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong while reading, measuring, mining or writing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file or folder could not be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A line of an input file is not what its format says.
    #[error("{}:{line}: expected {expected}, found {found}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, one-based.
        line: usize,
        /// What the format wants there.
        expected: String,
        /// What is there instead.
        found: String,
    },
    /// A value cannot be written in a format that has no escapes.
    #[error(
        "{value:?} cannot be written as {format}, which has no escape for tabs and line breaks"
    )]
    Unwritable {
        /// The value.
        value: String,
        /// The format.
        format: &'static str,
    },
    /// A name that is no measure.
    #[error("unknown measure `{name}`: {expected}")]
    Measure {
        /// The name as given.
        name: String,
        /// What would have been understood.
        expected: String,
    },
    /// A measure over token costs met a document without one.
    #[error("topic {topic}: the run gives no token cost for {doc}, which {measure} needs")]
    MissingTokens {
        /// The topic.
        topic: TopicId,
        /// The document without a cost.
        doc: String,
        /// The measure, as printed.
        measure: String,
    },
    /// A topic that contradicts itself.
    #[error("topic {topic}: {problem}")]
    Topic {
        /// The topic.
        topic: TopicId,
        /// What is wrong with it.
        problem: String,
    },
    /// Two evaluations that do not cover the same topics or measures cannot be compared.
    #[error("the runs cannot be compared: {problem}")]
    Incomparable {
        /// The first difference found.
        problem: String,
    },
    /// `git` failed or answered something unexpected.
    #[error("git {command} in {}: {message}", repository.display())]
    Git {
        /// The repository.
        repository: PathBuf,
        /// The arguments, joined by spaces.
        command: String,
        /// The last line that git printed on stderr, or what was wrong with its answer.
        message: String,
    },
    /// A suite or manifest that does not hold together.
    #[error("{}: {problem}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// The key and what is wrong with it.
        problem: String,
    },
}

impl Error {
    /// An [`Error::Line`].
    pub(crate) fn line(
        path: &Path,
        line: usize,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Error {
        Error::Line { path: path.to_owned(), line, expected: expected.into(), found: found.into() }
    }
}

/// The text of a file; a byte order mark at its start is dropped.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| Error::Read { path: path.to_owned(), source })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// Writes a whole file.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|source| Error::Write { path: path.to_owned(), source })
}

/// The lines of `text` that are not blank, with their one-based numbers.
pub(crate) fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(i, line)| (i + 1, line)).filter(|(_, line)| {
        // A line of spaces carries nothing in any of the formats.
        !line.trim().is_empty()
    })
}

/// One JSON value per line, with the line number of each.
pub(crate) fn parse_json_lines<T: serde::de::DeserializeOwned>(
    text: &str,
    path: &Path,
    expected: &str,
) -> Result<Vec<(usize, T)>> {
    numbered_lines(text)
        .map(|(number, line)| match serde_json::from_str(line) {
            Ok(value) => Ok((number, value)),
            Err(error) => Err(Error::line(path, number, expected, error.to_string())),
        })
        .collect()
}

/// One JSON value per line, each line ended.
pub(crate) fn to_json_lines<'a, T: serde::Serialize + 'a>(
    values: impl IntoIterator<Item = &'a T>,
) -> String {
    let mut text = String::new();
    for value in values {
        // Plain structs of strings and numbers: serialisation into memory has no way to fail.
        text.push_str(&serde_json::to_string(value).unwrap_or_default());
        text.push('\n');
    }
    text
}
