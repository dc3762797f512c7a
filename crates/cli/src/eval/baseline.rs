//! The baseline: BM25 over whole source files, with the same analyzer and nothing else.
//!
//! One bag of words per file, no fields, no priors, no history. Scores are `idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length
//! / average))` with k1 1.2 and b 0.75 (Robertson and Zaragoza, "The probabilistic relevance framework", 2009).

use std::collections::{BTreeMap, BTreeSet};

use reseek_indexer::Snapshot;
use reseek_indexer::analyzer::{Analyzer, Mode};
use reseek_indexer::entry::FileFlags;
use reseek_indexer::snapshot::Doc;
use reseek_query::postings::{PostingsCache, Scored};
use reseek_query::scoring::idf;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// The fields that hold the text of a file, each of its terms once.
const TEXT: [Scored; 6] =
    [Scored::Name, Scored::Signature, Scored::Doc, Scored::Body, Scored::Text, Scored::FileText];

/// Lengths of the files of one view.
pub(crate) struct Bm25 {
    /// Path and length in terms of every indexed source file.
    files: BTreeMap<Doc, (String, f32)>,
    average: f32,
}

impl Bm25 {
    /// Reads the lengths of all files.
    pub(crate) fn new(snapshot: &Snapshot) -> anyhow::Result<Self> {
        let mut files = BTreeMap::new();
        for file in snapshot.manifest()? {
            // Documents and data answer no topic here; a baseline that ranks them would be weaker than it must be.
            if file.flags.has(FileFlags::SKIPPED) || file.flags.has(FileFlags::TEXT) {
                continue;
            }
            let share = snapshot.entry(file.doc)?.share;
            let length = share.name
                + share.signature
                + share.doc
                + share.body
                + share.text
                + share.file_text;
            files.insert(file.doc, (file.path, length as f32));
        }
        let sum: f32 = files.values().map(|(_, length)| length).sum();
        let average = (sum / files.len().max(1) as f32).max(1.0);
        Ok(Self { files, average })
    }

    /// The `depth` best files with their scores; ties break by path.
    pub(crate) fn rank(
        &self,
        snapshot: &Snapshot,
        task: &str,
        depth: usize,
    ) -> anyhow::Result<Vec<(String, f32)>> {
        let mut cache = PostingsCache::new(snapshot);
        let terms: BTreeSet<String> =
            Analyzer::new().collect(task, Mode::Prose).into_iter().collect();
        let mut scores: BTreeMap<Doc, f32> = BTreeMap::new();
        for term in terms {
            let postings = cache.get(&term)?;
            let mut term_freqs: BTreeMap<Doc, f32> = BTreeMap::new();
            for field in TEXT {
                for hit in &postings.fields[field as usize] {
                    *term_freqs.entry(snapshot.file_of(hit.doc)).or_default() +=
                        hit.term_freq as f32;
                }
            }
            let idf = idf(self.files.len() as u64, term_freqs.len() as u64);
            for (file, term_freq) in term_freqs {
                let Some((_, length)) = self.files.get(&file) else { continue };
                let norm = K1 * (1.0 - B + B * length / self.average);
                *scores.entry(file).or_default() +=
                    idf * term_freq * (K1 + 1.0) / (term_freq + norm);
            }
        }
        let mut ranked: Vec<(String, f32)> = scores
            .into_iter()
            .filter_map(|(file, score)| Some((self.files.get(&file)?.0.clone(), score)))
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        ranked.truncate(depth);
        Ok(ranked)
    }
}
