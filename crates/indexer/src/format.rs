//! Versions of what is on disk, and the facts that each commit carries.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the schema and of the stored values. An index of another version is never read.
///
/// History: 1, the first.
pub const FORMAT_VERSION: u32 = 1;

/// Version of the analyzer and of symbol extraction: the same text gives other terms or symbols.
///
/// History: 1, the first.
pub const ANALYZER_VERSION: u32 = 1;

/// Sums over all indexed files, from which average lengths and document counts come. Each file
/// adds its own share and takes it back when it goes, so the sums never drift from those of a fresh index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Indexed files, skipped ones left out.
    pub n_files: u64,
    /// Symbols.
    pub n_symbols: u64,
    /// Bytes of the indexed files.
    pub source_bytes: u64,
    /// Terms of symbol names.
    pub name: u64,
    /// Terms of symbols' containers.
    pub container: u64,
    /// Terms of signatures.
    pub signature: u64,
    /// Terms of doc comments.
    pub doc: u64,
    /// Terms of symbols' code.
    pub body: u64,
    /// Terms of symbols' strings and inner comments.
    pub text: u64,
    /// Terms of folders.
    pub path: u64,
    /// Terms of file names.
    pub file_name: u64,
    /// Terms of the text outside of symbols.
    pub file_text: u64,
    /// Files with syntax errors, whose symbols are kept.
    pub n_partly_parsed: u64,
}

impl Totals {
    fn fields(&mut self) -> [&mut u64; 13] {
        [
            &mut self.n_files,
            &mut self.n_symbols,
            &mut self.source_bytes,
            &mut self.name,
            &mut self.container,
            &mut self.signature,
            &mut self.doc,
            &mut self.body,
            &mut self.text,
            &mut self.path,
            &mut self.file_name,
            &mut self.file_text,
            &mut self.n_partly_parsed,
        ]
    }

    /// Adds the share of a file.
    pub fn add(&mut self, mut share: Totals) {
        for (sum, part) in self.fields().into_iter().zip(share.fields()) {
            *sum = sum.saturating_add(*part);
        }
    }

    /// Takes the share of a file away.
    pub fn remove(&mut self, mut share: Totals) {
        for (sum, part) in self.fields().into_iter().zip(share.fields()) {
            *sum = sum.saturating_sub(*part);
        }
    }
}

/// What a commit says of itself; stored in the same atomic write as the list of its segments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// [`FORMAT_VERSION`] of the writer.
    pub format: u32,
    /// [`ANALYZER_VERSION`] of the writer.
    pub analyzer: u32,
    /// Hash of the options that change the index.
    pub options: u64,
    /// Counts the commits of this index since it was made, from 1.
    pub generation: u64,
    /// The commit that the git work tree was at, if it is one.
    pub head: Option<String>,
    /// Hash of git's list of commits at which a shallow clone is cut off; 0 where there is none. Fetching more of
    /// the history changes it and leaves the checked-out commit as it was.
    #[serde(default)]
    pub shallow: u64,
    /// How many commits back the history goes.
    pub history_depth: usize,
    /// How many commits are in the index.
    pub n_commits: u64,
    /// When the walk that led to this commit began, in nanoseconds since 1970; a file stamped at or after
    /// that time is not trusted to be unchanged.
    pub scan_time_ns: i64,
    /// Sums over the files.
    pub totals: Totals,
    /// Skipped files by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Why the history is missing although there is a repository.
    pub history_error: Option<String>,
}
