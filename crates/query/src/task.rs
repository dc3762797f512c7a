//! The request: a task in plain words and how to go about it.

use crate::report::Origin;

/// Relevance from which a file counts as relevant.
pub const DEFAULT_THRESHOLD: f32 = 0.7;
/// Cycles at most.
pub const DEFAULT_MAX_CYCLES: u32 = 3;
/// Files at most in an answer.
pub const DEFAULT_LIMIT: usize = 20;
/// Files that a cycle judges.
pub const DEFAULT_CANDIDATES: usize = 200;

/// A task and how to go about it.
///
/// ```
/// use reseek_query::Task;
///
/// let task = Task::new("Fix the token expiry bug").pattern("packages/auth").max_cycles(2);
/// assert_eq!(task.text, "Fix the token expiry bug");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// What is to be done, in plain words; may be a long description whose first line is the title.
    pub text: String,
    /// Globs, folders or files to search in; empty for everywhere.
    pub patterns: Vec<String>,
    /// Words of the caller's own that the first query holds besides those of the text.
    pub keywords: Vec<String>,
    /// Globs, folders or files to leave out.
    pub excludes: Vec<String>,
    /// Gaps that the caller knows of: words or names that the loop should find files for.
    pub focus_areas: Vec<String>,
    /// Cycles at most, from 1.
    pub max_cycles: u32,
    /// Relevance from which a file is a result, 0 to 1.
    pub threshold: f32,
    /// Results at most.
    pub limit: usize,
    /// Origins of expansion terms that are switched off.
    pub without: Vec<Origin>,
    /// Files that a cycle judges.
    pub candidates: usize,
}

impl Task {
    /// A task with the defaults.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            patterns: Vec::new(),
            keywords: Vec::new(),
            excludes: Vec::new(),
            focus_areas: Vec::new(),
            max_cycles: DEFAULT_MAX_CYCLES,
            threshold: DEFAULT_THRESHOLD,
            limit: DEFAULT_LIMIT,
            without: Vec::new(),
            candidates: DEFAULT_CANDIDATES,
        }
    }

    /// Searches only in files that match this glob, folder or file; may be called more than once.
    #[must_use]
    pub fn pattern(mut self, pattern: impl Into<String>) -> Self {
        self.patterns.push(pattern.into());
        self
    }

    /// Adds a word of the caller's own to the first query.
    #[must_use]
    pub fn keyword(mut self, keyword: impl Into<String>) -> Self {
        self.keywords.push(keyword.into());
        self
    }

    /// Leaves out files that match this glob, folder or file.
    #[must_use]
    pub fn exclude(mut self, pattern: impl Into<String>) -> Self {
        self.excludes.push(pattern.into());
        self
    }

    /// Names a gap that the loop should find files for.
    #[must_use]
    pub fn focus_area(mut self, area: impl Into<String>) -> Self {
        self.focus_areas.push(area.into());
        self
    }

    /// Sets the most cycles that run; at least one does.
    #[must_use]
    pub fn max_cycles(mut self, max_cycles: u32) -> Self {
        self.max_cycles = max_cycles.max(1);
        self
    }

    /// Sets the relevance from which a file is a result.
    #[must_use]
    pub fn threshold(mut self, threshold: f32) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets how many results there are at most.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Switches an origin of expansion terms off.
    #[must_use]
    pub fn without(mut self, origin: Origin) -> Self {
        self.without.push(origin);
        self
    }
}
