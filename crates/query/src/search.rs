//! One-shot search: a query in, ranked symbols and files out.
//!
//! A result row is one symbol, or a file where the match is in its name or outside of its symbols. Rows fall
//! into three zones that never mix: symbols whose whole name the query spells out, symbols whose name is made of just the
//! query's words in another form, and everything else by a mix of symbol score, file score and share of the words
//! that match. Tests, declaration files, barrels, generated code, texts and aside folders count less; that comes last,
//! on normalised scores, and not for tests if the query asks for them. Equal scores are ordered by path and place.

mod filter;
mod names;
mod phrase;
mod rank;
mod words;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use reseek_indexer::Snapshot;
use reseek_indexer::analyzer::exact;
use reseek_indexer::corpus::kind::language_of;
use reseek_indexer::entry::FileEntry;
use reseek_indexer::snapshot::Doc;
use reseek_symbols::{Span, SymbolKind};
use serde::Serialize;

use self::filter::Filter;
use self::phrase::Phrase;
use self::rank::{Ranker, Row};
use self::words::Request;
use crate::error::Error;
use crate::report::{SymbolResult, rounded};
use crate::syntax::{SearchQuery, Term};

pub(crate) use self::filter::path_pattern;
pub(crate) use self::names::{Level, find as find_names};
pub use self::phrase::TextSource;

/// Rows of one file while others wait below the limit.
const MAX_ROWS_PER_FILE: usize = 3;
/// Data members of one name while others wait: a service that is injected everywhere is a property of that name everywhere.
const MAX_SAME_MEMBERS: usize = 3;
/// Rows whose records are read: so many times the limit, and at least [`MIN_POOL`]; ties at the end are all in.
const POOL_FACTOR: usize = 8;
const MIN_POOL: usize = 200;
/// Factors for a whole name in another spelling than the query's, where the query has capitals or not.
const OTHER_SPELLING: [f32; 2] = [0.9, 0.97];
/// Factor for a symbol that no other module can import.
const NOT_EXPORTED: f32 = 0.98;

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchAnswer {
    /// The query as it was understood.
    pub query: String,
    /// Best first.
    pub hits: Vec<SearchHit>,
    /// How many symbols and files match, those beyond the limit included.
    pub n_matching: usize,
    /// Words of the query that were not looked for, because they carry no meaning in code or name a kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// What was searched.
    pub searched: Searched,
    /// How phrases were checked; absent for a query without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phrases: Option<PhraseCheck>,
}

/// The extent of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Searched {
    /// Files of the index.
    pub n_files: u64,
    /// Symbols of the index.
    pub n_symbols: u64,
    /// Files that the index knows of and could not read; they never match.
    pub n_skipped: u64,
}

/// How the phrases of a query were checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PhraseCheck {
    /// The phrases.
    pub phrases: Vec<String>,
    /// Files whose text was read.
    pub n_read: usize,
    /// Files that hold all words and were not read, because the limit was reached or no text source was given.
    pub n_unread: usize,
    /// Files that hold all words and whose text could not be had: gone, unreadable, or changed since.
    pub n_unreadable: usize,
}

/// How well a hit matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchBand {
    /// Some of the words, or only parts of a name that the query gives whole.
    Partial,
    /// All words.
    Strong,
    /// The whole name.
    Exact,
}

/// One row of an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SearchHit {
    /// Path relative to the root.
    pub path: String,
    /// The symbol; absent if the match is the file's name or its text outside of symbols.
    pub symbol: Option<SymbolResult>,
    /// The language's name; empty for a file of none.
    pub language: &'static str,
    /// 0 to 1, 1 being the best that any document could reach for this query; three decimals. Never compare
    /// it between queries.
    pub score: f32,
    /// How well it matches.
    pub band: MatchBand,
    /// What matched, in the order of the query.
    pub matched: Vec<Matched>,
    /// Whether the query gives a name of several parts and the hit holds only parts of it, apart from each other.
    pub only_parts: bool,
    /// For the definition of a name that the query spells out: how many other files use or import a symbol of that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_references: Option<usize>,
}

