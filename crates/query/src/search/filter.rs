//! The filters of a query, applied before ranking so that a limit never hides what they would keep.

use std::cell::Cell;

use reseek_indexer::Snapshot;
use reseek_indexer::corpus::PathPattern;
use reseek_indexer::corpus::kind::language_of;
use reseek_indexer::entry::FileFlags;
use reseek_indexer::snapshot::Doc;
use reseek_symbols::SymbolKind;

use super::names::{self, Level};
use crate::error::Error;
use crate::postings::{PostingsCache, Scored};
use crate::syntax::{SearchQuery, Term, TestFilter};

/// A pair of lists: what must match, and what must not.
struct Sides<T> {
    wanted: Vec<T>,
    unwanted: Vec<T>,
}

impl<T> Default for Sides<T> {
    fn default() -> Self {
        Self { wanted: Vec::new(), unwanted: Vec::new() }
    }
}

impl<T> Sides<T> {
    fn push(&mut self, negated: bool, value: T) {
        if negated { self.unwanted.push(value) } else { self.wanted.push(value) }
    }

    fn extend(&mut self, negated: bool, values: impl IntoIterator<Item = T>) {
        values.into_iter().for_each(|value| self.push(negated, value));
    }

    /// Whether any wanted value matches, or none is given, and no unwanted one does.
    fn admit(&self, matches: impl Fn(&T) -> bool) -> bool {
        (self.wanted.is_empty() || self.wanted.iter().any(&matches))
            && !self.unwanted.iter().any(matches)
    }

    fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.unwanted.is_empty()
    }
}

/// Fields by which an unwanted word leaves out one row.
const OWN_FIELDS: &[Scored] = &[
    Scored::Name,
    Scored::Container,
    Scored::Signature,
    Scored::Doc,
    Scored::Body,
    Scored::Text,
    Scored::FileText,
];
/// Fields by which an unwanted word leaves out a file with all that is in it.
const PATH_FIELDS: &[Scored] = &[Scored::FileName, Scored::Folders];

/// All filters of a query.
#[derive(Default)]
pub(super) struct Filter {
    kinds: Sides<SymbolKind>,
    languages: Sides<&'static str>,
    paths: Sides<PathPattern>,
    files: Sides<PathPattern>,
    /// Symbols that match every wanted name, sorted, with how well; `None` without such a filter.
    names: Option<Vec<(Doc, Level)>>,
    /// Rows that an unwanted name or word matches by their own fields, sorted.
    unwanted: Vec<Doc>,
    /// Files that an unwanted word matches by their path, sorted; nothing in them passes.
    unwanted_files: Vec<Doc>,
    /// Whether symbols must be exported, or must not be.
    pub(super) exported: Option<bool>,
    /// What to do with tests.
    pub(super) test: Option<TestFilter>,
}

/// A path or glob; what exists in the index as a file or folder is that, however much it looks like a glob.
pub(crate) fn path_pattern(snapshot: &Snapshot, text: &str) -> Result<PathPattern, Error> {
    let failure = Cell::new(None);
    let pattern = PathPattern::parse(text, |literal| match snapshot.manifest() {
        Ok(files) => files.iter().any(|file| {
            file.path
                .strip_prefix(literal)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }),
        Err(error) => {
            failure.set(Some(error));
            false
        }
    });
    match failure.into_inner() {
        Some(error) => Err(error.into()),
        None => Ok(pattern?),
    }
}

/// A pattern on names of files: the text anywhere in the name, or a glob.
fn file_pattern(text: &str) -> Result<PathPattern, Error> {
    let has_glob = text.contains(['*', '?', '[', '{']);
    let glob = if has_glob { text.to_lowercase() } else { format!("*{}*", text.to_lowercase()) };
    Ok(PathPattern::parse(&glob, |_| false)?)
}

