//! What is known of a candidate in relation to the task: the numbers that evaluation judges by.
//!
//! Features are the same for every repository and every task: shares, ratios and flags, never raw scores. They are computed
//! against the concepts of the task, through whatever alternatives a cycle has for them.

use std::collections::BTreeMap;

use reseek_indexer::Snapshot;
use reseek_indexer::analyzer::{Analyzer, Mode};
use reseek_indexer::entry::FileFlags;
use reseek_indexer::snapshot::{Doc, length_of};

use crate::analysis::Analysis;
use crate::candidates::{Candidate, Maxima};
use crate::concepts::Concept;
use crate::postings::{N_FIELDS, Scored};
use crate::scoring::{ScoredConcept, Scores};

/// Names of the features in order; the model refers to them by place.
pub const NAMES: [&str; N_FEATURES] = [
    "best",
    "next",
    "whole",
    "history",
    "together",
    "best_of_bound",
    "whole_of_bound",
    "cover_any",
    "cover_symbol",
    "cover_names",
    "cover_file_name",
    "cover_folders",
    "cover_docs",
    "cover_text",
    "cover_code",
    "file_name_precision",
    "symbol_name_precision",
    "identifier_defined",
    "identifier_used",
    "path_named",
    "folder_named",
    "test_unasked",
    "test_asked",
    "aside_unasked",
    "declaration",
    "barrel",
    "text",
    "generated",
    "log_symbols",
    "log_length",
    "log_commits",
    "reciprocal_rank",
    "share_of_top",
    "n_concepts",
    "top_of_bound",
    "folder_share",
    "rarest_in_name",
    "imported_by_top",
    "imports_top",
    "cover_history",
    "n_best_symbols",
    "depth",
    "recent_commits",
    "name_in_order",
];

/// Number of features.
pub const N_FEATURES: usize = 44;

/// The features of one candidate.
pub type Features = [f32; N_FEATURES];

/// Which concepts a candidate matches, and where.
#[derive(Clone, Debug)]
pub struct Matches {
    /// For each concept, the highest weight of an alternative found in each field of the file or its symbols.
    pub concepts: Vec<[f32; N_FIELDS]>,
    /// For each concept, the alternative that matched with the highest weight, by place.
    pub alternatives: Vec<Option<usize>>,
    /// For each kept symbol, the highest weight per concept.
    pub symbols: Vec<Vec<f32>>,
    /// For each kept symbol: number of its name's terms that match, and of all its name's terms.
    pub names: Vec<(f32, f32)>,
}

/// Finds where each candidate matches each concept.
pub fn matches(
    snapshot: &Snapshot,
    candidates: &[Candidate],
    concepts: &[ScoredConcept],
) -> Vec<Matches> {
    let n_docs = snapshot.n_docs() as usize;
    // The candidate and the kept symbol of each document, plus one; 0 for none.
    let mut candidate_of = vec![0u16; n_docs];
    let mut symbol_of = vec![0u8; n_docs];
    let mut all: Vec<Matches> = Vec::with_capacity(candidates.len());
    for (index, candidate) in candidates.iter().enumerate() {
        let mut doc = candidate.file as usize;
        loop {
            candidate_of[doc] = index as u16 + 1;
            doc += 1;
            if doc >= n_docs || snapshot.ordinal(doc as Doc) == 0 {
                break;
            }
        }
        for (place, (symbol, _)) in candidate.symbols.iter().enumerate() {
            symbol_of[*symbol as usize] = place as u8 + 1;
        }
        all.push(Matches {
            concepts: vec![[0.0; N_FIELDS]; concepts.len()],
            alternatives: vec![None; concepts.len()],
            symbols: vec![vec![0.0; concepts.len()]; candidate.symbols.len()],
            names: vec![(0.0, 1.0); candidate.symbols.len()],
        });
    }
    for (c, concept) in concepts.iter().enumerate() {
        for (place, term) in concept.terms.iter().enumerate() {
            for scored in Scored::ALL {
                for hit in &term.postings.fields[scored as usize] {
                    let candidate = candidate_of[hit.doc as usize];
                    if candidate == 0 {
                        continue;
                    }
                    let found = &mut all[usize::from(candidate) - 1];
                    let field = &mut found.concepts[c][scored as usize];
                    *field = field.max(term.weight);
                    let best =
                        found.alternatives[c].map_or(0.0, |known| concept.terms[known].weight);
                    if term.weight > best {
                        found.alternatives[c] = Some(place);
                    }
                    let symbol = symbol_of[hit.doc as usize];
                    if symbol > 0 {
                        let symbol = usize::from(symbol) - 1;
                        let weight = &mut found.symbols[symbol][c];
                        *weight = weight.max(term.weight);
                        if scored == Scored::Name {
                            found.names[symbol].0 += term.weight;
                            found.names[symbol].1 = length_of(hit.length_code).max(1) as f32;
                        }
                    }
                }
            }
        }
    }
    all
}

