//! `reseek search`: one search with the small query language, without the loop.
//!
//! Phrases are checked against the text on disk, and only where it is still the text that was indexed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use reseek_indexer::corpus::read::content_hash;
use reseek_mcp::status::Status;
use reseek_mcp::text::{lines, qualified};
use reseek_query::search::{MatchBand, SearchAnswer, SearchHit, search_with};
use reseek_query::syntax::SearchQuery;
use serde::Serialize;

use crate::args::{Format, Global, SearchArgs};
use crate::freshness::Session;
use crate::output::{Answer, DIM, FAIR, GOOD, Output, PATH, count};

/// The JSON of `search`.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    answer: &'a SearchAnswer,
    status: &'a Status,
}

/// Answers a query.
pub(crate) fn run(global: &Global, output: &Output, args: &SearchArgs) -> anyhow::Result<Answer> {
    let format =
        output.one_of("search", &[Format::Text, Format::Json, Format::Paths, Format::Vimgrep])?;
    let query = SearchQuery::parse(&args.query.join(" "))?;
    let session = Session::open(global, output)?;
    let hashes: BTreeMap<String, u64> =
        session.snapshot.manifest()?.into_iter().map(|file| (file.path, file.hash)).collect();
    // Only indexed files are asked for, so the limits on size and the rules hold already.
    let text = |path: &str| -> Option<String> {
        let hash = hashes.get(path)?;
        let bytes = fs::read(session.place.root.join(path)).ok()?;
        if content_hash(&bytes) != *hash {
            return None;
        }
        let text = String::from_utf8(bytes).ok()?;
        Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    };
    let answer = search_with(&session.snapshot, &query, args.limit, &text)?;
    let found = !answer.hits.is_empty();
    let text = match format {
        Format::Json => {
            return Answer::json(&Document { answer: &answer, status: &session.status }, found);
        }
        Format::Paths => paths(&answer),
        Format::Vimgrep => vimgrep(&answer),
        _ => for_people(&answer, &session.status),
    };
    if !found && format != Format::Text {
        output.note(&nothing_found(&answer, &session.status));
    }
    Ok(Answer { text, found })
}

fn for_people(answer: &SearchAnswer, status: &Status) -> String {
    let mut text = String::new();
    if answer.hits.is_empty() {
        let _ = writeln!(text, "{}", nothing_found(answer, status));
    }
    for hit in &answer.hits {
        let style = match hit.band {
            MatchBand::Exact => GOOD,
            MatchBand::Strong => FAIR,
            MatchBand::Partial => DIM,
        };
        let (place, what) = place_and_name(hit);
        let fields: Vec<&str> = hit
            .matched
            .iter()
            .filter_map(|matched| matched.fields.first().copied())
            .fold(Vec::new(), |mut fields, field| {
                if !fields.contains(&field) {
                    fields.push(field);
                }
                fields
            });
        let _ = write!(
            text,
            "{style}{:.2}{style:#} {PATH}{}{PATH:#}{place}  {what}  {DIM}{}{DIM:#}",
            hit.score,
            hit.path,
            fields.join(", ")
        );
        if let Some(n) = hit.n_references.filter(|n| *n > 0) {
            let _ = write!(text, " {DIM}used in {}{DIM:#}", count(n as u64, "file"));
        }
        text.push('\n');
    }
    let n_more = answer.n_matching.saturating_sub(answer.hits.len());
    if n_more > 0 {
        let _ = writeln!(text, "{DIM}{n_more} more; narrow the query or raise --limit{DIM:#}");
    }
    if !answer.ignored.is_empty() {
        let _ = writeln!(text, "{DIM}not looked for: {}{DIM:#}", answer.ignored.join(", "));
    }
    if let Some(check) = &answer.phrases
        && check.n_unread + check.n_unreadable > 0
    {
        let _ = writeln!(
            text,
            "{DIM}phrases not checked in {} and not checkable in {}{DIM:#}",
            count(check.n_unread as u64, "file"),
            check.n_unreadable
        );
    }
    let _ = writeln!(text, "{DIM}{}{DIM:#}", status.freshness());
    text
}

/// Where a hit is and what it is, for people.
fn place_and_name(hit: &SearchHit) -> (String, String) {
    match &hit.symbol {
        Some(symbol) => {
            (format!(":{}", lines(symbol)), format!("{} {}", symbol.kind, qualified(symbol)))
        }
        None => (String::new(), "file".to_owned()),
    }
}

fn nothing_found(answer: &SearchAnswer, status: &Status) -> String {
    let mut text = format!("nothing found for `{}` in {}", answer.query, status.coverage());
    text.push_str("\nhint: fewer filters or words; `reseek retrieve` also finds other words for the same thing");
    text
}

/// Each path once, best first.
fn paths(answer: &SearchAnswer) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for hit in &answer.hits {
        if !seen.contains(&hit.path.as_str()) {
            seen.push(&hit.path);
        }
    }
    seen.iter().fold(String::new(), |text, path| text + path + "\n")
}

fn vimgrep(answer: &SearchAnswer) -> String {
    answer.hits.iter().fold(String::new(), |mut text, hit| {
        let (line, what) = match &hit.symbol {
            Some(symbol) => (symbol.start_line, format!("{} {}", symbol.kind, qualified(symbol))),
            None => (1, "file".to_owned()),
        };
        let _ = writeln!(text, "{}:{line}:1:{what}", hit.path);
        text
    })
}
