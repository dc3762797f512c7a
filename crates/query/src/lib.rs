//! Search and the dispatch, evaluate, refine loop over a view of the index.
pub mod analysis;
pub mod candidates;
pub mod concepts;
pub mod error;
pub mod evaluate;
pub mod features;
pub mod find;
pub mod history;
pub mod lexicon;
pub mod links;
pub mod model;
pub mod postings;
pub mod refine;
pub mod report;
pub mod retrieve;
pub mod scoring;
pub mod search;
pub mod syntax;
pub mod task;
pub mod weights;

pub use error::Error;
pub use lexicon::Lexicon;
pub use report::Retrieval;
pub use reseek_indexer::Index;
pub use retrieve::retrieve;
pub use task::Task;
