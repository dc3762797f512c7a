//! `reseek eval gate`: the fresh figures of a suite against the committed ones, topic by topic.
//!
//! Any difference fails, be it for the better: whoever changes the ranking sees what it did and commits the new figures with it.

use std::path::PathBuf;

use reseek_eval::gate::{Gate, check};
use serde::Serialize;

use super::args::GateArgs;
use super::plan::Plan;
use super::run::{indexes, measure, per_topic};
use super::{read, write};
use crate::args::{Format, Global};
use crate::output::{Answer, Output};

/// The JSON of the command.
#[derive(Serialize)]
struct Document<'a> {
    passes: bool,
    committed: String,
    #[serde(flatten)]
    gate: &'a Gate,
}

/// Measures and compares.
pub(crate) fn run(
    global: &Global,
    output: &Output,
    format: Format,
    args: &GateArgs,
) -> anyhow::Result<Answer> {
    let plan = Plan::read(&args.suite)?;
    let indexes = indexes(global, &args.out);
    let measured = measure(&plan, &args.suite.suite, &indexes, global, output)?;
    let fresh = per_topic(&measured);
    let committed: PathBuf = match &args.committed {
        Some(path) => path.clone(),
        None => args.suite.suite.with_file_name("per-topic.csv"),
    };
    if args.update {
        write(&committed, &fresh)?;
    }
    let fresh_path = args.out.join("per-topic.csv");
    write(&fresh_path, &fresh)?;
    let gate = check((&read(&committed)?, &committed), (&fresh, &fresh_path), &plan.suite.floors)?;
    let passes = gate.passes();
    if format == Format::Json {
        let committed = committed.display().to_string();
        return Answer::json(&Document { passes, committed, gate: &gate }, passes);
    }
    let mut text = gate.to_text();
    if !gate.changes.is_empty() {
        text.push_str(
            "look at each change; `reseek eval gate --update` writes the fresh figures\n",
        );
    }
    Ok(Answer { text, found: passes })
}