/// A word of the query and where a hit has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Matched {
    /// The word as written in the query.
    pub word: String,
    /// The fields, strongest first.
    pub fields: Vec<&'static str>,
}

impl PhraseCheck {
    /// The state before any file is read.
    fn unread(phrases: &[&str], n_files: usize) -> Self {
        Self {
            phrases: phrases.iter().map(|&phrase| phrase.to_owned()).collect(),
            n_read: 0,
            n_unread: n_files,
            n_unreadable: 0,
        }
    }
}

/// Searches without reading any source; phrases are then not checked, which [`SearchAnswer::phrases`] tells.
pub fn search(
    snapshot: &Snapshot,
    query: &SearchQuery,
    limit: usize,
) -> Result<SearchAnswer, Error> {
    run(snapshot, query, limit, None)
}

/// Searches, and checks phrases against the text, best candidates first, until `limit` rows are confirmed.
pub fn search_with(
    snapshot: &Snapshot,
    query: &SearchQuery,
    limit: usize,
    texts: &dyn TextSource,
) -> Result<SearchAnswer, Error> {
    run(snapshot, query, limit, Some(texts))
}

fn run(
    snapshot: &Snapshot,
    query: &SearchQuery,
    limit: usize,
    texts: Option<&dyn TextSource>,
) -> Result<SearchAnswer, Error> {
    let filter = Filter::new(snapshot, query)?;
    let request = Request::new(snapshot, query)?;
    let phrases: Vec<&str> = query
        .clauses
        .iter()
        .filter_map(|clause| match &clause.term {
            Term::Phrase(phrase) => Some(phrase.as_str()),
            _ => None,
        })
        .collect();
    let says_words = query
        .clauses
        .iter()
        .any(|clause| !clause.negated && matches!(clause.term, Term::Word(_) | Term::Phrase(_)));
    if says_words && request.terms.is_empty() && request.names.is_empty() {
        return Err(Error::Query {
            query: query.to_string(),
            message: "it holds signs only, and the index knows words; add a word".to_owned(),
        });
    }
    let ranker = Ranker::new(snapshot, &request, &filter)?;
    let mut search =
        Search { snapshot, filter: &filter, request: &request, ranker, entries: BTreeMap::new() };
    let mut rows = search.rows()?;
    let mut n_matching = rows.len();
    let mut phrase_check = None;
    let placed = if phrases.is_empty() {
        cut_to_pool(&mut rows, limit);
        search.place_all(rows)?
    } else {
        let files = match files_with_all_words(&request, snapshot, &phrases)? {
            Some(files) => files,
            None => files_of(&rows),
        };
        let files = search.candidate_files(&files)?;
        let mut check = PhraseCheck::unread(&phrases, files.len());
        let placed = if let Some(texts) = texts {
            search.check_phrases(&files, &phrases, limit, texts, &mut check)?
        } else {
            let files: BTreeSet<Doc> = files.iter().map(|candidate| candidate.file).collect();
            rows.retain(|row| files.contains(&row.file));
            search.place_all(rows)?
        };
        n_matching = placed.len();
        phrase_check = Some(check);
        placed
    };
    let hits = search.hits(placed, limit)?;
    let meta = snapshot.meta();
    Ok(SearchAnswer {
        query: query.to_string(),
        hits,
        n_matching,
        ignored: request.ignored.clone(),
        searched: Searched {
            n_files: meta.totals.n_files,
            n_symbols: meta.totals.n_symbols,
            n_skipped: meta.skipped.values().sum(),
        },
        phrases: phrase_check,
    })
}

