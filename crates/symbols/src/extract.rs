//! From source text to a [`ParsedFile`]: parse, visit, finish.
//!
//! Parsing never fails. A file with syntax errors keeps every definition whose node the grammar
//! could still form, inside error nodes as well, and says which lines it did not understand.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::finish::finish;
use crate::language::Language;
use crate::limits::{MAX_PARSE_TIME, MAX_SOURCE_BYTES};
use crate::lines::LineIndex;
use crate::symbol::{Diagnostic, DiagnosticKind, ParsedFile, Span};
use crate::visit::visit;

/// The reusable state of extraction; one per thread.
pub struct Extractor {
    parser: Parser,
    time_limit: Duration,
    /// Of the last extraction.
    work: u64,
}

impl Default for Extractor {
    fn default() -> Self {
        Self::new()
    }
}

impl Extractor {
    /// An extractor for any language.
    pub fn new() -> Self {
        Self { parser: Parser::new(), time_limit: MAX_PARSE_TIME, work: 0 }
    }

    /// Reads all symbols, imports, comments and strings of a source text.
    ///
    /// With `is_test`, blocks such as `describe("…")` and `it("…")` are symbols of kind
    /// [`Test`](crate::SymbolKind::Test). Any bytes are accepted: what cannot be read is told in
    /// [`ParsedFile::diagnostics`].
    pub fn extract(
        &mut self,
        source: &[u8],
        language: &'static Language,
        is_test: bool,
    ) -> ParsedFile {
        self.work = 0;
        let lines = LineIndex::new(source);
        let whole = Span { start: 0, end: source.len().min(u32::MAX as usize) as u32 };
        let unread = |kind| ParsedFile {
            language: Some(language),
            source_len: whole.end,
            diagnostics: vec![Diagnostic { kind, lines: lines.of(whole) }],
            ..ParsedFile::default()
        };
        if source.len() > MAX_SOURCE_BYTES {
            return unread(DiagnosticKind::TooLarge);
        }
        let rules = language.rules();
        let (started, limit) = (Instant::now(), self.time_limit);
        let mut out_of_time = || started.elapsed() >= limit;
        let Some(tree) = self.parse(source, language, &mut out_of_time) else {
            return unread(DiagnosticKind::TimedOut);
        };
        let visited = visit(&tree, source, rules, is_test, &mut out_of_time);
        self.work = visited.work;
        finish(visited, source, language, &lines)
    }

    /// Only parses, without a limit, so that its share of the time can be measured.
    #[doc(hidden)]
    pub fn parse_only(&mut self, source: &[u8], language: &'static Language) -> bool {
        self.parse(source, language, &mut || false).is_some()
    }

    /// What the last extraction cost beyond the parse, in nodes visited and steps of matching, so
    /// that its growth can be tested without a clock.
    #[doc(hidden)]
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The syntax tree, or `None` when the time was over before.
    fn parse(
        &mut self,
        source: &[u8],
        language: &'static Language,
        out_of_time: &mut dyn FnMut() -> bool,
    ) -> Option<Tree> {
        self.parser.set_language(&language.grammar()).ok()?;
        let mut progress = |_: &ParseState| {
            if out_of_time() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut read = |at: usize, _| source.get(at..).unwrap_or_default();
        let tree = self.parser.parse_with_options(&mut read, None, Some(options));
        if tree.is_none() {
            // Otherwise the next parse would go on where this one stopped.
            self.parser.reset();
        }
        tree
    }
}

/// Extracts from a single source text that is no test file; see [`Extractor::extract`].
pub fn extract(source: &[u8], language: &'static Language) -> ParsedFile {
    Extractor::new().extract(source, language, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typescript() -> &'static Language {
        Language::by_name("typescript").expect("a row of the table")
    }

    #[test]
    fn a_parse_beyond_the_time_limit_is_given_up_and_told() {
        let source = "export const a = [1, 2, 3];\n".repeat(5_000);
        let mut extractor = Extractor { time_limit: Duration::ZERO, ..Extractor::new() };
        let file = extractor.extract(source.as_bytes(), typescript(), false);
        assert_eq!(file.diagnostics.len(), 1);
        assert_eq!(file.diagnostics[0].kind, DiagnosticKind::TimedOut);
        assert_eq!(file.diagnostics[0].lines.end, 5_000);
        assert!(file.symbols.is_empty());
    }

    #[test]
    fn a_walk_that_runs_out_of_time_keeps_what_was_read_and_tells_the_rest() {
        let source = "export const a = [1, 2, 3];\n".repeat(5_000);
        let mut extractor = Extractor::new();
        let tree = extractor.parse(source.as_bytes(), typescript(), &mut || false).expect("a tree");
        let mut looks = 0;
        let mut out_of_time = || {
            looks += 1;
            looks > 2
        };
        let rules = typescript().rules();
        let visited = visit(&tree, source.as_bytes(), rules, false, &mut out_of_time);
        let lines = LineIndex::new(source.as_bytes());
        let file = finish(visited, source.as_bytes(), typescript(), &lines);
        assert_eq!(file.diagnostics.len(), 1);
        assert_eq!(file.diagnostics[0].kind, DiagnosticKind::TimedOut);
        assert_eq!(file.diagnostics[0].lines.end, 5_000);
        let read = file.diagnostics[0].lines.start as usize;
        assert!((10..1_000).contains(&read), "two looks at the clock take {read} lines");
        assert!(file.symbols.len().abs_diff(read) <= 1, "{} symbols", file.symbols.len());
    }

    #[test]
    fn an_extractor_is_usable_after_a_timeout() {
        let source = "export const a = [1, 2, 3];\n".repeat(5_000);
        let mut extractor = Extractor { time_limit: Duration::ZERO, ..Extractor::new() };
        extractor.extract(source.as_bytes(), typescript(), false);
        extractor.time_limit = MAX_PARSE_TIME;
        let file = extractor.extract(b"class A {}", typescript(), false);
        assert_eq!(file.symbols.len(), 1);
        assert_eq!(file.symbols[0].name, "A");
    }

    #[test]
    fn a_source_beyond_the_size_limit_is_not_parsed_and_told() {
        let source = vec![b'\n'; MAX_SOURCE_BYTES + 1];
        let file = extract(&source, typescript());
        assert_eq!(file.diagnostics.len(), 1);
        assert_eq!(file.diagnostics[0].kind, DiagnosticKind::TooLarge);
    }
}
