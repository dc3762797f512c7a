//! Calibration: does a relevance of 0.7 mean what it says?
//!
//! A relevance is calibrated if, of all files given 0.7, seven of ten are relevant. The reliability
//! table shows that per bin, the expected calibration error (Naeini, Cooper and Hauskrecht, AAAI
//! 2015) sums it up, and isotonic regression by pooling adjacent violators (Ayer et al., Annals of
//! Mathematical Statistics 26, 1955) learns the monotone curve that repairs it.

use serde::{Deserialize, Serialize};

use crate::{qrels::Qrels, run::Run};

/// Number of bins of the reliability table and of the error.
pub const N_BINS: usize = 10;

/// One judged file of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Relevance that the system gave, 0.0 to 1.0; values beyond count as the nearer end.
    pub relevance: f64,
    /// Whether the qrels say so too.
    pub relevant: bool,
}

/// One row of the reliability table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Lower end, inclusive.
    pub low: f64,
    /// Upper end, exclusive but for the last bin.
    pub high: f64,
    /// Number of pairs.
    pub n: usize,
    /// Mean relevance given; 0 in an empty bin.
    pub mean_relevance: f64,
    /// Share of them that are relevant; 0 in an empty bin.
    pub precision: f64,
}

/// The reliability table: [`N_BINS`] bins of equal width.
pub fn reliability(pairs: &[Pair]) -> Vec<Bin> {
    let mut bins: Vec<(usize, f64, usize)> = vec![(0, 0.0, 0); N_BINS];
    for pair in pairs {
        let relevance = pair.relevance.clamp(0.0, 1.0);
        let bin = &mut bins[((relevance * N_BINS as f64) as usize).min(N_BINS - 1)];
        bin.0 += 1;
        bin.1 += relevance;
        bin.2 += usize::from(pair.relevant);
    }
    let rows = bins.iter().enumerate().map(|(i, &(n, sum, n_relevant))| Bin {
        low: i as f64 / N_BINS as f64,
        high: (i + 1) as f64 / N_BINS as f64,
        n,
        mean_relevance: sum / n.max(1) as f64,
        precision: n_relevant as f64 / n.max(1) as f64,
    });
    rows.collect()
}

/// Expected calibration error: the mean distance between relevance and precision over the bins,
/// weighted by their size. 0 is perfect; 0 without pairs.
pub fn expected_calibration_error(pairs: &[Pair]) -> f64 {
    let n = pairs.len().max(1) as f64;
    let bins = reliability(pairs);
    bins.iter().map(|bin| bin.n as f64 / n * (bin.mean_relevance - bin.precision).abs()).sum()
}

/// How many pairs reach `threshold`, and the share of them that are relevant (`None` if none does).
pub fn precision_at(pairs: &[Pair], threshold: f64) -> (usize, Option<f64>) {
    let reached = || pairs.iter().filter(|pair| threshold <= pair.relevance);
    let n = reached().count();
    let n_relevant = reached().filter(|pair| pair.relevant).count();
    (n, (0 < n).then(|| n_relevant as f64 / n as f64))
}

/// A non-decreasing curve from raw scores to probabilities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Isotonic {
    /// Points of the curve, ascending in both coordinates.
    pub points: Vec<(f64, f64)>,
}

