//! Symbols by name, kind and place, without any ranking of text: what `reseek symbols` lists.

use reseek_indexer::Snapshot;
use reseek_indexer::entry::FileFlags;
use reseek_indexer::snapshot::Doc;
use reseek_symbols::SymbolKind;
use serde::Serialize;

use crate::error::Error;
use crate::report::{SymbolResult, rounded};
use crate::search::{Level, find_names, path_pattern};

/// Which symbols to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolFilter {
    /// A name, the beginning of one, or its parts in any order; `Container.name` for members. `None` for all.
    pub name: Option<String>,
    /// Any of these kinds; empty for all.
    pub kind: Vec<SymbolKind>,
    /// Below any of these paths or globs; empty for everywhere.
    pub path: Vec<String>,
    /// Only what is exported, or only what is not.
    pub exported: Option<bool>,
    /// At most so many.
    pub limit: usize,
}

/// A symbol that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundSymbol {
    /// Path relative to the root.
    pub path: String,
    /// The symbol; its score is 1 for the whole name, less for its beginning, least for its parts.
    pub symbol: SymbolResult,
    /// Whether another module can import it.
    pub exported: bool,
}

/// The symbols that match: whole names first, then beginnings, then parts; within each, definitions that stand for
/// themselves before members, source before tests and declaration files, then by path and place.
pub fn symbols(snapshot: &Snapshot, filter: &SymbolFilter) -> Result<Vec<FoundSymbol>, Error> {
    let mut patterns = Vec::new();
    for text in &filter.path {
        patterns.push(path_pattern(snapshot, text)?);
    }
    let mut found: Vec<(Level, u8, String, Doc, Doc)> = Vec::new();
    let mut add = |level: Level, doc: Doc, file: Doc, path: &str| {
        let kind = SymbolKind::from_code(snapshot.kind_code(doc));
        if !filter.kind.is_empty() && kind.is_none_or(|kind| !filter.kind.contains(&kind)) {
            return;
        }
        let order = kind.map_or(u8::MAX, order) + 10 * u8::from(is_less(snapshot.flags(file)));
        found.push((level, order, path.to_owned(), doc, file));
    };
    let admits =
        |path: &str| patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(path));
    if let Some(name) = &filter.name {
        for (doc, level) in find_names(snapshot, name)? {
            let file = snapshot.file_of(doc);
            let path = snapshot.path(file)?;
            if admits(&path) {
                add(level, doc, file, &path);
            }
        }
    } else {
        for file in snapshot.manifest()?.into_iter().filter(|file| admits(&file.path)) {
            let mut doc = file.doc + 1;
            while doc < snapshot.n_docs() && snapshot.ordinal(doc) > 0 {
                add(Level::Exact, doc, file.doc, &file.path);
                doc += 1;
            }
        }
    }
    found.sort();
    let mut answer = Vec::new();
    let mut entry = None;
    for (level, _, path, doc, file) in found {
        if answer.len() == filter.limit {
            break;
        }
        let record = match entry.take() {
            Some((of, record)) if of == file => record,
            _ => snapshot.entry(file)?,
        };
        let place = (doc - file) as usize - 1;
        if let Some(symbol) = record.symbols.get(place)
            && filter.exported.is_none_or(|exported| symbol.exported() == exported)
        {
            answer.push(FoundSymbol {
                path,
                symbol: SymbolResult {
                    name: symbol.name.clone(),
                    kind: symbol.kind().name(),
                    container: record.container(place),
                    start_line: symbol.lines().start,
                    end_line: symbol.lines().end,
                    score: rounded(level.score()),
                },
                exported: symbol.exported(),
            });
        }
        entry = Some((file, record));
    }
    Ok(answer)
}

/// Definitions that stand for themselves first, then members, then tests.
fn order(kind: SymbolKind) -> u8 {
    match kind {
        SymbolKind::Class | SymbolKind::Function | SymbolKind::Interface => 0,
        SymbolKind::TypeAlias | SymbolKind::Enum | SymbolKind::Namespace | SymbolKind::Variable => {
            1
        }
        SymbolKind::Method | SymbolKind::Getter | SymbolKind::Setter | SymbolKind::Constructor => 2,
        SymbolKind::Property | SymbolKind::EnumMember => 3,
        SymbolKind::Test => 4,
    }
}

/// Whether a file is seldom the one that is asked for.
fn is_less(flags: FileFlags) -> bool {
    [FileFlags::TEST, FileFlags::DECLARATION, FileFlags::ASIDE, FileFlags::GENERATED]
        .iter()
        .any(|&flag| flags.has(flag))
}