/// Keeps the rows that could be among the hits, all ties at the end included, so that no order decides which.
fn cut_to_pool(rows: &mut Vec<Row>, limit: usize) {
    let pool = (limit.saturating_mul(POOL_FACTOR)).max(MIN_POOL);
    if rows.len() > pool {
        rows.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
        let cut = rows[pool - 1].score;
        rows.retain(|row| row.score.total_cmp(&cut).is_ge());
    }
}

struct Search<'a> {
    snapshot: &'a Snapshot,
    filter: &'a Filter,
    request: &'a Request,
    ranker: Ranker<'a>,
    entries: BTreeMap<Doc, FileEntry>,
}

/// A file that may hold the phrases.
struct Candidate {
    file: Doc,
    path: String,
    /// The best that anything in it can score.
    score: f32,
}

/// A row with what orders it.
struct Placed {
    row: Row,
    path: String,
    place: u32,
    /// The name of a property or enum member, as its exact term.
    member: Option<String>,
}

fn by_rank(a: &Placed, b: &Placed) -> Ordering {
    b.row
        .score
        .total_cmp(&a.row.score)
        .then_with(|| a.path.cmp(&b.path))
        .then(a.place.cmp(&b.place))
}

impl Search<'_> {
    fn entry(&mut self, file: Doc) -> Result<&FileEntry, Error> {
        if !self.entries.contains_key(&file) {
            self.entries.insert(file, self.snapshot.entry(file)?);
        }
        self.entries.get(&file).ok_or_else(|| {
            reseek_indexer::Error::Damaged { what: "a file record is missing".to_owned() }.into()
        })
    }

    /// All rows that match, in no order that matters.
    fn rows(&mut self) -> Result<Vec<Row>, Error> {
        let mut rows = self.ranker.rows(self.snapshot, self.filter)?;
        if let Some(exported) = self.filter.exported {
            let mut kept = Vec::new();
            for row in rows {
                let place = (row.doc - row.file) as usize;
                let entry = self.entry(row.file)?;
                if place > 0
                    && entry
                        .symbols
                        .get(place - 1)
                        .is_some_and(|symbol| symbol.exported() == exported)
                {
                    kept.push(row);
                }
            }
            rows = kept;
        }
        Ok(rows)
    }

    /// Those of the files that the filters admit, with the best score that anything in them can have, best first.
    fn candidate_files(&self, files: &[Doc]) -> Result<Vec<Candidate>, Error> {
        let (snapshot, filter) = (self.snapshot, self.filter);
        let mut candidates = Vec::new();
        for &file in files {
            if !filter.admits_file(snapshot, file)? {
                continue;
            }
            let mut best = filter
                .admits_file_row(file)
                .then_some(file)
                .map(|doc| self.ranker.row(snapshot, filter, file, doc).score);
            let mut doc = file + 1;
            while doc < snapshot.n_docs() && snapshot.ordinal(doc) > 0 {
                if filter.admits_symbol(snapshot, doc) {
                    let score = self.ranker.row(snapshot, filter, file, doc).score;
                    best = Some(best.map_or(score, |best| best.max(score)));
                }
                doc += 1;
            }
            if let Some(score) = best {
                candidates.push(Candidate { file, path: snapshot.path(file)?, score });
            }
        }
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
        Ok(candidates)
    }

    /// Reads the files, best first, and keeps what holds all phrases: the innermost admitted symbol around each place
    /// of a phrase, or the file. Stops when nothing of the files to come could be among the first `limit`.
    fn check_phrases(
        &mut self,
        files: &[Candidate],
        phrases: &[&str],
        limit: usize,
        texts: &dyn TextSource,
        check: &mut PhraseCheck,
    ) -> Result<Vec<Placed>, Error> {
        let compiled: Vec<Phrase> = phrases.iter().map(|phrase| Phrase::new(phrase)).collect();
        let mut confirmed: Vec<Placed> = Vec::new();
        for Candidate { file, path, score } in files {
            let is_above = |one: &&Placed| match one.row.score.total_cmp(score) {
                Ordering::Equal => one.path < *path,
                order => order.is_gt(),
            };
            if confirmed.iter().filter(is_above).count() >= limit {
                break;
            }
            check.n_unread -= 1;
            let Some(text) = texts.text(path) else {
                check.n_unreadable += 1;
                continue;
            };
            check.n_read += 1;
            let places: Vec<Vec<usize>> =
                compiled.iter().map(|phrase| phrase.places(&text)).collect();
            if places.iter().any(Vec::is_empty) {
                continue;
            }
            let mut owners = Vec::new();
            for &place in places.iter().flatten() {
                owners.extend(self.owner(*file, place as u32)?);
            }
            owners.sort_unstable();
            owners.dedup();
            for doc in owners {
                let row = self.ranker.row(self.snapshot, self.filter, *file, doc);
                confirmed.push(self.place(row)?);
            }
        }
        Ok(confirmed)
    }

    /// The innermost symbol around a byte of a file that the filters admit, doc comments included, or the file.
    fn owner(&mut self, file: Doc, place: u32) -> Result<Option<Doc>, Error> {
        let (snapshot, filter) = (self.snapshot, self.filter);
        let entry = self.entry(file)?;
        let holds = |span: Span| span.start <= place && place < span.end;
        let symbol = entry.symbols.iter().enumerate().rev().find(|(i, symbol)| {
            (holds(symbol.span()) || symbol.doc_span().is_some_and(holds))
                && filter.admits_symbol(snapshot, file + *i as u32 + 1)
                && filter.exported.is_none_or(|exported| symbol.exported() == exported)
        });
        Ok(match symbol {
            Some((i, _)) => Some(file + i as u32 + 1),
            None => filter.admits_file_row(file).then_some(file),
        })
    }

    fn place_all(&mut self, rows: Vec<Row>) -> Result<Vec<Placed>, Error> {
        rows.into_iter().map(|row| self.place(row)).collect()
    }

    /// Reads the record of a row, and counts in what only the record tells.
    fn place(&mut self, mut row: Row) -> Result<Placed, Error> {
        let place = row.doc - row.file;
        let request = self.request;
        let spelling = row.name.and_then(|name| request.names[name].spelling.as_deref());
        let entry = self.entry(row.file)?;
        let mut member = None;
        if place > 0
            && let Some(symbol) = entry.symbols.get(place as usize - 1)
        {
            if let Some(spelling) = spelling.filter(|spelling| *spelling != symbol.name) {
                row.soften(OTHER_SPELLING[usize::from(spelling.to_lowercase() == spelling)]);
            }
            if !symbol.exported() {
                row.soften(NOT_EXPORTED);
            }
            if matches!(symbol.kind(), SymbolKind::Property | SymbolKind::EnumMember) {
                member = exact(&symbol.name);
            }
        }
        Ok(Placed { row, path: entry.path.clone(), place, member })
    }

    /// The hits from the rows of the pool.
    fn hits(&mut self, mut placed: Vec<Placed>, limit: usize) -> Result<Vec<SearchHit>, Error> {
        placed.sort_by(by_rank);
        self.drop_repeats(&mut placed)?;
        spread(&mut placed, limit);
        placed.iter().map(|placed| self.hit(placed)).collect()
    }

    /// Overloads and merged declarations of one name are one row: the best of them.
    fn drop_repeats(&mut self, placed: &mut Vec<Placed>) -> Result<(), Error> {
        let mut seen = BTreeSet::new();
        let mut kept = Vec::new();
        for one in std::mem::take(placed) {
            let place = one.place as usize;
            let entry = self.entry(one.row.file)?;
            let key = entry
                .symbols
                .get(place.wrapping_sub(1))
                .map(|symbol| (symbol.name.clone(), symbol.kind(), entry.container(place - 1)));
            if key.is_none() || seen.insert((one.row.file, key)) {
                kept.push(one);
            }
        }
        *placed = kept;
        Ok(())
    }

    fn hit(&mut self, placed: &Placed) -> Result<SearchHit, Error> {
        let row = &placed.row;
        let place = placed.place as usize;
        let matched = self.ranker.matched(row);
        let entry = self.entry(row.file)?;
        let symbol = entry.symbols.get(place.wrapping_sub(1)).map(|symbol| SymbolResult {
            name: symbol.name.clone(),
            kind: symbol.kind().name(),
            container: entry.container(place - 1),
            start_line: symbol.lines().start,
            end_line: symbol.lines().end,
            score: rounded(row.score),
        });
        let name = symbol
            .as_ref()
            .filter(|_| row.band == MatchBand::Exact)
            .and_then(|symbol| exact(&symbol.name));
        let n_references = match name {
            Some(name) => Some(n_files_using(self.snapshot, &name, row.file)?),
            None => None,
        };
        Ok(SearchHit {
            language: language_of(&placed.path).map_or("", |language| language.name),
            path: placed.path.clone(),
            symbol,
            score: rounded(row.score),
            band: row.band,
            matched,
            only_parts: row.only_parts,
            n_references,
        })
    }
}

