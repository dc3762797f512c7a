//! BM25F over symbols and over files, term at a time, with exact statistics.
//!
//! One saturation over all fields of a document (Robertson, Zaragoza and Taylor, "Simple BM25 extension to multiple
//! weighted fields", CIKM 2004): the weighted, length-normalised frequencies of a term are added up over the fields
//! and then saturated, `idf * w / (k1 + w)`. A symbol is scored over its own fields; a file over those of
//! all its symbols together and its own. A *concept* of several alternatives gives a document the best of them,
//! not their sum, so synonyms never add up.
//!
//! Document frequencies are counted while scanning, over living documents only, so they never depend on how the
//! index came about; sums run in the order of the query, so neither do roundings.

use std::rc::Rc;

use reseek_indexer::Snapshot;
use reseek_indexer::snapshot::{Doc, length_of};

use crate::postings::{N_FIELDS, N_SYMBOL_FIELDS, Scored, TermPostings};
use crate::weights::FieldWeights;

/// One way to say a concept.
#[derive(Clone, Debug)]
pub struct ScoredTerm {
    /// Where the term occurs.
    pub postings: Rc<TermPostings>,
    /// Share of the score that it brings, 0 to 1; 1 for the task's own words.
    pub weight: f32,
}

/// A concept of the task with its alternatives.
#[derive(Clone, Debug)]
pub struct ScoredConcept {
    /// How much the concept counts in the sum.
    pub weight: f32,
    /// Its alternatives; a document gets the best.
    pub terms: Vec<ScoredTerm>,
}

/// Scores of all documents for one query.
#[derive(Debug)]
pub struct Scores {
    /// Score of each symbol document; 0 for others.
    pub symbols: Vec<f32>,
    /// Score of each file document; 0 for others.
    pub files: Vec<f32>,
    /// The highest score that a symbol could reach: every concept at its rarest alternative, fully saturated.
    pub bound: f32,
    /// The same for files.
    pub file_bound: f32,
    /// Inverse document frequency of each concept among files: that of its first alternative.
    pub concept_idf: Vec<f32>,
}

/// Scores queries over one view; keeps what depends on the view alone.
pub struct Scorer<'s> {
    snapshot: &'s Snapshot,
    weights: &'s FieldWeights,
    /// Weight over length norm, by field of a symbol or file document and length code.
    norms: Vec<[f32; 256]>,
    /// Average lengths of the file as a whole: names, docs, bodies, texts.
    averages: [f32; 4],
    /// Length norms of files, by document, filled on first use; negative where not yet known.
    file_norms: Vec<[f32; 4]>,
    /// Scratch, all zero between calls.
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    symbol: Vec<f32>,
    file: Vec<f32>,
    best_symbol: Vec<f32>,
    best_file: Vec<f32>,
}

/// Inverse document frequency as Lucene and tantivy compute it; positive also for terms in most documents.
pub fn idf(n_docs: u64, doc_freq: u64) -> f32 {
    let (n, df) = (n_docs as f64, doc_freq.min(n_docs) as f64);
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln() as f32
}

impl<'s> Scorer<'s> {
    /// A scorer over a view.
    pub fn new(snapshot: &'s Snapshot, weights: &'s FieldWeights) -> Self {
        let totals = snapshot.meta().totals;
        let average = |sum: u64, n: u64| (sum.max(1) as f32) / (n.max(1) as f32);
        let (n_files, n_symbols) = (totals.n_files, totals.n_symbols);
        let symbol_average = |scored: Scored| match scored {
            Scored::Name => average(totals.name, n_symbols),
            Scored::Container => average(totals.container, n_symbols),
            Scored::Signature => average(totals.signature, n_symbols),
            Scored::Doc => average(totals.doc, n_symbols),
            Scored::Body => average(totals.body, n_symbols),
            Scored::Text => average(totals.text, n_symbols),
            Scored::FileName => average(totals.file_name, n_files),
            Scored::Folders => average(totals.path, n_files),
            Scored::FileText => average(totals.file_text, n_files),
            Scored::Compound | Scored::FileCompound => 1.0,
        };
        let norms = Scored::ALL
            .iter()
            .map(|&scored| {
                let (weight, b) = weights.own[scored as usize];
                let average = symbol_average(scored);
                std::array::from_fn(|code| {
                    let length = length_of(code as u8) as f32;
                    weight / (1.0 - b + b * length / average)
                })
            })
            .collect();
        let n_docs = snapshot.n_docs() as usize;
        Self {
            snapshot,
            weights,
            norms,
            averages: [
                average(totals.name, n_files),
                average(totals.doc, n_files),
                average(totals.body, n_files),
                average(totals.text, n_files),
            ],
            file_norms: vec![[-1.0; 4]; n_docs],
            scratch: Scratch {
                symbol: vec![0.0; n_docs],
                file: vec![0.0; n_docs],
                best_symbol: vec![0.0; n_docs],
                best_file: vec![0.0; n_docs],
            },
        }
    }

