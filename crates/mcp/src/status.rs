//! What every answer says of the index that it came from: how fresh it is, and what it does not hold.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::text::{count, grouped};

/// What every answer says of the index that it came from.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// The root.
    pub root: String,
    /// The index folder.
    pub index: String,
    /// Number of the commit of the index.
    pub generation: u64,
    /// The git commit that the index was built at; absent outside of git.
    pub head: Option<String>,
    /// Whether files are known to have changed since; absent when nobody looked.
    pub behind: Option<bool>,
    /// How many files are known to have changed since; absent when nobody looked.
    pub n_changed: Option<u64>,
    /// Indexed files.
    pub n_files: u64,
    /// Symbols.
    pub n_symbols: u64,
    /// Files with syntax errors; their symbols are kept.
    pub n_partly_parsed: u64,
    /// Files that are not indexed, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Whether a running `watch` keeps the index fresh.
    pub watching: bool,
    /// What else the reader of an answer should know.
    pub notes: Vec<String>,
}

impl Status {
    /// How fresh the index is, in one phrase.
    pub fn freshness(&self) -> String {
        let head = self.head.as_ref().map(|head| format!(" at {}", head.get(..10).unwrap_or(head)));
        let state = match self.n_changed {
            Some(0) => "up to date".to_owned(),
            Some(n) => format!("BEHIND by {}", count(n, "file")),
            None => "not compared with the files".to_owned(),
        };
        format!("index generation {}{}, {state}", self.generation, head.unwrap_or_default())
    }

    /// What was searched and what was not, in one phrase.
    pub fn coverage(&self) -> String {
        let mut text =
            format!("{} with {}", count(self.n_files, "file"), count(self.n_symbols, "symbol"));
        if !self.skipped.is_empty() {
            let skipped: Vec<String> = self
                .skipped
                .iter()
                .map(|(reason, n)| format!("{} {reason}", grouped(*n)))
                .collect();
            text.push_str("; not indexed: ");
            text.push_str(&skipped.join(", "));
        }
        text
    }
}
