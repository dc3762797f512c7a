//! The loop: dispatch, evaluate, refine, at most a few times; then merge and answer.

use std::collections::{BTreeMap, BTreeSet};

use reseek_indexer::Snapshot;
use reseek_indexer::corpus::PathPattern;
use reseek_indexer::entry::FileEntry;
use reseek_indexer::snapshot::Doc;

use crate::analysis::analyse;
use crate::concepts::{Concept, plain};
use crate::error::Error;
use crate::evaluate::{Evaluated, Judged, dispatch, evidence, reason};
use crate::features::Features;
use crate::lexicon::Lexicon;
use crate::postings::PostingsCache;
use crate::refine::{self, Refinement};
use crate::report::{
    Band, Cycle, CycleQuery, Evaluation, FileResult, Gap, GapKind, Keyword, Retrieval, Stop,
    SymbolResult, rounded,
};
use crate::scoring::Scorer;
use crate::task::{DEFAULT_THRESHOLD, Task};
use crate::weights::Weights;

/// Relevant files that are enough.
pub const ENOUGH: usize = 3;
/// Judgements that the trace keeps per cycle.
const TRACED: usize = 30;
/// Symbols shown per file.
const SHOWN_SYMBOLS: usize = 6;
/// Relevance below which a file is left out of the following cycles.
const HOPELESS: f32 = 0.2;
/// Excluded paths that a query of the trace lists.
const MAX_LISTED_EXCLUDES: usize = 20;

/// Answers a task.
pub fn retrieve(snapshot: &Snapshot, task: &Task, lexicon: &Lexicon) -> Result<Retrieval, Error> {
    retrieve_until(snapshot, task, lexicon, &|| false)
}

/// Answers a task, giving up with [`Error::Cancelled`] when `cancelled` says so; it is asked between cycles.
pub fn retrieve_until(
    snapshot: &Snapshot,
    task: &Task,
    lexicon: &Lexicon,
    cancelled: &dyn Fn() -> bool,
) -> Result<Retrieval, Error> {
    run(snapshot, task, lexicon, &Weights::default(), cancelled).map(|(retrieval, _)| retrieval)
}

/// Answers a task with weights other than those in force, and gives the features that each result was judged by,
/// in the order of the results. For evaluation and training only.
#[doc(hidden)]
pub fn inspect(
    snapshot: &Snapshot,
    task: &Task,
    lexicon: &Lexicon,
    weights: &Weights,
) -> Result<(Retrieval, Vec<Features>), Error> {
    run(snapshot, task, lexicon, weights, &|| false)
}

