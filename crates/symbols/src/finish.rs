//! From drafts to symbols: order, overloads, exports, docs and signatures.

use crate::doc::doc_above;
use crate::language::Language;
use crate::limits::MAX_SIGNATURE_BYTES;
use crate::lines::LineIndex;
use crate::symbol::{
    Diagnostic, DiagnosticKind, Import, Lines, ParsedFile, Span, Symbol, SymbolKind,
};
use crate::visit::{Draft, ImportDraft, Visited};

/// How many bytes of a variable's initial value its signature shows.
const VALUE_BYTES: u32 = 80;
/// How many bytes of the aliased type a signature shows.
const ALIAS_BYTES: u32 = 120;

/// Makes the parsed file of what the walk found.
pub(crate) fn finish(
    visited: Visited,
    source: &[u8],
    language: &'static Language,
    lines: &LineIndex,
) -> ParsedFile {
    let diagnostics = diagnostics(&visited, lines);
    let Visited { drafts, imports, comments, strings, exports, .. } = visited;
    let mut drafts = merge_overloads(in_order(drafts), source, &comments);
    mark_exported(&mut drafts, &exports);
    let symbols = drafts.into_iter().map(|draft| symbol(draft, source, &comments, lines)).collect();
    let imports = imports_in_order(imports, lines);
    ParsedFile {
        language: Some(language),
        source_len: source.len() as u32,
        symbols,
        imports,
        comments,
        strings,
        diagnostics,
    }
}

/// Sorts by start ascending, end descending; parents come first and keep their children.
fn in_order(mut drafts: Vec<Draft>) -> Vec<Draft> {
    let mut order: Vec<u32> = (0..drafts.len() as u32).collect();
    order.sort_by_key(|index| {
        let span = drafts[*index as usize].span;
        (span.start, std::cmp::Reverse(span.end))
    });
    let mut places = vec![0; drafts.len()];
    for (place, index) in order.iter().enumerate() {
        places[*index as usize] = place as u32;
    }
    for draft in &mut drafts {
        draft.parent = draft.parent.map(|parent| places[parent as usize]);
    }
    let mut sorted: Vec<_> = drafts.into_iter().zip(places).collect();
    sorted.sort_by_key(|(_, place)| *place);
    sorted.into_iter().map(|(draft, _)| draft).collect()
}

/// Joins declarations without a body to the one of the same name that directly follows.
fn merge_overloads(drafts: Vec<Draft>, source: &[u8], comments: &[Span]) -> Vec<Draft> {
    let mut places = Vec::with_capacity(drafts.len());
    let mut merged: Vec<Draft> = Vec::with_capacity(drafts.len());
    for mut draft in drafts {
        draft.parent = draft.parent.map(|parent| places[parent as usize]);
        if let Some(last) = merged.pop_if(|last| {
            is_overload(last, &draft) && is_blank(source, comments, last.span.end, draft.span.start)
        }) {
            draft.span.start = last.span.start;
            draft.exported |= last.exported;
            draft.default_export |= last.default_export;
            if draft.body.is_none() {
                draft.signature_start = last.signature_start;
                draft.value = None;
                draft.first_end = last.first_end.or(Some(last.span.end));
            }
        }
        places.push(merged.len() as u32);
        merged.push(draft);
    }
    merged
}

fn is_overload(first: &Draft, next: &Draft) -> bool {
    let callable =
        matches!(first.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor);
    callable
        && first.body.is_none()
        && first.kind == next.kind
        && first.name == next.name
        && first.parent == next.parent
        && first.container == next.container
}

/// Whether only separators and comments stand between two bytes.
fn is_blank(source: &[u8], comments: &[Span], from: u32, to: u32) -> bool {
    let mut at = from;
    let next = comments.partition_point(|comment| comment.start < from);
    for comment in comments[next..].iter().take_while(|comment| comment.end <= to) {
        if !is_separator(source, at, comment.start) {
            return false;
        }
        at = comment.end;
    }
    is_separator(source, at, to)
}

