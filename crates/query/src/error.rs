//! The errors of this crate.

/// What can go wrong when a query is read or answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] reseek_indexer::Error),
    /// A query or a pattern does not say what it must.
    #[error("bad query `{query}`: {message}")]
    Query {
        /// The query or the part of it that is wrong.
        query: String,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// The caller's time limit ran out or the caller cancelled.
    #[error("stopped before the answer was complete")]
    Cancelled,
}
