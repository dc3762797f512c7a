//! `reseek eval run`: every system of a suite over every topic, measured.
//!
//! The output folder holds what a reader needs to check or repeat the figures without the network: topics and judgments, the
//! rankings in three formats, a value per topic, means with intervals by repository, class and group, and what pins
//! the corpora. Cost stands apart, in `cost.csv`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use reseek_eval::calibration::{
    Bin, answers, expected_calibration_error, f1_at_threshold, f1_at_top, precision_at, reliability,
};
use reseek_eval::compare::Settings;
use reseek_eval::output::{Summary, SystemResult, per_topic_csv, summarise};
use reseek_eval::report::{CalibrationPlot, Line, LinePlot, ReportData};
use reseek_eval::suite::SystemKind;
use reseek_eval::topic::{self, Class, TopicFormat};
use reseek_eval::{Evaluation, Measure, QrelsFormat, Run, RunFormat, Topic, TopicId, evaluate};
use reseek_query::task::DEFAULT_THRESHOLD;
use serde::Serialize;

use super::args::RunArgs;
use super::corpus::OpenCorpus;
use super::plan::Plan;
use super::systems::{Asked, N_READ};
use super::write;
use crate::args::{Format, Global};
use crate::output::{Answer, Output, count};

/// The measure of the plot of recall by cycle.
const RECALL: Measure = Measure::Recall { rel: 1, cutoff: 20 };

/// How far relevance means what it says, for the loop with the most cycles.
#[derive(Serialize)]
struct Calibration {
    system: String,
    /// Judged files.
    n_files: usize,
    expected_calibration_error: f64,
    /// Files at the threshold of an answer, and the share of them that is relevant.
    n_at_threshold: usize,
    precision_at_threshold: Option<f64>,
    /// Mean F1 of the answers at the threshold, and of the five and ten best files instead.
    f1_at_threshold: f64,
    f1_at_top_5: f64,
    f1_at_top_10: f64,
    bins: Vec<Bin>,
}

/// Everything that was measured.
pub(crate) struct Measured {
    /// One result per system, in the order of the suite.
    pub(crate) results: Vec<SystemResult>,
    /// Class of each topic.
    pub(crate) classes: BTreeMap<TopicId, Class>,
    /// Means.
    pub(crate) summary: Summary,
}

/// The JSON of the command.
#[derive(Serialize)]
struct Document<'a> {
    folder: String,
    files: Vec<String>,
    summary: &'a Summary,
    calibration: Option<Calibration>,
}

/// Measures a suite and writes all files.
pub(crate) fn run(
    global: &Global,
    output: &Output,
    format: Format,
    args: &RunArgs,
) -> anyhow::Result<Answer> {
    let mut plan = Plan::read(&args.suite)?;
    plan.choose_systems(&args.system)?;
    let indexes = indexes(global, &args.out);
    let measured = measure(&plan, &args.suite.suite, &indexes, global, output)?;
    let calibration = calibration(&plan, &measured.results);
    let files = write_all(&args.out, &plan, &measured, calibration.as_ref())?;
    if format == Format::Json {
        let document = Document {
            folder: args.out.display().to_string(),
            files: files.iter().map(|path| path.display().to_string()).collect(),
            summary: &measured.summary,
            calibration,
        };
        return Answer::json(&document, true);
    }
    let mut text = table(&measured.summary);
    let _ = writeln!(text, "\n{} in {}", count(files.len() as u64, "file"), args.out.display());
    Ok(Answer::text(text))
}

/// The folder of the indexes of all corpora.
pub(crate) fn indexes(global: &Global, out: &Path) -> PathBuf {
    global.index_dir.clone().unwrap_or_else(|| out.join("indexes"))
}

