//! The context pack: the answer as source text for an agent, within a budget of tokens.
//!
//! Files come best first, each with its reason. The budget is spent in this order: a line for every file; the source
//! of the best symbol of each file, then of the second, and so on (a small file whole); then the signatures of
//! what was not shown. Each step is kept only if the *rendered* pack still fits, so the cap holds for the final text
//! whatever the pieces are. Lines are shown whole or not at all. What was left out is counted and the way to get it told.
//!
//! Text is read from disk at the moment of the answer and parsed anew, so line numbers and lines always belong
//! together; a file that changed since it was indexed is marked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use reseek_indexer::corpus::read::{Outcome, read};
use reseek_indexer::corpus::{Checker, Verdict, WalkOptions};
use reseek_indexer::{Error, Snapshot};
use reseek_query::report::{FileResult, Retrieval, SymbolResult};
use reseek_symbols::{Language, ParsedFile, extract};

use crate::status::Status;
use crate::text::{band_name, count, cut, grouped, range, relevance, stopped};
use crate::tokens::estimate;

/// Least budget in tokens: what the frame without any file takes.
pub const MIN_BUDGET: usize = 300;
/// Budget in tokens unless another is given.
pub const DEFAULT_BUDGET: usize = 8_000;
/// Tokens of a file's heading beside its path and reason, and of a line's number.
const FRAME: usize = 16;
const LINE_NUMBER: usize = 3;
/// Files of up to this many lines are shown whole.
const SMALL_FILE_LINES: usize = 60;
/// Lines longer than this many bytes are left out whole: they are data, and would be all of the pack.
const MAX_LINE_BYTES: usize = 400;
/// Share of the budget that one symbol may take before every other had its turn, as a divisor.
const SYMBOL_SHARE: usize = 3;
/// Fewest lines of a symbol that are worth showing of a longer one.
const MIN_LINES: usize = 4;
/// Bytes of the task and of a path in the frame; longer ones are cut at a character.
const MAX_TITLE_BYTES: usize = 200;
/// Signatures of a file beside its source.
const MAX_SIGNATURES: usize = 30;
/// Left-out files that are named.
const MAX_NAMED: usize = 5;

/// A result with its text.
struct File<'a> {
    result: &'a FileResult,
    /// Lines of the file as it is on disk; empty if it cannot be shown.
    lines: Vec<String>,
    parsed: ParsedFile,
    /// Why the text is not shown, or that it changed.
    note: Option<String>,
    /// Ranges of lines to show in order of worth, one-based and inclusive, with what they are.
    pieces: Vec<(usize, usize)>,
}

/// What of the files is shown.
#[derive(Clone, Default)]
struct Selection {
    /// How many of the files, best first, have a block.
    n_files: usize,
    /// Lines shown of each file.
    lines: BTreeMap<usize, BTreeSet<usize>>,
    /// Signatures shown of each file: how many of the symbols that are not in `lines`.
    signatures: BTreeMap<usize, usize>,
}

/// Whom a pack speaks to; the advice in it names what they can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A person or a script that ran the command.
    CommandLine,
    /// An agent that called a tool.
    Agent,
}

/// Where the text of a pack comes from.
pub struct Source<'a> {
    /// The root, without symbolic links.
    pub root: &'a Path,
    /// The rules of the walk.
    pub options: &'a WalkOptions,
    /// The view that the retrieval was made with.
    pub snapshot: &'a Snapshot,
    /// What is said of the index.
    pub status: &'a Status,
    /// Whom the pack is for.
    pub reader: Reader,
}

/// A rendered pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pack {
    /// The text, at most the budget long.
    pub text: String,
    /// Paths of the files that the text has a block of, best first.
    pub shown: Vec<String>,
    /// Paths of the files that the budget left no room for, best first.
    pub dropped: Vec<String>,
}

/// Files of a retrieval, read and parsed, ready to be packed under any budget.
pub struct Loaded<'a> {
    files: Vec<File<'a>>,
    retrieval: &'a Retrieval,
    status: &'a Status,
    reader: Reader,
}

