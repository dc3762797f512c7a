//! `reseek eval report`: what `eval run` measured, as one HTML page.

use std::path::Path;

use reseek_eval::report::ReportData;
use serde::Serialize;

use super::args::ReportArgs;
use super::{read, write};
use crate::args::Format;
use crate::errors::Problem;
use crate::output::Answer;

/// The JSON of the command.
#[derive(Serialize)]
struct Document<'a> {
    page: String,
    data: &'a ReportData,
}

/// Renders the page.
pub(crate) fn run(format: Format, args: &ReportArgs) -> anyhow::Result<Answer> {
    let source = args.folder.join("report.json");
    let data = parse(&source)?;
    let page = args.output.clone().unwrap_or_else(|| args.folder.join("report.html"));
    write(&page, &reseek_eval::report::html(&data))?;
    let page = page.display().to_string();
    match format {
        Format::Json => Answer::json(&Document { page, data: &data }, true),
        _ => Ok(Answer::text(format!("{page}\n"))),
    }
}

fn parse(source: &Path) -> anyhow::Result<ReportData> {
    serde_json::from_str(&read(source)?).map_err(|error| {
        Problem::Unreadable { path: source.to_path_buf(), why: error.to_string() }.into()
    })
}
