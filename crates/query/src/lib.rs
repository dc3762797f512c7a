//! Search and the dispatch, evaluate, refine loop over a view of the index.
pub mod analysis;
pub mod candidates;
pub mod error;
pub mod find;
pub mod history;
pub mod lexicon;
pub mod postings;
pub mod report;
pub mod scoring;
pub mod search;
pub mod syntax;
pub mod weights;

pub use error::Error;
