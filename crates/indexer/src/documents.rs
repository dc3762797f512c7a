//! A file's content and its parse become the documents of the index.
//!
//! Every term of the file lands in exactly one scored field: a symbol keeps its own code, that of inner
//! symbols belongs to them, and what no symbol claims belongs to the file.

use reseek_symbols::{ParsedFile, Span, SymbolKind};
use tantivy::TantivyDocument;

use crate::analyzer::{Analyzer, Mode, exact, words};
use crate::classify;
use crate::corpus::SkipReason;
use crate::entry::{FileEntry, FileFlags, ImportEntry, Stamp, SymbolEntry};
use crate::format::Totals;
use crate::schema::{Fields, path_key};

/// A file as read, ready to be indexed.
pub struct SourceFile<'a> {
    /// Path relative to the root.
    pub path: &'a str,
    /// Size and times as the file system said when it was read.
    pub stamp: Stamp,
    /// Content hash.
    pub hash: u64,
    /// Bytes that were read; the stamp may tell of fewer when the file grew meanwhile.
    pub n_bytes: u64,
    /// The text.
    pub text: &'a str,
    /// The language's name and what was read from the text; `None` for a file without symbols.
    pub parsed: Option<(&'static str, ParsedFile)>,
    /// Whether a banner says that a program wrote it.
    pub generated: bool,
}

/// Terms of one field, joined by spaces, and their number.
#[derive(Default)]
struct Terms {
    joined: String,
    count: u64,
}

impl Terms {
    fn push(&mut self, term: &str) {
        if self.count > 0 {
            self.joined.push(' ');
        }
        self.joined.push_str(term);
        self.count += 1;
    }

    /// Adds terms that are joined already.
    fn push_joined(&mut self, joined: &str, count: u64) {
        if count == 0 {
            return;
        }
        if self.count > 0 {
            self.joined.push(' ');
        }
        self.joined.push_str(joined);
        self.count += count;
    }

    /// Adds the terms of every word of a text.
    fn push_words(&mut self, analyzer: &mut Analyzer, text: &str, keep_stop_words: bool) {
        for (_, word) in words(text) {
            let word = analyzer.word(word, keep_stop_words);
            self.push_joined(&word.joined, u64::from(word.n_terms));
        }
    }

    fn clear(&mut self) {
        self.joined.clear();
        self.count = 0;
    }
}

/// Builds documents; keeps buffers and the analyzer's cache, so have one per thread.
pub struct DocumentBuilder {
    fields: Fields,
    analyzer: Analyzer,
    code: Terms,
    prose: Terms,
    references: Terms,
    other: Terms,
    /// Comments and strings of the file at hand, sorted, none overlapping another.
    texts: Vec<Span>,
    /// Documents begun so far. A term that a document refers to twice is given to the index once.
    n_documents: u64,
}

impl DocumentBuilder {
    /// A builder for the schema that `fields` belong to.
    pub fn new(fields: Fields) -> Self {
        Self {
            fields,
            analyzer: Analyzer::new(),
            code: Terms::default(),
            prose: Terms::default(),
            references: Terms::default(),
            other: Terms::default(),
            texts: Vec::new(),
            n_documents: 0,
        }
    }

    /// The documents of a file: its own first, then those of its symbols in order.
    pub fn build(&mut self, file: &SourceFile<'_>) -> (Vec<TantivyDocument>, Totals) {
        let empty = ParsedFile::default();
        let parsed = file.parsed.as_ref().map_or(&empty, |(_, parsed)| parsed);
        let mut share = Totals {
            n_files: 1,
            n_symbols: parsed.symbols.len() as u64,
            source_bytes: file.n_bytes,
            n_partly_parsed: u64::from(!parsed.diagnostics.is_empty()),
            ..Totals::default()
        };
        let key = path_key(file.path);
        let children = children(parsed);
        self.texts.clear();
        self.texts.extend(parsed.comments.iter().chain(&parsed.strings));
        make_disjoint(&mut self.texts);
        let mut documents = Vec::with_capacity(parsed.symbols.len() + 1);
        documents.push(TantivyDocument::new());
        for index in 0..parsed.symbols.len() {
            documents.push(self.symbol(file, parsed, &children, index, key, &mut share));
        }
        documents[0] = self.file(file, parsed, &children, key, &mut share);
        (documents, share)
    }

