//! The history field: words of the commits that touched a file, and files that changed together.
//!
//! Commits are documents of their own, so a file's history is a relation and not a text: the term frequency of a word
//! in the history of a file is the number of commits with the word that touched it, a commit of
//! many files counting less for each.

use std::collections::{BTreeMap, HashMap};

use reseek_indexer::Snapshot;
use reseek_indexer::snapshot::Doc;

use crate::error::Error;
use crate::scoring::{ScoredConcept, idf};

/// Commits that touched more files than this say nothing about any of them.
const MAX_COMMIT_FILES: u64 = 60;

/// The same for a small corpus, where a commit of half of all files is the first or a clean-up.
fn max_commit_files(snapshot: &Snapshot) -> usize {
    MAX_COMMIT_FILES.min(snapshot.meta().totals.n_files / 2).max(2) as usize
}
/// Files whose history scores are looked at further.
const MAX_FILES: usize = 400;
/// Frequencies saturate as in BM25.
const K1: f32 = 1.2;
/// Strength of the length normalisation.
const B: f32 = 0.3;
/// Length of a history, in commits, that is neither raised nor lowered.
const TYPICAL_COMMITS: f32 = 12.0;

/// Scores of file documents by the messages of the commits that touched them, for the few hundred files with the highest.
pub fn scores(
    snapshot: &Snapshot,
    concepts: &[ScoredConcept],
) -> Result<BTreeMap<Doc, f32>, Error> {
    let n_files = snapshot.meta().totals.n_files;
    let max_files = max_commit_files(snapshot);
    let mut touched: HashMap<Doc, Vec<u64>> = HashMap::new();
    let mut n_commits: HashMap<u64, f32> = HashMap::new();
    let mut total: HashMap<u64, f32> = HashMap::new();
    for concept in concepts {
        let mut best: HashMap<u64, f32> = HashMap::new();
        for term in &concept.terms {
            let mut frequency: BTreeMap<u64, f32> = BTreeMap::new();
            for &commit in &term.postings.commits {
                let keys = touched.entry(commit).or_insert_with(|| snapshot.touches(commit));
                if keys.len() > max_files {
                    continue;
                }
                let share = 1.0 / (1.0 + (keys.len() as f32).ln());
                for &key in keys.iter() {
                    *frequency.entry(key).or_default() += share;
                }
            }
            let idf = idf(n_files, frequency.len() as u64);
            for (key, frequency) in frequency {
                let length = if let Some(&length) = n_commits.get(&key) {
                    length
                } else {
                    let length = snapshot.commits_touching(key)?.len() as f32;
                    n_commits.insert(key, length);
                    length
                };
                let norm = 1.0 - B + B * length / TYPICAL_COMMITS;
                let score = term.weight * idf * frequency / (frequency + K1 * norm);
                let entry = best.entry(key).or_default();
                *entry = entry.max(score);
            }
        }
        for (key, score) in sorted(best) {
            *total.entry(key).or_default() += concept.weight * score;
        }
    }
    let mut ranked = sorted(total);
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    ranked.truncate(MAX_FILES);
    let mut files = BTreeMap::new();
    for (key, score) in ranked {
        if let Some(file) = snapshot.file_by_key(key)? {
            files.insert(file, score);
        }
    }
    Ok(files)
}

fn sorted(map: HashMap<u64, f32>) -> Vec<(u64, f32)> {
    let mut pairs: Vec<(u64, f32)> = map.into_iter().collect();
    pairs.sort_unstable_by_key(|pair| pair.0);
    pairs
}

/// For the files given with weights: how strongly each other file changed together with them.
pub fn changed_together(
    snapshot: &Snapshot,
    files: &[(Doc, f32)],
) -> Result<BTreeMap<u64, f32>, Error> {
    let max_files = max_commit_files(snapshot);
    let mut together: BTreeMap<u64, f32> = BTreeMap::new();
    for &(file, weight) in files {
        let own = snapshot.key(file);
        let commits = snapshot.commits_touching(own)?;
        let norm = 1.0 / (1.0 + commits.len() as f32);
        for commit in commits {
            let keys = snapshot.touches(commit);
            if keys.len() > max_files || keys.len() < 2 {
                continue;
            }
            let share = weight * norm / (keys.len() as f32).sqrt();
            for key in keys {
                if key != own {
                    *together.entry(key).or_default() += share;
                }
            }
        }
    }
    Ok(together)
}
