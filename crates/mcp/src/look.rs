//! The tools that look at one thing: a search, a name, a file's symbols, a piece of source, the index itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use reseek_indexer::classify::is_test_path;
use reseek_indexer::corpus::{self, read::content_hash};
use reseek_query::find::{self, SymbolFilter};
use reseek_query::search::{MatchBand, SearchAnswer, search, search_with};
use reseek_query::syntax::SearchQuery;
use reseek_symbols::{Extractor, Language, ParsedFile, Symbol, SymbolKind};

use crate::answers::{Answer, footer, info, within};
use crate::engine::Ready;
use crate::roots::{Served, Shelf, relative};
use crate::surroundings::Refusal;
use crate::text::{count, grouped, qualified, range, trouble};
use crate::tools::Call;
use crate::wire::{
    FindInput, FindOutput, FoundSymbol, Hit, OutlineInput, OutlineOutput, OutlineSymbol, Piece,
    ReadInput, ReadOutput, SearchInput, SearchOutput, Target,
};

/// Lines longer than this many bytes are data, and are not shown.
const MAX_LINE_BYTES: usize = 1_000;
/// Most tokens of the answers of tools that take no budget.
const DEFAULT_BUDGET: usize = 6_000;

/// `search_code`.
pub(crate) fn search_code(
    call: &Call<'_>,
    ready: &Ready,
    input: &SearchInput,
) -> Result<Answer, Refusal> {
    let query = SearchQuery::parse(&input.query).map_err(|error| call.refusal(&error))?;
    let manifest = ready.snapshot.manifest().map_err(|error| call.explain(&error))?;
    let hashes: BTreeMap<String, u64> =
        manifest.into_iter().map(|file| (file.path, file.hash)).collect();
    // Phrases are looked for only in files of the index, and only where they are still what was indexed.
    let text = |path: &str| -> Option<String> {
        let hash = hashes.get(path)?;
        let bytes = std::fs::read(ready.place.root.join(path)).ok()?;
        (content_hash(&bytes) == *hash).then(|| String::from_utf8(bytes).ok())?
    };
    let answer = search_with(&ready.snapshot, &query, input.limit as usize, &text)
        .map_err(|error| call.refusal(&error))?;
    let hits = |n: usize| -> Vec<Hit> { answer.hits.iter().take(n).map(hit).collect() };
    within(input.budget as usize, answer.hits.len(), &|n| {
        let output = SearchOutput {
            hits: hits(n),
            n_matching: answer.n_matching as u64,
            ignored: answer.ignored.clone(),
            index: info(&ready.status, call.notes),
        };
        Answer::new(search_text(&output, &answer, ready, call.notes), &output)
    })
}

fn hit(hit: &reseek_query::search::SearchHit) -> Hit {
    Hit {
        path: hit.path.clone(),
        start_line: hit.symbol.as_ref().map(|symbol| symbol.start_line),
        end_line: hit.symbol.as_ref().map(|symbol| symbol.end_line),
        kind: hit.symbol.as_ref().map_or("file", |symbol| symbol.kind),
        name: hit.symbol.as_ref().map(qualified).unwrap_or_default(),
        band: match hit.band {
            MatchBand::Exact => "exact",
            MatchBand::Strong => "strong",
            MatchBand::Partial => "partial",
        },
    }
}

fn search_text(
    output: &SearchOutput,
    answer: &SearchAnswer,
    ready: &Ready,
    notes: &[String],
) -> String {
    let mut text = String::new();
    for hit in &output.hits {
        let place = match (hit.start_line, hit.end_line) {
            (Some(start), Some(end)) => format!(":{}", range(start, end)),
            _ => String::new(),
        };
        let _ = writeln!(text, "{}{place}  {} {} ({})", hit.path, hit.kind, hit.name, hit.band);
    }
    if answer.hits.is_empty() {
        let _ =
            writeln!(text, "Nothing found for `{}` in {}.", answer.query, ready.status.coverage());
        text.push_str(
            "Try fewer words or filters, or retrieve_context, which also knows other words for the same thing; \
             grep finds text in files that are not indexed.\n",
        );
    }
    let n_more = answer.n_matching.saturating_sub(output.hits.len());
    if n_more > 0 {
        let _ = writeln!(
            text,
            "{} more; narrow the query, or raise limit or budget.",
            grouped(n_more as u64)
        );
    }
    if !answer.ignored.is_empty() {
        let _ = writeln!(text, "Not looked for: {}.", answer.ignored.join(", "));
    }
    if let Some(check) = &answer.phrases
        && check.n_unread + check.n_unreadable > 0
    {
        let _ = writeln!(
            text,
            "Phrases not checked in {}, and not checkable in {}.",
            count(check.n_unread as u64, "file"),
            count(check.n_unreadable as u64, "file")
        );
    }
    text.push_str(&footer(&ready.status, notes));
    text
}

