//! Symbols, references and imports of a source text: pure functions over bytes, no file access.
//!
//! The way in is [`extract`]. Parsing never fails: the value holds all that could be read, and
//! [`ParsedFile::diagnostics`] says what could not.

pub mod limits;
mod symbol;

pub use symbol::{Diagnostic, DiagnosticKind, Import, Lines, ParsedFile, Span, Symbol, SymbolKind};
