//! `reseek outline FILE`: the symbols of one file as a tree, parsed from disk at this moment. Needs no index.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use reseek_indexer::classify::is_test_path;
use reseek_mcp::text::{range, trouble};
use reseek_symbols::{Extractor, Language, ParsedFile};
use serde::Serialize;

use crate::args::{Format, Global, OutlineArgs};
use crate::environment;
use crate::errors::Problem;
use crate::freshness::{Place, slashed};
use crate::output::{Answer, DIM, FAIR, GOOD, Output, PATH, count};

/// The JSON of `outline`.
#[derive(Serialize)]
struct Document<'a> {
    path: &'a str,
    language: &'static str,
    symbols: Vec<Item<'a>>,
    diagnostics: Vec<Trouble>,
}

/// One symbol; the order is that of the file, parents first.
#[derive(Serialize)]
struct Item<'a> {
    name: &'a str,
    kind: &'static str,
    container: &'a str,
    signature: &'a str,
    start_line: u32,
    end_line: u32,
    exported: bool,
}

/// Lines that could not be read as meant.
#[derive(Serialize)]
struct Trouble {
    what: &'static str,
    start_line: u32,
    end_line: u32,
}

/// Shows the symbols of a file.
pub(crate) fn run(global: &Global, output: &Output, args: &OutlineArgs) -> anyhow::Result<Answer> {
    let format = output.one_of("outline", &[Format::Text, Format::Json, Format::Vimgrep])?;
    let (path, shown) = locate(global, &args.file)?;
    let Some(language) = Language::of_path(&shown) else {
        let known: Vec<&str> =
            Language::all().iter().flat_map(Language::extensions).copied().collect();
        return Err(Problem::Unreadable {
            path,
            why: format!("its language is not known; known extensions are {}", known.join(", ")),
        }
        .into());
    };
    let unreadable = |why: String| Problem::Unreadable { path: path.clone(), why };
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(unreadable("it is not a regular file".to_owned()).into());
    }
    let bytes = fs::read(&path).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let parsed = Extractor::new().extract(text.as_bytes(), language, is_test_path(&shown));
    let found = !parsed.symbols.is_empty();
    match format {
        Format::Json => Answer::json(&document(&parsed, &shown, language), found),
        Format::Vimgrep => Ok(Answer { text: vimgrep(&parsed, &shown), found }),
        _ => Ok(Answer { text: tree(&parsed, &shown), found }),
    }
}

/// The file as seen from the working directory, else from the root; with the path to show.
fn locate(global: &Global, file: &Path) -> anyhow::Result<(PathBuf, String)> {
    let here = environment::working_dir()?.join(file);
    // Outside of any root, or in one that is refused, a file can still be looked at.
    let Ok(place) = Place::find(global) else { return Ok((here, slashed(file))) };
    let path = if here.exists() { here } else { place.root.join(file) };
    Ok((path, place.relative(file)))
}

fn document<'a>(
    parsed: &'a ParsedFile,
    path: &'a str,
    language: &'static Language,
) -> Document<'a> {
    Document {
        path,
        language: language.name(),
        symbols: parsed
            .symbols
            .iter()
            .map(|symbol| Item {
                name: &symbol.name,
                kind: symbol.kind.name(),
                container: &symbol.container,
                signature: &symbol.signature,
                start_line: symbol.lines.start,
                end_line: symbol.lines.end,
                exported: symbol.exported,
            })
            .collect(),
        diagnostics: parsed
            .diagnostics
            .iter()
            .map(|diagnostic| Trouble {
                what: trouble(diagnostic.kind),
                start_line: diagnostic.lines.start,
                end_line: diagnostic.lines.end,
            })
            .collect(),
    }
}

fn tree(parsed: &ParsedFile, path: &str) -> String {
    let mut text = format!("{PATH}{path}{PATH:#}\n");
    for symbol in &parsed.symbols {
        let mut depth = 0;
        let mut at = symbol.parent;
        while let Some(parent) = at {
            depth += 1;
            at = parsed.symbols.get(parent as usize).and_then(|symbol| symbol.parent);
        }
        let lines = range(symbol.lines.start, symbol.lines.end);
        let style = if symbol.exported { GOOD } else { anstyle::Style::new() };
        let _ = writeln!(
            text,
            "{DIM}{lines:>11}{DIM:#}  {:width$}{} {style}{}{style:#}",
            "",
            symbol.kind,
            symbol.name,
            width = depth * 2
        );
    }
    for diagnostic in &parsed.diagnostics {
        let lines = range(diagnostic.lines.start, diagnostic.lines.end);
        let _ = writeln!(text, "{lines:>11}  {FAIR}{}{FAIR:#}", trouble(diagnostic.kind));
    }
    let _ = writeln!(text, "{DIM}{}{DIM:#}", count(parsed.symbols.len() as u64, "symbol"));
    text
}

fn vimgrep(parsed: &ParsedFile, path: &str) -> String {
    parsed.symbols.iter().fold(String::new(), |mut text, symbol| {
        let _ = writeln!(text, "{path}:{}:1:{} {}", symbol.lines.start, symbol.kind, symbol.name);
        text
    })
}