/// `find_symbol`.
pub(crate) fn find_symbol(
    call: &Call<'_>,
    ready: &Ready,
    input: &FindInput,
) -> Result<Answer, Refusal> {
    let limit = input.limit as usize;
    // A kind and its name are written alike, in the schema and in the index.
    let kind = serde_json::to_value(input.kind).ok();
    let kind = kind.as_ref().and_then(serde_json::Value::as_str).and_then(SymbolKind::from_name);
    let filter = SymbolFilter {
        name: Some(input.name.trim().to_owned()),
        kind: kind.into_iter().collect(),
        path: Some(input.path.clone()).filter(|path| !path.is_empty()).into_iter().collect(),
        exported: input.exported.then_some(true),
        // One more than asked for tells whether there are more.
        limit: limit + 1,
    };
    let found = find::symbols(&ready.snapshot, &filter).map_err(|error| call.refusal(&error))?;
    let references = references(ready, input.name.trim(), limit);
    let more = found.len() > limit;
    let symbols = |n: usize| -> Vec<FoundSymbol> {
        found
            .iter()
            .take(n)
            .map(|found| FoundSymbol {
                path: found.path.clone(),
                start_line: found.symbol.start_line,
                end_line: found.symbol.end_line,
                kind: found.symbol.kind,
                name: qualified(&found.symbol),
                exported: found.exported,
                n_references: references
                    .get(&(found.path.clone(), found.symbol.start_line))
                    .copied(),
            })
            .collect()
    };
    within(DEFAULT_BUDGET, found.len().min(limit), &|n| {
        let output = FindOutput {
            symbols: symbols(n),
            more: more || n < found.len().min(limit),
            index: info(&ready.status, call.notes),
        };
        let mut text = String::new();
        for symbol in &output.symbols {
            let lines = range(symbol.start_line, symbol.end_line);
            let _ = write!(text, "{}:{lines}  {} {}", symbol.path, symbol.kind, symbol.name);
            if symbol.exported {
                text.push_str(" (exported)");
            }
            if let Some(n) = symbol.n_references {
                let _ = write!(text, ", used in {}", count(n, "other file"));
            }
            text.push('\n');
        }
        if output.symbols.is_empty() {
            let _ =
                writeln!(text, "No symbol named `{}` in {}.", input.name, ready.status.coverage());
            text.push_str("search_code also looks into code and comments; grep into files that are not indexed.\n");
        } else if output.more {
            text.push_str("There are more; give kind or path, or raise limit.\n");
        }
        text.push_str(&footer(&ready.status, call.notes));
        Answer::new(text, &output)
    })
}

/// How many other files use a definition of that whole name, by its place.
fn references(ready: &Ready, name: &str, limit: usize) -> BTreeMap<(String, u32), u64> {
    // A name that the query language reads otherwise has no count, and none is claimed.
    let Ok(query) = SearchQuery::parse(name) else { return BTreeMap::new() };
    let Ok(answer) = search(&ready.snapshot, &query, limit.max(20)) else { return BTreeMap::new() };
    answer
        .hits
        .into_iter()
        .filter_map(|hit| Some(((hit.path, hit.symbol?.start_line), hit.n_references? as u64)))
        .collect()
}

