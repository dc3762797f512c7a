//! A run measured against qrels: values per topic, and the means over them.
//!
//! All topics with a relevant document count. One that the run does not answer scores 0; one without
//! any relevant document is left out, because nothing could be right about it. Both are counted, as
//! are topics of the run that nobody judged.
//!
//! *Micro* is the mean over topics. *Macro* is the mean over repositories of each one's mean, so that
//! a repository with many topics does not outvote the others.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    error::{Error, Result},
    measures::{Judged, Measure},
    qrels::Qrels,
    run::Run,
    topic::TopicId,
};

/// The values of one topic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopicScores {
    /// The topic.
    #[serde(flatten)]
    pub topic: TopicId,
    /// One value per measure of the evaluation, in its order.
    pub values: Vec<f64>,
}

/// The mean over a number of topics or repositories.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Mean {
    /// Number of topics under the mean.
    pub n_topics: usize,
    /// One mean per measure; 0 if there are no topics.
    pub values: Vec<f64>,
}

/// A measured run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Evaluation {
    /// The run's tag.
    pub tag: String,
    /// The measures, in the order of all values.
    pub measures: Vec<Measure>,
    /// The topics that count, in order of id.
    pub topics: Vec<TopicScores>,
    /// Topics of the qrels that count and that the run does not answer; they score 0.
    pub n_unanswered: usize,
    /// Topics of the qrels without a relevant document; they are left out.
    pub n_without_relevant: usize,
    /// Topics of the run that the qrels do not judge; they are left out.
    pub n_unjudged: usize,
}

/// Measures a run.
///
/// # Errors
///
/// [`Error::MissingTokens`] if a measure needs a token cost that the run does not give.
pub fn evaluate(qrels: &Qrels, run: &Run, measures: &[Measure]) -> Result<Evaluation> {
    let mut evaluation = Evaluation {
        tag: run.tag.clone(),
        measures: measures.to_vec(),
        n_unjudged: run.iter().filter(|(topic, _)| qrels.get(topic).is_none()).count(),
        ..Evaluation::default()
    };
    for (topic, judgments) in qrels.iter() {
        if !judgments.has_relevant() {
            evaluation.n_without_relevant += 1;
            continue;
        }
        evaluation.n_unanswered += usize::from(!run.contains(topic));
        let ranking = run.ranking(topic);
        let judged = Judged::new(ranking, judgments);
        let values = measures
            .iter()
            .map(|measure| {
                measure.score(&judged).map_err(|place| {
                    let kept = ranking.iter().filter(|hit| !judgments.minor.contains(&hit.doc));
                    Error::MissingTokens {
                        topic: topic.clone(),
                        doc: kept.map(|hit| hit.doc.clone()).nth(place).unwrap_or_default(),
                        measure: measure.to_string(),
                    }
                })
            })
            .collect::<Result<_>>()?;
        evaluation.topics.push(TopicScores { topic: topic.clone(), values });
    }
    Ok(evaluation)
}

impl Evaluation {
    /// The mean over all topics.
    pub fn micro_mean(&self) -> Mean {
        mean_of(self.measures.len(), self.topics.iter().map(|topic| topic.values.as_slice()))
    }

    /// The mean of each repository, by name.
    pub fn repo_means(&self) -> BTreeMap<String, Mean> {
        self.group_means(|topic| Some(topic.repo.clone()))
    }

    /// The mean over the repositories' means.
    pub fn macro_mean(&self) -> Mean {
        let repos = self.repo_means();
        let mean = mean_of(self.measures.len(), repos.values().map(|mean| mean.values.as_slice()));
        Mean { n_topics: self.topics.len(), ..mean }
    }

    /// The mean of each group; topics without a group are left out.
    pub fn group_means<G: Ord>(
        &self,
        group_of: impl Fn(&TopicId) -> Option<G>,
    ) -> BTreeMap<G, Mean> {
        let mut groups: BTreeMap<G, Vec<&[f64]>> = BTreeMap::new();
        for topic in &self.topics {
            if let Some(group) = group_of(&topic.topic) {
                groups.entry(group).or_default().push(&topic.values);
            }
        }
        let n = self.measures.len();
        groups.into_iter().map(|(group, rows)| (group, mean_of(n, rows.into_iter()))).collect()
    }

    /// The place of a measure among the values.
    pub fn measure_idx(&self, measure: Measure) -> Option<usize> {
        self.measures.iter().position(|other| *other == measure)
    }
}