impl Isotonic {
    /// The least-squares non-decreasing fit to the pairs, in any order. Pairs of equal relevance are
    /// pooled first, so that the fit is a function.
    pub fn fit(pairs: &[Pair]) -> Isotonic {
        /// A run of scores that share one value.
        struct Block {
            first: f64,
            last: f64,
            n: usize,
            n_relevant: usize,
        }
        impl Block {
            fn mean(&self) -> f64 {
                self.n_relevant as f64 / self.n as f64
            }
        }
        let mut sorted = pairs.to_vec();
        sorted.sort_by(|a, b| a.relevance.total_cmp(&b.relevance));
        let mut blocks: Vec<Block> = Vec::new();
        for pair in sorted {
            let n_relevant = usize::from(pair.relevant);
            match blocks.last_mut() {
                Some(block) if block.last.total_cmp(&pair.relevance).is_eq() => {
                    block.n += 1;
                    block.n_relevant += n_relevant;
                }
                _ => blocks.push(Block {
                    first: pair.relevance,
                    last: pair.relevance,
                    n: 1,
                    n_relevant,
                }),
            }
        }
        let mut pooled: Vec<Block> = Vec::new();
        for mut block in blocks {
            // A block that does not rise above its left neighbour violates the order: join them.
            while let Some(left) = pooled.pop_if(|left| block.mean() <= left.mean()) {
                block.first = left.first;
                block.n += left.n;
                block.n_relevant += left.n_relevant;
            }
            pooled.push(block);
        }
        let mut points = Vec::new();
        for block in pooled {
            points.push((block.first, block.mean()));
            if block.first < block.last {
                points.push((block.last, block.mean()));
            }
        }
        Isotonic { points }
    }

    /// The calibrated value of a raw score: linear between the points, level beyond them. Without
    /// points the score itself, held to 0..=1.
    pub fn predict(&self, score: f64) -> f64 {
        let after = self.points.partition_point(|(x, _)| *x < score);
        match (after.checked_sub(1).and_then(|i| self.points.get(i)), self.points.get(after)) {
            (None, None) => score.clamp(0.0, 1.0),
            (None, Some((_, y))) | (Some((_, y)), None) => *y,
            (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (score - x0) / (x1 - x0),
        }
    }
}

/// The answer to one topic, for measures of thresholds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The files, best first.
    pub files: Vec<Pair>,
    /// Number of relevant files, found or not; at least 1.
    pub n_relevant: usize,
}

/// The answers of a run whose scores are relevances, one per topic with a relevant file, in order of
/// topic. An unanswered topic has no files; minor files are left out.
pub fn answers(qrels: &Qrels, run: &Run) -> Vec<Answer> {
    let judged = qrels.iter().filter(|(_, judgments)| judgments.has_relevant());
    let answers = judged.map(|(topic, judgments)| {
        let kept = run.ranking(topic).iter().filter(|hit| !judgments.minor.contains(&hit.doc));
        let files = kept.map(|hit| Pair {
            relevance: hit.score,
            relevant: judgments.grades.get(&hit.doc).is_some_and(|grade| 0 < *grade),
        });
        Answer { files: files.collect(), n_relevant: judgments.relevant().count() }
    });
    answers.collect()
}

/// Mean F1 over topics of the files at `threshold` or more: what a caller gets who trusts the scale.
pub fn f1_at_threshold(answers: &[Answer], threshold: f64) -> f64 {
    mean_f1(answers, |files| files.iter().filter(|pair| threshold <= pair.relevance).collect())
}

/// Mean F1 over topics of the first `k` files: what a fixed length would have given.
pub fn f1_at_top(answers: &[Answer], k: usize) -> f64 {
    mean_f1(answers, |files| files.iter().take(k).collect())
}

