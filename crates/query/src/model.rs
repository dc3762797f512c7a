//! The model that turns features into relevance: gradient-boosted trees and a calibration curve.
//!
//! The table `model/ranker.txt` is written by `eval/train_ranker.py` and read once per process. Training is LTR by boosted
//! trees as in C. Burges, "From `RankNet` to `LambdaRank` to `LambdaMART`" (Microsoft Research, 2010). The table's first line
//! is its version, its second the names of the features, then one line per tree (inner nodes as feature, threshold,
//! left, right; a negative child is a leaf) and one per point of the curve from score to relevance.

use std::sync::OnceLock;

use crate::features::{Features, NAMES};

const TABLE: &str = include_str!("../model/ranker.txt");
const HEADER: &str = "reseek ranker 1";

#[derive(Clone, Copy, Debug)]
struct Node {
    feature: usize,
    threshold: f64,
    left: i32,
    right: i32,
}

#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<f64>,
}

#[derive(Debug, Default)]
struct Model {
    trees: Vec<Tree>,
    /// Score and relevance, ascending in both.
    curve: Vec<(f64, f64)>,
}

/// Reads a table; `None` if a line is not what it should be or the features are not those of this program.
fn parse(table: &str) -> Option<Model> {
    let mut lines = table.lines();
    if lines.next()? != HEADER {
        return None;
    }
    let names: Vec<&str> = lines.next()?.split(' ').collect();
    if names.first() != Some(&"features") || names[1..] != NAMES {
        return None;
    }
    let mut model = Model::default();
    for line in lines {
        let mut cells = line.split(' ');
        match cells.next()? {
            "tree" => {
                let n_nodes: usize = cells.next()?.parse().ok()?;
                let mut tree = Tree::default();
                for _ in 0..n_nodes {
                    let node = Node {
                        feature: cells.next()?.parse().ok()?,
                        threshold: cells.next()?.parse().ok()?,
                        left: cells.next()?.parse().ok()?,
                        right: cells.next()?.parse().ok()?,
                    };
                    tree.nodes.push(node);
                }
                for cell in cells {
                    tree.leaves.push(cell.parse().ok()?);
                }
                if !tree.is_sound() {
                    return None;
                }
                model.trees.push(tree);
            }
            "point" => model.curve.push((cells.next()?.parse().ok()?, cells.next()?.parse().ok()?)),
            _ => return None,
        }
    }
    Some(model)
}

impl Tree {
    /// Whether every child is a leaf that is there or an inner node further on, so that every walk ends.
    fn is_sound(&self) -> bool {
        let n_leaves = self.leaves.len() as i32;
        let child = |at: usize, child: i32| {
            if child < 0 {
                -child <= n_leaves
            } else {
                child as usize > at && (child as usize) < self.nodes.len()
            }
        };
        n_leaves > 0
            && self.nodes.iter().enumerate().all(|(at, node)| {
                node.feature < NAMES.len() && child(at, node.left) && child(at, node.right)
            })
    }

    fn value(&self, features: &Features) -> f64 {
        let mut at = 0_i32;
        if self.nodes.is_empty() {
            return self.leaves[0];
        }
        while at >= 0 {
            let node = self.nodes[at as usize];
            at = if f64::from(features[node.feature]) <= node.threshold {
                node.left
            } else {
                node.right
            };
        }
        self.leaves[(-at - 1) as usize]
    }
}

fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    // The table is part of the program and a test reads it; a broken one would judge everything alike.
    MODEL.get_or_init(|| parse(TABLE).unwrap_or_default())
}

/// The raw score of the trees; comparable between candidates and, less well, between tasks.
pub fn score(features: &Features) -> f64 {
    model().trees.iter().map(|tree| tree.value(features)).sum()
}

/// Candidates that competed for relevance in the tasks that the model learned from.
const LEARNED_CANDIDATES: f64 = 200.0;

/// How much of the change of the odds is believed. Below 1, because a few matches in a small corpus are also more often
/// chance than the best of many in a large one.
const COMPETITION: f64 = 0.7;

/// Relevance, 0 to 1: the score on the calibration curve. Strictly growing in the score, so that equal
/// relevance means an equal score.
///
/// Where fewer files match at all, each is more likely to be meant: by Bayes' rule the odds grow as the number of
/// candidates shrinks, and scores are log-odds up to a constant.
pub fn relevance(features: &Features, n_candidates: usize) -> f32 {
    let score = score(features)
        + COMPETITION * (LEARNED_CANDIDATES / n_candidates.max(1) as f64).ln().max(0.0);
    let curve = &model().curve;
    let after = curve.partition_point(|point| point.0 < score);
    let value = match (after.checked_sub(1).map(|before| curve[before]), curve.get(after)) {
        (Some((s0, r0)), Some(&(s1, r1))) => r0 + (r1 - r0) * (score - s0) / (s1 - s0),
        // Beyond the ends the curve is flat; a small slope keeps the order of the scores.
        (None, Some(&(s1, r1))) => r1 - r1 * (1.0 - (score - s1).exp()),
        (Some((s0, r0)), None) => r0 + (1.0 - r0) * 0.5 * (1.0 - (s0 - score).exp()),
        (None, None) => 0.0,
    };
    value.clamp(0.0, 1.0) as f32
}

/// The highest relevance that a task's answer may hold when its best files cover this share of the task: the best of few
/// matches is still no answer while most of what was asked for is nowhere in it.
pub fn ceiling(covered: f32) -> f32 {
    (0.35 + 1.3 * covered).min(1.0)
}

/// Place of the share of the task that a file covers among the features.
pub const COVER_ANY: usize = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole_and_stays_small() {
        let model = parse(TABLE).expect("the table");
        assert!(model.trees.len() > 50);
        assert!(model.curve.len() > 5);
        assert!(TABLE.len() < 500_000);
        assert!(model.curve.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
    }

    #[test]
    fn the_ceiling_reads_the_shares_that_are_covered() {
        assert_eq!(NAMES[COVER_ANY], "cover_any");
        assert!(ceiling(0.2) < 0.7 && ceiling(0.5) > 0.99);
    }

    #[test]
    fn a_broken_table_is_refused() {
        for cut in [0, 10, 100, 5_000] {
            assert!(parse(&TABLE[cut + 1..]).is_none());
        }
        let table = TABLE.replacen("tree 1", "tree 9", 1);
        assert!(parse(&table).is_none() || table == TABLE);
    }

    #[test]
    fn relevance_grows_with_the_score_and_stays_within_its_bounds() {
        let mut features = [0.0; NAMES.len()];
        let mut judged: Vec<(f64, f32)> = Vec::new();
        for step in 0..500_u32 {
            for (at, feature) in features.iter_mut().enumerate() {
                *feature = ((step * 31 + at as u32 * 17) % 97) as f32 / 97.0;
            }
            judged.push((score(&features), relevance(&features, 200)));
        }
        judged.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(judged.windows(2).all(|pair| pair[0].1 <= pair[1].1));
        assert!(judged.iter().all(|(_, relevance)| (0.0..=1.0).contains(relevance)));
        assert!(judged.last().map(|last| last.1) > judged.first().map(|first| first.1));
    }
}
