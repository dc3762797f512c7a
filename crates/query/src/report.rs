//! What a retrieval answers: files with relevance and reasons, the trace of all cycles, and what is still missing.
//!
//! These types are the JSON of `reseek retrieve`; the command line adds a `status` beside them. Lines are
//! one-based and inclusive. Numbers are rounded so that they print the same everywhere.

use serde::Serialize;

/// Classes of relevance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    /// Below 0.2: excluded for the rest of the loop.
    None,
    /// From 0.2: tangential.
    Low,
    /// From 0.5: related patterns or types.
    Medium,
    /// From 0.8: directly implements the target.
    High,
}

impl Band {
    /// The band of a relevance between 0 and 1.
    pub fn of(relevance: f32) -> Self {
        if relevance >= 0.8 {
            Self::High
        } else if relevance >= 0.5 {
            Self::Medium
        } else if relevance >= 0.2 {
            Self::Low
        } else {
            Self::None
        }
    }
}

/// Where a term of the query came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The task's own word.
    Task,
    /// The caller's own keyword.
    Caller,
    /// A word of the index with the same stem, or the task's words joined or split as the code does.
    Stem,
    /// A short or long form (`config`, `cfg`).
    Abbreviation,
    /// The lexicon of everyday phrases and synonyms.
    Lexicon,
    /// Names of symbols whose doc comments use the task's words.
    Comment,
    /// Names of files that were changed by commits whose messages use the task's words.
    History,
    /// Identifiers that the best files of the cycle before have in common, or that they use without defining.
    Feedback,
}

/// Every origin of expansion terms that can be switched off.
pub const EXPANSIONS: [Origin; 6] = [
    Origin::Stem,
    Origin::Abbreviation,
    Origin::Lexicon,
    Origin::Comment,
    Origin::History,
    Origin::Feedback,
];

impl Origin {
    /// The name in output and in switches.
    pub fn name(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Caller => "caller",
            Self::Stem => "stem",
            Self::Abbreviation => "abbreviation",
            Self::Lexicon => "lexicon",
            Self::Comment => "comment",
            Self::History => "history",
            Self::Feedback => "feedback",
        }
    }
}

/// The answer to a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Retrieval {
    /// The task as given.
    pub task: String,
    /// The files at or above the threshold, most relevant first; ties break by path.
    pub results: Vec<FileResult>,
    /// Every cycle that ran.
    pub cycles: Vec<Cycle>,
    /// What the task or a highly relevant file needs and no highly relevant file provides.
    pub gaps: Vec<Gap>,
    /// Why the loop ended.
    pub stop: Stop,
    /// Candidates that were judged, over all cycles, each once.
    pub n_judged: usize,
    /// How many files reached the threshold but not the limit.
    pub n_cut: usize,
}

/// A relevant file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileResult {
    /// Path relative to the root.
    pub path: String,
    /// 0 to 1, comparable between tasks; three decimals.
    pub relevance: f32,
    /// The class of the relevance.
    pub band: Band,
    /// Why, in one line.
    pub reason: String,
    /// Why, as data.
    pub evidence: Vec<Evidence>,
    /// Its symbols worth reading, best first.
    pub symbols: Vec<SymbolResult>,
    /// What it needs that no relevant file provides.
    pub missing_context: Vec<String>,
    /// Number of lines.
    pub n_lines: u32,
    /// The cycle that found it, from 1.
    pub found_in_cycle: u32,
}

/// One match that speaks for a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The word of the task.
    pub word: String,
    /// The term that matched.
    pub term: String,
    /// Where the term came from.
    pub origin: Origin,
    /// The fields that it matched, strongest first.
    pub fields: Vec<&'static str>,
}

/// A symbol of an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SymbolResult {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Dotted names around it; empty at the top.
    pub container: String,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Score within this answer, 0 to 1, relative to the best symbol; three decimals.
    pub score: f32,
}

/// One dispatch, evaluation and refinement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cycle {
    /// From 1.
    pub cycle: u32,
    /// What was searched for.
    pub query: CycleQuery,
    /// How many files the search returned.
    pub candidates: usize,
    /// The best of them with their relevance, most relevant first.
    pub evaluation: Vec<Evaluation>,
    /// Why the loop ended here; absent if it went on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
}

/// The query of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CycleQuery {
    /// Globs and paths to search in; empty for everywhere.
    pub patterns: Vec<String>,
    /// Weighted terms.
    pub keywords: Vec<Keyword>,
    /// Globs and paths left out.
    pub excludes: Vec<String>,
    /// The gaps that this cycle aims at.
    pub focus_areas: Vec<String>,
}

/// A weighted term.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keyword {
    /// The term as people write it, or the code's own word.
    pub term: String,
    /// Weight; 1 for a plain word of the task; three decimals.
    pub weight: f32,
    /// Where it came from.
    pub origin: Origin,
    /// The word or phrase of the task that it stands for, if it is not that word itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<String>,
}

/// The judgement of one file in one cycle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Path relative to the root.
    pub path: String,
    /// 0 to 1; three decimals.
    pub relevance: f32,
    /// The class.
    pub band: Band,
    /// Why, in one line.
    pub reason: String,
    /// What it needs that no highly relevant file provides.
    pub missing_context: Vec<String>,
}

/// Why the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// At least three files are relevant and no critical gap is left.
    Sufficient,
    /// The refinement brought no new term or the cycle no new file.
    NothingNew,
    /// The limit of cycles is reached.
    MaxCycles,
}

/// What kind of thing is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GapKind {
    /// A concept of the task that no relevant file covers.
    Concept,
    /// A name that relevant files import and whose definition is not among the results.
    Definition,
}

/// Something missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// The concept's words, or the name.
    pub name: String,
    /// What kind of thing.
    pub kind: GapKind,
    /// Whether it carries much of the task's weight.
    pub critical: bool,
    /// The files that need it; empty for a concept of the task.
    pub needed_by: Vec<String>,
}

/// Rounds to three decimals.
pub(crate) fn rounded(value: f32) -> f32 {
    (value * 1000.0).round() / 1000.0
}