fn mean_f1(answers: &[Answer], chosen: impl Fn(&[Pair]) -> Vec<&Pair>) -> f64 {
    let f1 = |answer: &Answer| {
        let files = chosen(&answer.files);
        let n_right = files.iter().filter(|pair| pair.relevant).count();
        // F1 = 2PR / (P + R) = 2 * right / (given + wanted), which is also right where nothing is.
        2.0 * n_right as f64 / (files.len() + answer.n_relevant).max(1) as f64
    };
    answers.iter().map(f1).sum::<f64>() / answers.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairs(rows: &[(f64, bool)]) -> Vec<Pair> {
        rows.iter().map(|&(relevance, relevant)| Pair { relevance, relevant }).collect()
    }

    fn check(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn a_calibrated_system_has_error_0() {
        let half = pairs(&[(0.5, true), (0.5, false), (1.0, true), (0.0, false)]);
        check(expected_calibration_error(&half), 0.0);
    }

    #[test]
    fn the_error_is_weighted_by_bin_size() {
        // Three of four at 0.9 with precision 1/3, one at 0.1 with precision 0.
        let given = pairs(&[(0.9, true), (0.9, false), (0.9, false), (0.1, false)]);
        check(expected_calibration_error(&given), 0.75 * (0.9 - 1.0 / 3.0) + 0.25 * 0.1);
    }

    #[test]
    fn relevance_1_falls_in_the_last_bin() {
        let bins = reliability(&pairs(&[(1.0, true), (0.9, false)]));
        assert_eq!((bins.len(), bins[9].n), (10, 2));
        check(bins[9].mean_relevance, 0.95);
        check(bins[9].precision, 0.5);
    }

    #[test]
    fn precision_of_the_files_at_a_threshold() {
        let given = pairs(&[(0.7, true), (0.8, false), (0.69, false)]);
        assert_eq!(precision_at(&given, 0.7), (2, Some(0.5)));
        assert_eq!(precision_at(&given, 0.9), (0, None));
    }

    #[test]
    fn violators_are_pooled() {
        let fit = Isotonic::fit(&pairs(&[(0.1, false), (0.2, true), (0.3, false), (0.4, true)]));
        assert_eq!(fit.points, [(0.1, 0.0), (0.2, 0.5), (0.3, 0.5), (0.4, 1.0)]);
        check(fit.predict(0.15), 0.25);
        check(fit.predict(0.25), 0.5);
        check(fit.predict(0.9), 1.0);
        check(fit.predict(0.0), 0.0);
    }

    #[test]
    fn equal_scores_are_one_point() {
        let fit = Isotonic::fit(&pairs(&[(0.5, true), (0.5, false)]));
        assert_eq!(fit.points, [(0.5, 0.5)]);
    }

    #[test]
    fn without_pairs_the_score_stands() {
        check(Isotonic::fit(&[]).predict(0.4), 0.4);
    }

    #[test]
    fn a_good_threshold_beats_a_fixed_length() {
        let answers = [
            Answer { files: pairs(&[(0.9, true), (0.1, false)]), n_relevant: 1 },
            Answer { files: pairs(&[(0.9, true), (0.8, true)]), n_relevant: 2 },
        ];
        check(f1_at_threshold(&answers, 0.7), 1.0);
        check(f1_at_top(&answers, 2), f64::midpoint(2.0 / 3.0, 1.0));
    }

    #[test]
    fn the_scores_of_a_run_are_its_relevances() {
        let path = std::path::Path::new("text");
        let qrels = "1 0 a 1\n1 minor m 0\n2 0 a 0\n3 0 a 2\n3 0 b 1\n";
        let qrels = Qrels::parse(qrels, crate::QrelsFormat::Trec, path).expect("qrels");
        let run = "1 Q0 m 1 0.9 t\n1 Q0 a 2 0.8 t\n1 Q0 x 3 0.2 t\n2 Q0 a 1 0.9 t\n";
        let run = Run::parse(run, crate::RunFormat::Trec, path).expect("run");
        let expected = [
            Answer { files: pairs(&[(0.8, true), (0.2, false)]), n_relevant: 1 },
            Answer { files: Vec::new(), n_relevant: 2 },
        ];
        assert_eq!(answers(&qrels, &run), expected);
    }

    proptest! {
        #[test]
        fn the_fit_never_falls_and_calibrates_its_own_data(
            rows in proptest::collection::vec((0.0..1.0_f64, any::<bool>()), 1..40)
        ) {
            let given = pairs(&rows);
            let fit = Isotonic::fit(&given);
            prop_assert!(fit.points.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1));
            let predicted: f64 = given.iter().map(|pair| fit.predict(pair.relevance)).sum();
            let n_relevant = given.iter().filter(|pair| pair.relevant).count();
            prop_assert!((predicted - n_relevant as f64).abs() < 1e-6);
        }

        #[test]
        fn the_error_lies_between_0_and_1(rows in proptest::collection::vec((-0.5..1.5_f64, any::<bool>()), 0..40)) {
            let error = expected_calibration_error(&pairs(&rows));
            prop_assert!((0.0..=1.0).contains(&error));
        }
    }
}
