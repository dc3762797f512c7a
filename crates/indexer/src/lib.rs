//! From a corpus of files to an index: the walk, the contents, the history, and what is kept of them.

pub mod analyzer;
pub mod classify;
pub mod config;
pub mod corpus;
mod directory;
pub mod documents;
pub mod entry;
pub mod error;
pub mod format;
pub mod git;
mod plan;
pub mod schema;
pub mod snapshot;
mod stamps;
pub mod store;
pub mod update;
pub mod verify;
pub mod watch;

pub use config::Config;
pub use error::Error;
pub use snapshot::Snapshot;
pub use store::{Index, IndexState};