fn run(
    snapshot: &Snapshot,
    task: &Task,
    lexicon: &Lexicon,
    weights: &Weights,
    cancelled: &dyn Fn() -> bool,
) -> Result<(Retrieval, Vec<Features>), Error> {
    let analysis = analyse(&task.text);
    let keywords: Vec<String> = task.keywords.iter().chain(&task.focus_areas).cloned().collect();
    let mut concepts = plain(&analysis, &keywords);
    let filter = Filter::new(snapshot, task)?;
    let mut excluded: BTreeSet<String> = BTreeSet::new();
    let mut learned_patterns: Vec<String> = Vec::new();
    let mut focus_areas = task.focus_areas.clone();
    let mut scorer = Scorer::new(snapshot, &weights.fields);
    let mut cache = PostingsCache::new(snapshot);
    let mut merged: BTreeMap<String, Merged> = BTreeMap::new();
    let mut cycles: Vec<Cycle> = Vec::new();
    let mut number = 1;
    let mut was_weak = false;
    let mut targets = BTreeSet::new();
    let (stop, gaps) = loop {
        if cancelled() {
            return Err(Error::Cancelled);
        }
        let evaluated = dispatch(
            snapshot,
            &mut scorer,
            &mut cache,
            &analysis,
            &concepts,
            task.candidates,
            &|path| filter.admits(path) && !excluded.contains(path),
        )?;
        let relevant: Vec<&Judged> = evaluated
            .judged
            .iter()
            .filter(|judged| judged.relevance >= DEFAULT_THRESHOLD)
            .collect();
        let gaps = refine::gaps(snapshot, &concepts, &evaluated, &relevant)?;
        // Files that look relevant are not believed while the words as a whole are answered weakly.
        let weak = number == 1 && evaluated.strength() < refine::STRONG;
        merge(&mut merged, &evaluated, &concepts, number, was_weak, &targets);
        was_weak = weak;
        let mut cycle = trace(number, task, &concepts, &evaluated, &gaps.by_file);
        cycle.query.patterns.extend(learned_patterns.iter().cloned());
        cycle.query.excludes.extend(excluded.iter().take(MAX_LISTED_EXCLUDES).cloned());
        cycle.query.focus_areas.clone_from(&focus_areas);

        let critical = gaps.list.iter().any(|gap| gap.critical);
        let refinement = Refinement {
            snapshot,
            analysis: &analysis,
            lexicon,
            lexicon_weights: &weights.lexicon,
            without: &task.without,
            concepts: &concepts,
            evaluated: &evaluated,
            relevant: &relevant,
            cycle: number,
        };
        let mut next = Vec::new();
        let stop = if relevant.len() >= ENOUGH && !critical && !weak {
            Some(Stop::Sufficient)
        } else if number >= task.max_cycles {
            Some(Stop::MaxCycles)
        } else {
            next = refinement.concepts(&mut cache, &gaps.list)?;
            (next == concepts).then_some(Stop::NothingNew)
        };
        cycle.stop = stop;
        cycles.push(cycle);
        if let Some(stop) = stop {
            break (stop, gaps);
        }
        // Only a cycle whose words the index answered well can say that a file is hopeless.
        if evaluated.strength() >= refine::STRONG {
            excluded.extend(
                evaluated
                    .judged
                    .iter()
                    .filter(|judged| {
                        judged.relevance < HOPELESS
                            && judged.matches.alternatives.iter().all(Option::is_none)
                    })
                    .map(|judged| judged.candidate.path.clone()),
            );
        }
        learned_patterns = folders(&relevant);
        focus_areas = task
            .focus_areas
            .iter()
            .cloned()
            .chain(gaps.list.iter().map(|gap| gap.name.clone()))
            .collect();
        targets = gaps.targets;
        concepts = next;
        number += 1;
    };
    let n_judged = merged.len();
    let mut ranked: Vec<(String, Merged)> = merged
        .into_iter()
        .filter(|(_, merged)| merged.judged.relevance >= task.threshold)
        .collect();
    ranked.sort_by(|a, b| {
        b.1.judged.relevance.total_cmp(&a.1.judged.relevance).then_with(|| a.0.cmp(&b.0))
    });
    let n_cut = ranked.len().saturating_sub(task.limit);
    ranked.truncate(task.limit);
    let mut results = Vec::with_capacity(ranked.len());
    let mut features = Vec::with_capacity(ranked.len());
    for (path, merged) in ranked {
        features.push(merged.judged.features);
        let missing = gaps.by_file.get(&path).cloned().unwrap_or_default();
        results.push(result(snapshot, path, &merged, missing)?);
    }
    let retrieval = Retrieval {
        task: task.text.clone(),
        results,
        cycles,
        gaps: unique(gaps.list),
        stop,
        n_judged,
        n_cut,
    };
    Ok((retrieval, features))
}

/// A judgement with what explains it, kept over the cycles.
struct Merged {
    judged: Judged,
    evidence: Vec<crate::report::Evidence>,
    reason: String,
    cycle: u32,
}

/// Takes the judgements of a cycle over. A file that was judged before keeps its judgement, because further ways to say
/// the task only serve to find further files; unless the cycle before was weak and its judgements with it, or the cycle
/// was after this file (one of `targets`) and found more that speaks for it.
fn merge(
    merged: &mut BTreeMap<String, Merged>,
    evaluated: &Evaluated,
    concepts: &[Concept],
    cycle: u32,
    replace: bool,
    targets: &BTreeSet<Doc>,
) {
    for judged in &evaluated.judged {
        let known = merged.get(&judged.candidate.path);
        let stays = known.is_some_and(|known| {
            !targets.contains(&judged.candidate.file) || known.judged.relevance >= judged.relevance
        });
        if stays && !replace {
            continue;
        }
        let evidence = evidence(judged, concepts, &evaluated.scores);
        let first = known.map_or(cycle, |known| known.cycle);
        merged.insert(
            judged.candidate.path.clone(),
            Merged {
                reason: reason(judged, &evidence),
                evidence,
                judged: judged.clone(),
                cycle: first,
            },
        );
    }
}

