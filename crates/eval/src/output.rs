//! What an evaluation leaves behind: files that another can check.
//!
//! ```text
//! runs/SYSTEM.run   the rankings, TREC
//! per-topic.csv     one value per system, topic and measure; the gate compares it
//! summary.md        means with intervals, for people
//! summary.json      the same, for programs
//! cost.csv          latency, calls and tokens
//! machine.txt       one line: where it was measured
//! ```
//!
//! Quality and cost are kept apart: all files but the last two are equal to the byte when the same
//! suite runs again on the same corpora, wherever it runs. Every mean stands beside its number of
//! topics, its run tag and the judged share.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::{Path, PathBuf},
};

use serde::Serialize;

use crate::{
    compare::{Average, Settings, interval},
    csv,
    error::{Error, Result, write_text},
    evaluation::{Evaluation, Mean},
    latency::Latency,
    measures::Measure,
    run::{Run, RunFormat},
    suite::Corpus,
    topic::{Class, TopicId},
};

/// The first columns of the per-topic CSV; the measures follow.
pub const KEY_COLUMNS: [&str; 4] = ["system", "repo", "id", "class"];

/// What was measured, and with what.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Provenance {
    /// Name of the suite.
    pub suite: String,
    /// Version of the program.
    pub version: String,
    /// The topics' file, as the suite names it.
    pub topics: String,
    /// The qrels' file, or empty if the topics carry the judgments.
    pub qrels: String,
    /// The corpora with what pins them.
    pub corpora: Vec<Corpus>,
}

/// One measured system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemResult {
    /// Name of the system; also the file name of its run.
    pub name: String,
    /// Its settings in a line.
    pub settings: String,
    /// Its rankings.
    pub run: Run,
    /// The run's values.
    pub evaluation: Evaluation,
    /// What it cost.
    pub cost: Cost,
}

/// What a system's answers cost, over all topics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// Time per topic, in milliseconds, in any order.
    pub latency_ms: Vec<f64>,
    /// Calls of the system.
    pub n_calls: u64,
    /// Tokens handed over.
    pub n_tokens: u64,
    /// Relevant files handed over.
    pub n_relevant: u64,
}

/// The means of one system.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SystemSummary {
    /// Name of the system.
    pub name: String,
    /// Its settings in a line.
    pub settings: String,
    /// Tag of its run.
    pub tag: String,
    /// Topics under the means.
    pub n_topics: usize,
    /// Topics that it left unanswered; they scored 0.
    pub n_unanswered: usize,
    /// Topics left out because nothing is relevant.
    pub n_without_relevant: usize,
    /// Topics of the run left out because nobody judged them.
    pub n_unjudged: usize,
    /// One row per measure.
    pub means: Vec<MeasureSummary>,
    /// Means per repository, one value per measure.
    pub repos: BTreeMap<String, Mean>,
    /// Means per class of topics, one value per measure; topics without a class are left out.
    pub classes: BTreeMap<Class, Mean>,
}

/// The means of one measure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureSummary {
    /// The measure.
    pub measure: Measure,
    /// Mean over repositories of their means.
    pub macro_mean: f64,
    /// 95 % bootstrap interval of the macro mean.
    pub interval: (f64, f64),
    /// Mean over topics.
    pub micro_mean: f64,
}

/// All of `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// What was measured.
    pub provenance: Provenance,
    /// Rounds of the bootstrap.
    pub n_rounds: u32,
    /// Its seed.
    pub seed: u64,
    /// The systems, in the order of the suite.
    pub systems: Vec<SystemSummary>,
}

/// Sums up all systems. `settings` gives rounds and seed of the intervals, which are of macro means.
pub fn summarise(
    provenance: &Provenance,
    results: &[SystemResult],
    classes: &BTreeMap<TopicId, Class>,
    settings: Settings,
) -> Summary {
    let settings = Settings { average: Average::Macro, ..settings };
    let systems = results.iter().map(|result| {
        let evaluation = &result.evaluation;
        let (macro_mean, micro_mean) = (evaluation.macro_mean(), evaluation.micro_mean());
        let means = evaluation.measures.iter().enumerate().map(|(i, measure)| MeasureSummary {
            measure: *measure,
            macro_mean: macro_mean.values[i],
            interval: interval(evaluation, i, settings),
            micro_mean: micro_mean.values[i],
        });
        SystemSummary {
            name: result.name.clone(),
            settings: result.settings.clone(),
            tag: evaluation.tag.clone(),
            n_topics: evaluation.topics.len(),
            n_unanswered: evaluation.n_unanswered,
            n_without_relevant: evaluation.n_without_relevant,
            n_unjudged: evaluation.n_unjudged,
            means: means.collect(),
            repos: evaluation.repo_means(),
            classes: evaluation.group_means(|topic| classes.get(topic).copied()),
        }
    });
    Summary {
        provenance: provenance.clone(),
        n_rounds: settings.n_rounds,
        seed: settings.seed,
        systems: systems.collect(),
    }
}