fn is_separator(source: &[u8], from: u32, to: u32) -> bool {
    from <= to
        && Span { start: from, end: to }
            .slice(source)
            .iter()
            .all(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b','))
}

/// Marks what statements of their own export, then the members of what is exported.
fn mark_exported(drafts: &mut [Draft], exports: &[(String, bool)]) {
    let mut names: Vec<(&str, bool)> =
        exports.iter().map(|(name, default)| (name.as_str(), *default)).collect();
    names.sort_unstable();
    names.dedup();
    for draft in drafts.iter_mut().filter(|draft| draft.parent.is_none()) {
        if !draft.container.is_empty() {
            continue;
        }
        let from = names.partition_point(|(name, _)| *name < draft.name.as_str());
        for (_, default) in names[from..].iter().take_while(|(name, _)| *name == draft.name) {
            draft.exported = true;
            draft.default_export |= default;
        }
    }
    let mut exported: Vec<String> = drafts
        .iter()
        .filter(|draft| draft.exported && draft.parent.is_none() && draft.container.is_empty())
        .map(|draft| draft.name.clone())
        .collect();
    exported.sort_unstable();
    for index in 0..drafts.len() {
        let (before, rest) = drafts.split_at_mut(index);
        let draft = &mut rest[0];
        match draft.parent.map(|parent| &before[parent as usize]) {
            Some(parent) => {
                let inherits = match parent.kind {
                    SymbolKind::Class
                    | SymbolKind::Interface
                    | SymbolKind::Enum
                    | SymbolKind::TypeAlias
                    | SymbolKind::Variable
                    | SymbolKind::Property => true,
                    SymbolKind::Namespace => parent.ambient,
                    _ => false,
                };
                draft.ambient |= parent.ambient;
                draft.exported = match parent.kind {
                    SymbolKind::Namespace => parent.exported && (draft.exported || inherits),
                    _ => draft.exported || (parent.exported && inherits),
                };
            }
            None if !draft.container.is_empty() => {
                let root = draft.container.split('.').next().unwrap_or_default();
                draft.exported |= exported.binary_search_by(|name| name.as_str().cmp(root)).is_ok();
            }
            None => {}
        }
    }
}

fn symbol(draft: Draft, source: &[u8], comments: &[Span], lines: &LineIndex) -> Symbol {
    let span = draft.span;
    let doc = doc_above(source, comments, span.start);
    let signature_span = signature_span(&draft, source, comments);
    let signature = fold(source, comments, signature_span);
    Symbol {
        name: draft.name,
        kind: draft.kind,
        container: draft.container,
        parent: draft.parent,
        signature,
        doc: doc.as_ref().map(|(_, text)| text.clone()).unwrap_or_default(),
        span,
        signature_span,
        doc_span: doc.map(|(span, _)| span),
        lines: lines.of(span),
        exported: draft.exported,
        default_export: draft.default_export,
    }
}

/// The part of a declaration that its signature is made from.
fn signature_span(draft: &Draft, source: &[u8], comments: &[Span]) -> Span {
    let mut start = draft.signature_start.clamp(draft.span.start, draft.span.end);
    let mut next = comments.partition_point(|comment| comment.start < start);
    loop {
        let rest = Span { start, end: draft.span.end }.slice(source);
        start += (rest.len() - rest.trim_ascii_start().len()) as u32;
        match comments.get(next) {
            Some(comment) if comment.start == start && comment.end < draft.span.end => {
                start = comment.end;
                next += 1;
            }
            _ => break,
        }
    }
    let shown = if draft.kind == SymbolKind::TypeAlias { ALIAS_BYTES } else { VALUE_BYTES };
    let end = match (draft.body, draft.value) {
        (Some(body), _) => body,
        (None, Some(value)) => value.saturating_add(shown),
        (None, None) => draft.first_end.unwrap_or(draft.span.end),
    };
    let mut end = end.clamp(start, draft.span.end);
    while start < end && source.get(end as usize).is_some_and(|byte| byte & 0xC0 == 0x80) {
        end -= 1;
    }
    let text = Span { start, end }.slice(source);
    end = start + text.trim_ascii_end().len() as u32;
    Span { start, end }
}

