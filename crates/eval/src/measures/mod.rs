//! The measures, one file each, with the semantics of `trec_eval`.
//!
//! A [`Measure`] is a value with a name. Names parse and print as in `ir_measures`: `nDCG@10`,
//! `P(rel=2)@5`, `RR`. To those comes one of our own, `R@8k tokens`: recall within a token budget.
//!
//! What all measures share:
//!
//! - A document is relevant if its grade reaches `rel`, which is 1 unless the name says otherwise.
//!   A document without a grade is not relevant, nor is one with a grade of 0 or below.
//! - Minor documents are taken out of the ranking, and a repeated document counts once, before any
//!   measure sees the ranking.
//! - Every measure lies between 0 and 1 and is 0 for an empty ranking.
//!
//! Where `ir_measures` hands a measure to another provider than `trec_eval` (`RR@k`, `Judged`), ties
//! are nevertheless broken as in `trec_eval`, so that all figures speak of one ranking.

mod ap;
mod judged;
mod name;
mod ndcg;
mod precision;
mod recall;
mod rr;
mod set;
mod success;
mod tokens;

use std::collections::BTreeSet;

use crate::{qrels::Judgments, run::Hit};

/// Lowest grade that counts as relevant unless a measure says otherwise.
pub const DEFAULT_REL: i32 = 1;

/// A measure of one ranking against the judgments of its topic; 0 is worst and 1 is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Measure {
    /// Normalised discounted cumulative gain: gain is the grade, the discount log2(rank + 1).
    Ndcg {
        /// Ranks looked at; `None` looks at all.
        cutoff: Option<u32>,
    },
    /// Share of the relevant documents among the first `cutoff`.
    Recall {
        /// Lowest relevant grade.
        rel: i32,
        /// Ranks looked at.
        cutoff: u32,
    },
    /// Share of relevant documents among the first `cutoff`, always divided by `cutoff`.
    Precision {
        /// Lowest relevant grade.
        rel: i32,
        /// Ranks looked at.
        cutoff: u32,
    },
    /// Reciprocal rank of the first relevant document.
    ReciprocalRank {
        /// Lowest relevant grade.
        rel: i32,
        /// Ranks looked at; `None` looks at all.
        cutoff: Option<u32>,
    },
    /// Average precision over the relevant documents.
    AveragePrecision {
        /// Lowest relevant grade.
        rel: i32,
        /// Ranks looked at; `None` looks at all.
        cutoff: Option<u32>,
    },
    /// 1 if any of the first `cutoff` documents is relevant.
    Success {
        /// Lowest relevant grade.
        rel: i32,
        /// Ranks looked at.
        cutoff: u32,
    },
    /// Share of judged documents among the first `cutoff`, divided by what there is of them.
    Judged {
        /// Ranks looked at; `None` looks at all.
        cutoff: Option<u32>,
    },
    /// Share of relevant documents in the whole answer.
    SetPrecision {
        /// Lowest relevant grade.
        rel: i32,
    },
    /// Share of the relevant documents that the whole answer holds.
    SetRecall {
        /// Lowest relevant grade.
        rel: i32,
    },
    /// Harmonic mean of set precision and set recall.
    SetF {
        /// Lowest relevant grade.
        rel: i32,
    },
    /// Share of the relevant documents handed over whole within a token budget.
    RecallTokens {
        /// Lowest relevant grade.
        rel: i32,
        /// The budget in tokens.
        budget: u64,
    },
}

/// A ranking as the measures see it: numbers only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// The grade of each document, best rank first; `None` is unjudged.
    pub grades: Vec<Option<i32>>,
    /// The token cost of each document, if known.
    pub tokens: Vec<Option<u64>>,
    /// The positive grades of all judged documents, highest first: the best possible ranking.
    pub ideal: Vec<i32>,
}

impl Judged {
    /// Looks up the grades of a ranking. Minor documents and repetitions leave it.
    pub fn new(ranking: &[Hit], judgments: &Judgments) -> Judged {
        let mut seen = BTreeSet::new();
        let mut judged = Judged::default();
        for hit in ranking {
            if !judgments.minor.contains(&hit.doc) && seen.insert(hit.doc.as_str()) {
                judged.grades.push(judgments.grades.get(&hit.doc).copied());
                judged.tokens.push(hit.tokens);
            }
        }
        judged.ideal = judgments.grades.values().copied().filter(|grade| 0 < *grade).collect();
        judged.ideal.sort_unstable_by(|a, b| b.cmp(a));
        judged
    }

    /// The first `cutoff` grades, or all.
    fn top(&self, cutoff: Option<u32>) -> &[Option<i32>] {
        let n = cutoff.map_or(self.grades.len(), |cutoff| self.grades.len().min(cutoff as usize));
        &self.grades[..n]
    }

    /// How many documents reach grade `rel`, wherever they rank.
    fn n_relevant(&self, rel: i32) -> usize {
        self.ideal.iter().filter(|grade| rel <= **grade).count()
    }
}

