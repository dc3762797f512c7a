//! From a corpus of files to an index: the walk, the contents, the history, and what is kept of them.

pub mod config;
pub mod corpus;
pub mod error;
pub mod git;

pub use error::Error;