/// The text of a span without comments, white space folded, cut to the limit of signatures.
///
/// Reads no more of the text than it shows: many symbols may share one long span.
fn fold(source: &[u8], comments: &[Span], span: Span) -> String {
    let (mut folded, mut gap) = (String::new(), false);
    let mut at = span.start;
    let next = comments.partition_point(|comment| comment.start < span.start);
    for comment in comments[next..].iter().take_while(|comment| comment.start < span.end) {
        fold_into(&mut folded, &mut gap, Span { start: at, end: comment.start }.slice(source));
        if folded.len() > MAX_SIGNATURE_BYTES {
            break;
        }
        gap = true;
        at = comment.end.min(span.end);
    }
    fold_into(&mut folded, &mut gap, Span { start: at, end: span.end }.slice(source));
    folded.truncate(folded.floor_char_boundary(MAX_SIGNATURE_BYTES));
    folded.truncate(folded.trim_end_matches([' ', ';', ',']).len());
    folded
}

/// Adds text until there is more than signatures show; `gap` says whether white space stood last.
fn fold_into(folded: &mut String, gap: &mut bool, mut text: &[u8]) {
    while !text.is_empty() && folded.len() <= MAX_SIGNATURE_BYTES {
        let mut end = text.len().min(MAX_SIGNATURE_BYTES);
        // Not within a character; bytes that are none may be cut anywhere.
        while end < text.len() && end + 4 > MAX_SIGNATURE_BYTES && text[end] & 0xC0 == 0x80 {
            end -= 1;
        }
        let (piece, rest) = text.split_at(end);
        for c in String::from_utf8_lossy(piece).chars() {
            if c.is_whitespace() {
                *gap = true;
                continue;
            }
            if std::mem::take(gap) && !folded.is_empty() {
                folded.push(' ');
            }
            folded.push(c);
        }
        text = rest;
    }
}

/// Puts the names of each import in the order of the text, once each.
fn imports_in_order(mut imports: Vec<ImportDraft>, lines: &LineIndex) -> Vec<Import> {
    imports.sort_by_key(|import| import.start);
    imports
        .into_iter()
        .filter(|import| !import.module.is_empty())
        .map(|mut import| {
            // By name first: of each name only the place where it stands first is kept.
            import.names.sort_unstable_by(|(a_at, a), (b_at, b)| (a, a_at).cmp(&(b, b_at)));
            import.names.dedup_by(|(_, next), (_, first)| next == first);
            import.names.sort();
            let names = import.names.into_iter().map(|(_, name)| name).collect();
            Import {
                module: import.module,
                names,
                re_export: import.re_export,
                line: lines.line(import.start),
            }
        })
        .collect()
}

/// What could not be read. Errors with at most one sound line between them are told as one.
fn diagnostics(visited: &Visited, lines: &LineIndex) -> Vec<Diagnostic> {
    let mut errors: Vec<Lines> = visited.errors.iter().map(|span| lines.of(*span)).collect();
    errors.sort_unstable();
    let mut merged: Vec<Lines> = Vec::new();
    for error in errors {
        match merged.last_mut() {
            Some(last) if error.start <= last.end + 2 => last.end = last.end.max(error.end),
            _ => merged.push(error),
        }
    }
    let mut diagnostics: Vec<Diagnostic> = merged
        .into_iter()
        .map(|lines| Diagnostic { kind: DiagnosticKind::SyntaxError, lines })
        .collect();
    let limits = [
        (DiagnosticKind::TooDeep, visited.too_deep),
        (DiagnosticKind::TooManySymbols, visited.too_many),
        (DiagnosticKind::TimedOut, visited.timed_out),
    ];
    for (kind, span) in limits {
        if let Some(span) = span {
            diagnostics.push(Diagnostic { kind, lines: lines.of(span) });
        }
    }
    diagnostics
}