/// Whether a grade reaches `rel`.
fn relevant(grade: Option<i32>, rel: i32) -> bool {
    grade.is_some_and(|grade| rel <= grade)
}

/// How many of `grades` reach `rel`.
fn n_hits(grades: &[Option<i32>], rel: i32) -> usize {
    grades.iter().filter(|grade| relevant(**grade, rel)).count()
}

/// `part / whole`, and 0 where there is no whole.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Measure {
    /// The value for one ranking, between 0 and 1.
    ///
    /// `Err` holds the zero-based place of the first document whose token cost is needed and
    /// unknown; only [`Measure::RecallTokens`] can fail.
    pub fn score(self, judged: &Judged) -> Result<f64, usize> {
        Ok(match self {
            Measure::Ndcg { cutoff } => ndcg::ndcg(judged, cutoff),
            Measure::Recall { rel, cutoff } => recall::recall(judged, rel, Some(cutoff)),
            Measure::Precision { rel, cutoff } => precision::precision(judged, rel, cutoff),
            Measure::ReciprocalRank { rel, cutoff } => rr::reciprocal_rank(judged, rel, cutoff),
            Measure::AveragePrecision { rel, cutoff } => ap::average_precision(judged, rel, cutoff),
            Measure::Success { rel, cutoff } => success::success(judged, rel, cutoff),
            Measure::Judged { cutoff } => judged::judged_share(judged, cutoff),
            Measure::SetPrecision { rel } => set::set_precision(judged, rel),
            Measure::SetRecall { rel } => recall::recall(judged, rel, None),
            Measure::SetF { rel } => set::set_f(judged, rel),
            Measure::RecallTokens { rel, budget } => {
                return tokens::recall_within(judged, rel, budget);
            }
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Scores a ranking given by its grades (`None` unjudged) where `ideal` are all grades, and
    /// compares to four places, the precision of a hand computation.
    pub(crate) fn check(measure: &str, grades: &[Option<i32>], ideal: &[i32], expected: f64) {
        let judged = Judged {
            grades: grades.to_vec(),
            tokens: vec![Some(1000); grades.len()],
            ideal: ideal.to_vec(),
        };
        let measure: Measure = measure.parse().expect("a measure");
        let value = measure.score(&judged).expect("costs are given");
        assert!((value - expected).abs() < 5e-5, "{measure}: {value} is not {expected}");
    }

    pub(crate) const ALL: [&str; 16] = [
        "nDCG",
        "nDCG@10",
        "R@10",
        "R(rel=2)@2",
        "P@5",
        "P(rel=2)@5",
        "RR",
        "RR@10",
        "AP",
        "AP@5",
        "Success@3",
        "Judged@10",
        "SetP",
        "SetR",
        "SetF",
        "R@8k tokens",
    ];

    /// A ranking over documents `0..12`, their grades, and a cost for each.
    fn any_judged() -> impl Strategy<Value = Judged> {
        let doc = (proptest::option::of(-1..4_i32), any::<bool>(), 0..5000_u64);
        proptest::collection::vec(doc, 0..12).prop_map(|docs| {
            let mut ideal: Vec<i32> =
                docs.iter().filter_map(|(grade, ..)| *grade).filter(|grade| 0 < *grade).collect();
            ideal.sort_unstable_by(|a, b| b.cmp(a));
            let ranked = docs.iter().filter(|(_, ranked, _)| *ranked);
            let (grades, tokens) = ranked.map(|(grade, _, tokens)| (*grade, Some(*tokens))).unzip();
            Judged { grades, tokens, ideal }
        })
    }

    proptest! {
        #[test]
        fn every_measure_lies_between_0_and_1(judged in any_judged()) {
            for name in ALL {
                let value = name.parse::<Measure>().expect(name).score(&judged).expect(name);
                prop_assert!((0.0..=1.0).contains(&value), "{name}: {value}");
            }
        }

        #[test]
        fn the_ideal_ranking_has_ndcg_1(judged in any_judged(), cutoff in proptest::option::of(1..20_u32)) {
            prop_assume!(!judged.ideal.is_empty());
            let perfect = Judged { grades: judged.ideal.iter().copied().map(Some).collect(), ..judged };
            let value = Measure::Ndcg { cutoff }.score(&perfect).expect("no costs needed");
            prop_assert!((value - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn an_empty_answer_scores_0_by_every_measure() {
        for name in ALL {
            check(name, &[], &[2, 1], 0.0);
        }
    }

    #[test]
    fn minor_documents_leave_the_ranking() {
        let hit = |doc: &str| Hit { doc: doc.to_owned(), score: 0.0, tokens: None };
        let judgments =
            Judgments { grades: [("b".to_owned(), 1)].into(), minor: ["a".to_owned()].into() };
        let judged = Judged::new(&[hit("a"), hit("b"), hit("b")], &judgments);
        assert_eq!(judged.grades, [Some(1)]);
    }
}