/// Asks every system for every topic and measures the rankings.
pub(crate) fn measure(
    plan: &Plan,
    suite_path: &Path,
    indexes: &Path,
    global: &Global,
    output: &Output,
) -> anyhow::Result<Measured> {
    let suite = &plan.suite;
    let folder = suite_path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = std::path::absolute(folder.unwrap_or(Path::new(".")))?;
    let folder = crate::freshness::slashed(&folder);
    let mut results: Vec<(Asked, SystemResult)> = Vec::new();
    for system in &suite.systems {
        let asked = Asked::new(system, &folder)?;
        let result = SystemResult {
            name: system.name.clone(),
            settings: format!("{}; depth {}", asked.describe(), suite.depth),
            run: Run::new(&system.name),
            ..SystemResult::default()
        };
        results.push((asked, result));
    }
    let mut classes = BTreeMap::new();
    let mut n_unknown: BTreeMap<String, u64> = BTreeMap::new();
    for corpus in &suite.corpora {
        let topics: Vec<&Topic> = plan.topics_of(&corpus.name).collect();
        if topics.is_empty() {
            output.note(&format!("{}: no topics", corpus.name));
            continue;
        }
        let open = OpenCorpus::open(corpus, &topics, indexes, global, output)?;
        output.note(&format!(
            "{}: {}, {}",
            corpus.name,
            count(topics.len() as u64, "topic"),
            open.session.status.coverage()
        ));
        for topic in &topics {
            let task = plan.task_of(topic);
            classes.insert(topic.topic.clone(), open.class(topic, &task)?);
            for (asked, result) in &mut results {
                let ranking = asked.ask(&open, &task, suite.depth)?;
                *n_unknown.entry(result.name.clone()).or_default() += ranking.n_unknown;
                let cost = &mut result.cost;
                cost.latency_ms.push(ranking.ms);
                cost.n_calls += 1;
                for hit in ranking.hits.iter().take(N_READ) {
                    cost.n_tokens += hit.tokens.unwrap_or(0);
                    let is_relevant = plan
                        .qrels
                        .get(&topic.topic)
                        .and_then(|judgments| judgments.grades.get(&hit.doc))
                        .is_some_and(|grade| 0 < *grade);
                    cost.n_relevant += u64::from(is_relevant);
                }
                result.run.insert_ranked(topic.topic.clone(), ranking.hits);
            }
        }
    }
    for (system, n) in n_unknown.iter().filter(|(_, n)| **n > 0) {
        output.note(&format!(
            "{system}: {} in its rankings lead to no file, and count as wrong",
            count(*n, "path")
        ));
    }
    let mut results: Vec<SystemResult> = results.into_iter().map(|(_, result)| result).collect();
    for result in &mut results {
        result.evaluation = evaluate(&plan.qrels, &result.run, &suite.measures)?;
        // The sum over an empty ranking is -0.0, which would print as that.
        for value in result.evaluation.topics.iter_mut().flat_map(|topic| &mut topic.values) {
            *value += 0.0;
        }
    }
    let settings = Settings { seed: suite.seed, ..Settings::default() };
    let summary = summarise(&plan.provenance, &results, &classes, settings);
    Ok(Measured { results, classes, summary })
}

/// Writes all files; `cost.csv`, `machine.txt` and `report.json` tell of times and differ between two runs, the
/// others do not.
fn write_all(
    out: &Path,
    plan: &Plan,
    measured: &Measured,
    calibration: Option<&Calibration>,
) -> anyhow::Result<Vec<PathBuf>> {
    let Measured { results, classes, summary } = measured;
    let mut files = reseek_eval::output::write(out, summary, results, classes, &machine())?;
    let mut more = vec![
        ("topics.jsonl".to_owned(), topic::to_text(&plan.topics, TopicFormat::Jsonl)?),
        ("qrels.txt".to_owned(), plan.qrels.to_text(QrelsFormat::Trec)),
        ("groups.csv".to_owned(), groups_csv(plan, results)),
        ("report.json".to_owned(), json(&report(plan, measured, calibration))?),
    ];
    if let Some(calibration) = calibration {
        more.push(("calibration.json".to_owned(), json(calibration)?));
    }
    for result in results {
        for (extension, format) in [("tsv", RunFormat::Ranked), ("jsonl", RunFormat::Jsonl)] {
            let name = format!("runs/{}.{extension}", result.name);
            more.push((name, result.run.to_text(format)?));
        }
    }
    for (name, text) in more {
        let path = out.join(name);
        write(&path, &text)?;
        files.push(path);
    }
    Ok(files)
}

fn json(value: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// The text of `per-topic.csv`.
pub(crate) fn per_topic(measured: &Measured) -> String {
    per_topic_csv(&measured.results, &measured.classes)
}

/// Where it was measured, in a line.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!(
        "{} {}, {}, one task at a time",
        std::env::consts::OS,
        std::env::consts::ARCH,
        count(cores as u64, "core")
    )
}

/// The loop with most cycles that has every origin on.
fn main_loop(plan: &Plan) -> Option<&str> {
    let loops = plan.suite.systems.iter().filter_map(|system| match &system.kind {
        SystemKind::Loop { max_cycles, off } if off.is_empty() => {
            Some((*max_cycles, system.name.as_str()))
        }
        _ => None,
    });
    loops.max_by_key(|(max_cycles, _)| *max_cycles).map(|(_, name)| name)
}

