//! Evaluate: how relevant each candidate is to the task, 0 to 1, and why.

use std::collections::BTreeMap;

use reseek_indexer::Snapshot;
use reseek_indexer::analyzer::exact;
use reseek_indexer::entry::{FileEntry, FileFlags};
use reseek_indexer::snapshot::Doc;

use crate::analysis::Analysis;
use crate::candidates::{self, Candidate, Maxima};
use crate::concepts::Concept;
use crate::error::Error;
use crate::features::{self, Context, Features, Matches};
use crate::history;
use crate::links;
use crate::model;
use crate::postings::{PostingsCache, Scored};
use crate::report::{Evidence, Origin};
use crate::scoring::{ScoredConcept, ScoredTerm, Scorer, Scores};

/// Best candidates from whose imports and co-changes the others profit.
const N_ANCHORS: usize = 5;

/// A candidate with its judgement.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The candidate.
    pub candidate: Candidate,
    /// 0 to 1.
    pub relevance: f32,
    /// The features that it was judged by.
    pub features: Features,
    /// Where it matches each concept.
    pub matches: Matches,
}

/// One cycle's dispatch, evaluated.
pub struct Evaluated {
    /// Candidates, most relevant first; ties break by path.
    pub judged: Vec<Judged>,
    /// Scores of all documents.
    pub scores: Scores,
    /// The highest parts.
    pub maxima: Maxima,
}

impl Evaluated {
    /// How much of what the words could give at most the best symbol got: 0 to 1.
    pub fn strength(&self) -> f32 {
        if self.scores.bound > 0.0 { self.maxima.best / self.scores.bound } else { 0.0 }
    }
}

/// Searches for the concepts and judges what comes back.
pub fn dispatch(
    snapshot: &Snapshot,
    scorer: &mut Scorer<'_>,
    cache: &mut PostingsCache<'_>,
    analysis: &Analysis,
    concepts: &[Concept],
    limit: usize,
    admit: &dyn Fn(&str) -> bool,
) -> Result<Evaluated, Error> {
    let mut scored = Vec::with_capacity(concepts.len());
    for concept in concepts {
        let mut terms = Vec::with_capacity(concept.alternatives.len());
        for alternative in &concept.alternatives {
            terms.push(ScoredTerm {
                postings: cache.get(&alternative.term)?,
                weight: alternative.weight,
            });
        }
        scored.push(ScoredConcept { weight: concept.weight, terms });
    }
    let scores = scorer.score(&scored);
    let history = history::scores(snapshot, &scored)?;
    let (mut candidates, maxima) = candidates::select(snapshot, &scores, &history, limit, admit)?;
    let base = |candidate: &Candidate| maxima.mix(candidate) - malus(candidate.flags, analysis);
    candidates.sort_by(|a, b| base(b).total_cmp(&base(a)).then_with(|| a.path.cmp(&b.path)));
    let anchors: Vec<(Doc, f32)> = candidates
        .iter()
        .take(N_ANCHORS)
        .map(|candidate| (candidate.file, base(candidate)))
        .filter(|anchor| anchor.1 > 0.0)
        .collect();
    let together = history::changed_together(snapshot, &anchors)?;
    let most = together.values().copied().fold(0.0, f32::max);
    for candidate in &mut candidates {
        let key = snapshot.key(candidate.file);
        candidate.together =
            together.get(&key).map_or(0.0, |value| if most > 0.0 { value / most } else { 0.0 });
    }
    let bases: Vec<f32> = candidates.iter().map(base).collect();
    let (imported_by, imports) = links::strengths(snapshot, &candidates, &bases)?;
    let matches = features::matches(snapshot, &candidates, &scored);
    let context = Context {
        snapshot,
        analysis,
        concepts,
        scores: &scores,
        maxima: &maxima,
        base: &bases,
        imported_by: &imported_by,
        imports: &imports,
    };
    let features = features::features(&context, &candidates, &matches)?;
    let n_candidates = candidates.len();
    let mut judged: Vec<Judged> = candidates
        .into_iter()
        .zip(matches)
        .zip(features)
        .map(|((candidate, matches), features)| Judged {
            relevance: model::relevance(&features, n_candidates),
            candidate,
            features,
            matches,
        })
        .collect();
    judged.sort_by(|a, b| {
        b.relevance.total_cmp(&a.relevance).then_with(|| a.candidate.path.cmp(&b.candidate.path))
    });
    // One factor for all keeps their order.
    let covered = judged
        .iter()
        .take(N_ANCHORS)
        .map(|judged| judged.features[model::COVER_ANY])
        .fold(0.0, f32::max);
    let highest = judged.first().map_or(0.0, |judged| judged.relevance);
    let ceiling = model::ceiling(covered);
    if highest > ceiling {
        for judged in &mut judged {
            judged.relevance *= ceiling / highest;
        }
    }
    Ok(Evaluated { judged, scores, maxima })
}