    fn file_norms(&mut self, file: Doc) -> [f32; 4] {
        let known = self.file_norms[file as usize];
        if known[0] >= 0.0 {
            return known;
        }
        let lengths = self.snapshot.lengths(file);
        let norms = std::array::from_fn(|i| {
            let (weight, b) = self.weights.whole[i];
            weight / (1.0 - b + b * lengths[i] as f32 / self.averages[i])
        });
        self.file_norms[file as usize] = norms;
        norms
    }

    /// Adds up the weighted frequencies of a term in the scratch; gives the documents touched.
    fn accumulate(&mut self, postings: &TermPostings) -> (Vec<Doc>, Vec<Doc>) {
        let (mut symbols, mut files) = (Vec::new(), Vec::new());
        for scored in Scored::ALL {
            let field = scored as usize;
            // Which of the lengths of the file as a whole the field counts to.
            let whole = match scored {
                Scored::Name => Some(0),
                Scored::Doc => Some(1),
                Scored::Body => Some(2),
                Scored::Text => Some(3),
                _ => None,
            };
            for hit in &postings.fields[field] {
                let term_freq = hit.term_freq as f32;
                let own = term_freq * self.norms[field][usize::from(hit.length_code)];
                if field >= N_SYMBOL_FIELDS {
                    let sum = &mut self.scratch.file[hit.doc as usize];
                    if *sum == 0.0 {
                        files.push(hit.doc);
                    }
                    *sum += own;
                    continue;
                }
                if own > 0.0 {
                    let sum = &mut self.scratch.symbol[hit.doc as usize];
                    if *sum == 0.0 {
                        symbols.push(hit.doc);
                    }
                    *sum += own;
                }
                let part = match (whole, scored) {
                    (Some(i), _) => {
                        let file = self.snapshot.file_of(hit.doc);
                        (file, term_freq * self.file_norms(file)[i])
                    }
                    (None, Scored::Compound) => {
                        (self.snapshot.file_of(hit.doc), self.weights.whole_compound)
                    }
                    (None, Scored::Signature) => {
                        (self.snapshot.file_of(hit.doc), term_freq * self.weights.whole_signature)
                    }
                    _ => continue,
                };
                if part.1 > 0.0 {
                    let sum = &mut self.scratch.file[part.0 as usize];
                    if *sum == 0.0 {
                        files.push(part.0);
                    }
                    *sum += part.1;
                }
            }
        }
        (symbols, files)
    }

    /// Scores all documents for the concepts.
    pub fn score(&mut self, concepts: &[ScoredConcept]) -> Scores {
        let n_docs = self.snapshot.n_docs() as usize;
        let totals = self.snapshot.meta().totals;
        let k1 = self.weights.k1;
        let mut scores = Scores {
            symbols: vec![0.0; n_docs],
            files: vec![0.0; n_docs],
            bound: 0.0,
            file_bound: 0.0,
            concept_idf: Vec::with_capacity(concepts.len()),
        };
        for concept in concepts {
            let (mut symbols, mut files): (Vec<Doc>, Vec<Doc>) = (Vec::new(), Vec::new());
            let (mut bound, mut file_bound): (f32, f32) = (0.0, 0.0);
            for (position, term) in concept.terms.iter().enumerate() {
                let (touched_symbols, touched_files) = self.accumulate(&term.postings);
                let symbol_idf = idf(totals.n_symbols, touched_symbols.len() as u64);
                let file_idf = idf(totals.n_files, touched_files.len() as u64);
                if position == 0 {
                    scores.concept_idf.push(file_idf);
                }
                bound = bound.max(term.weight * symbol_idf);
                file_bound = file_bound.max(term.weight * file_idf);
                for doc in touched_symbols {
                    let w = std::mem::take(&mut self.scratch.symbol[doc as usize]);
                    let score = term.weight * symbol_idf * w / (k1 + w);
                    let best = &mut self.scratch.best_symbol[doc as usize];
                    if *best == 0.0 {
                        symbols.push(doc);
                    }
                    *best = best.max(score);
                }
                for doc in touched_files {
                    let w = std::mem::take(&mut self.scratch.file[doc as usize]);
                    let score = term.weight * file_idf * w / (k1 + w);
                    let best = &mut self.scratch.best_file[doc as usize];
                    if *best == 0.0 {
                        files.push(doc);
                    }
                    *best = best.max(score);
                }
            }
            if concept.terms.is_empty() {
                scores.concept_idf.push(0.0);
            }
            scores.bound += concept.weight * bound;
            scores.file_bound += concept.weight * file_bound;
            for doc in symbols {
                let best = std::mem::take(&mut self.scratch.best_symbol[doc as usize]);
                scores.symbols[doc as usize] += concept.weight * best;
            }
            for doc in files {
                let best = std::mem::take(&mut self.scratch.best_file[doc as usize]);
                scores.files[doc as usize] += concept.weight * best;
            }
        }
        scores
    }
}

const _: () = assert!(N_SYMBOL_FIELDS < N_FIELDS);
