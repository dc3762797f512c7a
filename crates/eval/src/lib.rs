//! Measuring retrieval quality as the field does: topics, qrels, runs, measures, comparison.
//!
//! This crate answers "how good is this ranking?" and knows nothing of how a ranking comes about:
//! no index, no analyzer, no parser. Where it needs one of them, the caller hands in a closure or a
//! set of terms. It reads the files it is told to read and runs `git` to mine topics; it never reads
//! the environment, the clock or the network.
//!
//! Invariants that hold everywhere:
//!
//! - The order of lines in an input file never changes a figure, and the same input gives the same
//!   bytes of output: collections iterate in key order and every random draw is seeded.
//! - The semantics of the measures are those of `trec_eval` (see [`measures`]); figures agree with
//!   `ir_measures` to 1e-6.
//! - What is left out of a figure is counted beside it ([`Evaluation`]).

pub mod calibration;
pub mod class;
pub mod compare;
mod csv;
pub mod error;
pub mod evaluation;
pub mod gate;
pub mod latency;
pub mod measures;
pub mod mine;
pub mod output;
pub mod qrels;
pub mod report;
mod rng;
pub mod run;
pub mod suite;
pub mod topic;
pub mod trec;
pub mod tune;

pub use error::{Error, Result};
pub use evaluation::{Evaluation, Mean, TopicScores, evaluate};
pub use measures::Measure;
pub use qrels::{Judgments, Qrels, QrelsFormat};
pub use run::{Hit, Run, RunFormat};
pub use topic::{Class, Topic, TopicFormat, TopicId};
