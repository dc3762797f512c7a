//! Dispatch: from the scores of all documents to the files worth judging.

use std::collections::BTreeMap;

use reseek_indexer::Snapshot;
use reseek_indexer::entry::FileFlags;
use reseek_indexer::snapshot::Doc;

use crate::error::Error;
use crate::scoring::Scores;

/// Symbols kept per file.
pub const MAX_SYMBOLS: usize = 12;

/// Scores of one file, each comparable within one query only.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The file's document.
    pub file: Doc,
    /// Its path.
    pub path: String,
    /// Its flags.
    pub flags: FileFlags,
    /// Its best symbols with their scores, best first.
    pub symbols: Vec<(Doc, f32)>,
    /// Score of the file as a whole.
    pub whole: f32,
    /// Score of its history.
    pub history: f32,
    /// How strongly it changed together with the best files.
    pub together: f32,
}

impl Candidate {
    /// Score of its best symbol.
    pub fn best(&self) -> f32 {
        self.symbols.first().map_or(0.0, |symbol| symbol.1)
    }

    /// Scores of the next four symbols together.
    pub fn next(&self) -> f32 {
        self.symbols.iter().skip(1).take(4).map(|symbol| symbol.1).sum()
    }
}

/// The highest of each part over all candidates; divides parts to 0-1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Maxima {
    /// Of the best symbols.
    pub best: f32,
    /// Of the next symbols.
    pub next: f32,
    /// Of the files as wholes.
    pub whole: f32,
    /// Of the histories.
    pub history: f32,
}

impl Maxima {
    /// Mix of a candidate's parts, each as a share of its maximum, without regard to what kind of file it is.
    pub fn mix(&self, candidate: &Candidate) -> f32 {
        let part = |value: f32, max: f32| if max > 0.0 { value / max } else { 0.0 };
        0.5 * part(candidate.best(), self.best)
            + 0.1 * part(candidate.next(), self.next)
            + 0.4 * part(candidate.whole, self.whole)
            + 0.5 * part(candidate.history, self.history)
    }
}

/// The `limit` files that `admit` lets through with the highest mix of all parts, in that order; ties break by path.
pub fn select(
    snapshot: &Snapshot,
    scores: &Scores,
    history: &BTreeMap<Doc, f32>,
    limit: usize,
    admit: &dyn Fn(&str) -> bool,
) -> Result<(Vec<Candidate>, Maxima), Error> {
    let mut candidates = Vec::new();
    let mut maxima = Maxima::default();
    let n_docs = snapshot.n_docs();
    let mut doc = 0;
    let mut symbols: Vec<(Doc, f32)> = Vec::new();
    while doc < n_docs {
        // A file's symbols follow it without a gap.
        let file = doc;
        symbols.clear();
        doc += 1;
        while doc < n_docs && snapshot.ordinal(doc) > 0 {
            let score = scores.symbols[doc as usize];
            if score > 0.0 {
                symbols.push((doc, score));
            }
            doc += 1;
        }
        let whole = scores.files[file as usize];
        let history = history.get(&file).copied().unwrap_or(0.0);
        if whole <= 0.0 && history <= 0.0 && symbols.is_empty() {
            continue;
        }
        symbols.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        symbols.truncate(MAX_SYMBOLS);
        let candidate = Candidate {
            file,
            path: String::new(),
            flags: FileFlags::default(),
            symbols: symbols.clone(),
            whole,
            history,
            together: 0.0,
        };
        maxima.best = maxima.best.max(candidate.best());
        maxima.next = maxima.next.max(candidate.next());
        maxima.whole = maxima.whole.max(whole);
        maxima.history = maxima.history.max(history);
        candidates.push(candidate);
    }
    let mut ranked: Vec<(f32, Candidate)> =
        candidates.into_iter().map(|candidate| (maxima.mix(&candidate), candidate)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.file.cmp(&b.1.file)));
    let mut chosen: Vec<(f32, Candidate)> = Vec::new();
    for (score, mut candidate) in ranked {
        // Equal scores at the cut are decided by path, so paths are fetched for all that could make it.
        if chosen.len() >= limit && score < chosen[chosen.len() - 1].0 {
            break;
        }
        candidate.path = snapshot.path(candidate.file)?;
        if admit(&candidate.path) {
            candidate.flags = snapshot.flags(candidate.file);
            chosen.push((score, candidate));
        }
    }
    chosen.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
    chosen.truncate(limit);
    Ok((chosen.into_iter().map(|(_, candidate)| candidate).collect(), maxima))
}
