//! `reseek eval`: measures retrieval quality, on any repository.
//!
//! The measures, file formats and tests of significance are those of the `reseek-eval` crate, which knows no
//! index. This module brings the two together: it checks and indexes the corpora of a suite ([`corpus`]), asks the systems
//! ([`systems`]), and hands rankings over to be measured.
//!
//! Quality and cost are kept apart: what is measured of rankings is equal to the byte when it is measured again; times
//! are not, and stand in files of their own.

pub(crate) mod args;
mod baseline;
mod compare;
mod corpus;
mod features;
mod gate;
mod mine;
mod plan;
mod report;
mod run;
mod systems;
mod tune;

use std::fs;
use std::path::Path;

use self::args::{EvalArgs, EvalCommand};
use crate::args::{Format, Global};
use crate::errors::Problem;
use crate::output::{Answer, Output};

/// Runs one of the commands below `eval`.
pub(crate) fn run(global: &Global, output: &Output, args: &EvalArgs) -> anyhow::Result<Answer> {
    let format = output.one_of("eval", &[Format::Text, Format::Json])?;
    match &args.command {
        EvalCommand::Run(args) => run::run(global, output, format, args),
        EvalCommand::Mine(args) => mine::run(format, args),
        EvalCommand::Compare(args) => compare::run(format, args),
        EvalCommand::Report(args) => report::run(format, args),
        EvalCommand::Gate(args) => gate::run(global, output, format, args),
        EvalCommand::Features(args) => features::run(global, output, format, args),
        EvalCommand::Tune(args) => tune::run(global, output, format, args),
    }
}

/// Writes a file whole, with its folder.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(path, text))
        .map_err(|source| Problem::Unwritten { path: path.to_path_buf(), source }.into())
}

/// The text of a file.
fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).map_err(|error| {
        Problem::Unreadable { path: path.to_path_buf(), why: error.to_string() }.into()
    })
}
