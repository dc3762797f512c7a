//! Bytes to lines: where each line starts.

use crate::symbol::{Lines, Span};

/// The first byte of every line.
pub(crate) struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Finds the line feeds of a source; other line ends do not count, as in editors' line numbers.
    pub(crate) fn new(source: &[u8]) -> Self {
        let mut starts = vec![0];
        let feeds = source.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        starts.extend(feeds.map(|(at, _)| at as u32 + 1));
        Self { starts }
    }

    /// The one-based line of a byte.
    pub(crate) fn line(&self, byte: u32) -> u32 {
        self.starts.partition_point(|start| *start <= byte) as u32
    }

    /// The lines that a span touches; an empty span has one.
    pub(crate) fn of(&self, span: Span) -> Lines {
        let last = span.end.saturating_sub(1).max(span.start);
        Lines { start: self.line(span.start), end: self.line(last) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, span: (u32, u32), expected: (u32, u32)) {
        let lines = LineIndex::new(source.as_bytes()).of(Span { start: span.0, end: span.1 });
        assert_eq!((lines.start, lines.end), expected);
    }

    #[test]
    fn the_line_feed_belongs_to_the_line_it_ends() {
        check("a\nb\n", (0, 2), (1, 1));
        check("a\nb\n", (0, 3), (1, 2));
        check("a\nb\n", (2, 3), (2, 2));
    }

    #[test]
    fn an_empty_span_has_the_line_of_its_start() {
        check("", (0, 0), (1, 1));
        check("a\nb", (2, 2), (2, 2));
    }
}