fn trace(
    number: u32,
    task: &Task,
    concepts: &[Concept],
    evaluated: &Evaluated,
    missing: &BTreeMap<String, Vec<String>>,
) -> Cycle {
    let mut keywords = Vec::new();
    for concept in concepts {
        for alternative in &concept.alternatives {
            keywords.push(Keyword {
                term: alternative.label.clone(),
                weight: rounded(concept.weight * alternative.weight),
                origin: alternative.origin,
                stands_for: (alternative.label != concept.label).then(|| concept.label.clone()),
            });
        }
    }
    let evaluation = evaluated
        .judged
        .iter()
        .take(TRACED)
        .map(|judged| Evaluation {
            path: judged.candidate.path.clone(),
            relevance: rounded(judged.relevance),
            band: Band::of(judged.relevance),
            reason: reason(judged, &evidence(judged, concepts, &evaluated.scores)),
            missing_context: missing.get(&judged.candidate.path).cloned().unwrap_or_default(),
        })
        .collect();
    Cycle {
        cycle: number,
        query: CycleQuery {
            patterns: task.patterns.clone(),
            keywords,
            excludes: task.excludes.clone(),
            focus_areas: Vec::new(),
        },
        candidates: evaluated.judged.len(),
        evaluation,
        stop: None,
    }
}

/// Folders that hold at least two of the relevant files, as globs.
fn folders(relevant: &[&Judged]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for judged in relevant {
        if let Some((folder, _)) = judged.candidate.path.rsplit_once('/') {
            *counts.entry(folder).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .filter(|(_, count)| *count > 1)
        .map(|(folder, _)| format!("{folder}/**"))
        .collect()
}

fn unique(gaps: Vec<Gap>) -> Vec<Gap> {
    let mut seen: BTreeSet<(GapKind, String)> = BTreeSet::new();
    gaps.into_iter().filter(|gap| seen.insert((gap.kind, gap.name.clone()))).collect()
}

fn result(
    snapshot: &Snapshot,
    path: String,
    merged: &Merged,
    missing_context: Vec<String>,
) -> Result<FileResult, Error> {
    let judged = &merged.judged;
    let entry: FileEntry = snapshot.entry(judged.candidate.file)?;
    let best = judged.candidate.best();
    let mut symbols = Vec::new();
    for &(doc, score) in judged.candidate.symbols.iter().take(SHOWN_SYMBOLS) {
        let index = (doc - judged.candidate.file) as usize - 1;
        let Some(symbol) = entry.symbols.get(index) else { continue };
        let lines = symbol.lines();
        symbols.push(SymbolResult {
            name: symbol.name.clone(),
            kind: symbol.kind().name(),
            container: entry.container(index),
            start_line: lines.start,
            end_line: lines.end,
            score: rounded(if best > 0.0 { score / best } else { 0.0 }),
        });
    }
    Ok(FileResult {
        path,
        relevance: rounded(judged.relevance),
        band: Band::of(judged.relevance),
        reason: merged.reason.clone(),
        evidence: merged.evidence.clone(),
        symbols,
        missing_context,
        n_lines: entry.n_lines,
        found_in_cycle: merged.cycle,
    })
}

/// The caller's patterns and excludes.
struct Filter {
    patterns: Vec<PathPattern>,
    excludes: Vec<PathPattern>,
}

impl Filter {
    fn new(snapshot: &Snapshot, task: &Task) -> Result<Self, Error> {
        let parse = |texts: &[String]| -> Result<Vec<PathPattern>, Error> {
            texts
                .iter()
                .map(|text| {
                    let exists = |path: &str| matches!(snapshot.file(path), Ok(Some(_)));
                    Ok(PathPattern::parse(text, exists)?)
                })
                .collect()
        };
        Ok(Self { patterns: parse(&task.patterns)?, excludes: parse(&task.excludes)? })
    }

    fn admits(&self, path: &str) -> bool {
        (self.patterns.is_empty() || self.patterns.iter().any(|pattern| pattern.matches(path)))
            && !self.excludes.iter().any(|pattern| pattern.matches(path))
    }
}
