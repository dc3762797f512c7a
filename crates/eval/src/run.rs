//! Runs: what a system answered, one ranking per topic.
//!
//! Three formats, and each says where its order comes from:
//!
//! - TREC, `qid Q0 docid rank score tag`: as in `trec_eval` the rank column is ignored. Documents are
//!   sorted by score, descending, and by docid, *descending*, where scores are equal. `trec_eval`
//!   keeps scores in single precision, so scores that differ only beyond it are equal here too.
//! - Ranked, `repo<TAB>id<TAB>rank<TAB>path` without escapes: sorted by rank, ascending, then by path,
//!   descending.
//! - JSON lines, one object per topic with the ranking as a list: the order of the list. The only
//!   format that carries token costs.
//!
//! A document that a ranking repeats counts once, at its best place.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result, numbered_lines, parse_json_lines, read_text, to_json_lines},
    topic::TopicId,
    trec,
};

/// One document of a ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The document, usually a path.
    #[serde(rename = "path")]
    pub doc: String,
    /// Score as the system gave it; comparable within one ranking only.
    #[serde(default)]
    pub score: f64,
    /// Tokens that it takes to hand this document over, if the system says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// The rankings of one system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The system's name, as in the last TREC column.
    pub tag: String,
    rankings: BTreeMap<TopicId, Vec<Hit>>,
}

/// The formats of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFormat {
    /// `qid Q0 docid rank score tag`, cells encoded as in [`trec`].
    Trec,
    /// `repo<TAB>id<TAB>rank<TAB>path`, not encoded.
    Ranked,
    /// One JSON object per topic: `repo` (may be absent), `id`, `tag`, `ranking`.
    Jsonl,
}

impl RunFormat {
    /// Ranked for `.tsv`, JSON lines for `.jsonl`, `.ndjson` and `.json`, TREC for all else.
    pub fn of_path(path: &Path) -> RunFormat {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("tsv") => RunFormat::Ranked,
            Some("jsonl" | "ndjson" | "json") => RunFormat::Jsonl,
            _ => RunFormat::Trec,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct JsonLine {
    #[serde(flatten)]
    topic: TopicId,
    #[serde(default)]
    tag: String,
    ranking: Vec<Hit>,
}

impl Run {
    /// An empty run.
    pub fn new(tag: impl Into<String>) -> Run {
        Run { tag: tag.into(), rankings: BTreeMap::new() }
    }

    /// Sets a topic's ranking from scored documents in any order: sorts as `trec_eval` does.
    pub fn insert_scored(&mut self, topic: TopicId, mut hits: Vec<Hit>) {
        hits.sort_by(|a, b| {
            // `total_cmp` would set -0.0 below 0.0; adding 0.0 makes them one.
            let (score_a, score_b) = (a.score as f32 + 0.0, b.score as f32 + 0.0);
            score_b.total_cmp(&score_a).then_with(|| b.doc.cmp(&a.doc))
        });
        self.insert_ranked(topic, hits);
    }

    /// Sets a topic's ranking from documents in order, best first; scores do not matter.
    pub fn insert_ranked(&mut self, topic: TopicId, mut hits: Vec<Hit>) {
        let mut seen = BTreeSet::new();
        hits.retain(|hit| seen.insert(hit.doc.clone()));
        self.rankings.insert(topic, hits);
    }

    /// A topic's ranking, best first; empty if the run has none.
    pub fn ranking(&self, topic: &TopicId) -> &[Hit] {
        self.rankings.get(topic).map_or(&[], Vec::as_slice)
    }

    /// Whether the run answers this topic, be it with an empty ranking.
    pub fn contains(&self, topic: &TopicId) -> bool {
        self.rankings.contains_key(topic)
    }

    /// All rankings in order of topic.
    pub fn iter(&self) -> impl Iterator<Item = (&TopicId, &[Hit])> {
        self.rankings.iter().map(|(topic, hits)| (topic, hits.as_slice()))
    }

    /// A run from text; `path` is only named in errors. The order of lines does not matter.
    pub fn parse(text: &str, format: RunFormat, path: &Path) -> Result<Run> {
        match format {
            RunFormat::Trec => parse_trec(text, path),
            RunFormat::Ranked => parse_ranked(text, path),
            RunFormat::Jsonl => parse_jsonl(text, path),
        }
    }

    /// A run from a file, in the format that its name says.
    pub fn read(path: &Path) -> Result<Run> {
        Run::parse(&read_text(path)?, RunFormat::of_path(path), path)
    }

    /// The run as text, in order of topic and rank.
    ///
    /// In the TREC form, a ranking whose scores would not restore its order is written with the
    /// reciprocal rank in place of the score. TREC and ranked form drop topics with an empty ranking.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`] if a cell of the ranked form holds a tab or line break.
    pub fn to_text(&self, format: RunFormat) -> Result<String> {
        let mut text = String::new();
        match format {
            RunFormat::Trec => {
                let tag = trec::encode(&self.tag);
                for (topic, hits) in &self.rankings {
                    let scores_tell = hits.is_sorted_by_key(|hit| Reverse(TrecKey::of(hit)));
                    for (i, hit) in hits.iter().enumerate() {
                        let rank = i + 1;
                        let score = if scores_tell { hit.score } else { 1.0 / rank as f64 };
                        let doc = trec::encode(&hit.doc);
                        let _ = writeln!(text, "{topic} Q0 {doc} {rank} {score} {tag}");
                    }
                }
            }
            RunFormat::Ranked => {
                for (topic, hits) in &self.rankings {
                    for (i, hit) in hits.iter().enumerate() {
                        for value in [&topic.repo, &topic.id, &hit.doc] {
                            if value.contains(['\t', '\n', '\r']) {
                                let value = value.clone();
                                return Err(Error::Unwritable { value, format: "a ranked run" });
                            }
                        }
                        let rank = i + 1;
                        let _ = writeln!(text, "{}\t{}\t{rank}\t{}", topic.repo, topic.id, hit.doc);
                    }
                }
            }
            RunFormat::Jsonl => {
                let lines: Vec<JsonLine> = self
                    .rankings
                    .iter()
                    .map(|(topic, hits)| JsonLine {
                        topic: topic.clone(),
                        tag: self.tag.clone(),
                        ranking: hits.clone(),
                    })
                    .collect();
                text = to_json_lines(&lines);
            }
        }
        Ok(text)
    }
}

/// The sort key of `trec_eval`; the greatest comes first.
#[derive(PartialEq, PartialOrd)]
struct TrecKey<'a>(f32, &'a str);

impl TrecKey<'_> {
    fn of(hit: &Hit) -> TrecKey<'_> {
        TrecKey(hit.score as f32, &hit.doc)
    }
}

