//! Coordinate ascent over a vector of weights, cross-validated over groups.
//!
//! Weights are learned on some groups (repositories) and must hold on others. So the ascent runs
//! once per group with that group held out, and once on all groups. The held-out figure is the
//! honest one; the distance between the two says how much of the gain was learned by heart. The
//! method is that of Metzler and Croft, "Linear feature-based models for information retrieval",
//! Information Retrieval 10, 2007.
//!
//! Invariant: the same arguments give the same result; a weight vector is measured once per group.

use std::{cell::RefCell, collections::BTreeMap, fmt::Write as _};

use serde::Serialize;

use crate::rng::SplitMix64;

/// Gains below this are noise of floating-point sums and move nothing.
const MIN_GAIN: f64 = 1e-9;

/// The ascent with one group held out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fold {
    /// The group that was held out.
    pub held_out: String,
    /// Weights learned on the other groups.
    pub weights: Vec<f64>,
    /// Mean of the objective over the other groups with these weights.
    pub training: f64,
    /// The objective on the held-out group with these weights.
    pub value: f64,
    /// The objective on the held-out group with the starting weights.
    pub start_value: f64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuneResult {
    /// Weights learned on all groups: the ones to use.
    pub weights: Vec<f64>,
    /// Mean of the objective over all groups with the starting weights.
    pub start: f64,
    /// Mean of the objective over all groups with the learned weights; optimistic.
    pub training: f64,
    /// Mean of the held-out values over the folds; compare this with `start`.
    pub held_out: f64,
    /// One fold per group, in the order given; empty for fewer than two groups.
    pub folds: Vec<Fold>,
    /// How often the objective was computed.
    pub n_evaluations: usize,
}

/// Climbs from `start`: for each step size in turn (coarse to fine), each weight in random order is
/// moved up and down by the step and keeps what raises the mean of `objective` over the groups, until
/// a pass over all weights moves none. `objective(weights, group)` is to be maximised; it may answer
/// `f64::NEG_INFINITY` for weights that are not allowed.
pub fn tune(
    objective: &dyn Fn(&[f64], &str) -> f64,
    start: &[f64],
    steps: &[f64],
    groups: &[String],
    seed: u64,
) -> TuneResult {
    let memo = Memo { objective, groups, known: RefCell::default() };
    let all: Vec<usize> = (0..groups.len()).collect();
    let weights = climb(&memo, start, steps, &all, seed);
    let n_folds = if groups.len() < 2 { 0 } else { groups.len() };
    let folds: Vec<Fold> = (0..n_folds)
        .map(|held_out| {
            let others: Vec<usize> = all.iter().copied().filter(|i| *i != held_out).collect();
            let weights = climb(&memo, start, steps, &others, seed);
            Fold {
                held_out: groups[held_out].clone(),
                training: memo.mean(&weights, &others),
                value: memo.value(&weights, held_out),
                start_value: memo.value(start, held_out),
                weights,
            }
        })
        .collect();
    TuneResult {
        start: memo.mean(start, &all),
        training: memo.mean(&weights, &all),
        held_out: folds.iter().map(|fold| fold.value).sum::<f64>() / folds.len().max(1) as f64,
        n_evaluations: memo.known.borrow().len(),
        weights,
        folds,
    }
}

/// The objective with its known values; weights are keyed by their bits.
struct Memo<'a> {
    objective: &'a dyn Fn(&[f64], &str) -> f64,
    groups: &'a [String],
    known: RefCell<BTreeMap<(Vec<u64>, usize), f64>>,
}

impl Memo<'_> {
    fn value(&self, weights: &[f64], group: usize) -> f64 {
        let key = (weights.iter().map(|weight| weight.to_bits()).collect(), group);
        if let Some(value) = self.known.borrow().get(&key) {
            return *value;
        }
        let value = (self.objective)(weights, &self.groups[group]);
        self.known.borrow_mut().insert(key, value);
        value
    }

    fn mean(&self, weights: &[f64], groups: &[usize]) -> f64 {
        let sum: f64 = groups.iter().map(|group| self.value(weights, *group)).sum();
        sum / groups.len().max(1) as f64
    }
}

