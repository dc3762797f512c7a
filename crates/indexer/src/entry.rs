//! What the index stores of a file: its table of symbols and its imports, in one compact record.
//!
//! Source text is not stored. Signatures, doc comments and bodies are spans; whoever shows them reads
//! the file and compares its hash first.

use reseek_symbols::{Lines, Span, SymbolKind};
use serde::{Deserialize, Serialize};

use crate::corpus::SkipReason;
use crate::format::Totals;

/// What tells whether a file may have changed without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Length in bytes.
    pub size: u64,
    /// Last change of the contents, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Last change of contents, name or attributes, same unit; 0 where the platform does not tell.
    pub ctime_ns: i64,
}

/// The clock that stamps files moves in steps and lags behind the one that programs read by up to one of them; a step
/// of Linux is at most 10 ms.
const TICK_NS: i64 = 20_000_000;
/// The step of file systems that keep whole seconds; the coarsest of them counts in twos.
const COARSE_TICK_NS: i64 = 2_000_000_000;

impl Stamp {
    /// Whether the file may have been changed at or after `time_ns`, so that an equal stamp proves nothing.
    ///
    /// Where the platform tells when the attributes changed, that alone counts: every change of contents moves it and no
    /// program can set it. So a tree unpacked with times in the future is not read again and again.
    pub fn is_racy(self, time_ns: i64) -> bool {
        let last = if self.ctime_ns == 0 { self.mtime_ns } else { self.ctime_ns };
        let tick = if last % 1_000_000_000 == 0 { COARSE_TICK_NS } else { TICK_NS };
        last >= time_ns.saturating_sub(tick)
    }
}

/// Facts about a file that ranking and reports use, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileFlags(pub u64);

/// Place of the reason in the flags of a skipped file.
const REASON_SHIFT: u32 = 8;

impl FileFlags {
    /// A test, a spec, or inside a test folder.
    pub const TEST: u64 = 1;
    /// A declaration file (`.d.ts`).
    pub const DECLARATION: u64 = 1 << 1;
    /// A file that mostly re-exports others.
    pub const BARREL: u64 = 1 << 2;
    /// Written by a program, as its banner says.
    pub const GENERATED: u64 = 1 << 3;
    /// Has syntax errors.
    pub const PARTLY_PARSED: u64 = 1 << 4;
    /// Not a source language: a document, a configuration, a style sheet.
    pub const TEXT: u64 = 1 << 5;
    /// Not indexed; [`FileEntry::skipped`] says why.
    pub const SKIPPED: u64 = 1 << 6;
    /// Inside a legacy, deprecated, example, sample, demo, fixture or vendored folder.
    pub const ASIDE: u64 = 1 << 7;

    /// The flags of a file that is not indexed for the given reason. The reason stands above the other bits, so that
    /// an update need not fetch the record of each skipped file.
    pub fn skipped(reason: SkipReason) -> Self {
        let place = SkipReason::ALL.iter().position(|known| *known == reason).unwrap_or(0);
        Self(Self::SKIPPED | (place as u64 + 1) << REASON_SHIFT)
    }

    /// Why the file is not indexed, if it is not.
    pub fn skip_reason(self) -> Option<SkipReason> {
        let place = (self.0 >> REASON_SHIFT & 0xff).checked_sub(1)?;
        SkipReason::ALL.get(place as usize).copied().filter(|_| self.has(Self::SKIPPED))
    }

    /// Whether all bits of `flag` are set.
    pub fn has(self, flag: u64) -> bool {
        self.0 & flag == flag
    }
}

/// A symbol as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolEntry {
    /// The name as written.
    pub name: String,
    /// [`SymbolKind::code`].
    kind: u8,
    /// Distance to the enclosing symbol in the table; 0 if there is none.
    parent: u32,
    /// Start of the declaration and its length in bytes.
    start: u32,
    length: u32,
    /// First line and number of further lines.
    line: u32,
    more_lines: u32,
    /// Start of the signature relative to `start`, and its length.
    signature: (u32, u32),
    /// Distance from the doc comment's start to `start`, and its length; zeros if there is none.
    doc: (u32, u32),
    /// Bit 0: exported, bit 1: default export.
    bits: u8,
}

impl SymbolEntry {
    /// The record of a symbol that stands at place `index` of its file.
    pub fn new(index: usize, symbol: &reseek_symbols::Symbol) -> Self {
        let start = symbol.span.start;
        Self {
            name: symbol.name.clone(),
            kind: symbol.kind.code(),
            parent: symbol.parent.map_or(0, |parent| index as u32 - parent),
            start,
            length: symbol.span.end - start,
            line: symbol.lines.start,
            more_lines: symbol.lines.end - symbol.lines.start,
            signature: (
                symbol.signature_span.start.saturating_sub(start),
                symbol.signature_span.end.saturating_sub(symbol.signature_span.start),
            ),
            doc: symbol.doc_span.map_or((0, 0), |doc| {
                (start.saturating_sub(doc.start), doc.end.saturating_sub(doc.start))
            }),
            bits: u8::from(symbol.exported) | u8::from(symbol.default_export) << 1,
        }
    }

