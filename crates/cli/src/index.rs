//! `reseek index` and `reseek refresh`: build the index, bring it up to date, say what changed.
//!
//! Both do the same; `index` also takes the corpus options, remembers them, and can build from scratch.

use std::fmt::Write as _;
use std::time::Instant;

use reseek_indexer::Index;
use reseek_indexer::update::UpdateReport;
use reseek_mcp::status::Status;
use serde::Serialize;

use crate::args::{Format, Global, IndexArgs};
use crate::freshness::{Place, Session};
use crate::output::{Answer, Output, count};

/// The JSON of both commands.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    report: &'a UpdateReport,
    seconds: f64,
    status: &'a Status,
}

/// Builds the index or brings it up to date.
pub(crate) fn index(global: &Global, output: &Output, args: &IndexArgs) -> anyhow::Result<Answer> {
    let format = output.one_of("index", &[Format::Text, Format::Json])?;
    let place = Place::find(global)?.with_corpus(&args.corpus, global)?;
    let started = Instant::now();
    let (index, report) = place.update_patiently(args.force, global.quiet)?;
    answer(place, &index, &report, started, format)
}

/// Brings the index up to date.
pub(crate) fn refresh(global: &Global, output: &Output) -> anyhow::Result<Answer> {
    let format = output.one_of("refresh", &[Format::Text, Format::Json])?;
    let place = Place::find(global)?;
    place.check_owner()?;
    let started = Instant::now();
    let (index, report) = place.update_patiently(false, global.quiet)?;
    answer(place, &index, &report, started, format)
}

fn answer(
    place: Place,
    index: &Index,
    report: &UpdateReport,
    started: Instant,
    format: Format,
) -> anyhow::Result<Answer> {
    let seconds = (started.elapsed().as_secs_f64() * 1e3).round() / 1e3;
    let session = Session::new(place, index, Some(0), report.problems.clone())?;
    let status = &session.status;
    if format == Format::Json {
        return Answer::json(&Document { report, seconds, status }, true);
    }
    let mut text = String::new();
    let changes: Vec<String> = [
        (report.added, "added"),
        (report.changed, "changed"),
        (report.removed, "removed"),
        (report.touched, "touched and the same"),
    ]
    .into_iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{} {what}", count(n, "file")))
    .collect();
    if let Some(reason) = &report.rebuilt {
        let _ = writeln!(text, "built from scratch: {reason}");
    }
    let changes =
        if changes.is_empty() { "nothing changed".to_owned() } else { changes.join(", ") };
    let _ = writeln!(text, "{changes} ({seconds:.2} s)");
    let _ = writeln!(text, "{}", status.coverage());
    let _ = writeln!(text, "{} in {}", status.freshness(), status.index);
    for note in &status.notes {
        let _ = writeln!(text, "note: {note}");
    }
    Ok(Answer::text(text))
}