/// Everything that the features of all candidates are computed from.
pub struct Context<'a> {
    /// The view.
    pub snapshot: &'a Snapshot,
    /// The task.
    pub analysis: &'a Analysis,
    /// Its concepts.
    pub concepts: &'a [Concept],
    /// The scores of this cycle.
    pub scores: &'a Scores,
    /// The highest parts.
    pub maxima: &'a Maxima,
    /// How relevant each candidate looks by the mix of its parts, 0 to about 1.5; same order as the candidates.
    pub base: &'a [f32],
    /// For each candidate, how strongly the best candidates import it, 0 to 1.
    pub imported_by: &'a [f32],
    /// For each candidate, how strongly it imports the best candidates, 0 to 1.
    pub imports: &'a [f32],
}

fn part(value: f32, whole: f32) -> f32 {
    if whole > 0.0 { (value / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// The features of all candidates, in their order. `candidates` are sorted by `base`, best first.
pub fn features(
    context: &Context<'_>,
    candidates: &[Candidate],
    found: &[Matches],
) -> Result<Vec<Features>, crate::Error> {
    let snapshot = context.snapshot;
    let analysis = context.analysis;
    let mut analyzer = Analyzer::new();
    let concept_weights: Vec<f32> = context
        .concepts
        .iter()
        .zip(&context.scores.concept_idf)
        .map(|(concept, idf)| concept.weight * idf.max(0.1))
        .collect();
    let sum: f32 = concept_weights.iter().sum();
    let cover = |matched: &dyn Fn(usize) -> f32| {
        let covered: f32 =
            concept_weights.iter().enumerate().map(|(c, weight)| weight * matched(c)).sum();
        part(covered, sum)
    };
    let rarest = concept_weights.iter().copied().fold(0.0, f32::max);
    let top_base = context.base.first().copied().unwrap_or(1.0).max(0.01);

    let mut folders: BTreeMap<&str, f32> = BTreeMap::new();
    for (rank, candidate) in candidates.iter().enumerate().take(20) {
        *folders.entry(folder(&candidate.path)).or_default() += 1.0 / (rank as f32 + 2.0);
    }
    let folder_total: f32 = folders.values().sum();

    let mut identifiers_defined: BTreeMap<Doc, f32> = BTreeMap::new();
    let mut identifiers_used: BTreeMap<Doc, f32> = BTreeMap::new();
    let fields = snapshot.fields();
    for identifier in &analysis.identifiers {
        snapshot.scan(fields.exact_name, identifier, |hit| {
            identifiers_defined.insert(snapshot.file_of(hit.doc), 1.0);
        })?;
        snapshot.scan(fields.references, identifier, |hit| {
            identifiers_used.insert(snapshot.file_of(hit.doc), 1.0);
        })?;
    }

    // The newest commit that touched a candidate stands for now, so that an old checkout is judged like a new one.
    let mut newest = i64::MIN;
    for candidate in candidates {
        for commit in snapshot.commits_touching(snapshot.key(candidate.file))? {
            newest = newest.max(snapshot.commit_time(commit));
        }
    }
    let mut all = Vec::with_capacity(candidates.len());
    for (rank, (candidate, matches)) in candidates.iter().zip(found).enumerate() {
        let flag = |flag: u64| if candidate.flags.has(flag) { 1.0 } else { 0.0 };
        let field = |fields: &[Scored]| {
            cover(&|c| {
                fields.iter().map(|&field| matches.concepts[c][field as usize]).fold(0.0, f32::max)
            })
        };
        let name_fields = [Scored::Name, Scored::Compound, Scored::FileName, Scored::FileCompound];
        let name_terms = analyzer.collect(stem(&candidate.path), Mode::Name);
        let n_matched = name_terms
            .iter()
            .filter(|term| {
                context.concepts.iter().any(|concept| {
                    concept.alternatives.iter().any(|a| a.weight >= 0.5 && a.term == **term)
                })
            })
            .count();
        let test = flag(FileFlags::TEST);
        let aside = flag(FileFlags::ASIDE);
        let lengths = snapshot.lengths(candidate.file);
        let commits = snapshot.commits_touching(snapshot.key(candidate.file))?;
        let n_commits = commits.len();
        let recent: f32 = commits
            .iter()
            .map(|&commit| {
                let days = (newest - snapshot.commit_time(commit)).max(0) as f32 / 86_400.0;
                (-days / RECENT_DAYS).exp()
            })
            .sum();
        let symbol_cover =
            matches.symbols.iter().map(|symbol| cover(&|c| symbol[c])).fold(0.0, f32::max);
        let symbol_precision =
            matches.names.iter().take(3).map(|(hit, all)| (hit / all).min(1.0)).fold(0.0, f32::max);
        let rarest_in_name = concept_weights
            .iter()
            .enumerate()
            .map(|(c, weight)| {
                let hit = name_fields
                    .iter()
                    .map(|&f| matches.concepts[c][f as usize])
                    .fold(0.0, f32::max);
                weight * hit
            })
            .fold(0.0, f32::max);
        let path_named =
            analysis.paths.iter().map(|path| named(&candidate.path, path)).fold(0.0, f32::max);
        let best = candidate.best();
        let values: Features = [
            part(best, context.maxima.best),
            part(candidate.next(), context.maxima.next),
            part(candidate.whole, context.maxima.whole),
            part(candidate.history, context.maxima.history),
            candidate.together,
            part(best, context.scores.bound),
            part(candidate.whole, context.scores.file_bound),
            cover(&|c| matches.concepts[c].iter().copied().fold(0.0, f32::max)),
            symbol_cover,
            field(&name_fields),
            field(&[Scored::FileName, Scored::FileCompound]),
            field(&[Scored::Folders]),
            field(&[Scored::Doc]),
            field(&[Scored::Text]),
            field(&[Scored::Body, Scored::Signature, Scored::FileText]),
            part(n_matched as f32, name_terms.len() as f32),
            symbol_precision,
            identifiers_defined.get(&candidate.file).copied().unwrap_or(0.0),
            identifiers_used.get(&candidate.file).copied().unwrap_or(0.0),
            path_named,
            folder_named(&candidate.path, analysis, &mut analyzer),
            if analysis.about_tests { 0.0 } else { test },
            if analysis.about_tests { test } else { 0.0 },
            if analysis.about_aside { 0.0 } else { aside },
            if analysis.about_types { 0.0 } else { flag(FileFlags::DECLARATION) },
            flag(FileFlags::BARREL),
            flag(FileFlags::TEXT),
            flag(FileFlags::GENERATED),
            (1.0 + candidate.symbols.len() as f32).ln(),
            (1.0 + lengths[2] as f32).ln(),
            (1.0 + n_commits as f32).ln(),
            1.0 / (1.0 + rank as f32),
            (context.base[rank] / top_base).clamp(-1.0, 1.0),
            context.concepts.len() as f32,
            part(context.maxima.best, context.scores.bound),
            part(folders.get(folder(&candidate.path)).copied().unwrap_or(0.0), folder_total),
            part(rarest_in_name, rarest),
            context.imported_by[rank],
            context.imports[rank],
            part(candidate.history, context.scores.file_bound),
            candidate.symbols.iter().filter(|symbol| symbol.1 > 0.5 * best).count() as f32,
            candidate.path.matches('/').count() as f32,
            (1.0 + recent).ln(),
            in_order(&name_terms, analysis),
        ];
        all.push(values);
    }
    Ok(all)
}

/// Days after which a commit counts e times less as recent.
const RECENT_DAYS: f32 = 60.0;

/// Share of the file name's terms that stand in the task side by side and in the same order; 0 for a single term.
fn in_order(name_terms: &[String], analysis: &Analysis) -> f32 {
    let n_pairs = name_terms.len().saturating_sub(1);
    let n_found = name_terms
        .windows(2)
        .filter(|pair| {
            analysis.sequence.windows(2).any(|words| {
                words[0].as_ref() == Some(&pair[0]) && words[1].as_ref() == Some(&pair[1])
            })
        })
        .count();
    part(n_found as f32, n_pairs as f32)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The file name without its last extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rfind('.') {
        Some(0) | None => name,
        Some(dot) => &name[..dot],
    }
}

/// How well a path that the task names fits a file: 1 for the file itself, less for a part of its path.
fn named(path: &str, mention: &str) -> f32 {
    let mention = mention.trim_start_matches("./").trim_start_matches('/');
    if path == mention || path.ends_with(&format!("/{mention}")) {
        return 1.0;
    }
    let inside = format!("/{path}").contains(&format!("/{}/", mention.trim_end_matches('/')));
    if inside || stem(path) == mention {
        return 0.6;
    }
    0.0
}

/// Whether a folder of the path is named by the task: all terms of the folder's name are words of the task.
fn folder_named(path: &str, analysis: &Analysis, analyzer: &mut Analyzer) -> f32 {
    let mut best: f32 = 0.0;
    for name in folder(path).split('/') {
        let terms = analyzer.collect(name, Mode::Name);
        if terms.is_empty()
            || !terms.iter().all(|term| analysis.words.iter().any(|word| word.stem == *term))
        {
            continue;
        }
        best = best.max(if terms.len() > 1 { 1.0 } else { 0.5 });
    }
    best
}
