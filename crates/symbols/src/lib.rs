//! Symbols, references and imports of a source text: pure functions over bytes, no file access.
//!
//! The way in is [`Extractor`], or [`extract`] for a single text. Parsing never fails: the value
//! holds all that could be read, and [`ParsedFile::diagnostics`] says what could not. Which symbols
//! there are is decided by query files, one folder per language; see `languages/README.md`.

mod doc;
mod extract;
mod finish;
mod language;
pub mod limits;
mod lines;
mod pattern;
mod references;
mod rules;
mod symbol;
mod visit;

pub use extract::{Extractor, extract};
pub use language::Language;
pub use references::{each_reference, own_ranges, references};
pub use symbol::{Diagnostic, DiagnosticKind, Import, Lines, ParsedFile, Span, Symbol, SymbolKind};