/// Reads and parses the files of a retrieval.
pub fn load<'a>(source: &Source<'a>, retrieval: &'a Retrieval) -> Result<Loaded<'a>, Error> {
    let mut checker = Checker::new(source.root, source.options)?;
    let hashes: BTreeMap<String, u64> =
        source.snapshot.manifest()?.into_iter().map(|file| (file.path, file.hash)).collect();
    let files = retrieval
        .results
        .iter()
        .map(|result| load_file(source, &mut checker, hashes.get(&result.path), result))
        .collect();
    Ok(Loaded { files, retrieval, status: source.status, reader: source.reader })
}

/// Renders the answer within a budget of tokens.
pub fn pack(source: &Source<'_>, retrieval: &Retrieval, budget: usize) -> Result<Pack, Error> {
    Ok(load(source, retrieval)?.pack(budget))
}

impl Loaded<'_> {
    /// Renders the answer within a budget of tokens.
    pub fn pack(&self, budget: usize) -> Pack {
        self.pack_within(budget, budget)
    }

    /// Renders the answer within `room` tokens, of a budget whose rest the caller needs itself.
    pub fn pack_within(&self, room: usize, budget: usize) -> Pack {
        let Some(chosen) = fill(self, room, budget) else {
            return Pack {
                text: "The budget is too small for any answer.\n".to_owned(),
                shown: Vec::new(),
                dropped: self.files.iter().map(|file| file.result.path.clone()).collect(),
            };
        };
        let paths =
            |files: &[File<'_>]| files.iter().map(|file| file.result.path.clone()).collect();
        let (shown, dropped) = self.files.split_at(chosen.n_files);
        Pack { text: render(self, budget, &chosen), shown: paths(shown), dropped: paths(dropped) }
    }
}

/// Tokens that a file takes of a pack, estimated without rendering one: its frame and the lines of its best symbols, or all
/// lines of a small file. No symbol counts more than its share of the usual budget. `sums` holds the tokens of the file
/// up to and including each line.
pub fn cost(file: &FileResult, sums: &[u64]) -> u64 {
    let n_lines = sums.len();
    let frame = estimate(&file.path) + estimate(&file.reason) + FRAME;
    if n_lines <= SMALL_FILE_LINES || file.symbols.is_empty() {
        let whole = sums.last().copied().unwrap_or(0) + (n_lines * LINE_NUMBER) as u64;
        return frame as u64 + whole;
    }
    let share = (DEFAULT_BUDGET / SYMBOL_SHARE) as u64;
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    let mut tokens = frame as u64;
    for symbol in &file.symbols {
        let mut left = share;
        for line in symbol.start_line as usize..=(symbol.end_line as usize).min(n_lines) {
            let before = if line > 1 { sums[line - 2] } else { 0 };
            let cost = sums[line - 1] - before + LINE_NUMBER as u64;
            if left < cost {
                break;
            }
            if shown.insert(line) {
                left -= cost;
                tokens += cost;
            }
        }
    }
    tokens
}

/// Reads and parses the file of a result.
fn load_file<'a>(
    source: &Source<'a>,
    checker: &mut Checker,
    indexed_hash: Option<&u64>,
    result: &'a FileResult,
) -> File<'a> {
    let mut file = File {
        result,
        lines: Vec::new(),
        parsed: ParsedFile::default(),
        note: None,
        pieces: Vec::new(),
    };
    let Verdict::Indexed(found) = checker.check(&result.path) else {
        file.note = Some("not shown: it is gone, or a rule leaves it out now".to_owned());
        return file;
    };
    let contents = match read(source.root, &found, source.options) {
        Outcome::Read(contents) => contents,
        Outcome::Skipped { reason, .. } => {
            file.note = Some(format!("not shown: it is {reason} now"));
            return file;
        }
        Outcome::Absent => {
            file.note = Some("not shown: it is gone".to_owned());
            return file;
        }
    };
    if indexed_hash != Some(&contents.hash) {
        file.note = Some("changed since it was indexed; these are its lines now".to_owned());
    }
    if let Some(language) = Language::of_path(&result.path) {
        file.parsed = extract(contents.text.as_bytes(), language);
    }
    file.lines = contents.text.lines().map(str::to_owned).collect();
    file.pieces = pieces(&file);
    file
}

