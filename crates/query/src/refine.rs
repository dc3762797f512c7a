//! Refine: what is missing, and with which words of the code to look for it.
//!
//! Expansion is gated. A task whose words the index answers well keeps its words; alternatives go only to concepts that no
//! relevant file covers, or to all when the first cycle as a whole was weak. Every alternative carries its
//! origin, and each origin can be switched off.

use std::collections::{BTreeMap, BTreeSet};

use reseek_indexer::Snapshot;
use reseek_indexer::analyzer::{Analyzer, Mode, is_stop_word, split, words};
use reseek_indexer::entry::FileEntry;
use reseek_indexer::snapshot::Doc;

use crate::analysis::{Analysis, is_generic};
use crate::concepts::{Alternative, Concept, LexiconWeights, with_lexicon};
use crate::error::Error;
use crate::evaluate::{Evaluated, Judged, imported_names};
use crate::lexicon::Lexicon;
use crate::links;
use crate::postings::{PostingsCache, Scored};
use crate::report::{Gap, GapKind, Origin};

/// The best symbol of a strong first cycle reaches at least this share of the highest score that the words could give.
pub const STRONG: f32 = 0.22;
/// A concept counts as covered by a file that matches it with at least this weight.
const COVERED: f32 = 0.5;
/// A gap that carries at least this share of the task's weight is critical.
const CRITICAL_SHARE: f32 = 0.3;
/// Definition gaps that are reported.
const MAX_DEFINITION_GAPS: usize = 8;
/// Alternatives that one concept gets from one learned origin.
const MAX_LEARNED: usize = 4;
/// Weights of the alternatives by origin.
const JOINED_WEIGHT: f32 = 0.8;
const ABBREVIATION_WEIGHT: f32 = 0.6;
const COMMENT_WEIGHT: f32 = 0.6;
const HISTORY_WEIGHT: f32 = 0.5;
const FEEDBACK_WEIGHT: f32 = 0.4;

/// Share of the task's weight that each concept carries, by rarity and kind.
pub fn shares(concepts: &[Concept], evaluated: &Evaluated) -> Vec<f32> {
    let weights: Vec<f32> = concepts
        .iter()
        .zip(&evaluated.scores.concept_idf)
        .map(|(concept, idf)| concept.weight * idf.max(0.1))
        .collect();
    let sum: f32 = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
    weights.iter().map(|weight| weight / sum).collect()
}

/// Places of concepts that no file of `relevant` covers.
pub fn uncovered(concepts: &[Concept], relevant: &[&Judged]) -> Vec<usize> {
    (0..concepts.len())
        .filter(|&c| {
            !concepts[c].generic
                && !relevant.iter().any(|judged| {
                    judged.matches.concepts[c].iter().any(|&weight| weight >= COVERED)
                })
        })
        .collect()
}

/// What a cycle left open.
#[derive(Clone, Debug, Default)]
pub struct Gaps {
    /// The gaps, concepts of the task first, then definitions by how much they are needed.
    pub list: Vec<Gap>,
    /// Names that each relevant file needs, by its path.
    pub by_file: BTreeMap<String, Vec<String>>,
    /// Files that define a missing name.
    pub targets: BTreeSet<Doc>,
}

