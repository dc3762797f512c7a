//! From the scores of all documents to rows: what matches where, how well, and what counts less.

use reseek_indexer::Snapshot;
use reseek_indexer::analyzer::exact;
use reseek_indexer::entry::FileFlags;
use reseek_indexer::snapshot::{Doc, length_of};
use reseek_symbols::SymbolKind;

use super::filter::Filter;
use super::names::{Level, terms_of, with_all};
use super::words::{Request, WholeName, is_kind};
use super::{MatchBand, Matched};
use crate::error::Error;
use crate::postings::{N_SYMBOL_FIELDS, Scored};
use crate::scoring::{Scorer, Scores};
use crate::syntax::TestFilter;
use crate::weights::FIELD_WEIGHTS;

/// Lower ends of the zones of whole names and of names made of just the query's words.
const EXACT_FLOOR: f32 = 0.8;
const SAME_WORDS_FLOOR: f32 = 0.7;
/// Words whose matches are told apart; further ones count for scores only.
const MAX_MARKS: usize = 64;
/// Shares of the mix.
const SYMBOL_SHARE: f32 = 0.6;
const FILE_SHARE: f32 = 0.25;
const COVERAGE_SHARE: f32 = 0.15;
/// What a file's own score counts in place of a symbol's: much where it has no symbols, less where it has, because
/// the text outside of them is mostly imports.
const FILE_AS_SYMBOL: [f32; 2] = [0.75, 0.3];
/// Factor for a row with only parts of a name that the query gives whole.
const ONLY_PARTS: f32 = 0.6;
/// Raise for a symbol whose name is part of what is asked, word for word; by the number of parts, from two.
const NAME_COVERED: [f32; 2] = [1.15, 1.3];

/// A row in the making.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The symbol, or the file itself.
    pub(super) doc: Doc,
    /// Its file.
    pub(super) file: Doc,
    /// 0 to 1.
    pub(super) score: f32,
    pub(super) band: MatchBand,
    /// Place of the whole name that it is, in [`Request::names`].
    pub(super) name: Option<usize>,
    /// Whether the row holds a name of several parts only in parts.
    pub(super) only_parts: bool,
    /// Lower end of its zone.
    floor: f32,
}

impl Row {
    /// Lowers the score within its zone.
    pub(super) fn soften(&mut self, factor: f32) {
        self.score = self.floor + (self.score - self.floor) * factor;
    }
}

/// Everything about one query that rows are computed from.
pub(super) struct Ranker<'a> {
    request: &'a Request,
    scores: Option<Scores>,
    file_bound: f32,
    /// Words matched by the own fields of a document, as bits: of a symbol its fields, of a file its path and other text.
    own: Vec<u64>,
    /// Words matched by a file's path.
    path: Vec<u64>,
    /// Words in the name, and the length code of the name.
    in_name: Vec<(u8, u8)>,
    /// Symbols and files whose whole name the query spells out, with its place in the request; sorted.
    exact: Vec<(Doc, usize)>,
    /// Files with the whole of an identifier, by identifier; sorted.
    identifier_files: Vec<Vec<Doc>>,
    tests_wanted: bool,
}

/// How much a symbol of a kind counts as an answer.
fn kind_factor(kind: SymbolKind, tests_wanted: bool) -> f32 {
    match kind {
        SymbolKind::Function | SymbolKind::Class | SymbolKind::Interface => 1.0,
        SymbolKind::TypeAlias | SymbolKind::Enum | SymbolKind::Namespace => 0.98,
        SymbolKind::Method | SymbolKind::Variable => 0.95,
        SymbolKind::Getter | SymbolKind::Setter => 0.9,
        SymbolKind::Property | SymbolKind::EnumMember | SymbolKind::Constructor => 0.85,
        SymbolKind::Test => {
            if tests_wanted {
                1.0
            } else {
                0.6
            }
        }
    }
}

/// How much a file counts as an answer.
fn file_factor(flags: FileFlags, tests_wanted: bool) -> f32 {
    let mut factor = 1.0;
    for (flag, by) in [
        (FileFlags::ASIDE, 0.6),
        (FileFlags::DECLARATION, 0.8),
        (FileFlags::GENERATED, 0.7),
        (FileFlags::TEXT, 0.5),
        (FileFlags::BARREL, 0.9),
    ] {
        if flags.has(flag) {
            factor *= by;
        }
    }
    match (flags.has(FileFlags::TEST), tests_wanted) {
        (true, false) => factor * 0.5,
        (false, true) => factor * 0.8,
        _ => factor,
    }
}