    fn add(
        document: &mut TantivyDocument,
        field: tantivy::schema::Field,
        terms: &mut Terms,
    ) -> u64 {
        if terms.count > 0 {
            document.add_text(field, &terms.joined);
        }
        let count = terms.count;
        terms.clear();
        count
    }

    fn analyse(&mut self, text: &str, mode: Mode) {
        self.other.push_words(&mut self.analyzer, text, mode == Mode::Name);
    }

    fn add_compounds(
        &mut self,
        document: &mut TantivyDocument,
        field: tantivy::schema::Field,
        name: &str,
    ) {
        let (joined, count) = self.analyzer.joined_compounds(name);
        self.other.push_joined(joined, u64::from(count));
        Self::add(document, field, &mut self.other);
    }

    fn symbol(
        &mut self,
        file: &SourceFile<'_>,
        parsed: &ParsedFile,
        children: &Children,
        index: usize,
        key: u64,
        share: &mut Totals,
    ) -> TantivyDocument {
        self.n_documents += 1;
        let fields = self.fields.clone();
        let symbol = &parsed.symbols[index];
        let mut document = TantivyDocument::new();
        document.add_u64(fields.key, key);
        document.add_u64(fields.ordinal, index as u64 + 1);
        document.add_u64(fields.kind, u64::from(symbol.kind.code()));
        if let Some(term) = exact(&symbol.name).filter(|term| !term.contains(char::is_whitespace)) {
            document.add_text(fields.exact_name, term);
        }
        self.analyse(&symbol.name, Mode::Name);
        share.name += Self::add(&mut document, fields.name, &mut self.other);
        if symbol.kind != SymbolKind::Test {
            self.add_compounds(&mut document, fields.compounds, &symbol.name);
        }
        self.analyse(&symbol.container, Mode::Name);
        share.container += Self::add(&mut document, fields.container, &mut self.other);
        self.analyse(&symbol.doc, Mode::Prose);
        share.doc += Self::add(&mut document, fields.doc, &mut self.other);

        let name = symbol.name.as_str();
        let signature = symbol.signature_span;
        if symbol.span.contains(signature) {
            self.scan(file.text, signature, Some(name));
        }
        share.signature += Self::add(&mut document, fields.signature, &mut self.code);
        for own in own_ranges(parsed, children, Some(index), file.text.len()) {
            for piece in subtract(own, &[signature]) {
                self.scan(file.text, piece, None);
            }
        }
        share.body += Self::add(&mut document, fields.body, &mut self.code);
        share.text += Self::add(&mut document, fields.text, &mut self.prose);
        Self::add(&mut document, fields.references, &mut self.references);
        document
    }

