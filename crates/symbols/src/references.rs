//! Which text belongs to which symbol, and the identifiers used in it.
//!
//! Identifiers are found by scanning bytes, not by asking the syntax tree: a large corpus has more
//! than ten million nodes, and most of them are identifiers.

use crate::symbol::{ParsedFile, Span};

/// The text that is a symbol's own: its span without the spans and doc comments of its direct
/// children, or, for `None`, the file without its top-level symbols and their doc comments.
///
/// Sorted, not overlapping, none empty. Symbols with the same span (`const { a, b } = f()`) each own all of it. An
/// `owner` that does not exist owns nothing.
pub fn own_ranges(file: &ParsedFile, owner: Option<u32>) -> Vec<Span> {
    let Some(whole) = whole(file, owner) else { return Vec::new() };
    let from = owner.map_or(0, |owner| owner as usize + 1);
    let children: Vec<u32> = (from..file.symbols.len())
        .take_while(|index| file.symbols[*index].span.start < whole.end)
        .filter(|index| file.symbols[*index].parent == owner)
        .map(|index| index as u32)
        .collect();
    without_children(whole, file, &children)
}

/// The identifiers that a symbol's own text uses, in the order of the text, with repetitions.
///
/// Comments and strings do not count, the code inside `${}` does; the language's reserved words are
/// left out. The symbol's own name is among them.
pub fn references<'s>(source: &'s [u8], file: &ParsedFile, owner: Option<u32>) -> Vec<&'s str> {
    let mut found = Vec::new();
    for range in own_ranges(file, owner) {
        scan(source, file, range, |identifier| found.push(identifier));
    }
    found
}

/// Calls `found` with each owner and each identifier that its own text uses: first those outside of
/// all symbols, then symbol by symbol; within an owner as [`references`] gives them.
pub fn each_reference<'s>(
    source: &'s [u8],
    file: &ParsedFile,
    mut found: impl FnMut(Option<u32>, &'s str),
) {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); file.symbols.len()];
    let mut top = Vec::new();
    for (index, symbol) in file.symbols.iter().enumerate() {
        let siblings = match symbol.parent {
            Some(parent) => children.get_mut(parent as usize),
            None => Some(&mut top),
        };
        if let Some(siblings) = siblings {
            siblings.push(index as u32);
        }
    }
    let owners = std::iter::once((None, top.as_slice())).chain(
        children.iter().enumerate().map(|(index, list)| (Some(index as u32), list.as_slice())),
    );
    for (owner, children) in owners {
        let Some(whole) = whole(file, owner) else { continue };
        for range in without_children(whole, file, children) {
            scan(source, file, range, |identifier| found(owner, identifier));
        }
    }
}

/// The text of an owner with all that is in it.
fn whole(file: &ParsedFile, owner: Option<u32>) -> Option<Span> {
    match owner {
        Some(owner) => file.symbols.get(owner as usize).map(|symbol| symbol.span),
        None => Some(Span { start: 0, end: file.source_len }),
    }
}

/// Cuts children, sorted by start, and their docs out of a span.
fn without_children(whole: Span, file: &ParsedFile, children: &[u32]) -> Vec<Span> {
    let mut ranges = Vec::new();
    let mut at = whole.start;
    for child in children {
        let child = &file.symbols[*child as usize];
        let start = child.doc_span.map_or(child.span.start, |doc| doc.start);
        if at < start {
            ranges.push(Span { start: at, end: start.min(whole.end) });
        }
        at = at.max(child.span.end);
    }
    if at < whole.end {
        ranges.push(Span { start: at, end: whole.end });
    }
    ranges
}

/// Finds the identifiers of one range outside of comments and strings.
fn scan<'s>(source: &'s [u8], file: &ParsedFile, range: Span, mut found: impl FnMut(&'s str)) {
    let mut comments = after(&file.comments, range.start);
    let mut strings = after(&file.strings, range.start);
    let mut at = range.start;
    while at < range.end {
        let skip = match (comments.first(), strings.first()) {
            (Some(comment), Some(string)) if comment.start < string.start => next(&mut comments),
            (Some(_), None) => next(&mut comments),
            (_, Some(_)) => next(&mut strings),
            (None, None) => None,
        };
        let code = skip.map_or(range.end, |skip| skip.start.clamp(at, range.end));
        scan_code(Span { start: at, end: code }.slice(source), file, &mut found);
        at = skip.map_or(range.end, |skip| skip.end.max(at));
    }
}

/// The spans that end after a byte.
fn after(spans: &[Span], byte: u32) -> &[Span] {
    &spans[spans.partition_point(|span| span.end <= byte)..]
}

fn next(spans: &mut &[Span]) -> Option<Span> {
    let (first, rest) = spans.split_first()?;
    *spans = rest;
    Some(*first)
}

/// Finds the identifiers of a piece of code; numbers, which may hold letters, are passed over.
fn scan_code<'s>(code: &'s [u8], file: &ParsedFile, found: &mut impl FnMut(&'s str)) {
    let mut at = 0;
    while at < code.len() {
        let first = code[at];
        if !is_part(first) {
            at += 1;
            continue;
        }
        let rest = &code[at..];
        let length = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
        at += length;
        let word = &rest[..length];
        if first.is_ascii_digit()
            || file.language.is_some_and(|language| language.is_reserved(word))
        {
            continue;
        }
        if let Ok(identifier) = std::str::from_utf8(word) {
            found(identifier);
        }
    }
}

/// Whether a byte can be part of an identifier or a number; all bytes of non-ASCII characters can.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}
