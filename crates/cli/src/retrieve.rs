//! `reseek retrieve`: the loop, rendered for people, programs, editors and agents.

use std::fmt::Write as _;
use std::io::Read as _;

use reseek_mcp::context::{self, Reader, Source};
use reseek_mcp::status::Status;
use reseek_mcp::text::{band_name, lines, qualified, relevance, stopped};
use reseek_query::report::{Band, Cycle, FileResult, Gap, GapKind, Origin, Retrieval};
use reseek_query::{Lexicon, Task, retrieve};
use serde::Serialize;

use crate::args::{Expansion, Format, Global, RetrieveArgs};
use crate::errors::Problem;
use crate::freshness::Session;
use crate::output::{Answer, BAD, DIM, FAIR, GOOD, Output, PATH, count};

/// Symbols shown for a file to people.
const MAX_SYMBOLS: usize = 8;
/// Judgements shown for a cycle to people.
const MAX_JUDGEMENTS: usize = 10;
/// Files below the threshold that are named when none reaches it.
const MAX_NEAR: usize = 5;

/// The JSON of `retrieve`; `schemas/retrieve.json` describes it.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    retrieval: &'a Retrieval,
    status: &'a Status,
}

/// Answers a task.
pub(crate) fn run(global: &Global, output: &Output, args: &RetrieveArgs) -> anyhow::Result<Answer> {
    let formats = [Format::Text, Format::Json, Format::Paths, Format::Vimgrep, Format::Context];
    let format = output.one_of("retrieve", &formats)?;
    let task = task(args)?;
    let session = Session::open(global, output)?;
    let retrieval = retrieve(&session.snapshot, &task, &lexicon(&session))?;
    let found = !retrieval.results.is_empty();
    let text = match format {
        Format::Json => {
            let document = Document { retrieval: &retrieval, status: &session.status };
            return Answer::json(&document, found);
        }
        Format::Paths => {
            retrieval.results.iter().fold(String::new(), |text, file| text + &file.path + "\n")
        }
        Format::Vimgrep => vimgrep(&retrieval),
        Format::Context => context_pack(&session, &retrieval, args.budget)?,
        Format::Text => for_people(&retrieval, &session.status, args.trace),
    };
    if !found && format != Format::Text && format != Format::Context {
        output.note(&nothing_found(&retrieval, &session.status));
    }
    Ok(Answer { text, found })
}

/// The source text for an agent.
fn context_pack(session: &Session, retrieval: &Retrieval, budget: usize) -> anyhow::Result<String> {
    let source = Source {
        root: &session.place.root,
        options: &session.place.walk_options(),
        snapshot: &session.snapshot,
        status: &session.status,
        reader: Reader::CommandLine,
    };
    Ok(context::pack(&source, retrieval, budget)?.text)
}

/// The task as the command line says it.
fn task(args: &RetrieveArgs) -> anyhow::Result<Task> {
    let mut text = args.task.join(" ");
    if text == "-" {
        text.clear();
        std::io::stdin().read_to_string(&mut text).map_err(|error| Problem::Unreadable {
            path: "standard input".into(),
            why: error.to_string(),
        })?;
    }
    if text.trim().is_empty() && args.keyword.is_empty() {
        return Err(Problem::Usage {
            message: "the task is empty".to_owned(),
            advice: "say in plain words what is to be done".to_owned(),
        }
        .into());
    }
    let mut task = Task::new(text.trim());
    task.patterns.clone_from(&args.pattern);
    task.keywords.clone_from(&args.keyword);
    task.excludes.clone_from(&args.exclude);
    task.focus_areas.clone_from(&args.focus);
    task.max_cycles = args.max_cycles;
    task.threshold = args.threshold;
    task.limit = args.limit;
    task.without = args.without.iter().copied().map(origin).collect();
    Ok(task)
}

fn origin(expansion: Expansion) -> Origin {
    match expansion {
        Expansion::Stem => Origin::Stem,
        Expansion::Abbreviation => Origin::Abbreviation,
        Expansion::Lexicon => Origin::Lexicon,
        Expansion::Comment => Origin::Comment,
        Expansion::History => Origin::History,
        Expansion::Feedback => Origin::Feedback,
    }
}

/// The lexicon that the configuration asks for.
pub(crate) fn lexicon(session: &Session) -> Lexicon {
    let lexicon = &session.place.config.lexicon;
    if !lexicon.enabled {
        return Lexicon::default();
    }
    let entries = lexicon.entries.iter().map(|(phrase, terms)| (phrase.as_str(), terms.as_slice()));
    Lexicon::with_entries(true, entries)
}

fn for_people(retrieval: &Retrieval, status: &Status, trace: bool) -> String {
    let mut text = String::new();
    if trace {
        for cycle in &retrieval.cycles {
            trace_cycle(&mut text, cycle);
        }
    }
    for file in &retrieval.results {
        block(&mut text, file);
    }
    if retrieval.results.is_empty() {
        let _ = writeln!(text, "{}", nothing_found(retrieval, status));
    }
    if retrieval.n_cut > 0 {
        let n = retrieval.n_cut as u64;
        let _ = writeln!(text, "{DIM}{} more; raise --limit to see them{DIM:#}", count(n, "file"));
    }
    still_missing(&mut text, &retrieval.gaps);
    let _ = writeln!(
        text,
        "{DIM}{}; {} judged in {}; {}{DIM:#}",
        stopped(retrieval.stop),
        count(retrieval.n_judged as u64, "file"),
        count(retrieval.cycles.len() as u64, "cycle"),
        status.freshness(),
    );
    text
}