    fn file(
        &mut self,
        file: &SourceFile<'_>,
        parsed: &ParsedFile,
        children: &Children,
        key: u64,
        share: &mut Totals,
    ) -> TantivyDocument {
        self.n_documents += 1;
        let fields = self.fields.clone();
        let mut document = TantivyDocument::new();
        document.add_text(fields.path, file.path);
        document.add_u64(fields.key, key);
        document.add_u64(fields.ordinal, 0);
        document.add_u64(fields.kind, 0);
        add_stamp(&mut document, &fields, file.stamp);
        document.add_u64(fields.hash, file.hash);
        let flags = classify::flags(
            file.path,
            file.parsed.as_ref().map(|(_, parsed)| parsed),
            file.generated,
        );
        document.add_u64(fields.flags, flags.0);

        let (folders, name) = file.path.rsplit_once('/').unwrap_or(("", file.path));
        self.analyse(folders, Mode::Name);
        share.path += Self::add(&mut document, fields.folders, &mut self.other);
        self.analyse(stem(name), Mode::Name);
        share.file_name += Self::add(&mut document, fields.file_name, &mut self.other);

        self.add_compounds(&mut document, fields.file_compounds, stem(name));

        if file.parsed.is_some() {
            for own in own_ranges(parsed, children, None, file.text.len()) {
                self.scan(file.text, own, None);
            }
            self.prose.push_joined(&self.code.joined, self.code.count);
            self.code.clear();
        } else {
            self.prose.push_words(&mut self.analyzer, file.text, false);
        }
        share.file_text += Self::add(&mut document, fields.file_text, &mut self.prose);
        Self::add(&mut document, fields.references, &mut self.references);
        for import in &parsed.imports {
            let module = import.module.rsplit('/').next().map(stem);
            for name in import.names.iter().map(String::as_str).chain(module) {
                if let Some(term) = exact(name).filter(|term| !term.contains(char::is_whitespace)) {
                    self.other.push(&term);
                }
            }
        }
        Self::add(&mut document, fields.imports, &mut self.other);
        for (field, length) in
            fields.lengths.into_iter().zip([share.name, share.doc, share.body, share.text])
        {
            document.add_u64(field, length);
        }
        let entry = FileEntry {
            path: file.path.to_owned(),
            skipped: String::new(),
            language: file.parsed.as_ref().map_or_else(String::new, |(name, _)| (*name).to_owned()),
            n_lines: file.text.lines().count() as u32,
            share: *share,
            symbols: parsed
                .symbols
                .iter()
                .enumerate()
                .map(|(i, symbol)| SymbolEntry::new(i, symbol))
                .collect(),
            imports: parsed
                .imports
                .iter()
                .map(|import| ImportEntry {
                    module: import.module.clone(),
                    names: import.names.clone(),
                    re_export: import.re_export,
                })
                .collect(),
            errors: parsed.diagnostics.iter().map(|d| (d.lines.start, d.lines.end)).collect(),
        };
        document.add_bytes(fields.entry, &encode(&entry));
        document
    }

    /// Collects the terms of a piece of code: those of its strings and comments as prose, of the rest as code.
    /// The words of `without` itself are left out of the code, because they count as the name.
    fn scan(&mut self, text: &str, piece: Span, without: Option<&str>) {
        let first = self.texts.partition_point(|span| span.end <= piece.start);
        let mut at = piece.start;
        for i in first..self.texts.len() {
            let Span { start, end } = self.texts[i];
            if start >= piece.end {
                break;
            }
            let (start, end) = (start.max(at), end.min(piece.end));
            self.scan_code(text, Span { start: at, end: start }, without);
            if let Some(part) = text.get(start as usize..end as usize) {
                self.prose.push_words(&mut self.analyzer, part, false);
            }
            at = end;
        }
        self.scan_code(text, Span { start: at, end: piece.end }, without);
    }

    fn scan_code(&mut self, text: &str, part: Span, without: Option<&str>) {
        let Some(part) = text.get(part.start as usize..part.end as usize) else { return };
        for (_, text) in words(part) {
            let word = self.analyzer.word(text, false);
            if word.is_noise || without == Some(text) {
                continue;
            }
            if word.referred_by != self.n_documents {
                word.referred_by = self.n_documents;
                if let Some(term) = word.reference(text) {
                    self.references.push(term);
                }
            }
            self.code.push_joined(&word.joined, u64::from(word.n_terms));
        }
    }
}

fn add_stamp(document: &mut TantivyDocument, fields: &Fields, stamp: Stamp) {
    document.add_u64(fields.size, stamp.size);
    document.add_i64(fields.mtime, stamp.mtime_ns);
    document.add_i64(fields.ctime, stamp.ctime_ns);
}

/// A record as bytes.
pub fn encode(entry: &FileEntry) -> Vec<u8> {
    postcard::to_stdvec(entry).unwrap_or_default()
}

/// The record that [`encode`] wrote; `None` if the bytes are no such record.
pub fn decode(bytes: &[u8]) -> Option<FileEntry> {
    postcard::from_bytes(bytes).ok()
}