/// What the task or a relevant file needs and no relevant file provides.
pub fn gaps(
    snapshot: &Snapshot,
    concepts: &[Concept],
    evaluated: &Evaluated,
    relevant: &[&Judged],
) -> Result<Gaps, Error> {
    let shares = shares(concepts, evaluated);
    let mut gaps: Vec<Gap> = uncovered(concepts, relevant)
        .into_iter()
        .map(|c| Gap {
            name: concepts[c].label.clone(),
            kind: GapKind::Concept,
            critical: shares[c] >= CRITICAL_SHARE,
            needed_by: Vec::new(),
        })
        .collect();
    let results: BTreeSet<Doc> = relevant.iter().map(|judged| judged.candidate.file).collect();
    let mut needed: BTreeMap<String, (f32, BTreeSet<Doc>)> = BTreeMap::new();
    // Files that define missing names, with the relevant files that import from them.
    let mut needers: BTreeMap<Doc, BTreeSet<String>> = BTreeMap::new();
    let mut by_file: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut analyzer = Analyzer::new();
    for judged in relevant.iter().take(10) {
        let entry = snapshot.entry(judged.candidate.file)?;
        for (_, name, module) in imported_names(&entry) {
            let terms = analyzer.collect(&name, Mode::Name);
            let share: f32 = concepts
                .iter()
                .zip(&shares)
                .filter(|(concept, _)| {
                    !concept.generic
                        && concept
                            .alternatives
                            .iter()
                            .any(|a| a.weight >= COVERED && terms.contains(&a.term))
                })
                .map(|(_, share)| share)
                .sum();
            // A name that comes out of a file among the results is not missing.
            let target = match links::target(snapshot, &judged.candidate.path, &module)? {
                Some(target) if !results.contains(&target) => target,
                _ => continue,
            };
            let entry = needed.entry(name.clone()).or_default();
            entry.0 = entry.0.max(share);
            entry.1.insert(target);
            needers.entry(target).or_default().insert(judged.candidate.path.clone());
            by_file.entry(judged.candidate.path.clone()).or_default().push(name);
        }
    }
    let most = relevant.len().min(10) as f32;
    let few = relevant.len() < crate::retrieve::ENOUGH;
    let mut definitions: Vec<(f32, Gap, BTreeSet<Doc>)> = needed
        .into_iter()
        .filter_map(|(name, (share, targets))| {
            let needed_by: BTreeSet<String> = targets
                .iter()
                .filter_map(|target| needers.get(target))
                .flat_map(|paths| paths.iter().cloned())
                .collect();
            // While little is found, all that it leans on is a clue; later only what several lean on.
            let counts = share > 0.0 || needed_by.len() > 1 || few;
            counts.then(|| (name, (share, needed_by.into_iter().collect::<Vec<_>>(), targets)))
        })
        .map(|(name, (share, needed_by, targets))| {
            (
                (0.1 + share) * needed_by.len() as f32,
                Gap {
                    name,
                    kind: GapKind::Definition,
                    critical: needed_by.len() > 1
                        && (share >= CRITICAL_SHARE || needed_by.len() as f32 > most / 2.0),
                    needed_by,
                },
                targets,
            )
        })
        .collect();
    definitions.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    let mut targets = BTreeSet::new();
    for (_, gap, files) in definitions.into_iter().take(MAX_DEFINITION_GAPS) {
        gaps.push(gap);
        targets.extend(files);
    }
    Ok(Gaps { list: gaps, by_file, targets })
}

/// What a refinement works with.
pub struct Refinement<'a> {
    /// The view.
    pub snapshot: &'a Snapshot,
    /// The task.
    pub analysis: &'a Analysis,
    /// The lexicon.
    pub lexicon: &'a Lexicon,
    /// Weights of what it says.
    pub lexicon_weights: &'a LexiconWeights,
    /// Origins that are switched off.
    pub without: &'a [Origin],
    /// The concepts of the cycle that was judged.
    pub concepts: &'a [Concept],
    /// Its judgements.
    pub evaluated: &'a Evaluated,
    /// Files at or above the threshold.
    pub relevant: &'a [&'a Judged],
    /// Number of the cycle that was judged.
    pub cycle: u32,
}