/// Keeps the first `limit`, at most a few of each file and of each member's name while others wait; what is left out
/// comes back if there is room.
fn spread(placed: &mut Vec<Placed>, limit: usize) {
    let mut n_rows: BTreeMap<Doc, usize> = BTreeMap::new();
    let mut n_members: BTreeMap<String, usize> = BTreeMap::new();
    let (mut kept, mut rest) = (Vec::new(), Vec::new());
    for one in std::mem::take(placed) {
        let n_same = one.member.as_ref().map_or(0, |name| {
            let n = n_members.entry(name.clone()).or_default();
            *n += 1;
            *n
        });
        let n = n_rows.entry(one.row.file).or_default();
        if *n < MAX_ROWS_PER_FILE && n_same <= MAX_SAME_MEMBERS {
            *n += 1;
            kept.push(one);
        } else {
            rest.push(one);
        }
    }
    kept.truncate(limit);
    let room = limit - kept.len();
    kept.extend(rest.into_iter().take(room));
    kept.sort_by(by_rank);
    *placed = kept;
}

/// The files of the rows, each once.
fn files_of(rows: &[Row]) -> Vec<Doc> {
    let mut files: Vec<Doc> = rows.iter().map(|row| row.file).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// How many files other than `own` use or import the exact term.
fn n_files_using(snapshot: &Snapshot, term: &str, own: Doc) -> Result<usize, Error> {
    let mut files = Vec::new();
    for field in [snapshot.fields().references, snapshot.fields().imports] {
        snapshot.scan(field, term, |hit| files.push(snapshot.file_of(hit.doc)))?;
    }
    files.sort_unstable();
    files.dedup();
    Ok(files.iter().filter(|&&file| file != own).count())
}

/// Files that hold every word of every phrase, sorted; `None` if no phrase has a word that is in the index.
fn files_with_all_words(
    request: &Request,
    snapshot: &Snapshot,
    phrases: &[&str],
) -> Result<Option<Vec<Doc>>, Error> {
    let mut common: Option<Vec<Doc>> = None;
    let mut cache = crate::postings::PostingsCache::new(snapshot);
    for term in phrases.iter().flat_map(|phrase| words::indexed_terms(phrase)) {
        let postings = cache.get(&term)?;
        let mut files: Vec<Doc> =
            postings.fields.iter().flatten().map(|hit| snapshot.file_of(hit.doc)).collect();
        files.sort_unstable();
        files.dedup();
        if let Some(before) = common {
            files.retain(|file| before.binary_search(file).is_ok());
        }
        common = Some(files);
    }
    if common.is_none() && request.terms.is_empty() {
        return Err(Error::Query {
            query: format!("\"{}\"", phrases.join("\" \"")),
            message: "the phrase holds no word that the index keeps; add a rarer word".to_owned(),
        });
    }
    Ok(common)
}
