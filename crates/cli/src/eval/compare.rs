//! `reseek eval compare`: two runs side by side, with what tells chance from progress.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use reseek_eval::compare::{
    Average, Comparison, Moved, Settings, SideBySide, compare, moved, side_by_side,
};
use reseek_eval::{Measure, Qrels, QrelsFormat, Run, TopicFormat, evaluate, topic};
use serde::Serialize;

use super::args::CompareArgs;
use super::read;
use crate::args::Format;
use crate::errors::Problem;
use crate::output::Answer;

/// Measures unless others are named.
const MEASURES: [&str; 5] = ["nDCG@10", "R@10", "R@20", "RR", "Success@3"];
/// Ranks shown of both rankings of a topic.
const DEPTH: usize = 10;

/// The JSON of the command.
#[derive(Serialize)]
struct Document {
    comparison: Comparison,
    moved: Vec<(Moved, SideBySide)>,
}

/// Compares two runs.
pub(crate) fn run(format: Format, args: &CompareArgs) -> anyhow::Result<Answer> {
    let baseline_system = args.baseline_system.as_ref().or(args.system.as_ref());
    let baseline_path = run_path(&args.baseline, baseline_system)?;
    let run_path = run_path(&args.run, args.system.as_ref())?;
    let qrels = read_qrels(&qrels_path(args, &run_path)?)?;
    let named = |path: &Path| -> anyhow::Result<Run> {
        let mut run = Run::read(path)?;
        if run.tag.is_empty() {
            run.tag = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        Ok(run)
    };
    let (mut baseline, run) = (named(&baseline_path)?, named(&run_path)?);
    if baseline.tag == run.tag {
        baseline.tag.push_str(" (baseline)");
    }
    let measures: Vec<Measure> = if args.measure.is_empty() {
        MEASURES.iter().map(|name| name.parse()).collect::<Result<_, _>>()?
    } else {
        args.measure.iter().map(|name| name.parse()).collect::<Result<_, _>>()?
    };
    let (a, b) = (evaluate(&qrels, &baseline, &measures)?, evaluate(&qrels, &run, &measures)?);
    let average = if args.micro { Average::Micro } else { Average::Macro };
    let comparison = compare(&a, &b, Settings { average, seed: args.seed, ..Settings::default() })?;
    let moved: Vec<(Moved, SideBySide)> = moved(&a, &b, measures[0], args.moved)?
        .into_iter()
        .map(|row| {
            let sides = side_by_side(&row.topic, &baseline, &run, &qrels, DEPTH);
            (row, sides)
        })
        .collect();
    if format == Format::Json {
        return Answer::json(&Document { comparison, moved }, true);
    }
    let mut text = comparison.to_text();
    for (row, sides) in moved {
        let _ = write!(text, "\n{}: {:.4} -> {:.4}, ", measures[0], row.baseline, row.run);
        text.push_str(&sides.to_text());
    }
    Ok(Answer::text(text))
}

/// The run file that is meant: the path itself, or that of a system in a folder of `eval run`.
fn run_path(path: &Path, system: Option<&String>) -> anyhow::Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_path_buf());
    }
    match system {
        // JSON lines, because they keep token costs.
        Some(system) => Ok(path.join("runs").join(format!("{system}.jsonl"))),
        None => Err(Problem::Usage {
            message: format!("{} is a folder with a run of each system", path.display()),
            advice: "name the system with `--system NAME`".to_owned(),
        }
        .into()),
    }
}

/// Where the judgments are: as said, else where `eval run` wrote them beside the run.
fn qrels_path(args: &CompareArgs, run: &Path) -> anyhow::Result<PathBuf> {
    if let Some(path) = &args.qrels {
        return Ok(path.clone());
    }
    let beside = run.parent().and_then(Path::parent).map(|folder| folder.join("qrels.txt"));
    beside.filter(|path| path.is_file()).ok_or_else(|| {
        Problem::Usage {
            message: format!("there are no judgments for {}", run.display()),
            advice: "name qrels, or topics that carry judgments, with `--qrels FILE`".to_owned(),
        }
        .into()
    })
}

/// Judgments from qrels, or from topics: their lines hold a query.
fn read_qrels(path: &Path) -> anyhow::Result<Qrels> {
    let text = read(path)?;
    let is_topics = QrelsFormat::of_path(path) == QrelsFormat::Jsonl
        && text.lines().next().is_some_and(|line| line.contains("\"query\""));
    if is_topics {
        return Ok(Qrels::from_topics(&topic::parse(&text, TopicFormat::Jsonl, path)?)?);
    }
    Ok(Qrels::parse(&text, QrelsFormat::of_path(path), path)?)
}