/// The ranges of lines that are worth showing, best first.
fn pieces(file: &File<'_>) -> Vec<(usize, usize)> {
    let n_lines = file.lines.len();
    if n_lines == 0 {
        return Vec::new();
    }
    if n_lines <= SMALL_FILE_LINES {
        return vec![(1, n_lines)];
    }
    let pieces: Vec<(usize, usize)> =
        file.result.symbols.iter().filter_map(|symbol| place(file, symbol)).collect();
    if pieces.is_empty() && file.parsed.symbols.is_empty() {
        // A text file: its beginning says what it is about.
        return vec![(1, n_lines)];
    }
    pieces
}

/// The lines that a symbol of the answer has in the file as it is now, its doc comment included.
fn place(file: &File<'_>, wanted: &SymbolResult) -> Option<(usize, usize)> {
    let symbol = file
        .parsed
        .symbols
        .iter()
        .filter(|symbol| {
            symbol.name == wanted.name
                && symbol.kind.name() == wanted.kind
                && symbol.container == wanted.container
        })
        .min_by_key(|symbol| symbol.lines.start.abs_diff(wanted.start_line))?;
    let mut start = symbol.lines.start as usize;
    if let Some(doc) = symbol.doc_span {
        // The comment ends above the declaration; its lines are those of its own line ends.
        let doc_lines = symbol.doc.lines().count().max(1);
        let above = (doc.end <= symbol.span.start).then(|| comment_start(file, start, doc_lines));
        start = above.unwrap_or(start);
    }
    Some((start, symbol.lines.end as usize))
}

/// The first line of the comment that ends above line `start`.
fn comment_start(file: &File<'_>, start: usize, doc_lines: usize) -> usize {
    let mut first = start;
    // Comment marks may take two lines more than the text.
    for line in (1..start).rev().take(doc_lines + 2) {
        let text = file.lines[line - 1].trim_start();
        if !(text.starts_with('*') || text.starts_with("/*") || text.starts_with("//")) {
            break;
        }
        first = line;
        if text.starts_with("/*") {
            break;
        }
    }
    first
}

/// Chooses what is shown: each step stays only if the rendered pack is within the budget.
/// Nothing if not even the frame is.
fn fill(loaded: &Loaded<'_>, room: usize, budget: usize) -> Option<Selection> {
    let files = loaded.files.as_slice();
    let render = |selection: &Selection| render(loaded, budget, selection);
    let fits = |selection: &Selection| estimate(&render(selection)) <= room;
    let mut chosen = Selection::default();
    if !fits(&chosen) {
        return None;
    }
    // The source is what the pack is for: the frame of many files may take half of it.
    let half = |selection: &Selection| estimate(&render(selection)) <= room / 2;
    chosen.n_files = (0..=files.len())
        .rev()
        .find(|&n_files| half(&Selection { n_files, ..Selection::default() }))
        .unwrap_or(0);
    if chosen.n_files == 0 && !files.is_empty() {
        let one = Selection { n_files: 1, ..Selection::default() };
        chosen.n_files = usize::from(fits(&one));
    }
    add_source(&mut chosen, files, room / SYMBOL_SHARE, &fits);
    for (idx, file) in files.iter().enumerate().take(chosen.n_files) {
        let n = unshown(file, chosen.lines.get(&idx)).len().min(MAX_SIGNATURES);
        let most = largest(n, |n| {
            let mut next = chosen.clone();
            next.signatures.insert(idx, n);
            fits(&next)
        });
        if most > 0 {
            chosen.signatures.insert(idx, most);
        }
    }
    // What is left goes to the symbols that the share cut short.
    add_source(&mut chosen, files, room, &fits);
    Some(chosen)
}

