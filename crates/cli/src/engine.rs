//! Stand-ins for the parts of the query crate that are still being written, behind the signatures that they will have.

use std::collections::BTreeMap;

use reseek_indexer::Snapshot;
use reseek_indexer::corpus::PathPattern;
use reseek_indexer::entry::FileFlags;
use reseek_query::Error;
pub(crate) use reseek_query::lexicon::Lexicon;
use reseek_query::postings::PostingsCache;
use reseek_query::scoring::{ScoredConcept, ScoredTerm, Scorer};
use reseek_query::weights::FIELD_WEIGHTS;
use reseek_query::{analysis, candidates, history};

pub(crate) use crate::task::Task;

pub(crate) mod retrieve {
    pub(crate) use super::run_loop as retrieve;
}

use reseek_query::report::{
    Band, Cycle, CycleQuery, Evaluation, Evidence, FileResult, Gap, Keyword, Origin, Retrieval,
    Stop, SymbolResult,
};

pub(crate) fn run_loop(snapshot: &Snapshot, task: &Task, _: &Lexicon) -> Result<Retrieval, Error> {
    let patterns = |texts: &[String]| -> Result<Vec<PathPattern>, Error> {
        Ok(texts
            .iter()
            .map(|text| PathPattern::parse(text, |_| false))
            .collect::<Result<_, _>>()?)
    };
    let (wanted, unwanted) = (patterns(&task.patterns)?, patterns(&task.excludes)?);
    let mut cache = PostingsCache::new(snapshot);
    let mut scorer = Scorer::new(snapshot, &FIELD_WEIGHTS);
    let analysis = analysis::analyse(&format!("{} {}", task.text, task.keywords.join(" ")));
    let mut concepts = Vec::new();
    for word in &analysis.words {
        let postings = cache.get(&word.stem)?;
        concepts.push(ScoredConcept {
            weight: word.weight,
            terms: vec![ScoredTerm { postings, weight: 1.0 }],
        });
    }
    let scores = scorer.score(&concepts);
    let by_history: BTreeMap<_, _> = history::scores(snapshot, &concepts)?;
    let (mut all, maxima) = candidates::select(snapshot, &scores, &by_history, task.candidates)?;
    all.retain(|c| {
        (wanted.is_empty() || wanted.iter().any(|p| p.matches(&c.path)))
            && !unwanted.iter().any(|p| p.matches(&c.path))
    });
    let part = |value: f32, max: f32| if max > 0.0 { value / max } else { 0.0 };
    let mut results = Vec::new();
    for c in &all {
        let mut score = 0.5 * part(c.best(), maxima.best)
            + 0.1 * part(c.next(), maxima.next)
            + 0.4 * part(c.whole, maxima.whole)
            + 0.3 * part(c.history, maxima.history);
        if c.flags.has(FileFlags::TEST) || c.flags.has(FileFlags::TEXT) {
            score -= 0.4;
        }
        let relevance = (score.clamp(0.0, 1.0) * 1e3).round() / 1e3;
        let entry = snapshot.entry(c.file)?;
        let symbols = c
            .symbols
            .iter()
            .filter_map(|(doc, score)| {
                let index = snapshot.ordinal(*doc) as usize - 1;
                let symbol = entry.symbols.get(index)?;
                Some(SymbolResult {
                    name: symbol.name.clone(),
                    kind: symbol.kind().name(),
                    container: entry.container(index),
                    start_line: symbol.lines().start,
                    end_line: symbol.lines().end,
                    score: (part(*score, c.best()) * 1e3).round() / 1e3,
                })
            })
            .collect();
        results.push(FileResult {
            path: c.path.clone(),
            relevance,
            band: Band::of(relevance),
            reason: "its words".to_owned(),
            evidence: Vec::<Evidence>::new(),
            symbols,
            missing_context: Vec::new(),
            n_lines: entry.n_lines,
            found_in_cycle: 1,
        });
    }
    results.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then_with(|| a.path.cmp(&b.path)));
    let evaluation = results
        .iter()
        .take(20)
        .map(|file| Evaluation {
            path: file.path.clone(),
            relevance: file.relevance,
            band: file.band,
            reason: file.reason.clone(),
            missing_context: Vec::new(),
        })
        .collect();
    let n_judged = results.len();
    results.retain(|file| file.relevance >= task.threshold && file.relevance > 0.0);
    let n_cut = results.len().saturating_sub(task.limit);
    results.truncate(task.limit);
    Ok(Retrieval {
        task: task.text.clone(),
        results,
        cycles: vec![Cycle {
            cycle: 1,
            query: CycleQuery {
                patterns: task.patterns.clone(),
                keywords: analysis
                    .words
                    .iter()
                    .map(|word| Keyword {
                        term: word.stem.clone(),
                        weight: word.weight,
                        origin: Origin::Task,
                        stands_for: None,
                    })
                    .collect(),
                excludes: task.excludes.clone(),
                focus_areas: task.focus_areas.clone(),
            },
            candidates: n_judged,
            evaluation,
            stop: Some(Stop::NothingNew),
        }],
        gaps: Vec::<Gap>::new(),
        stop: Stop::NothingNew,
        n_judged,
        n_cut,
    })
}