fn climb(memo: &Memo, start: &[f64], steps: &[f64], groups: &[usize], seed: u64) -> Vec<f64> {
    let mut rng = SplitMix64::new(seed);
    let mut best = start.to_vec();
    let mut best_value = memo.mean(&best, groups);
    let mut order: Vec<usize> = (0..start.len()).collect();
    for step in steps {
        loop {
            let mut moved = false;
            rng.shuffle(&mut order);
            for &i in &order {
                for delta in [*step, -*step] {
                    let mut candidate = best.clone();
                    candidate[i] += delta;
                    let value = memo.mean(&candidate, groups);
                    if best_value + MIN_GAIN < value {
                        (best, best_value, moved) = (candidate, value, true);
                    }
                }
            }
            if !moved {
                break;
            }
        }
    }
    best
}

impl TuneResult {
    /// The figures as text: training and held out, fold by fold.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "start    {:.4}  mean over {} groups\ntraining {:.4}  all groups, optimistic\nheld out {:.4}  each group with the weights of the others\n",
            self.start,
            self.folds.len(),
            self.training,
            self.held_out
        );
        let width = self.folds.iter().map(|fold| fold.held_out.len()).max().unwrap_or(0);
        for fold in &self.folds {
            // Writing into a string cannot fail.
            let _ = writeln!(
                text,
                "  {:width$}  start {:.4}  held out {:.4}  ({:+.4})  training {:.4}",
                fold.held_out,
                fold.start_value,
                fold.value,
                fold.value - fold.start_value,
                fold.training
            );
        }
        let weights: Vec<String> = self.weights.iter().map(|w| format!("{w:.4}")).collect();
        let _ = writeln!(text, "weights  {}", weights.join(" "));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// A hill whose top is at (1, 2), the same for every group.
    fn hill(weights: &[f64], _: &str) -> f64 {
        1.0 - (weights[0] - 1.0).powi(2) - (weights[1] - 2.0).powi(2)
    }

    #[test]
    fn the_ascent_finds_the_top_of_a_hill() {
        let result = tune(&hill, &[0.0, 0.0], &[0.5, 0.125], &groups(&["a", "b"]), 1);
        assert!((result.training - 1.0).abs() < 1e-9, "{result:?}");
        assert!((result.held_out - 1.0).abs() < 1e-9, "{result:?}");
        assert!((result.start + 4.0).abs() < 1e-9, "{result:?}");
    }

    #[test]
    fn what_is_learned_by_heart_shows_in_the_held_out_figure() {
        // Each group has a bonus of its own, worth nothing to the others.
        let names = groups(&["a", "b", "c"]);
        let own = |weights: &[f64], group: &str| {
            let i = ["a", "b", "c"].iter().position(|name| *name == group).unwrap_or(0);
            weights[i].clamp(0.0, 1.0)
        };
        let result = tune(&own, &[0.0; 3], &[0.5], &names, 1);
        assert!((result.training - 1.0).abs() < 1e-9);
        assert!(result.held_out.abs() < 1e-9);
        assert_eq!(result.folds[1].held_out, "b");
        assert!((result.folds[1].training - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_same_seed_gives_the_same_result() {
        let run = || tune(&hill, &[0.3, 0.7], &[0.5, 0.1], &groups(&["a", "b"]), 9);
        assert_eq!(run(), run());
    }

    #[test]
    fn forbidden_weights_are_not_entered() {
        let walled = |weights: &[f64], group: &str| {
            if 0.5 < weights[0] { f64::NEG_INFINITY } else { hill(weights, group) }
        };
        let result = tune(&walled, &[0.0, 2.0], &[0.25], &groups(&["a", "b"]), 1);
        assert!((result.weights[0] - 0.5).abs() < 1e-9, "{result:?}");
    }

    #[test]
    fn a_single_group_has_no_fold() {
        let result = tune(&hill, &[1.0, 2.0], &[0.5], &groups(&["a"]), 1);
        assert!(result.folds.is_empty());
        assert!((result.training - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_text_shows_training_and_held_out_figures() {
        let text = tune(&hill, &[1.0, 2.0], &[0.5], &groups(&["a", "bb"]), 1).to_text();
        assert_eq!(
            text,
            "start    1.0000  mean over 2 groups\n\
             training 1.0000  all groups, optimistic\n\
             held out 1.0000  each group with the weights of the others\n\
             \x20 a   start 1.0000  held out 1.0000  (+0.0000)  training 1.0000\n\
             \x20 bb  start 1.0000  held out 1.0000  (+0.0000)  training 1.0000\n\
             weights  1.0000 2.0000\n"
        );
    }
}