impl<'a> Ranker<'a> {
    pub(super) fn new(
        snapshot: &'a Snapshot,
        request: &'a Request,
        filter: &Filter,
    ) -> Result<Self, Error> {
        let n_docs = snapshot.n_docs() as usize;
        let mut ranker = Self {
            request,
            scores: None,
            file_bound: 0.0,
            own: vec![0; n_docs],
            path: vec![0; n_docs],
            in_name: vec![(0, 0); n_docs],
            exact: Vec::new(),
            identifier_files: Vec::new(),
            // `test:yes` lifts the demotion without asking for tests, so neither side is moved.
            tests_wanted: request.about_tests
                || matches!(filter.test, Some(TestFilter::Yes | TestFilter::Only)),
        };
        if !request.scored.is_empty() {
            let scores = Scorer::new(snapshot, &FIELD_WEIGHTS).score(&request.scored);
            ranker.file_bound = scores
                .concept_idf
                .iter()
                .zip(&request.scored)
                .map(|(idf, concept)| idf * concept.weight)
                .sum();
            ranker.scores = Some(scores);
        }
        ranker.mark();
        ranker.find_exact(snapshot)?;
        for identifier in &request.identifiers {
            let mut files: Vec<Doc> =
                identifier.docs.iter().map(|&doc| snapshot.file_of(doc)).collect();
            files.sort_unstable();
            files.dedup();
            ranker.identifier_files.push(files);
        }
        Ok(ranker)
    }

    /// Notes which words match where.
    fn mark(&mut self) {
        for (i, term) in self.request.terms.iter().take(MAX_MARKS).enumerate() {
            let bit = 1 << i;
            for (alternative, postings) in term.postings.iter().enumerate() {
                for scored in Scored::ALL {
                    for hit in &postings.fields[scored as usize] {
                        let doc = hit.doc as usize;
                        self.own[doc] |= bit;
                        if matches!(
                            scored,
                            Scored::FileName | Scored::FileCompound | Scored::Folders
                        ) {
                            self.path[doc] |= bit;
                        }
                        if scored == Scored::Name && alternative == 0 {
                            self.in_name[doc].0 += 1;
                            self.in_name[doc].1 = hit.length_code;
                        }
                    }
                }
            }
        }
    }