fn calibration(plan: &Plan, results: &[SystemResult]) -> Option<Calibration> {
    let name = main_loop(plan)?;
    let result = results.iter().find(|result| result.name == name)?;
    let answers = answers(&plan.qrels, &result.run);
    let pairs: Vec<_> = answers.iter().flat_map(|answer| answer.files.iter().copied()).collect();
    // Through the text: the nearest double of the decimal number.
    let threshold = DEFAULT_THRESHOLD.to_string().parse().unwrap_or(0.7);
    let (n_at_threshold, precision_at_threshold) = precision_at(&pairs, threshold);
    Some(Calibration {
        system: name.to_owned(),
        n_files: pairs.len(),
        expected_calibration_error: expected_calibration_error(&pairs),
        n_at_threshold,
        precision_at_threshold,
        f1_at_threshold: f1_at_threshold(&answers, threshold),
        f1_at_top_5: f1_at_top(&answers, 5),
        f1_at_top_10: f1_at_top(&answers, 10),
        bins: reliability(&pairs),
    })
}

fn report(plan: &Plan, measured: &Measured, calibration: Option<&Calibration>) -> ReportData {
    let mut data = ReportData::of_summary(&measured.summary, &measured.results);
    data.recall_by_cycle = recall_by_cycle(plan, &measured.results);
    data.calibration = calibration.map(|calibration| CalibrationPlot {
        bins: calibration.bins.clone(),
        error: calibration.expected_calibration_error,
    });
    data
}

/// Recall by the number of cycles that the loop may take, one line per set of origins that are off.
fn recall_by_cycle(plan: &Plan, results: &[SystemResult]) -> Option<LinePlot> {
    let mut lines: BTreeMap<Vec<String>, Vec<(f64, f64)>> = BTreeMap::new();
    for (system, result) in plan.suite.systems.iter().zip(results) {
        if let SystemKind::Loop { max_cycles, off } = &system.kind {
            let evaluation = evaluate(&plan.qrels, &result.run, &[RECALL]).ok()?;
            let mean = evaluation.macro_mean().values[0];
            lines.entry(off.clone()).or_default().push((f64::from(*max_cycles), mean));
        }
    }
    let lines: Vec<Line> = lines
        .into_iter()
        .filter(|(_, points)| points.len() > 1)
        .map(|(off, mut points)| {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let name = if off.is_empty() {
                "loop".to_owned()
            } else {
                format!("loop without {}", off.join(", "))
            };
            Line { system: name, points }
        })
        .collect();
    (!lines.is_empty()).then(|| LinePlot { measure: format!("{RECALL}, macro mean"), lines })
}

/// Means by group: the topics' file, if there are several, and the kind of change. Micro means within the group.
fn groups_csv(plan: &Plan, results: &[SystemResult]) -> String {
    let names: Vec<String> = plan.suite.measures.iter().map(ToString::to_string).collect();
    let mut text = format!("system,group,topics,{}\n", names.join(","));
    for result in results {
        for (group, members) in &plan.groups {
            let Evaluation { measures, topics, .. } = &result.evaluation;
            let rows: Vec<_> = topics.iter().filter(|row| members.contains(&row.topic)).collect();
            // Names come from files; a comma in one must not shift the columns.
            let group = group.replace([',', '"', '\n'], " ");
            let _ = write!(text, "{},{group},{}", result.name, rows.len());
            for i in 0..measures.len() {
                let sum: f64 = rows.iter().map(|row| row.values[i]).sum();
                let _ = write!(text, ",{:.6}", sum / rows.len().max(1) as f64);
            }
            text.push('\n');
        }
    }
    text
}

/// The means as a table for the terminal.
fn table(summary: &Summary) -> String {
    let mut text = String::new();
    let width = summary.systems.iter().map(|system| system.name.len()).max().unwrap_or(0).max(6);
    let Some(first) = summary.systems.first() else { return text };
    let _ = writeln!(
        text,
        "{}: macro means over {}, {}",
        summary.provenance.suite,
        match first.repos.len() {
            1 => "1 corpus".to_owned(),
            n => format!("{n} corpora"),
        },
        count(first.n_topics as u64, "topic"),
    );
    let _ = write!(text, "{:width$}", "system");
    for row in &first.means {
        let name = row.measure.to_string();
        let _ = write!(text, "  {name:>9}");
    }
    text.push('\n');
    for system in &summary.systems {
        let _ = write!(text, "{:width$}", system.name);
        for row in &system.means {
            let cell = row.measure.to_string().len().max(9);
            let _ = write!(text, "  {:>cell$.4}", row.macro_mean);
        }
        text.push('\n');
    }
    text
}