/// The document of a commit of the history. Keys of the files that it touched are given sorted and once each.
pub fn commit(
    fields: &Fields,
    commit: &crate::git::Commit,
    analyzer: &mut Analyzer,
) -> TantivyDocument {
    let mut document = TantivyDocument::new();
    document.add_text(fields.commit, &commit.id);
    document.add_u64(fields.ordinal, 0);
    document.add_u64(fields.kind, 0);
    document.add_i64(fields.time, commit.time);
    document.add_text(fields.subject, &commit.subject);
    let mut terms = Terms::default();
    for text in [&commit.subject, &commit.body_first_line] {
        analyzer.terms(text, Mode::Prose, |_, term| terms.push(term));
    }
    DocumentBuilder::add(&mut document, fields.message, &mut terms);
    let mut keys: Vec<u64> = commit.files.iter().map(|path| path_key(path)).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        document.add_u64(fields.touches, key);
    }
    document
}

/// The document of a file that is not indexed: it is part of the manifest, and no query matches it.
pub fn skipped(fields: &Fields, path: &str, stamp: Stamp, reason: SkipReason) -> TantivyDocument {
    let mut document = TantivyDocument::new();
    document.add_text(fields.path, path);
    document.add_u64(fields.key, path_key(path));
    document.add_u64(fields.ordinal, 0);
    document.add_u64(fields.kind, 0);
    add_stamp(&mut document, fields, stamp);
    document.add_u64(fields.hash, 0);
    document.add_u64(fields.flags, FileFlags::skipped(reason).0);
    let entry = FileEntry {
        path: path.to_owned(),
        skipped: reason.as_str().to_owned(),
        ..FileEntry::default()
    };
    document.add_bytes(fields.entry, &encode(&entry));
    document
}

/// The file name up to its first dot, or all of a name that starts with one.
fn stem(name: &str) -> &str {
    match name.find('.') {
        Some(0) | None => name,
        Some(dot) => {
            // `build.service.ts` keeps its role, `build.ts` loses its extension.
            let last = name.rfind('.').unwrap_or(dot);
            &name[..last]
        }
    }
}

/// Places of each symbol's direct children; the last entry holds those without a parent.
struct Children(Vec<Vec<u32>>);

fn children(parsed: &ParsedFile) -> Children {
    let mut lists = vec![Vec::new(); parsed.symbols.len() + 1];
    let top = parsed.symbols.len();
    for (index, symbol) in parsed.symbols.iter().enumerate() {
        lists[symbol.parent.map_or(top, |parent| parent as usize)].push(index as u32);
    }
    Children(lists)
}

/// The span of a symbol, or of the whole file, without inner symbols and their doc comments.
fn own_ranges(
    parsed: &ParsedFile,
    children: &Children,
    owner: Option<usize>,
    len: usize,
) -> Vec<Span> {
    let whole =
        owner.map_or(Span { start: 0, end: len as u32 }, |index| parsed.symbols[index].span);
    let mut holes: Vec<Span> = children.0[owner.unwrap_or(parsed.symbols.len())]
        .iter()
        .flat_map(|&child| {
            let child = &parsed.symbols[child as usize];
            [Some(child.span), child.doc_span].into_iter().flatten()
        })
        .collect();
    holes.sort_unstable();
    subtract(whole, &holes)
}

/// `whole` without `holes`, which are sorted by start and may overlap.
fn subtract(whole: Span, holes: &[Span]) -> Vec<Span> {
    let mut rest = Vec::new();
    let mut at = whole.start;
    for hole in holes {
        if hole.start > at {
            rest.push(Span { start: at, end: hole.start.min(whole.end) });
        }
        at = at.max(hole.end);
        if at >= whole.end {
            return rest;
        }
    }
    rest.push(Span { start: at, end: whole.end });
    rest
}

/// Sorts spans and cuts from each what an earlier one holds already, so that none overlaps another.
fn make_disjoint(spans: &mut Vec<Span>) {
    spans.sort_unstable();
    let mut at = 0;
    spans.retain_mut(|span| {
        span.start = span.start.max(at);
        let is_left = span.start < span.end;
        if is_left {
            at = span.end;
        }
        is_left
    });
}