fn mean_of<'a>(n_measures: usize, rows: impl Iterator<Item = &'a [f64]>) -> Mean {
    let mut mean = Mean { n_topics: 0, values: vec![0.0; n_measures] };
    for row in rows {
        mean.n_topics += 1;
        for (sum, value) in mean.values.iter_mut().zip(row) {
            *sum += value;
        }
    }
    for sum in &mut mean.values {
        *sum /= mean.n_topics.max(1) as f64;
    }
    mean
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{qrels::QrelsFormat, run::RunFormat};

    fn measured(qrels: &str, run: &str, measures: &[&str]) -> Evaluation {
        let qrels = Qrels::parse(qrels, QrelsFormat::Trec, Path::new("qrels")).expect("qrels");
        let run = Run::parse(run, RunFormat::Trec, Path::new("run")).expect("run");
        let measures: Vec<Measure> =
            measures.iter().map(|name| name.parse().expect("a measure")).collect();
        evaluate(&qrels, &run, &measures).expect("no token costs needed")
    }

    fn check(qrels: &str, run: &str, expected: &[(&str, f64)]) {
        let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
        let mean = measured(qrels, run, &names).micro_mean();
        for ((name, expected), value) in expected.iter().zip(mean.values) {
            assert!((value - expected).abs() < 5e-5, "{name}: {value} is not {expected}");
        }
    }

    #[test]
    fn chunks_of_one_file_count_once() {
        // A A C B for {A, B} is A C B: (1 + 1/log2 4) / (1 + 1/log2 3) = 1.5 / 1.63093.
        let run = "1 Q0 A 1 9 t\n1 Q0 A 2 8 t\n1 Q0 C 3 7 t\n1 Q0 B 4 6 t\n";
        let expected = [
            ("R@1", 0.5),
            ("R@2", 0.5),
            ("R@3", 1.0),
            ("R@10", 1.0),
            ("RR", 1.0),
            ("nDCG@10", 0.9197),
            ("P@5", 0.4),
            ("AP", 0.8333),
            ("SetP", 0.6667),
        ];
        check("1 0 A 1\n1 0 B 1\n", run, &expected);
    }

    #[test]
    fn fewer_documents_than_the_cutoff() {
        let expected =
            [("R@10", 0.5), ("P@10", 0.1), ("nDCG@10", 0.6131), ("RR@10", 1.0), ("Judged@10", 1.0)];
        check("1 0 A 1\n1 0 B 1\n", "1 Q0 A 1 1 t\n", &expected);
    }

    #[test]
    fn ties_are_broken_by_docid_descending() {
        check("1 0 A 1\n", "1 Q0 A 1 1 t\n1 Q0 B 2 1 t\n", &[("RR", 0.5), ("nDCG@10", 0.6309)]);
    }

    #[test]
    fn a_topic_that_the_run_misses_scores_0_and_counts() {
        let evaluation = measured("1 0 A 1\n2 0 A 1\n", "1 Q0 A 1 1 t\n", &["RR"]);
        assert_eq!(evaluation.n_unanswered, 1);
        assert_eq!(evaluation.micro_mean(), Mean { n_topics: 2, values: vec![0.5] });
    }

    #[test]
    fn a_topic_without_gold_is_left_out_and_counted() {
        let evaluation =
            measured("1 0 A 1\n2 0 A 0\n", "1 Q0 A 1 1 t\n2 Q0 A 1 1 t\n3 Q0 A 1 1 t\n", &["RR"]);
        assert_eq!((evaluation.n_without_relevant, evaluation.n_unjudged), (1, 1));
        assert_eq!(evaluation.micro_mean(), Mean { n_topics: 1, values: vec![1.0] });
    }

    #[test]
    fn macro_is_the_mean_of_repository_means() {
        let qrels = "a/1 0 A 1\na/2 0 A 1\na/3 0 A 1\nb/1 0 A 1\n";
        let evaluation = measured(qrels, "b/1 Q0 A 1 1 t\n", &["RR"]);
        assert_eq!(evaluation.micro_mean().values, [0.25]);
        assert_eq!(evaluation.macro_mean(), Mean { n_topics: 4, values: vec![0.5] });
        assert_eq!(evaluation.repo_means()["a"], Mean { n_topics: 3, values: vec![0.0] });
    }

    #[test]
    fn groups_are_the_callers() {
        let qrels = "a/1 0 A 1\na/2 0 A 1\n";
        let evaluation = measured(qrels, "a/1 Q0 A 1 1 t\n", &["RR"]);
        let groups = evaluation.group_means(|topic| (topic.id == "1").then_some("first"));
        assert_eq!(groups, BTreeMap::from([("first", Mean { n_topics: 1, values: vec![1.0] })]));
    }

    #[test]
    fn a_missing_token_cost_is_named() {
        let qrels = Qrels::parse("1 0 A 1\n", QrelsFormat::Trec, Path::new("q")).expect("qrels");
        let run = Run::parse("1 Q0 B 1 1 t\n", RunFormat::Trec, Path::new("r")).expect("run");
        let measure = "R@8k tokens".parse().expect("a measure");
        let error = evaluate(&qrels, &run, &[measure]).expect_err("no cost").to_string();
        assert_eq!(error, "topic 1: the run gives no token cost for B, which R@8k tokens needs");
    }

    #[test]
    fn no_topics_have_mean_0() {
        let evaluation = measured("", "", &["RR"]);
        assert_eq!(evaluation.macro_mean(), Mean { n_topics: 0, values: vec![0.0] });
    }
}