    /// What it is.
    pub fn kind(&self) -> SymbolKind {
        SymbolKind::from_code(self.kind).unwrap_or(SymbolKind::Variable)
    }

    /// Place of the enclosing symbol, for the symbol at place `index`.
    pub fn parent(&self, index: usize) -> Option<usize> {
        (self.parent > 0).then(|| index.saturating_sub(self.parent as usize))
    }

    /// The whole declaration.
    pub fn span(&self) -> Span {
        Span { start: self.start, end: self.start + self.length }
    }

    /// The lines of the declaration.
    pub fn lines(&self) -> Lines {
        Lines { start: self.line, end: self.line + self.more_lines }
    }

    /// The declaration without its body.
    pub fn signature_span(&self) -> Span {
        let start = self.start + self.signature.0;
        Span { start, end: start + self.signature.1 }
    }

    /// The doc comment.
    pub fn doc_span(&self) -> Option<Span> {
        let start = self.start.saturating_sub(self.doc.0);
        (self.doc.1 > 0).then(|| Span { start, end: start + self.doc.1 })
    }

    /// Whether another module can import it.
    pub fn exported(&self) -> bool {
        self.bits & 1 != 0
    }

    /// Whether it is the default export.
    pub fn default_export(&self) -> bool {
        self.bits & 2 != 0
    }
}

/// An import as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportEntry {
    /// The module as written.
    pub module: String,
    /// The names as the other module exports them.
    pub names: Vec<String>,
    /// Whether it is `export ... from`.
    pub re_export: bool,
}

/// The stored record of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    /// The path relative to the root.
    pub path: String,
    /// Why the file is not indexed; empty if it is.
    pub skipped: String,
    /// The language's name; empty for a text file.
    pub language: String,
    /// Number of lines.
    pub n_lines: u32,
    /// The file's share of the sums.
    pub share: Totals,
    /// Its symbols.
    pub symbols: Vec<SymbolEntry>,
    /// Its imports.
    pub imports: Vec<ImportEntry>,
    /// Line ranges with syntax errors.
    pub errors: Vec<(u32, u32)>,
}

impl FileEntry {
    /// The dotted names around the symbol at place `index`.
    pub fn container(&self, index: usize) -> String {
        let mut names = Vec::new();
        let mut at = index;
        while let Some(parent) = self.symbols.get(at).and_then(|symbol| symbol.parent(at)) {
            if parent >= at {
                break;
            }
            names.push(self.symbols[parent].name.as_str());
            at = parent;
        }
        names.reverse();
        names.join(".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn check_racy(mtime_ns: i64, ctime_ns: i64, time_ns: i64, expected: bool) {
        assert_eq!(Stamp { size: 1, mtime_ns, ctime_ns }.is_racy(time_ns), expected);
    }

    #[test]
    fn a_file_stamped_well_before_the_scan_is_trusted() {
        check_racy(5 * SECOND + 1, 5 * SECOND + 1, 6 * SECOND, false);
    }

    #[test]
    fn a_file_stamped_within_a_tick_of_the_scan_is_not_trusted() {
        check_racy(6 * SECOND - 9_000_000, 6 * SECOND - 9_000_000, 6 * SECOND, true);
        check_racy(7 * SECOND + 1, 7 * SECOND + 1, 6 * SECOND, true);
    }

    #[test]
    fn a_time_of_whole_seconds_is_taken_for_a_coarse_clock() {
        check_racy(5 * SECOND, 5 * SECOND, 6 * SECOND, true);
        check_racy(3 * SECOND, 3 * SECOND, 6 * SECOND, false);
    }

    #[test]
    fn a_modification_time_in_the_future_does_not_count_where_the_change_time_is_known() {
        check_racy(900 * SECOND + 1, SECOND + 1, 6 * SECOND, false);
        check_racy(900 * SECOND + 1, 0, 6 * SECOND, true);
    }

    #[test]
    fn the_reason_of_a_skipped_file_survives_in_its_flags() {
        for reason in SkipReason::ALL {
            let flags = FileFlags::skipped(reason);
            assert!(flags.has(FileFlags::SKIPPED));
            assert_eq!(flags.skip_reason(), Some(reason));
        }
        assert_eq!(FileFlags(FileFlags::SKIPPED).skip_reason(), None);
        assert_eq!(FileFlags(FileFlags::TEST | 1 << REASON_SHIFT).skip_reason(), None);
    }
}