/// What no relevant file provides: the concepts of the task, and the names that relevant files use.
fn still_missing(text: &mut String, gaps: &[Gap]) {
    let of = |kind: GapKind| gaps.iter().filter(move |gap| gap.kind == kind);
    let concepts: Vec<String> = of(GapKind::Concept)
        .map(|gap| {
            let style = if gap.critical { BAD } else { FAIR };
            format!("{style}{}{style:#}", gap.name)
        })
        .collect();
    if !concepts.is_empty() {
        let _ = writeln!(text, "not covered: {}", concepts.join(", "));
    }
    let names: Vec<&str> = of(GapKind::Definition).map(|gap| gap.name.as_str()).collect();
    if !names.is_empty() {
        let _ = writeln!(text, "used above, defined elsewhere: {}", names.join(", "));
    }
}

/// One file: how relevant, why, and which symbols.
fn block(text: &mut String, file: &FileResult) {
    let style = band_style(file.band);
    let _ = writeln!(
        text,
        "{style}{} {:<6}{style:#} {PATH}{}{PATH:#}",
        relevance(file.relevance),
        band_name(file.band),
        file.path
    );
    let _ = writeln!(text, "    {DIM}{}{DIM:#}", file.reason);
    for symbol in file.symbols.iter().take(MAX_SYMBOLS) {
        let _ = writeln!(text, "    {:>11}  {} {}", lines(symbol), symbol.kind, qualified(symbol));
    }
    if file.symbols.len() > MAX_SYMBOLS {
        let n = (file.symbols.len() - MAX_SYMBOLS) as u64;
        let _ = writeln!(text, "    {DIM}and {}{DIM:#}", count(n, "further symbol"));
    }
    if !file.missing_context.is_empty() {
        let _ = writeln!(text, "    {FAIR}needs{FAIR:#} {}", file.missing_context.join(", "));
    }
    text.push('\n');
}

fn trace_cycle(text: &mut String, cycle: &Cycle) {
    let _ =
        writeln!(text, "cycle {}: {}", cycle.cycle, count(cycle.candidates as u64, "candidate"));
    for keyword in &cycle.query.keywords {
        let _ = write!(text, "  {:.2} {} ({}", keyword.weight, keyword.term, keyword.origin.name());
        if let Some(phrase) = &keyword.stands_for {
            let _ = write!(text, " for `{phrase}`");
        }
        text.push_str(")\n");
    }
    for (name, list) in [
        ("patterns", &cycle.query.patterns),
        ("excludes", &cycle.query.excludes),
        ("focus", &cycle.query.focus_areas),
    ] {
        if !list.is_empty() {
            let shown = &list[..list.len().min(MAX_JUDGEMENTS)];
            let more = list.len() - shown.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = writeln!(text, "  {name}: {}{more}", shown.join(", "));
        }
    }
    for judged in cycle.evaluation.iter().take(MAX_JUDGEMENTS) {
        let style = band_style(judged.band);
        let _ = writeln!(
            text,
            "  {style}{}{style:#} {PATH}{}{PATH:#} {DIM}{}{DIM:#}",
            relevance(judged.relevance),
            judged.path,
            judged.reason
        );
    }
    if let Some(stop) = cycle.stop {
        let _ = writeln!(text, "  {}", stopped(stop));
    }
    text.push('\n');
}

/// What was searched, what came nearest, and what may help.
fn nothing_found(retrieval: &Retrieval, status: &Status) -> String {
    let mut text = format!("nothing found in {}", status.coverage());
    let near: Vec<String> = retrieval
        .cycles
        .last()
        .into_iter()
        .flat_map(|cycle| &cycle.evaluation)
        .take(MAX_NEAR)
        .map(|judged| format!("{} {}", relevance(judged.relevance), judged.path))
        .collect();
    if near.is_empty() {
        text.push_str(
            "\nhint: no word of the task occurs; try words of the code, or `reseek status`",
        );
    } else {
        let _ = write!(
            text,
            "\nbelow the threshold: {}\nhint: lower it with `--threshold 0.5`, or say more of the task",
            near.join(", ")
        );
    }
    text
}

fn vimgrep(retrieval: &Retrieval) -> String {
    let mut text = String::new();
    for file in &retrieval.results {
        if file.symbols.is_empty() {
            let _ =
                writeln!(text, "{}:1:1:{} {}", file.path, relevance(file.relevance), file.reason);
        }
        for symbol in &file.symbols {
            let (line, kind) = (symbol.start_line, symbol.kind);
            let _ = writeln!(text, "{}:{line}:1:{kind} {}", file.path, qualified(symbol));
        }
    }
    text
}

fn band_style(band: Band) -> anstyle::Style {
    match band {
        Band::High => GOOD,
        Band::Medium => FAIR,
        Band::Low | Band::None => DIM,
    }
}
