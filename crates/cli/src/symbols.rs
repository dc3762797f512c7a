//! `reseek symbols`: symbols by name, kind and place, without any ranking of text.

use std::fmt::Write as _;

use reseek_mcp::status::Status;
use reseek_mcp::text::{lines, qualified};
use reseek_query::find::{self, FoundSymbol, SymbolFilter};
use reseek_symbols::SymbolKind;
use serde::Serialize;

use crate::args::{Format, Global, SymbolsArgs};
use crate::freshness::Session;
use crate::output::{Answer, DIM, GOOD, Output, PATH, count};

/// The JSON of `symbols`.
#[derive(Serialize)]
struct Document<'a> {
    symbols: &'a [FoundSymbol],
    /// Whether there are more than the limit.
    more: bool,
    status: &'a Status,
}

/// Lists symbols.
pub(crate) fn run(global: &Global, output: &Output, args: &SymbolsArgs) -> anyhow::Result<Answer> {
    let formats = [Format::Text, Format::Json, Format::Paths, Format::Vimgrep];
    let format = output.one_of("symbols", &formats)?;
    let session = Session::open(global, output)?;
    let filter = SymbolFilter {
        name: args.name.clone(),
        kind: args.kind.iter().filter_map(|kind| SymbolKind::from_name(kind)).collect(),
        path: args.path.clone(),
        exported: args.exported.then_some(true),
        // One more than asked for tells whether there are more.
        limit: args.limit.saturating_add(1),
    };
    let mut symbols = find::symbols(&session.snapshot, &filter)?;
    let more = symbols.len() > args.limit;
    symbols.truncate(args.limit);
    let found = !symbols.is_empty();
    let text = match format {
        Format::Json => {
            let document = Document { symbols: &symbols, more, status: &session.status };
            return Answer::json(&document, found);
        }
        Format::Paths => paths(&symbols),
        Format::Vimgrep => vimgrep(&symbols),
        _ => for_people(&symbols, more, args.name.as_deref(), &session.status),
    };
    if !found && format != Format::Text {
        output.note(&nothing_found(args.name.as_deref(), &session.status));
    }
    Ok(Answer { text, found })
}

fn for_people(symbols: &[FoundSymbol], more: bool, name: Option<&str>, status: &Status) -> String {
    let mut text = String::new();
    for found in symbols {
        let symbol = &found.symbol;
        let style = if found.exported { GOOD } else { anstyle::Style::new() };
        let _ = writeln!(
            text,
            "{PATH}{}{PATH:#}:{}  {} {style}{}{style:#}",
            found.path,
            lines(symbol),
            symbol.kind,
            qualified(symbol)
        );
    }
    if symbols.is_empty() {
        let _ = writeln!(text, "{}", nothing_found(name, status));
    } else {
        let shown = count(symbols.len() as u64, "symbol");
        let more = if more { ", and more: raise --limit" } else { "" };
        let _ = writeln!(text, "{DIM}{shown}{more}; {}{DIM:#}", status.freshness());
    }
    text
}

fn nothing_found(name: Option<&str>, status: &Status) -> String {
    let what = name.map(|name| format!(" named `{name}`")).unwrap_or_default();
    format!(
        "no symbol{what} in {}\nhint: `reseek search` also looks into code and comments",
        status.coverage()
    )
}

/// Each path once, in the order of the answer.
fn paths(symbols: &[FoundSymbol]) -> String {
    let mut seen: Vec<&str> = Vec::new();
    for found in symbols {
        if !seen.contains(&found.path.as_str()) {
            seen.push(&found.path);
        }
    }
    seen.iter().fold(String::new(), |text, path| text + path + "\n")
}

fn vimgrep(symbols: &[FoundSymbol]) -> String {
    symbols.iter().fold(String::new(), |mut text, found| {
        let (symbol, name) = (&found.symbol, qualified(&found.symbol));
        let _ = writeln!(text, "{}:{}:1:{} {name}", found.path, symbol.start_line, symbol.kind);
        text
    })
}