/// `outline`.
pub(crate) fn outline(
    call: &Call<'_>,
    ready: &Ready,
    input: &OutlineInput,
) -> Result<Answer, Refusal> {
    let served = Shelf::new(ready, call.surroundings)?.fetch(&input.path)?;
    let language = Language::of_path(&served.path);
    let parsed = parse(&served);
    let problems: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|problem| {
            format!("{}: {}", range(problem.lines.start, problem.lines.end), trouble(problem.kind))
        })
        .collect();
    within(input.budget as usize, parsed.symbols.len(), &|n| {
        let output = OutlineOutput {
            path: served.path.clone(),
            language: language.map_or("", Language::name),
            n_lines: served.contents.text.lines().count() as u64,
            symbols: parsed
                .symbols
                .iter()
                .take(n)
                .map(|symbol| OutlineSymbol {
                    name: full_name(symbol),
                    kind: symbol.kind.name(),
                    start_line: symbol.lines.start,
                    end_line: symbol.lines.end,
                    exported: symbol.exported,
                })
                .collect(),
            n_left_out: (parsed.symbols.len() - n) as u64,
            problems: problems.clone(),
            index: info(&ready.status, call.notes),
        };
        let mut text = format!("{}, {}\n", output.path, count(output.n_lines, "line"));
        for symbol in parsed.symbols.iter().take(n) {
            let lines = range(symbol.lines.start, symbol.lines.end);
            let depth =
                if symbol.container.is_empty() { 0 } else { symbol.container.split('.').count() };
            let exported = if symbol.exported { "export " } else { "" };
            let _ = writeln!(
                text,
                "{lines:>9} {:indent$}{exported}{} {}",
                "",
                symbol.kind,
                symbol.name,
                indent = depth * 2
            );
        }
        for problem in &problems {
            let _ = writeln!(text, "{problem}");
        }
        if language.is_none() {
            text.push_str("No symbols: its language is read as text only.\n");
        }
        if output.n_left_out > 0 {
            let _ =
                writeln!(text, "{} left out; raise budget.", count(output.n_left_out, "symbol"));
        }
        text.push_str(&footer(&ready.status, call.notes));
        Answer::new(text, &output)
    })
}

fn parse(served: &Served) -> ParsedFile {
    Language::of_path(&served.path).map_or_else(ParsedFile::default, |language| {
        let is_test = is_test_path(&served.path);
        Extractor::new().extract(served.contents.text.as_bytes(), language, is_test)
    })
}

fn full_name(symbol: &Symbol) -> String {
    if symbol.container.is_empty() {
        symbol.name.clone()
    } else {
        format!("{}.{}", symbol.container, symbol.name)
    }
}

/// `read_symbols`.
pub(crate) fn read_symbols(
    call: &Call<'_>,
    ready: &Ready,
    input: &ReadInput,
) -> Result<Answer, Refusal> {
    let mut shelf = Shelf::new(ready, call.surroundings)?;
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut refusals = 0;
    for target in &input.targets {
        match shelf.fetch(&target.path) {
            Ok(served) => find_pieces(&served, target, &mut wanted),
            Err(refusal) if input.targets.len() == 1 => return Err(refusal),
            Err(refusal) => {
                refusals += 1;
                wanted.push(Wanted::nothing(&target.path, &target.symbol, &refusal.message));
            }
        }
    }
    if refusals == input.targets.len() {
        return Err(Refusal::new(
            "not-served",
            format!("none of the {refusals} targets is an indexed file"),
            "search_code and find_symbol give paths",
        ));
    }
    let budget = input.budget as usize;
    let n_lines: usize = wanted.iter().map(|wanted| wanted.lines.len()).sum();
    within(budget, n_lines, &|n| {
        let mut left = n;
        let mut output = ReadOutput { pieces: Vec::new(), index: info(&ready.status, call.notes) };
        let mut text = String::new();
        for wanted in &wanted {
            let n_shown = wanted.lines.len().min(left);
            left -= n_shown;
            let piece = wanted.piece(n_shown);
            let _ = write!(text, "## {}", piece.path);
            if n_shown > 0 {
                let _ = write!(text, ":{}", range(piece.start_line, piece.end_line));
            }
            if !piece.symbol.is_empty() {
                let _ = write!(text, "  {}", piece.symbol);
            }
            text.push('\n');
            text.push_str(&piece.text);
            if !piece.note.is_empty() {
                let _ = writeln!(text, "{}", piece.note);
            }
            text.push('\n');
            output.pieces.push(piece);
        }
        text.push_str(&footer(&ready.status, call.notes));
        Answer::new(text, &output)
    })
}

/// A range of lines to show.
struct Wanted {
    path: String,
    symbol: String,
    start: usize,
    lines: Vec<String>,
    n_long: usize,
    note: String,
    is_found: bool,
}

impl Wanted {
    fn nothing(path: &str, symbol: &str, why: &str) -> Self {
        Self {
            path: path.to_owned(),
            symbol: symbol.to_owned(),
            start: 0,
            lines: Vec::new(),
            n_long: 0,
            note: why.to_owned(),
            is_found: false,
        }
    }