impl Refinement<'_> {
    fn on(&self, origin: Origin) -> bool {
        !self.without.contains(&origin)
    }

    /// The concepts of the next cycle; equal to those of this cycle if there is nothing to add.
    pub fn concepts(
        &self,
        cache: &mut PostingsCache<'_>,
        gaps_found: &[Gap],
    ) -> Result<Vec<Concept>, Error> {
        let weak = self.evaluated.strength() < STRONG;
        let gaps = uncovered(self.concepts, self.relevant);
        let open_stems: BTreeSet<&str> =
            gaps.iter().flat_map(|&c| &self.concepts[c].stems).map(String::as_str).collect();
        let open =
            |stems: &[String]| weak || stems.iter().any(|stem| open_stems.contains(stem.as_str()));
        // First the ways to say the task that are known beforehand; only then those that this corpus teaches.
        if self.cycle == 1 {
            let mut concepts = if self.on(Origin::Lexicon) {
                with_lexicon(
                    self.concepts,
                    self.analysis,
                    self.lexicon,
                    self.lexicon_weights,
                    &open,
                )
            } else {
                self.concepts.to_vec()
            };
            for concept in &mut concepts {
                if self.on(Origin::Abbreviation) && !concept.generic && open(&concept.stems) {
                    self.abbreviations(concept, cache)?;
                }
            }
            if self.on(Origin::Stem) {
                self.joined(&mut concepts, &open)?;
            }
            if concepts != self.concepts {
                return Ok(concepts);
            }
        }
        let mut concepts = self.concepts.to_vec();
        for concept in &mut concepts {
            if concept.generic || !open(&concept.stems) {
                continue;
            }
            if self.on(Origin::Comment) {
                self.learned(concept, Origin::Comment, COMMENT_WEIGHT, cache)?;
            }
            if self.on(Origin::History) {
                self.learned(concept, Origin::History, HISTORY_WEIGHT, cache)?;
            }
        }
        concepts.extend(self.feedback(gaps_found));
        Ok(concepts)
    }

    /// Neighbouring words of the task that the code writes as one (`log in`, `login`), added to the concepts of both.
    fn joined(
        &self,
        concepts: &mut [Concept],
        open: &dyn Fn(&[String]) -> bool,
    ) -> Result<(), Error> {
        let fields = self.snapshot.fields();
        let mut analyzer = Analyzer::new();
        let list: Vec<&str> = words(&self.analysis.text).map(|(_, word)| word).collect();
        for pair in list.windows(2) {
            let joined = format!("{}{}", pair[0], pair[1]).to_lowercase();
            if joined.len() < 5
                || (is_stop_word(&pair[0].to_lowercase()) && is_stop_word(&pair[1].to_lowercase()))
            {
                continue;
            }
            let term = analyzer.stem(&joined);
            if self.snapshot.doc_freq_bound(fields.name, &term)? == 0
                && self.snapshot.doc_freq_bound(fields.file_name, &term)? == 0
            {
                continue;
            }
            for word in pair {
                let stems = analyzer.collect(word, Mode::Prose);
                for concept in concepts.iter_mut() {
                    if open(&concept.stems) && stems.iter().any(|stem| concept.stems.contains(stem))
                    {
                        concept.add(Alternative {
                            term: term.clone(),
                            label: joined.clone(),
                            weight: JOINED_WEIGHT,
                            origin: Origin::Stem,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    /// Short forms in names of the index of a long word, and long forms of a short one.
    fn abbreviations(
        &self,
        concept: &mut Concept,
        cache: &mut PostingsCache<'_>,
    ) -> Result<(), Error> {
        if concept.stems.len() != 1 {
            return Ok(());
        }
        let word = concept.label.to_lowercase();
        let stem = concept.stems[0].clone();
        if word.len() < 2 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
            return Ok(());
        }
        let known = !cache.get(&stem)?.fields[Scored::Name as usize].is_empty();
        if known && word.len() < 6 {
            return Ok(());
        }
        let names = self.snapshot.fields().name;
        let mut found: Vec<String> = Vec::new();
        if word.len() >= 5 {
            // The first three to five letters, and the consonants.
            for n in 3..=5.min(word.len() - 2) {
                found.push(word[..n].to_owned());
            }
            let consonants: String = word
                .char_indices()
                .filter(|(i, c)| *i == 0 || !"aeiou".contains(*c))
                .map(|(_, c)| c)
                .collect();
            for n in 2..=4.min(consonants.len()) {
                found.push(consonants[..n].to_owned());
            }
            let chars: Vec<char> = consonants.chars().collect();
            if chars.len() > 3 {
                found.push([chars[0], chars[1], chars[chars.len() - 1]].iter().collect());
                found.push(
                    [chars[0], chars[chars.len() - 2], chars[chars.len() - 1]].iter().collect(),
                );
            }
        } else if !known {
            found.extend(
                self.snapshot
                    .terms_with_prefix(names, &word, 50)?
                    .into_iter()
                    .filter(|term| term.len() >= word.len() + 3),
            );
        }
        let mut n_added = 0;
        for term in found {
            if n_added >= MAX_LEARNED
                || term == stem
                || term.len() < 2
                || is_generic(&term)
                || is_stop_word(&term)
            {
                continue;
            }
            if self.snapshot.doc_freq_bound(names, &term)? > 0 {
                n_added += usize::from(concept.add(Alternative {
                    label: term.clone(),
                    term,
                    weight: ABBREVIATION_WEIGHT,
                    origin: Origin::Abbreviation,
                }));
            }
        }
        Ok(())
    }

    /// Words of the names of what a concept's own words describe: symbols whose doc comments have them all, or files whose
    /// commits do. A word counts by how much more often it stands there than elsewhere.
    fn learned(
        &self,
        concept: &mut Concept,
        origin: Origin,
        weight: f32,
        cache: &mut PostingsCache<'_>,
    ) -> Result<(), Error> {
        let mut common: Option<BTreeSet<Doc>> = None;
        for stem in &concept.stems {
            let postings = cache.get(stem)?;
            let docs: BTreeSet<Doc> = if origin == Origin::Comment {
                postings.fields[Scored::Doc as usize].iter().map(|hit| hit.doc).collect()
            } else {
                postings.commits.iter().copied().collect()
            };
            common = Some(match common {
                Some(common) => common.intersection(&docs).copied().collect(),
                None => docs,
            });
        }
        let docs = common.unwrap_or_default();
        // A word that describes half of everything describes nothing.
        if docs.is_empty() || docs.len() > 60 {
            return Ok(());
        }
        let analyzer = Analyzer::new();
        let mut counts: BTreeMap<String, (f32, String)> = BTreeMap::new();
        let mut n_sources = 0.0_f32;
        for doc in docs {
            let mut terms: BTreeMap<String, String> = BTreeMap::new();
            if origin == Origin::Comment {
                let file = self.snapshot.file_of(doc);
                let entry: FileEntry = self.snapshot.entry(file)?;
                let ordinal = self.snapshot.ordinal(doc) as usize;
                if let Some(symbol) =
                    ordinal.checked_sub(1).and_then(|index| entry.symbols.get(index))
                {
                    terms.extend(labelled(&analyzer, &symbol.name));
                }
            } else {
                let keys = self.snapshot.touches(doc);
                if keys.len() > 8 {
                    continue;
                }
                for key in keys {
                    if let Some(file) = self.snapshot.file_by_key(key)? {
                        let path = self.snapshot.path(file)?;
                        let name = path.rsplit('/').next().unwrap_or(&path);
                        let stem = name.split('.').next().unwrap_or(name);
                        terms.extend(labelled(&analyzer, stem));
                    }
                }
            }
            n_sources += 1.0;
            for (term, label) in terms {
                if term.len() > 2
                    && !is_stop_word(&term)
                    && !is_generic(&term)
                    && !concept.stems.contains(&term)
                {
                    counts.entry(term).or_insert_with(|| (0.0, label)).0 += 1.0;
                }
            }
        }
        let n_symbols = self.snapshot.meta().totals.n_symbols.max(1) as f32;
        let names = self.snapshot.fields().name;
        let mut ranked: Vec<(f32, String, String)> = Vec::new();
        for (term, (count, label)) in counts {
            let everywhere = self.snapshot.doc_freq_bound(names, &term)? as f32;
            // Confidence of the association, and how much it exceeds chance.
            let confidence = count / n_sources;
            let lift = (count * n_symbols / (n_sources * everywhere.max(1.0))).ln();
            if lift > 1.0 && (count >= 2.0 || n_sources <= 2.0) {
                ranked.push((confidence * lift, term, label));
            }
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        for (_, term, label) in ranked.into_iter().take(MAX_LEARNED) {
            concept.add(Alternative { term, label, weight, origin });
        }
        Ok(())
    }

    /// Terms that the relevant files lead to: parts of names that they import from files outside the results.
    fn feedback(&self, gaps: &[Gap]) -> Vec<Concept> {
        if !self.on(Origin::Feedback) {
            return Vec::new();
        }
        let analyzer = Analyzer::new();
        let mut counts: BTreeMap<String, (f32, String)> = BTreeMap::new();
        for gap in gaps.iter().filter(|gap| gap.kind == GapKind::Definition) {
            for (term, label) in labelled(&analyzer, &gap.name) {
                let known = self.concepts.iter().any(|concept| {
                    concept.alternatives.iter().any(|alternative| alternative.term == term)
                });
                if known || is_generic(&term) || is_stop_word(&term) || term.len() < 3 {
                    continue;
                }
                let entry = counts.entry(term).or_insert_with(|| (0.0, label));
                entry.0 = entry.0.max(gap.needed_by.len() as f32);
            }
        }
        let n_relevant = self.relevant.len().clamp(1, 10) as f32;
        let mut ranked: Vec<(f32, String, String)> =
            counts.into_iter().map(|(term, (count, name))| (count, term, name)).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        ranked
            .into_iter()
            .take(MAX_LEARNED)
            .map(|(n_needers, term, label)| Concept {
                label: label.clone(),
                stems: vec![term.clone()],
                weight: FEEDBACK_WEIGHT * (n_needers / n_relevant).min(1.0),
                generic: true,
                alternatives: vec![Alternative {
                    label,
                    term,
                    weight: 1.0,
                    origin: Origin::Feedback,
                }],
            })
            .collect()
    }
}

/// The terms of the parts of a name, each with the part as people read it.
fn labelled(analyzer: &Analyzer, name: &str) -> BTreeMap<String, String> {
    words(name)
        .flat_map(|(_, word)| split(word))
        .map(|part| {
            let label = part.to_lowercase();
            (analyzer.stem(&label), label)
        })
        .collect()
}