/// What a kind of file loses, unless the task asks for that kind.
fn malus(flags: FileFlags, analysis: &Analysis) -> f32 {
    let lose =
        |flag: u64, asked: bool, malus: f32| if flags.has(flag) && !asked { malus } else { 0.0 };
    lose(FileFlags::TEST, analysis.about_tests, 0.6)
        + lose(FileFlags::ASIDE, analysis.about_aside, 0.5)
        + lose(FileFlags::DECLARATION, analysis.about_types, 0.2)
        + lose(FileFlags::BARREL, false, 0.1)
        + lose(FileFlags::TEXT, false, 0.6)
        + lose(FileFlags::GENERATED, false, 0.3)
}

/// Fields in the order in which they convince.
const CONVINCING: [Scored; 11] = [
    Scored::Name,
    Scored::FileName,
    Scored::Compound,
    Scored::FileCompound,
    Scored::Doc,
    Scored::Folders,
    Scored::Signature,
    Scored::Container,
    Scored::Text,
    Scored::Body,
    Scored::FileText,
];

/// The matches that speak for a file, by concept, the weightiest first.
pub fn evidence(judged: &Judged, concepts: &[Concept], scores: &Scores) -> Vec<Evidence> {
    let mut order: Vec<usize> = (0..concepts.len()).collect();
    let weight = |c: usize| concepts[c].weight * scores.concept_idf[c];
    order.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)).then(a.cmp(&b)));
    let mut all = Vec::new();
    for c in order {
        let Some(place) = judged.matches.alternatives[c] else { continue };
        let mut fields: Vec<&'static str> = Vec::new();
        for scored in CONVINCING {
            if judged.matches.concepts[c][scored as usize] > 0.0
                && !fields.contains(&scored.label())
            {
                fields.push(scored.label());
            }
        }
        let alternative = &concepts[c].alternatives[place];
        all.push(Evidence {
            word: concepts[c].label.clone(),
            term: alternative.label.clone(),
            origin: alternative.origin,
            fields,
        });
    }
    all
}

/// The evidence in one line for people.
pub fn reason(judged: &Judged, evidence: &[Evidence]) -> String {
    let mut by_field: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let labels = [
        "name",
        "file name",
        "doc comment",
        "folder",
        "signature",
        "container",
        "string or comment",
        "code",
        "text",
    ];
    for item in evidence.iter().take(8) {
        let Some(first) = item.fields.first() else { continue };
        let place = labels.iter().position(|label| label == first).unwrap_or(labels.len() - 1);
        let word = if item.origin == Origin::Task
            || item.origin == Origin::Caller
            || item.term == item.word
        {
            item.term.clone()
        } else {
            format!("{} for \"{}\" ({})", item.term, item.word, item.origin.name())
        };
        by_field.entry(place).or_default().push(word);
    }
    let mut parts: Vec<String> = by_field
        .into_iter()
        .map(|(place, words)| format!("{}: {}", labels[place], words.join(", ")))
        .collect();
    let feature = |name: &str| {
        features::NAMES
            .iter()
            .position(|known| *known == name)
            .map_or(0.0, |at| judged.features[at])
    };
    if feature("path_named") > 0.5 {
        parts.insert(0, "named in the task".to_owned());
    } else if feature("identifier_defined") > 0.0 {
        parts.insert(0, "defines a name of the task".to_owned());
    }
    if feature("history") > 0.4 {
        parts.push("its commits speak of this".to_owned());
    }
    if feature("imported_by_top") > 0.3 {
        parts.push("used by the best matches".to_owned());
    } else if feature("together") > 0.5 {
        parts.push("changes together with the best matches".to_owned());
    }
    let flags = judged.candidate.flags;
    for (flag, word) in [
        (FileFlags::TEST, "test"),
        (FileFlags::ASIDE, "example or legacy folder"),
        (FileFlags::DECLARATION, "declarations"),
        (FileFlags::BARREL, "re-exports"),
        (FileFlags::GENERATED, "generated"),
    ] {
        if flags.has(flag) {
            parts.push(word.to_owned());
        }
    }
    if parts.is_empty() { "weak match".to_owned() } else { parts.join("; ") }
}

/// Names that a file imports from inside the corpus, as (exact term, name as written, module).
pub fn imported_names(entry: &FileEntry) -> Vec<(String, String, String)> {
    let mut names = Vec::new();
    for import in entry.imports.iter().filter(|import| links::is_local(&import.module)) {
        for name in &import.names {
            if let Some(term) = exact(name).filter(|_| name != "*" && name != "default") {
                names.push((term, name.clone(), import.module.clone()));
            }
        }
    }
    names
}