    /// The lines from `start` to `end`, one-based and inclusive.
    fn lines(served: &Served, symbol: &str, start: usize, end: usize) -> Self {
        let mut n_long = 0;
        let lines: Vec<String> = served
            .contents
            .text
            .lines()
            .enumerate()
            .skip(start.saturating_sub(1))
            .take((end + 1).saturating_sub(start))
            .map(|(i, line)| {
                if line.len() > MAX_LINE_BYTES {
                    n_long += 1;
                    format!("{}\t... a line of {} bytes\n", i + 1, grouped(line.len() as u64))
                } else {
                    format!("{}\t{line}\n", i + 1)
                }
            })
            .collect();
        let note = if served.is_changed {
            "The file changed since it was indexed; these are its lines now."
        } else {
            ""
        };
        Self {
            path: served.path.clone(),
            symbol: symbol.to_owned(),
            start,
            lines,
            n_long,
            note: note.to_owned(),
            is_found: true,
        }
    }

    fn piece(&self, n_shown: usize) -> Piece {
        let is_cut = n_shown < self.lines.len();
        let mut notes: Vec<String> = Vec::new();
        if !self.note.is_empty() {
            notes.push(self.note.clone());
        }
        if is_cut {
            let end = self.start + self.lines.len() - 1;
            notes.push(format!(
                "Cut for the budget; read on with start_line {} and end_line {end}.",
                self.start + n_shown
            ));
        }
        if self.n_long > 0 {
            notes.push(format!(
                "{} over {MAX_LINE_BYTES} bytes not shown.",
                count(self.n_long as u64, "line")
            ));
        }
        Piece {
            path: self.path.clone(),
            symbol: self.symbol.clone(),
            start_line: if n_shown > 0 { self.start as u32 } else { 0 },
            end_line: if n_shown > 0 { (self.start + n_shown - 1) as u32 } else { 0 },
            text: self.lines[..n_shown].concat(),
            complete: self.is_found && !is_cut && self.n_long == 0,
            note: notes.join(" "),
        }
    }
}

/// The ranges of lines that a target means.
fn find_pieces(served: &Served, target: &Target, wanted: &mut Vec<Wanted>) {
    let n_lines = served.contents.text.lines().count();
    if target.symbol.is_empty() {
        let (start, end) = (target.start_line as usize, target.end_line as usize);
        if start > n_lines || end < start {
            let why = format!("The file has {}.", count(n_lines as u64, "line"));
            wanted.push(Wanted::nothing(&served.path, "", &why));
        } else {
            wanted.push(Wanted::lines(served, "", start, end.min(n_lines)));
        }
        return;
    }
    let parsed = parse(served);
    let is_meant = |symbol: &&Symbol| {
        let full = full_name(symbol);
        symbol.name == target.symbol
            || full == target.symbol
            || full.strip_suffix(target.symbol.as_str()).is_some_and(|rest| rest.ends_with('.'))
    };
    let found: Vec<&Symbol> = parsed.symbols.iter().filter(is_meant).collect();
    // A whole name means the one definition, not every member of that name.
    let top: Vec<&Symbol> =
        found.iter().filter(|symbol| full_name(symbol) == target.symbol).copied().collect();
    let found = if top.is_empty() { found } else { top };
    if found.is_empty() {
        let why =
            format!("There is no symbol `{}` in it; outline lists those that are.", target.symbol);
        wanted.push(Wanted::nothing(&served.path, &target.symbol, &why));
    }
    for symbol in found {
        let start = symbol.doc_span.map_or(symbol.lines.start as usize, |doc| {
            let before = &served.contents.text[..doc.start as usize];
            before.matches('\n').count() + 1
        });
        let name = format!("{} {}", symbol.kind, full_name(symbol));
        let start = start.min(symbol.lines.start as usize);
        wanted.push(Wanted::lines(served, &name, start, symbol.lines.end as usize));
    }
}

/// Why a path is in the index or not.
pub(crate) fn explain(call: &Call<'_>, ready: &Ready, path: &str) -> Result<String, Refusal> {
    let Some(inside) = relative(&ready.place.root, path) else {
        return Ok(format!("{}: not below the root", path.escape_debug()));
    };
    let explanation = corpus::explain(&ready.place.root, &inside, &ready.place.walk_options())
        .map_err(|error| call.explain(&error))?;
    Ok(explanation.to_string())
}
