//! The corpus: which files below a root are indexed, and what is in them.
//!
//! [`walk`](walk::walk) lists the files, [`Checker`] answers the same question for one path,
//! and [`read`](read::read) fetches and judges the contents. All three decide by one set of rules, so a
//! watcher that looks at a single path never disagrees with a walk.
//!
//! # The rules
//!
//! A path is judged from the root downwards; a folder that is out takes all below it along. The first of
//! these that speaks decides:
//!
//! 1. `.git` and the index folder are always out. So are linked git work trees inside the root: they hold a
//!    second copy of the same files.
//! 2. `exclude` of the configuration and the command line; a leading `!` brings back. The last match wins.
//! 3. `.reseekignore`, nearest folder first, with the syntax of `.gitignore`; `!` brings back.
//! 4. Hidden names (a leading dot) unless `hidden = true`, and `node_modules`.
//! 5. `.ignore`, nearest folder first.
//! 6. `.gitignore`, nearest folder first, up to the top of the git repository that holds the path. Where no
//!    repository does (an unpacked archive), up to the root.
//! 7. Inside a repository: its `info/exclude`, then the user's global excludes if the caller names the file.
//!
//! `include` narrows what is left. Ignore files above the root count only up to the top of the git repository
//! that holds the root, never outside one. Only rules 2 and 3 can bring back what rule 4 leaves out, because
//! a `!/*/` in a `.gitignore` speaks of what git tracks, not of what is worth searching.
//!
//! Files that are committed and yet match an ignore rule stay out: the walk reads rules, not git's index, so
//! that it gives the same answer in a clone, in an archive and in a watcher. [`Checker`] names
//! the rule, and a `!` line in `.reseekignore` brings such files in.
//!
//! Submodules and repositories nested in the root are indexed like folders; the outer `.gitignore` files end
//! at their top. This module never imports the index.

pub mod check;
pub mod kind;
pub mod pattern;
pub mod read;
mod rules;
pub mod walk;
pub(crate) mod watch;

#[cfg(test)]
mod tests;

pub use check::{Checker, Explanation, Verdict, explain};
pub use kind::FileKind;
pub use pattern::PathPattern;
pub use read::{Contents, Outcome};
pub use rules::Rule;
pub use walk::{FoundFile, SkipReason, Skipped, Walk, WalkOptions};
