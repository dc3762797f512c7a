//! `reseek status`: what the index holds, what it left out and why, and whether it is behind. Never writes.
//!
//! With `--explain PATH` it answers for one path which rule let it in or kept it out; that needs no index.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use reseek_indexer::corpus::{self, Verdict};
use reseek_indexer::entry::FileFlags;
use reseek_indexer::format::{ANALYZER_VERSION, FORMAT_VERSION};
use reseek_indexer::{Snapshot, update};
use reseek_mcp::status::Status;
use serde::Serialize;

use crate::args::{Format, Global, StatusArgs};
use crate::environment;
use crate::freshness::{Place, Session};
use crate::output::{Answer, BAD, DIM, Output, PATH, bytes, count, grouped};

/// Paths shown for each reason to skip.
const MAX_EXAMPLES: usize = 3;

/// The JSON of `status`.
#[derive(Serialize)]
struct Document<'a> {
    status: &'a Status,
    source_bytes: u64,
    disk_bytes: u64,
    /// Seconds since the last scan that changed the index.
    age_seconds: u64,
    n_commits: u64,
    program: &'static str,
    format_version: u32,
    analyzer_version: u32,
    skipped_examples: &'a BTreeMap<String, Vec<String>>,
    partly_parsed_examples: &'a [String],
    configuration: Configuration,
}

/// The options that shape the corpus, wherever they come from.
#[derive(Serialize)]
struct Configuration {
    include: Vec<String>,
    exclude: Vec<String>,
    max_file_bytes: u64,
    hidden: bool,
    languages: Option<Vec<&'static str>>,
    follow_links: bool,
    secrets: bool,
    history_depth: usize,
}

/// The JSON of `status --explain`.
#[derive(Serialize)]
struct Explained<'a> {
    path: &'a str,
    verdict: &'static str,
    explanation: String,
}

/// Answers for the whole index, or for one path.
pub(crate) fn run(global: &Global, output: &Output, args: &StatusArgs) -> anyhow::Result<Answer> {
    let format = output.one_of("status", &[Format::Text, Format::Json])?;
    let place = Place::find(global)?;
    if let Some(path) = &args.explain {
        return explain(&place, path, format);
    }
    place.check_owner()?;
    let index = place.open_as_is()?;
    let snapshot = index.snapshot()?;
    let (n_changed, problems) = if global.no_refresh {
        (None, Vec::new())
    } else if snapshot.meta().options == place.config.options_hash() {
        let plan = update::plan(&place.root, &index, &snapshot, &place.walk_options())?;
        (Some(plan.n_changed().max(u64::from(plan.head_moved()))), Vec::new())
    } else {
        let note = "the configuration changed; the next query builds the index anew".to_owned();
        (Some(snapshot.meta().totals.n_files.max(1)), vec![note])
    };
    let session = Session::new(place, &index, n_changed, problems)?;
    answer(&session, format)
}

fn explain(place: &Place, path: &Path, format: Format) -> anyhow::Result<Answer> {
    let explanation = corpus::explain(&place.root, &place.relative(path), &place.walk_options())?;
    let verdict = match explanation.verdict {
        Verdict::Indexed(_) => "indexed",
        Verdict::Skipped { .. } => "skipped",
        Verdict::Ignored { .. } => "ignored",
        Verdict::Folder => "folder",
        Verdict::Missing => "missing",
        Verdict::Outside => "outside",
        _ => "other",
    };
    let found = !matches!(explanation.verdict, Verdict::Missing | Verdict::Outside);
    if format == Format::Json {
        let document =
            Explained { path: &explanation.path, verdict, explanation: explanation.to_string() };
        return Answer::json(&document, found);
    }
    Ok(Answer { text: format!("{explanation}\n"), found })
}