fn parse_trec(text: &str, path: &Path) -> Result<Run> {
    let mut rankings: BTreeMap<TopicId, Vec<Hit>> = BTreeMap::new();
    let mut tag: Option<String> = None;
    for (number, line) in numbered_lines(text) {
        let cells: Vec<&str> = line.split_ascii_whitespace().collect();
        let [qid, _, doc, _, score, run_tag] = cells[..] else {
            let found = format!("{} columns", cells.len());
            return Err(Error::line(
                path,
                number,
                "six columns `qid Q0 docid rank score tag`",
                found,
            ));
        };
        let cell = |cell: &str, what: &str| {
            trec::decode(cell).ok_or_else(|| {
                Error::line(path, number, format!("a percent-encoded {what}"), format!("`{cell}`"))
            })
        };
        let topic = trec::decode_topic(qid).ok_or_else(|| {
            Error::line(path, number, "a percent-encoded qid", format!("`{qid}`"))
        })?;
        let score_value = score.parse().ok().filter(|score: &f64| score.is_finite());
        let score = score_value.ok_or_else(|| {
            Error::line(path, number, "a finite number as score", format!("`{score}`"))
        })?;
        let run_tag = cell(run_tag, "tag")?;
        match &tag {
            Some(first) if *first != run_tag => {
                let found = format!("`{first}` and `{run_tag}`");
                return Err(Error::line(path, number, "one run tag per file", found));
            }
            _ => tag = Some(run_tag),
        }
        let hit = Hit { doc: cell(doc, "docid")?, score, tokens: None };
        rankings.entry(topic).or_default().push(hit);
    }
    let mut run = Run::new(tag.unwrap_or_default());
    for (topic, hits) in rankings {
        run.insert_scored(topic, hits);
    }
    Ok(run)
}