    /// Looks up the whole names.
    fn find_exact(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        let fields = snapshot.fields();
        for (place, name) in self.request.names.iter().enumerate() {
            let mut docs = Vec::new();
            snapshot.scan(fields.exact_name, &name.term, |hit| docs.push(hit.doc))?;
            if let Some(container) = &name.container {
                let inside = with_all(snapshot, fields.container, &terms_of(container))?;
                docs.retain(|doc| inside.binary_search(doc).is_ok());
            }
            // The title of a test is a sentence that may well be just the name of what it tests.
            docs.retain(|&doc| {
                self.tests_wanted || snapshot.kind_code(doc) != SymbolKind::Test.code()
            });
            if name.is_part {
                let data = [SymbolKind::Property.code(), SymbolKind::EnumMember.code()];
                docs.retain(|&doc| !data.contains(&snapshot.kind_code(doc)));
            }
            self.exact.extend(docs.into_iter().map(|doc| (doc, place)));
        }
        let mut named = Vec::new();
        for term in &self.request.terms {
            for postings in &term.postings {
                named.extend(postings.fields[Scored::FileName as usize].iter().map(|hit| hit.doc));
            }
        }
        named.sort_unstable();
        named.dedup();
        for file in named {
            let path = snapshot.path(file)?;
            let name = path.rsplit('/').next().unwrap_or_default();
            let stem: String = name
                .rsplit_once('.')
                .map_or(name, |(stem, _)| stem)
                .chars()
                .filter(|c| c.is_alphanumeric())
                .collect();
            let Some(stem) = exact(&stem) else { continue };
            let is_meant = |name: &WholeName| {
                if !name.is_path {
                    return name.term == stem && name.container.is_none();
                }
                path.strip_suffix(&name.term)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            if let Some(place) = self.request.names.iter().position(is_meant) {
                self.exact.push((file, place));
            }
        }
        // A document that two names mean counts for the surer one, which comes first.
        self.exact.sort_unstable();
        self.exact.dedup_by_key(|pair| pair.0);
        Ok(())
    }

    /// Whether a file is seldom meant by plain words.
    fn is_aside(&self, flags: FileFlags) -> bool {
        [FileFlags::ASIDE, FileFlags::TEXT, FileFlags::GENERATED]
            .iter()
            .any(|&flag| flags.has(flag))
            || (flags.has(FileFlags::TEST) && !self.tests_wanted)
    }

    /// The whole name that a document is. Joined words in a test, an example or a text are less likely the name that is
    /// meant, and a query for tests means what it names only inside of tests.
    fn exact_name(&self, snapshot: &Snapshot, file: Doc, doc: Doc) -> Option<usize> {
        let at = self.exact.binary_search_by_key(&doc, |pair| pair.0).ok()?;
        let place = self.exact[at].1;
        let name = &self.request.names[place];
        let flags = snapshot.flags(file);
        let is_unlikely = self.is_aside(flags) && name.spelling.is_none();
        let is_tested = self.request.about_tests && !name.says_test && !flags.has(FileFlags::TEST);
        (!is_unlikely && !is_tested).then_some(place)
    }

    fn n_terms(&self) -> usize {
        self.request.terms.len().min(MAX_MARKS)
    }

    /// All rows that match and pass the filters.
    pub(super) fn rows(&self, snapshot: &Snapshot, filter: &Filter) -> Result<Vec<Row>, Error> {
        let mut docs: Vec<Doc> = match (&self.scores, filter.names()) {
            (Some(scores), _) => (0..snapshot.n_docs())
                .filter(|&doc| {
                    scores.symbols[doc as usize] > 0.0 || scores.files[doc as usize] > 0.0
                })
                .chain(self.exact.iter().map(|pair| pair.0))
                .collect(),
            (None, Some(names)) => names.iter().map(|pair| pair.0).collect(),
            (None, None) => every_doc(snapshot)?,
        };
        docs.sort_unstable();
        docs.dedup();
        let mut rows = Vec::new();
        let mut at = 0;
        while at < docs.len() {
            let file = snapshot.file_of(docs[at]);
            let end = at + docs[at..].partition_point(|&doc| snapshot.file_of(doc) == file);
            let of_file = &docs[at..end];
            at = end;
            if snapshot.flags(file).has(FileFlags::SKIPPED)
                || !filter.admits_file(snapshot, file)?
            {
                continue;
            }
            let before = rows.len();
            let mut best_words = self.path[file as usize].count_ones();
            for &doc in
                of_file.iter().filter(|&&doc| doc != file && filter.admits_symbol(snapshot, doc))
            {
                best_words = best_words.max(self.row_words(doc, file).count_ones());
                rows.push(self.row(snapshot, filter, file, doc));
            }
            // The file itself is a row too where it says more than any of its symbols.
            let says_more = self.own[file as usize].count_ones() > best_words;
            let name = self.exact_name(snapshot, file, file);
            let is_row = rows.len() == before
                || (name.is_some() && rows[before..].iter().all(|row| row.name != name))
                || (self.scores.is_some() && says_more);
            if of_file.contains(&file) && is_row && filter.admits_file_row(file) {
                rows.push(self.row(snapshot, filter, file, file));
            }
        }
        Ok(rows)
    }

    /// The row of a symbol, or of the file if `doc` is the file.
    pub(super) fn row(&self, snapshot: &Snapshot, filter: &Filter, file: Doc, doc: Doc) -> Row {
        let is_file = doc == file;
        let kind = (!is_file).then(|| SymbolKind::from_code(snapshot.kind_code(doc))).flatten();
        let name = self.exact_name(snapshot, file, doc);
        let matched = self.row_words(doc, file);
        let only_parts = name.is_none() && self.only_parts(doc, file, matched);
        let flags = snapshot.flags(file);
        let mut demotion = file_factor(flags, self.tests_wanted);
        demotion *= kind.map_or(1.0, |kind| kind_factor(kind, self.tests_wanted));
        if let Some((wanted, by)) = self.request.kind
            && !kind.is_some_and(|kind| is_kind(kind.code(), wanted))
        {
            demotion *= by;
        }
        let n_terms = self.n_terms();
        let coverage = if n_terms > 0 { matched.count_ones() as f32 / n_terms as f32 } else { 1.0 };
        let Some(scores) = &self.scores else {
            // Without words there is nothing to score but how well a name filter matches.
            let level =
                if is_file { Level::Exact } else { filter.level(doc).unwrap_or(Level::Parts) };
            let band = match level {
                Level::Exact if filter.names().is_some() => MatchBand::Exact,
                _ => MatchBand::Strong,
            };
            let score = level.score() - 0.2 * (1.0 - demotion);
            return Row { doc, file, score, band, name, only_parts: false, floor: 0.0 };
        };
        let part =
            |score: f32, bound: f32| if bound > 0.0 { (score / bound).min(1.0) } else { 0.0 };
        let of_file = part(scores.files[file as usize], self.file_bound);
        let has_symbols = file + 1 < snapshot.n_docs() && snapshot.ordinal(file + 1) > 0;
        let of_symbol = if is_file {
            of_file * FILE_AS_SYMBOL[usize::from(has_symbols)]
        } else {
            part(scores.symbols[doc as usize], scores.bound)
        };
        let mut mix = SYMBOL_SHARE * of_symbol + FILE_SHARE * of_file + COVERAGE_SHARE * coverage;
        let (n_in_name, code) = self.in_name[doc as usize];
        let name_length = length_of(code);
        let is_covered = !is_file && u32::from(n_in_name) == name_length;
        if is_covered && name_length >= 2 {
            mix *= NAME_COVERED[(name_length as usize - 2).min(NAME_COVERED.len() - 1)];
        }
        if only_parts {
            mix *= ONLY_PARTS;
        }
        let mix = mix.min(1.0);
        let (floor, top, band, value) = if let Some(name) = name {
            let name = &self.request.names[name];
            // A path means one file; a name may mean its file too, but rather the symbol.
            let value = match (name.is_path, is_file) {
                (true, _) => 1.0,
                (false, true) => 0.8 * name.strength * (0.9 + 0.1 * mix),
                (false, false) => name.strength * (0.9 + 0.1 * mix),
            };
            (EXACT_FLOOR, 1.0, MatchBand::Exact, value)
        } else if is_covered
            && n_in_name as usize == n_terms
            && kind != Some(SymbolKind::Test)
            && !self.is_aside(flags)
        {
            (SAME_WORDS_FLOOR, EXACT_FLOOR, MatchBand::Strong, mix)
        } else {
            let strong = matched.count_ones() as usize == n_terms && !only_parts;
            let band = if strong { MatchBand::Strong } else { MatchBand::Partial };
            (0.0, SAME_WORDS_FLOOR, band, mix)
        };
        let score = floor + (top - floor) * value * demotion;
        Row { doc, file, score, band, name, only_parts, floor }
    }

    /// The words that a row matches, as bits.
    fn row_words(&self, doc: Doc, file: Doc) -> u64 {
        if doc == file {
            self.own[file as usize]
        } else {
            self.own[doc as usize] | self.path[file as usize]
        }
    }

    /// Whether some name of several parts is matched, and each such only in parts.
    fn only_parts(&self, doc: Doc, file: Doc, matched: u64) -> bool {
        let mut in_parts = false;
        for (identifier, files) in self.request.identifiers.iter().zip(&self.identifier_files) {
            let bits = identifier
                .terms
                .iter()
                .filter(|&&term| term < MAX_MARKS)
                .fold(0, |bits, term| bits | 1 << term);
            if matched & bits == 0 {
                continue;
            }
            let whole = if doc == file { files } else { &identifier.docs };
            if whole.binary_search(&doc).is_ok() {
                return false;
            }
            in_parts = true;
        }
        in_parts
    }

    /// What a row matches and where.
    pub(super) fn matched(&self, row: &Row) -> Vec<Matched> {
        let mut found: Vec<Matched> = Vec::new();
        for term in &self.request.terms {
            let mut fields = Vec::new();
            for scored in Scored::ALL {
                let doc = if (scored as usize) < N_SYMBOL_FIELDS { row.doc } else { row.file };
                let is_there = term.postings.iter().any(|postings| {
                    postings.fields[scored as usize]
                        .binary_search_by_key(&doc, |hit| hit.doc)
                        .is_ok()
                });
                if is_there && !fields.contains(&scored.label()) {
                    fields.push(scored.label());
                }
            }
            if fields.is_empty() {
                continue;
            }
            match found.iter_mut().find(|matched| matched.word == term.word) {
                Some(matched) => {
                    for field in fields {
                        if !matched.fields.contains(&field) {
                            matched.fields.push(field);
                        }
                    }
                }
                None => found.push(Matched { word: term.word.clone(), fields }),
            }
        }
        found
    }
}

/// Every living document of a file or symbol.
fn every_doc(snapshot: &Snapshot) -> Result<Vec<Doc>, Error> {
    let mut docs = Vec::new();
    for file in snapshot.manifest()? {
        docs.push(file.doc);
        let mut doc = file.doc + 1;
        while doc < snapshot.n_docs() && snapshot.ordinal(doc) > 0 {
            docs.push(doc);
            doc += 1;
        }
    }
    Ok(docs)
}