fn answer(session: &Session, format: Format) -> anyhow::Result<Answer> {
    let (status, config) = (&session.status, &session.place.config);
    let meta = session.snapshot.meta();
    let Examples { skipped, partly_parsed } = examples(&session.snapshot)?;
    let age_ns = environment::now_ns().saturating_sub(meta.scan_time_ns).max(0);
    let age_seconds = age_ns as u64 / 1_000_000_000;
    let disk_bytes = size_of_folder(&session.place.folder);
    if format == Format::Json {
        let document = Document {
            status,
            source_bytes: meta.totals.source_bytes,
            disk_bytes,
            age_seconds,
            n_commits: meta.n_commits,
            program: env!("CARGO_PKG_VERSION"),
            format_version: FORMAT_VERSION,
            analyzer_version: ANALYZER_VERSION,
            skipped_examples: &skipped,
            partly_parsed_examples: &partly_parsed,
            configuration: Configuration {
                include: config.include.clone(),
                exclude: config.exclude.clone(),
                max_file_bytes: config.max_file_size.0,
                hidden: config.hidden,
                languages: config
                    .languages
                    .as_ref()
                    .map(|names| names.iter().map(|name| name.as_str()).collect()),
                follow_links: config.follow_links,
                secrets: config.secrets,
                history_depth: config.history.depth,
            },
        };
        return Answer::json(&document, true);
    }
    let mut text = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(text, "{DIM}{name:>13}{DIM:#}  {value}");
    };
    row("root", format!("{PATH}{}{PATH:#}", status.root));
    row("index", format!("{PATH}{}{PATH:#}, {}", status.index, bytes(disk_bytes)));
    let freshness = status.freshness();
    let style = if status.behind == Some(true) { BAD } else { anstyle::Style::new() };
    row("state", format!("{style}{freshness}{style:#}"));
    row("last change", format!("{} ago", duration(age_seconds)));
    row("files", format!("{}, {}", grouped(status.n_files), bytes(meta.totals.source_bytes)));
    row("symbols", grouped(status.n_symbols));
    row("history", count(meta.n_commits, "commit"));
    row("partly parsed", with_examples(status.n_partly_parsed, &partly_parsed));
    for (reason, n) in &status.skipped {
        row(reason, with_examples(*n, skipped.get(reason).map_or(&[][..], Vec::as_slice)));
    }
    row(
        "versions",
        format!(
            "reseek {}, index format {FORMAT_VERSION}, analyzer {ANALYZER_VERSION}",
            env!("CARGO_PKG_VERSION")
        ),
    );
    for note in &status.notes {
        row("note", note.clone());
    }
    Ok(Answer::text(text))
}

/// Some of the files that are not in the index as their authors wrote them; the first by path.
#[derive(Default)]
struct Examples {
    /// Skipped files by reason.
    skipped: BTreeMap<String, Vec<String>>,
    /// Files with syntax errors.
    partly_parsed: Vec<String>,
}

fn examples(snapshot: &Snapshot) -> anyhow::Result<Examples> {
    let mut examples = Examples::default();
    for file in snapshot.manifest()? {
        let paths = if file.flags.has(FileFlags::SKIPPED) {
            examples.skipped.entry(snapshot.entry(file.doc)?.skipped).or_default()
        } else if file.flags.has(FileFlags::PARTLY_PARSED) {
            &mut examples.partly_parsed
        } else {
            continue;
        };
        if paths.len() < MAX_EXAMPLES {
            paths.push(file.path);
        }
    }
    Ok(examples)
}

fn with_examples(n: u64, paths: &[String]) -> String {
    match paths {
        [] => grouped(n),
        _ if n > paths.len() as u64 => format!("{}: {}, ...", grouped(n), paths.join(", ")),
        _ => format!("{}: {}", grouped(n), paths.join(", ")),
    }
}

/// Bytes of all files below a folder; what cannot be read counts nothing.
fn size_of_folder(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of_folder(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// A time span in its largest unit.
fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => count(seconds, "second"),
        60..3_600 => count(seconds / 60, "minute"),
        3_600..86_400 => count(seconds / 3_600, "hour"),
        _ => count(seconds / 86_400, "day"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_say_that_there_are_more() {
        assert_eq!(with_examples(2, &["a".into(), "b".into()]), "2: a, b");
        assert_eq!(with_examples(3, &["a".into(), "b".into()]), "3: a, b, ...");
        assert_eq!(with_examples(0, &[]), "0");
    }

    #[test]
    fn time_spans_are_told_in_their_largest_unit() {
        assert_eq!(duration(1), "1 second");
        assert_eq!(duration(7_199), "1 hour");
        assert_eq!(duration(200_000), "2 days");
    }
}