impl Filter {
    /// The filters of a query over a view.
    pub(super) fn new(snapshot: &Snapshot, query: &SearchQuery) -> Result<Self, Error> {
        let mut filter = Self::default();
        let mut cache = PostingsCache::new(snapshot);
        for clause in &query.clauses {
            let negated = clause.negated;
            match &clause.term {
                Term::Kind(kinds) => filter.kinds.extend(negated, kinds.iter().copied()),
                Term::Language(names) => filter.languages.extend(negated, names.iter().copied()),
                Term::Path(text) => filter.paths.push(negated, path_pattern(snapshot, text)?),
                Term::File(text) => filter.files.push(negated, file_pattern(text)?),
                Term::Name(name) if negated => {
                    let found = names::find(snapshot, name)?;
                    filter.unwanted.extend(found.into_iter().map(|(doc, _)| doc));
                }
                Term::Name(name) => {
                    let found = names::find(snapshot, name)?;
                    filter.names = Some(match filter.names.take() {
                        None => found,
                        Some(before) => both(&before, &found),
                    });
                }
                Term::Word(word) if negated => {
                    filter.unwanted.extend(names::holding(&mut cache, word, OWN_FIELDS)?);
                    let files = names::holding(&mut cache, word, PATH_FIELDS)?;
                    filter.unwanted_files.extend(files);
                }
                Term::Exported(exported) => filter.exported = Some(*exported),
                Term::Test(test) => filter.test = Some(*test),
                Term::Word(_) | Term::Phrase(_) => {}
            }
        }
        filter.unwanted.sort_unstable();
        filter.unwanted_files.sort_unstable();
        Ok(filter)
    }

    /// Whether only symbols can pass.
    fn symbols_only(&self) -> bool {
        !self.kinds.wanted.is_empty() || self.names.is_some() || self.exported.is_some()
    }

    /// The symbols that the wanted names match, if there is such a filter.
    pub(super) fn names(&self) -> Option<&[(Doc, Level)]> {
        self.names.as_deref()
    }

    /// Whether something in a file may pass, by its path and flags.
    pub(super) fn admits_file(&self, snapshot: &Snapshot, file: Doc) -> Result<bool, Error> {
        let is_test = snapshot.flags(file).has(FileFlags::TEST);
        let by_test = match self.test {
            Some(TestFilter::No) => !is_test,
            Some(TestFilter::Only) => is_test,
            Some(TestFilter::Yes) | None => true,
        };
        if !by_test || self.unwanted_files.binary_search(&file).is_ok() {
            return Ok(false);
        }
        if self.paths.is_empty() && self.files.is_empty() && self.languages.is_empty() {
            return Ok(true);
        }
        let path = snapshot.path(file)?;
        let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let language = language_of(&path).map_or("", |language| language.name);
        Ok(self.paths.admit(|pattern| pattern.matches(&path))
            && self.files.admit(|pattern| pattern.matches(&name))
            && self.languages.admit(|wanted| *wanted == language))
    }

    /// Whether a file passes as a row of its own.
    pub(super) fn admits_file_row(&self, file: Doc) -> bool {
        !self.symbols_only() && self.unwanted.binary_search(&file).is_err()
    }

    /// Whether a symbol passes, by its kind and name; whether it is exported is looked at where its record is read.
    pub(super) fn admits_symbol(&self, snapshot: &Snapshot, symbol: Doc) -> bool {
        let code = snapshot.kind_code(symbol);
        self.kinds.admit(|kind| kind.code() == code)
            && self.unwanted.binary_search(&symbol).is_err()
            && self.level(symbol).is_some()
    }

    /// How well the name matches the filter; exact where there is no such filter.
    pub(super) fn level(&self, symbol: Doc) -> Option<Level> {
        match &self.names {
            None => Some(Level::Exact),
            Some(names) => {
                names.binary_search_by_key(&symbol, |pair| pair.0).ok().map(|at| names[at].1)
            }
        }
    }
}

/// Documents in both lists, with the worse level.
fn both(a: &[(Doc, Level)], b: &[(Doc, Level)]) -> Vec<(Doc, Level)> {
    a.iter()
        .filter_map(|&(doc, level)| {
            let at = b.binary_search_by_key(&doc, |pair| pair.0).ok()?;
            Some((doc, level.max(b[at].1)))
        })
        .collect()
}
