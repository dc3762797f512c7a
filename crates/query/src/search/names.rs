//! Symbols by name: the whole name, its beginning, or all its parts.

use reseek_indexer::Snapshot;
use reseek_indexer::analyzer::{Analyzer, exact, words};
use reseek_indexer::snapshot::Doc;
use tantivy::schema::Field;

use crate::error::Error;
use crate::postings::{PostingsCache, Scored};

/// Names that begin with a text are looked up one by one, at most so many.
const MAX_PREFIXED: usize = 20_000;

/// How well a name matches, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// The whole name, in any letter case.
    Exact,
    /// The beginning of the name.
    Prefix,
    /// All parts in any order.
    Parts,
}

impl Level {
    /// A score that orders the levels.
    pub(crate) fn score(self) -> f32 {
        match self {
            Self::Exact => 1.0,
            Self::Prefix => 0.8,
            Self::Parts => 0.6,
        }
    }
}

/// Documents with all terms in the field, sorted.
pub(super) fn with_all(
    snapshot: &Snapshot,
    field: Field,
    terms: &[String],
) -> Result<Vec<Doc>, Error> {
    let mut common: Option<Vec<Doc>> = None;
    for term in terms {
        let mut docs = Vec::new();
        snapshot.scan(field, term, |hit| docs.push(hit.doc))?;
        if let Some(before) = common {
            docs.retain(|doc| before.binary_search(doc).is_ok());
        }
        docs.sort_unstable();
        common = Some(docs);
    }
    Ok(common.unwrap_or_default())
}

/// The terms of a name, all words in order.
pub(super) fn terms_of(name: &str) -> Vec<String> {
    let mut analyzer = Analyzer::new();
    words(name)
        .flat_map(|(_, word)| analyzer.word_terms(word, true).to_vec())
        .map(String::from)
        .collect()
}

/// The symbols that `name` means, sorted by document; `Container.name` narrows to members of such a container.
pub(crate) fn find(snapshot: &Snapshot, name: &str) -> Result<Vec<(Doc, Level)>, Error> {
    let fields = snapshot.fields();
    let (container, own) = match name.rsplit_once(['.', '#']) {
        Some((container, own)) if !own.is_empty() && !container.is_empty() => {
            (Some(container), own)
        }
        _ => (None, name),
    };
    let joined: String = words(own).map(|(_, word)| word).collect();
    let mut found: Vec<(Doc, Level)> = Vec::new();
    if let Some(term) = exact(&joined) {
        for other in snapshot.terms_with_prefix(fields.exact_name, &term, MAX_PREFIXED)? {
            let level = if other == term { Level::Exact } else { Level::Prefix };
            snapshot.scan(fields.exact_name, &other, |hit| found.push((hit.doc, level)))?;
        }
    }
    let by_parts = with_all(snapshot, fields.name, &terms_of(own))?;
    found.extend(by_parts.into_iter().map(|doc| (doc, Level::Parts)));
    found.sort_unstable();
    found.dedup_by_key(|pair| pair.0);
    if let Some(container) = container {
        let inside = with_all(snapshot, fields.container, &terms_of(container))?;
        found.retain(|(doc, _)| inside.binary_search(doc).is_ok());
    }
    Ok(found)
}

/// Documents that hold all terms of a word in some of the fields, sorted.
pub(super) fn holding(
    cache: &mut PostingsCache<'_>,
    word: &str,
    fields: &[Scored],
) -> Result<Vec<Doc>, Error> {
    let mut common: Option<Vec<Doc>> = None;
    for term in terms_of(word) {
        let postings = cache.get(&term)?;
        let mut docs: Vec<Doc> = fields
            .iter()
            .flat_map(|&scored| postings.fields[scored as usize].iter().map(|hit| hit.doc))
            .collect();
        docs.sort_unstable();
        docs.dedup();
        if let Some(before) = common {
            docs.retain(|doc| before.binary_search(doc).is_ok());
        }
        common = Some(docs);
    }
    Ok(common.unwrap_or_default())
}
