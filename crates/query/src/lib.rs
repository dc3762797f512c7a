//! Search and the dispatch, evaluate, refine loop over a view of the index.
pub mod analysis;
pub mod candidates;
pub mod error;
pub mod history;
pub mod lexicon;
pub mod postings;
pub mod scoring;
pub mod weights;

pub use error::Error;