fn parse_ranked(text: &str, path: &Path) -> Result<Run> {
    let mut rankings: BTreeMap<TopicId, Vec<(f64, &str)>> = BTreeMap::new();
    for (number, line) in numbered_lines(text) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [repo, id, rank, doc] = cells[..] else {
            return Err(Error::line(
                path,
                number,
                "four tab-separated columns `repo id rank path`",
                format!("{} columns", cells.len()),
            ));
        };
        let rank_value = rank.trim().parse().ok().filter(|rank: &f64| rank.is_finite());
        let rank = rank_value.ok_or_else(|| {
            Error::line(path, number, "a finite number as rank", format!("`{rank}`"))
        })?;
        rankings.entry(TopicId::new(repo, id)).or_default().push((rank, doc));
    }
    let mut run = Run::default();
    for (topic, mut rows) in rankings {
        rows.sort_by(|(rank_a, doc_a), (rank_b, doc_b)| {
            rank_a.total_cmp(rank_b).then_with(|| doc_b.cmp(doc_a))
        });
        let hits = rows.iter().enumerate().map(|(i, (_, doc))| Hit {
            doc: (*doc).to_owned(),
            score: 1.0 / (i + 1) as f64,
            tokens: None,
        });
        run.insert_ranked(topic, hits.collect());
    }
    Ok(run)
}