/// Adds the best symbol of each file, then the second of each, and so on; of none more than `share` tokens.
fn add_source(
    chosen: &mut Selection,
    files: &[File<'_>],
    share: usize,
    fits: &impl Fn(&Selection) -> bool,
) {
    let n_rounds = files.iter().map(|file| file.pieces.len()).max().unwrap_or(0);
    for round in 0..n_rounds {
        for (idx, file) in files.iter().enumerate().take(chosen.n_files) {
            if let Some(&piece) = file.pieces.get(round) {
                add_piece(chosen, idx, file, piece, share, fits);
            }
        }
    }
}

/// Adds a range of lines, or as many of its first lines as fit.
fn add_piece(
    chosen: &mut Selection,
    idx: usize,
    file: &File<'_>,
    (start, end): (usize, usize),
    mut share: usize,
    fits: &impl Fn(&Selection) -> bool,
) {
    let shown = chosen.lines.get(&idx).cloned().unwrap_or_default();
    let wanted: Vec<usize> = (start..=end.min(file.lines.len())).collect();
    if wanted.iter().all(|line| shown.contains(line)) {
        return;
    }
    let within_share = wanted
        .iter()
        .take_while(|&&line| {
            let cost = if file.lines[line - 1].len() > MAX_LINE_BYTES {
                0
            } else {
                estimate(&numbered(line, &file.lines[line - 1]))
            };
            let fits = cost <= share;
            share = share.saturating_sub(cost);
            fits
        })
        .count();
    let with = |n_lines: usize| {
        let mut next = chosen.clone();
        next.lines.entry(idx).or_default().extend(&wanted[..n_lines]);
        next
    };
    let n_lines = largest(within_share, |n_lines| fits(&with(n_lines)));
    if n_lines == wanted.len() || n_lines >= MIN_LINES {
        *chosen = with(n_lines);
    }
}

/// The largest number up to `most` that is accepted, if smaller ones are whenever a larger one is.
fn largest(most: usize, accepted: impl Fn(usize) -> bool) -> usize {
    if most == 0 || accepted(most) {
        return most;
    }
    let (mut low, mut high) = (0, most);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if accepted(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Places of the symbols of a file whose first line is not shown, outermost two levels only.
fn unshown(file: &File<'_>, shown: Option<&BTreeSet<usize>>) -> Vec<usize> {
    let is_shown = |line: usize| shown.is_some_and(|shown| shown.contains(&line));
    (0..file.parsed.symbols.len())
        .filter(|&i| {
            let symbol = &file.parsed.symbols[i];
            symbol.container.matches('.').count() < 1 && !is_shown(symbol.lines.start as usize)
        })
        .collect()
}

fn render(loaded: &Loaded<'_>, budget: usize, selection: &Selection) -> String {
    let Loaded { files, retrieval, status, reader } = loaded;
    let mut text = String::new();
    let title = retrieval.task.lines().next().unwrap_or_default();
    let _ = writeln!(text, "# Context for: {}", cut(title, MAX_TITLE_BYTES));
    let _ = writeln!(
        text,
        "{}; {}. Root: {}",
        status.freshness(),
        stopped(retrieval.stop),
        cut(&status.root, MAX_TITLE_BYTES)
    );
    if files.is_empty() {
        let _ = writeln!(text, "No file reached the threshold among {}.", status.coverage());
        let _ = match reader {
            Reader::CommandLine => {
                writeln!(text, "Lower it with --threshold, or say more of the task.")
            }
            Reader::Agent => writeln!(
                text,
                "Say more of the task, add keywords that the code may use, or search for a name."
            ),
        };
    }
    let mut n_long = 0;
    for (idx, file) in files.iter().enumerate().take(selection.n_files) {
        let result = file.result;
        let _ = writeln!(
            text,
            "\n## {} ({}, {} {})",
            result.path,
            count(u64::from(result.n_lines), "line"),
            relevance(result.relevance),
            band_name(result.band)
        );
        let _ = writeln!(text, "{}", result.reason);
        if let Some(note) = &file.note {
            let _ = writeln!(text, "{note}");
        }
        if !result.missing_context.is_empty() {
            let _ = writeln!(text, "needs {}", result.missing_context.join(", "));
        }
        let shown = selection.lines.get(&idx);
        n_long += source(&mut text, file, shown);
        let unshown = unshown(file, shown);
        for &i in unshown.iter().take(selection.signatures.get(&idx).copied().unwrap_or(0)) {
            let symbol = &file.parsed.symbols[i];
            let lines = range(symbol.lines.start, symbol.lines.end);
            let indent = if symbol.container.is_empty() { "" } else { "  " };
            let _ = writeln!(text, "{indent}[{lines}] {}", cut(&symbol.signature, MAX_TITLE_BYTES));
        }
    }
    left_out(&mut text, loaded, budget, selection, n_long);
    text
}

/// The chosen lines with their numbers, with a mark where some are missing between; gives the number of lines
/// that are too long to show.
fn source(text: &mut String, file: &File<'_>, shown: Option<&BTreeSet<usize>>) -> usize {
    let mut n_long = 0;
    let mut last: Option<usize> = None;
    for &line in shown.into_iter().flatten() {
        match last {
            // A blank line between two pieces costs no more than the mark.
            Some(last) if last + 2 == line && file.lines[last].trim().is_empty() => text.push('\n'),
            Some(last) if last + 1 < line => text.push_str("...\n"),
            _ => {}
        }
        last = Some(line);
        let content = &file.lines[line - 1];
        if content.len() > MAX_LINE_BYTES {
            n_long += 1;
            let _ = writeln!(text, "{line}\t... a line of {} bytes", grouped(content.len() as u64));
        } else {
            text.push_str(&numbered(line, content));
        }
    }
    n_long
}

fn numbered(line: usize, content: &str) -> String {
    format!("{line}\t{content}\n")
}

/// What the pack does not hold, and how to get it.
fn left_out(
    text: &mut String,
    loaded: &Loaded<'_>,
    budget: usize,
    selection: &Selection,
    n_long: usize,
) {
    let Loaded { files, retrieval, reader, .. } = loaded;
    let mut facts = Vec::new();
    let dropped = &files[selection.n_files..];
    if !dropped.is_empty() {
        let names: Vec<&str> =
            dropped.iter().take(MAX_NAMED).map(|file| file.result.path.as_str()).collect();
        let more = if dropped.len() > MAX_NAMED { ", ..." } else { "" };
        facts.push(format!(
            "{} ({}{more})",
            count(dropped.len() as u64, "file"),
            cut(&names.join(", "), MAX_TITLE_BYTES)
        ));
    }
    if retrieval.n_cut > 0 {
        let limit = match reader {
            Reader::CommandLine => "--limit",
            Reader::Agent => "the limit",
        };
        facts.push(format!("{} beyond {limit}", count(retrieval.n_cut as u64, "file")));
    }
    let n_bare = (0..selection.n_files)
        .filter(|idx| !files[*idx].pieces.is_empty() && !selection.lines.contains_key(idx))
        .count();
    if n_bare > 0 {
        facts.push(format!("the source of {}", count(n_bare as u64, "file")));
    }
    let n_shortened: usize = (0..selection.n_files)
        .map(|idx| {
            let shown =
                |line: &usize| selection.lines.get(&idx).is_some_and(|lines| lines.contains(line));
            let is_shortened = |&&(start, end): &&(usize, usize)| shown(&start) && !shown(&end);
            files[idx].pieces.iter().filter(is_shortened).count()
        })
        .sum();
    if n_shortened > 0 {
        facts.push(format!("the rest of {}", count(n_shortened as u64, "long symbol")));
    }
    let n_unnamed: usize = (0..selection.n_files)
        .map(|idx| {
            let named = selection.signatures.get(&idx).copied().unwrap_or(0);
            unshown(&files[idx], selection.lines.get(&idx)).len().saturating_sub(named)
        })
        .sum();
    if n_unnamed > 0 {
        facts.push(count(n_unnamed as u64, "further symbol"));
    }
    if n_long > 0 {
        facts.push(format!("{} over {MAX_LINE_BYTES} bytes", count(n_long as u64, "line")));
    }
    if !facts.is_empty() {
        let _ = writeln!(text, "\nLeft out: {}.", facts.join("; "));
        let by_budget = !dropped.is_empty() || n_bare > 0 || n_shortened > 0;
        let _ = match (reader, by_budget) {
            (Reader::CommandLine, true) => {
                writeln!(text, "Read the files, or ask again with a --budget above {budget}.")
            }
            (Reader::CommandLine, false) => writeln!(text, "Read the files for the rest."),
            (Reader::Agent, true) => writeln!(
                text,
                "Read the rest with read_symbols, or ask again with a budget above {budget}."
            ),
            (Reader::Agent, false) => writeln!(text, "Read the rest with read_symbols."),
        };
    }
    if !retrieval.gaps.is_empty() {
        let names: Vec<&str> =
            retrieval.gaps.iter().take(MAX_NAMED).map(|gap| gap.name.as_str()).collect();
        let _ = writeln!(text, "Still missing: {}.", cut(&names.join(", "), MAX_TITLE_BYTES));
    }
}
