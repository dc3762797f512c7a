//! Concepts of a task and the ways to say them: the query of a cycle before it meets the index.
//!
//! A *concept* is a word or a phrase of the task with its alternatives. The first cycle has one concept per word with that
//! word alone. Refinement adds alternatives; a document is then scored by the best of them, so a concept
//! never counts twice however many synonyms it has.

use reseek_indexer::analyzer::Analyzer;

use crate::analysis::{Analysis, is_generic};
use crate::lexicon::{Lexicon, MAX_PHRASE_WORDS};
use crate::report::Origin;

/// One way to say a concept.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The term that the index is asked for.
    pub term: String,
    /// How people write it.
    pub label: String,
    /// Share of the score that it brings, 0 to 1.
    pub weight: f32,
    /// Where it came from.
    pub origin: Origin,
}

/// A word or phrase of the task with its alternatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Concept {
    /// The words as the task has them.
    pub label: String,
    /// Stems of the task's own words in it.
    pub stems: Vec<String>,
    /// How much it counts.
    pub weight: f32,
    /// Whether it only names the kind of work.
    pub generic: bool,
    /// The ways to say it, the task's own words first.
    pub alternatives: Vec<Alternative>,
}

impl Concept {
    /// Adds a way to say the concept, or raises the weight of one that it has.
    pub fn add(&mut self, alternative: Alternative) -> bool {
        match self.alternatives.iter_mut().find(|known| known.term == alternative.term) {
            Some(known) if known.weight >= alternative.weight => false,
            Some(known) => {
                known.weight = alternative.weight;
                false
            }
            None => {
                self.alternatives.push(alternative);
                true
            }
        }
    }
}

fn own(term: &str, label: &str, weight: f32, origin: Origin) -> Alternative {
    Alternative { term: term.to_owned(), label: label.to_owned(), weight, origin }
}

/// One concept per word of the task, and per keyword of the caller.
pub fn plain(analysis: &Analysis, keywords: &[String]) -> Vec<Concept> {
    let mut concepts: Vec<Concept> = analysis
        .words
        .iter()
        .map(|word| Concept {
            label: word.surface.clone(),
            stems: vec![word.stem.clone()],
            weight: word.weight,
            generic: is_generic(&word.stem),
            alternatives: vec![own(&word.stem, &word.surface, 1.0, Origin::Task)],
        })
        .collect();
    let mut analyzer = Analyzer::new();
    for keyword in keywords {
        for stem in analyzer.collect(keyword, reseek_indexer::analyzer::Mode::Name) {
            if concepts.iter().any(|concept| concept.stems.contains(&stem)) {
                continue;
            }
            concepts.push(Concept {
                label: keyword.clone(),
                stems: vec![stem.clone()],
                weight: 1.0,
                generic: false,
                alternatives: vec![own(&stem, keyword, 1.0, Origin::Caller)],
            });
        }
    }
    concepts
}

/// Weights of the lexicon's alternatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LexiconWeights {
    /// A phrase's concept.
    pub phrase: f32,
    /// A word of the task inside a phrase that was found.
    pub inside: f32,
    /// The first code term of a line.
    pub code_term: f32,
    /// How fast later code terms of a line fall off.
    pub fall: f32,
    /// Code terms of a line whose phrase is one word, relative to those of longer phrases.
    pub single: f32,
    /// A member of a synonym group.
    pub synonym: f32,
}

/// The values in force, from the measurements on development topics.
pub const LEXICON_WEIGHTS: LexiconWeights = LexiconWeights {
    phrase: 1.5,
    inside: 0.5,
    code_term: 0.8,
    fall: 0.25,
    single: 1.0,
    synonym: 0.56,
};

/// Joins the words of the task that the lexicon knows as phrases to one concept each, and adds the lexicon's code terms
/// and synonyms to the concepts that `open` admits (by their label's stems).
pub fn with_lexicon(
    concepts: &[Concept],
    analysis: &Analysis,
    lexicon: &Lexicon,
    weights: &LexiconWeights,
    open: &dyn Fn(&[String]) -> bool,
) -> Vec<Concept> {
    let mut used: Vec<&str> = Vec::new();
    let mut phrases: Vec<Concept> = Vec::new();
    for n in (2..=MAX_PHRASE_WORDS).rev() {
        for window in analysis.sequence.windows(n) {
            let Some(stems) = window.iter().cloned().collect::<Option<Vec<String>>>() else {
                continue;
            };
            let terms = lexicon.code_terms(&stems);
            if terms.is_empty()
                || stems.iter().any(|stem| used.contains(&stem.as_str()))
                || !open(&stems)
            {
                continue;
            }
            let inside: Vec<&Concept> = concepts
                .iter()
                .filter(|concept| concept.stems.iter().any(|stem| stems.contains(stem)))
                .collect();
            let weight = inside.iter().map(|concept| concept.weight).fold(0.0, f32::max);
            let mut phrase = Concept {
                label: inside
                    .iter()
                    .map(|concept| concept.label.as_str())
                    .collect::<Vec<_>>()
                    .join(" "),
                stems: stems.clone(),
                weight: weights.phrase * weight,
                generic: false,
                alternatives: inside
                    .iter()
                    .flat_map(|concept| &concept.alternatives)
                    .map(|alternative| Alternative {
                        weight: alternative.weight * weights.inside,
                        ..alternative.clone()
                    })
                    .collect(),
            };
            add_terms(&mut phrase, terms, weights.code_term, weights.fall);
            for stem in window.iter().flatten() {
                used.extend(
                    concepts
                        .iter()
                        .flat_map(|concept| &concept.stems)
                        .filter(|known| *known == stem)
                        .map(String::as_str),
                );
            }
            phrases.push(phrase);
        }
    }
    let mut all = phrases;
    for concept in concepts {
        if concept.stems.iter().all(|stem| used.contains(&stem.as_str())) {
            continue;
        }
        let mut concept = concept.clone();
        if open(&concept.stems) && !concept.generic {
            let stems = concept.stems.clone();
            add_terms(
                &mut concept,
                lexicon.code_terms(&stems),
                weights.code_term * weights.single,
                weights.fall,
            );
            for stem in &stems {
                for synonym in lexicon.synonyms(stem) {
                    concept.add(own(synonym, synonym, weights.synonym, Origin::Lexicon));
                }
            }
        }
        all.push(concept);
    }
    all
}

fn add_terms(concept: &mut Concept, terms: &[String], weight: f32, fall: f32) {
    for (position, term) in terms.iter().enumerate() {
        let weight = weight / (1.0 + fall * position as f32);
        concept.add(own(term, term, weight, Origin::Lexicon));
    }
}