/// Writes all files into `folder`, which is made if need be, and answers their paths.
///
/// `machine` is the one line of `machine.txt`: processor, cores, memory, system, date.
///
/// # Errors
///
/// [`Error::Write`] that names the file.
pub fn write(
    folder: &Path,
    summary: &Summary,
    results: &[SystemResult],
    classes: &BTreeMap<TopicId, Class>,
    machine: &str,
) -> Result<Vec<PathBuf>> {
    let runs = folder.join("runs");
    std::fs::create_dir_all(&runs).map_err(|source| Error::Write { path: runs.clone(), source })?;
    let mut files = Vec::new();
    for result in results {
        let path = runs.join(format!("{}.run", result.name));
        files.push((path, result.run.to_text(RunFormat::Trec)?));
    }
    // Plain structs: serialisation into memory has no way to fail.
    let json = serde_json::to_string_pretty(summary).unwrap_or_default();
    files.push((folder.join("per-topic.csv"), per_topic_csv(results, classes)));
    files.push((folder.join("summary.md"), summary.to_markdown()));
    files.push((folder.join("summary.json"), format!("{json}\n")));
    files.push((folder.join("cost.csv"), cost_csv(results)));
    files.push((folder.join("machine.txt"), format!("{}\n", machine.replace(['\n', '\r'], " "))));
    for (path, text) in &files {
        write_text(path, text)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// One row per system and topic: the text of `per-topic.csv`. Values have six places. All results are
/// of the same measures, those of the suite.
pub fn per_topic_csv(results: &[SystemResult], classes: &BTreeMap<TopicId, Class>) -> String {
    let mut text = String::new();
    let measures = results.first().map(|result| result.evaluation.measures.clone());
    let names = measures.unwrap_or_default().into_iter().map(|measure| measure.to_string());
    csv::push_row(&mut text, KEY_COLUMNS.into_iter().map(str::to_owned).chain(names));
    for result in results {
        for row in &result.evaluation.topics {
            let class = classes.get(&row.topic).map_or("", |class| class.name());
            let key = [result.name.as_str(), &row.topic.repo, &row.topic.id, class];
            let values = row.values.iter().map(|value| format!("{value:.6}"));
            csv::push_row(&mut text, key.into_iter().map(str::to_owned).chain(values));
        }
    }
    text
}

/// One row per system: the text of `cost.csv`. What was not measured is empty.
pub fn cost_csv(results: &[SystemResult]) -> String {
    let mut text = String::new();
    let header = [
        "system",
        "samples",
        "p50_ms",
        "p95_ms",
        "max_ms",
        "calls",
        "tokens",
        "tokens_per_relevant_file",
    ];
    csv::push_row(&mut text, header);
    for result in results {
        let cost = &result.cost;
        let latency = Latency::of(&cost.latency_ms);
        let ms = |value: fn(&Latency) -> f64| {
            latency.as_ref().map_or_else(String::new, |l| format!("{:.3}", value(l)))
        };
        let per_relevant = if cost.n_relevant == 0 {
            String::new()
        } else {
            format!("{:.1}", cost.n_tokens as f64 / cost.n_relevant as f64)
        };
        let cells = [
            result.name.clone(),
            cost.latency_ms.len().to_string(),
            ms(|latency| latency.p50_ms),
            ms(|latency| latency.p95_ms),
            ms(|latency| latency.max_ms),
            cost.n_calls.to_string(),
            cost.n_tokens.to_string(),
            per_relevant,
        ];
        csv::push_row(&mut text, cells);
    }
    text
}

impl Summary {
    /// The text of `summary.md`.
    pub fn to_markdown(&self) -> String {
        let provenance = &self.provenance;
        let mut text = format!("# {}\n\n", provenance.suite);
        // Writing into a string cannot fail.
        let _ = writeln!(text, "- program: {}", provenance.version);
        let judgments =
            if provenance.qrels.is_empty() { "those of the topics" } else { &provenance.qrels };
        let _ = writeln!(text, "- topics: {}; judgments: {judgments}", provenance.topics);
        for corpus in &provenance.corpora {
            let pin = corpus.revision.as_ref().or(corpus.hash.as_ref());
            let pin = pin.map_or("not pinned", String::as_str);
            let folder = corpus.folder.as_ref().map_or_else(String::new, |f| format!(", `{f}`"));
            let _ = writeln!(text, "- corpus {}: {pin}{folder}", corpus.name);
        }
        let _ = writeln!(
            text,
            "- macro means (mean over repositories) with 95 % bootstrap intervals, {} rounds, seed {}\n",
            self.n_rounds, self.seed
        );
        let measures = self.systems.first().map_or(&[][..], |system| &system.means);
        let mut header = "system | run tag | topics | unanswered".to_owned();
        for row in measures {
            let _ = write!(header, " | {}", row.measure);
        }
        let _ = writeln!(text, "| {header} |\n|---|---|{}", "---:|".repeat(measures.len() + 2));
        for system in &self.systems {
            let _ = write!(
                text,
                "| {} | {} | {} | {} |",
                system.name, system.tag, system.n_topics, system.n_unanswered
            );
            for row in &system.means {
                let (low, high) = row.interval;
                let _ = write!(text, " {:.3} ({low:.3}..{high:.3}) |", row.macro_mean);
            }
            text.push('\n');
        }
        for system in &self.systems {
            let groups = system
                .classes
                .iter()
                .map(|(class, mean)| (format!("class {class}"), mean))
                .chain(system.repos.iter().map(|(repo, mean)| (repo.clone(), mean)));
            let _ = writeln!(text, "\n## {}\n\n{}\n", system.name, system.settings);
            let names: Vec<String> =
                system.means.iter().map(|row| row.measure.to_string()).collect();
            let _ = writeln!(
                text,
                "| group | topics | {} |\n|---|{}",
                names.join(" | "),
                "---:|".repeat(names.len() + 1)
            );
            for (group, mean) in groups {
                let values: Vec<String> = mean.values.iter().map(|v| format!("{v:.3}")).collect();
                let _ = writeln!(text, "| {group} | {} | {} |", mean.n_topics, values.join(" | "));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::TopicScores;

    fn sample() -> (Provenance, Vec<SystemResult>, BTreeMap<TopicId, Class>) {
        let topic = |repo: &str, id: &str, value| TopicScores {
            topic: TopicId::new(repo, id),
            values: vec![value, 0.5],
        };
        let evaluation = Evaluation {
            tag: "plain-1".to_owned(),
            measures: ["RR", "Judged@10"].map(|name| name.parse().expect("a measure")).to_vec(),
            topics: vec![topic("a", "x,1", 1.0), topic("a", "2", 0.0), topic("b", "1", 1.0 / 3.0)],
            n_unanswered: 1,
            ..Evaluation::default()
        };
        let result = SystemResult {
            name: "plain".to_owned(),
            settings: "kind bm25".to_owned(),
            run: Run::new("plain-1"),
            evaluation,
            cost: Cost { latency_ms: vec![3.0, 1.0], n_calls: 2, n_tokens: 900, n_relevant: 2 },
        };
        let corpus = Corpus {
            name: "a".to_owned(),
            path: "corpora/a".into(),
            folder: Some("src".to_owned()),
            revision: Some("f00".to_owned()),
            hash: None,
        };
        let provenance = Provenance {
            suite: "development".to_owned(),
            version: "0.1.0".to_owned(),
            topics: "topics.jsonl".to_owned(),
            qrels: String::new(),
            corpora: vec![corpus],
        };
        let classes = BTreeMap::from([(TopicId::new("b", "1"), Class::Mismatch)]);
        (provenance, vec![result], classes)
    }

    #[test]
    fn the_per_topic_table_has_a_row_per_system_and_topic() {
        let (_, results, classes) = sample();
        assert_eq!(
            per_topic_csv(&results, &classes),
            "system,repo,id,class,RR,Judged@10\nplain,a,\"x,1\",,1.000000,0.500000\n\
             plain,a,2,,0.000000,0.500000\nplain,b,1,mismatch,0.333333,0.500000\n"
        );
    }

    #[test]
    fn cost_is_kept_apart_from_quality() {
        let (_, mut results, _) = sample();
        results.push(SystemResult { name: "none".to_owned(), ..SystemResult::default() });
        assert_eq!(
            cost_csv(&results),
            "system,samples,p50_ms,p95_ms,max_ms,calls,tokens,tokens_per_relevant_file\n\
             plain,2,1.000,3.000,3.000,2,900,450.0\nnone,0,,,,0,0,\n"
        );
    }

    #[test]
    fn the_summary_names_everything_that_a_repetition_needs() {
        let (provenance, results, classes) = sample();
        let summary = summarise(&provenance, &results, &classes, Settings::default());
        insta::assert_snapshot!(summary.to_markdown());
    }

    #[test]
    fn writing_twice_gives_the_same_bytes() {
        let (provenance, results, classes) = sample();
        let folder = tempfile::TempDir::new().expect("a folder");
        let write_to = |name: &str| {
            let summary = summarise(&provenance, &results, &classes, Settings::default());
            let target = folder.path().join(name);
            let files = write(&target, &summary, &results, &classes, "one\nline").expect("written");
            let read = |path: &PathBuf| {
                let name = path.strip_prefix(&target).expect("inside").display().to_string();
                (name, std::fs::read_to_string(path).expect("a file"))
            };
            files.iter().map(read).collect::<Vec<_>>()
        };
        let first = write_to("first");
        assert_eq!(first, write_to("second"));
        let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
        let expected = [
            "runs/plain.run",
            "per-topic.csv",
            "summary.md",
            "summary.json",
            "cost.csv",
            "machine.txt",
        ];
        assert_eq!(names, expected);
        assert_eq!(first[5].1, "one line\n");
    }

    #[test]
    fn what_is_written_passes_the_gate_against_itself() {
        let (_, results, classes) = sample();
        let text = per_topic_csv(&results, &classes);
        let path = Path::new("per-topic.csv");
        assert!(crate::gate::check((&text, path), (&text, path), &[]).expect("a CSV").passes());
    }
}