fn parse_jsonl(text: &str, path: &Path) -> Result<Run> {
    let mut run = Run::default();
    let expected = "a ranking as a JSON object with `id` and `ranking`";
    for (i, (number, line)) in
        parse_json_lines::<JsonLine>(text, path, expected)?.into_iter().enumerate()
    {
        if i == 0 {
            run.tag = line.tag;
        } else if run.tag != line.tag {
            let found = format!("`{}` and `{}`", run.tag, line.tag);
            return Err(Error::line(path, number, "one run tag per file", found));
        }
        if run.contains(&line.topic) {
            let found = format!("{} a second time", line.topic);
            return Err(Error::line(path, number, "each topic once", found));
        }
        run.insert_ranked(line.topic, line.ranking);
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, format: RunFormat, expected: &[&str]) {
        let run = Run::parse(text, format, Path::new("run")).expect("a run");
        let (_, hits) = run.iter().next().expect("one topic");
        let docs: Vec<&str> = hits.iter().map(|hit| hit.doc.as_str()).collect();
        assert_eq!(docs, expected);
    }

    fn check_refused(text: &str, format: RunFormat, message: &str) {
        let error = Run::parse(text, format, Path::new("run")).expect_err(message);
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn the_rank_column_of_a_trec_run_is_ignored() {
        check("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.9 t\n", RunFormat::Trec, &["b", "a"]);
    }

    #[test]
    fn equal_scores_are_ordered_by_docid_descending() {
        check("1 Q0 a 1 1 t\n1 Q0 c 2 1.0 t\n1 Q0 b 3 1e0 t\n", RunFormat::Trec, &["c", "b", "a"]);
    }

    #[test]
    fn scores_equal_in_single_precision_are_equal() {
        check("1 Q0 a 1 0.500000000001 t\n1 Q0 b 2 0.5 t\n", RunFormat::Trec, &["b", "a"]);
    }

    #[test]
    fn negative_zero_equals_zero() {
        check("1 Q0 a 1 0 t\n1 Q0 b 2 -0 t\n", RunFormat::Trec, &["b", "a"]);
    }

    #[test]
    fn a_repeated_document_counts_at_its_best_place() {
        check("1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n1 Q0 a 3 3 t\n", RunFormat::Trec, &["a", "b"]);
        check("r\t1\t3\ta\nr\t1\t2\tb\nr\t1\t1\ta\n", RunFormat::Ranked, &["a", "b"]);
    }

    #[test]
    fn a_ranked_run_is_sorted_by_rank_and_keeps_spaces_in_paths() {
        check("r\t1\t10\tb b\nr\t1\t9\ta%20a\n", RunFormat::Ranked, &["a%20a", "b b"]);
    }

    #[test]
    fn a_json_run_keeps_the_order_of_its_list() {
        let text = r#"{"id":"1","ranking":[{"path":"a","score":0.1},{"path":"b","tokens":7}]}"#;
        check(text, RunFormat::Jsonl, &["a", "b"]);
    }

    #[test]
    fn broken_lines_are_refused_by_file_and_line() {
        check_refused(
            "1 Q0 a 1 1\n",
            RunFormat::Trec,
            "run:1: expected six columns `qid Q0 docid rank score tag`, found 5 columns",
        );
        check_refused(
            "1 Q0 a 1 NaN t\n",
            RunFormat::Trec,
            "run:1: expected a finite number as score, found `NaN`",
        );
        check_refused(
            "1 Q0 a 1 1 t\n1 Q0 b 1 1 u\n",
            RunFormat::Trec,
            "run:2: expected one run tag per file, found `t` and `u`",
        );
        check_refused(
            "r 1 1 a\n",
            RunFormat::Ranked,
            "run:1: expected four tab-separated columns `repo id rank path`, found 1 columns",
        );
        check_refused(
            "r\t1\tfirst\ta\n",
            RunFormat::Ranked,
            "run:1: expected a finite number as rank, found `first`",
        );
        check_refused(
            "{\"id\":\"1\",\"ranking\":[]}\n{\"id\":\"1\",\"ranking\":[]}\n",
            RunFormat::Jsonl,
            "run:2: expected each topic once, found 1 a second time",
        );
    }

    #[test]
    fn a_ranking_that_contradicts_its_scores_is_written_by_reciprocal_rank() {
        let mut run = Run::new("t");
        let hit = |doc: &str, score| Hit { doc: doc.to_owned(), score, tokens: None };
        run.insert_ranked(TopicId::new("", "1"), vec![hit("a", 0.0), hit("b", 0.0)]);
        let text = run.to_text(RunFormat::Trec).expect("text");
        assert_eq!(text, "1 Q0 a 1 1 t\n1 Q0 b 2 0.5 t\n");
    }

    #[test]
    fn a_tab_in_a_path_cannot_be_written_in_the_ranked_form() {
        let mut run = Run::new("t");
        let hit = Hit { doc: "a\tb".to_owned(), score: 0.0, tokens: None };
        run.insert_ranked(TopicId::new("", "1"), vec![hit]);
        assert!(matches!(run.to_text(RunFormat::Ranked), Err(Error::Unwritable { .. })));
    }

    prop_compose! {
        fn any_run()(tag in any::<String>(), rows in proptest::collection::vec(
            (any::<String>(), any::<String>(), any::<String>(), -3.0..3.0_f64, any::<Option<u64>>()), 1..20)
        ) -> Run {
            let mut rankings: BTreeMap<TopicId, Vec<Hit>> = BTreeMap::new();
            for (repo, id, doc, score, tokens) in rows {
                rankings.entry(TopicId { repo, id }).or_default().push(Hit { doc, score, tokens });
            }
            let mut run = Run::new(tag);
            for (topic, hits) in rankings {
                run.insert_scored(topic, hits);
            }
            run
        }
    }

    fn without_tokens(run: &Run) -> Run {
        let mut run = run.clone();
        for hit in run.rankings.values_mut().flatten() {
            hit.tokens = None;
        }
        run
    }

    proptest! {
        #[test]
        fn trec_runs_round_trip(run in any_run()) {
            let text = run.to_text(RunFormat::Trec).expect("text");
            let read = Run::parse(&text, RunFormat::Trec, Path::new("run")).expect("own text");
            prop_assert_eq!(read, without_tokens(&run));
        }

        #[test]
        fn json_runs_round_trip(run in any_run()) {
            let text = run.to_text(RunFormat::Jsonl).expect("text");
            let read = Run::parse(&text, RunFormat::Jsonl, Path::new("run")).expect("own text");
            prop_assert_eq!(read, run);
        }

        #[test]
        fn the_order_of_lines_does_not_matter(run in any_run()) {
            let text = run.to_text(RunFormat::Trec).expect("text");
            let reversed: String = text.lines().rev().flat_map(|line| [line, "\n"]).collect();
            let read = Run::parse(&reversed, RunFormat::Trec, Path::new("run")).expect("own text");
            prop_assert_eq!(read, without_tokens(&run));
        }
    }
}
