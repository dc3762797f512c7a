//! The command line, defined once: help, man page, completions and the option tables of the README come from here.
//!
//! Parsing only checks the form. Where the index lies, what it holds and whether a path exists is decided later.
//! What shapes the corpus (`--include` and its like) belongs to `index` alone and is remembered with the index,
//! so that a query never rebuilds it by leaving a flag out.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use reseek_indexer::config::{ByteSize, LanguageName};
use serde::{Deserialize, Serialize};

use crate::eval::args::EvalArgs;

/// What the help says below the options.
const AFTER_HELP: &str = "\
Exit codes: 0 found or done, 1 nothing found, 2 error, 3 no index that can be read (none, newer, foreign or \
damaged), 4 another process is writing the index, 130 interrupted.

A lasting configuration goes into reseek.toml at the root, lasting exclusions into .reseekignore.";

/// The language of queries, below the options of `search`.
const QUERY_HELP: &str = "\
Queries:
  rate limiter            words; the more of them match, the better
  \"too many requests\"     these words in a row, upper and lower case alike
  kind:class,interface    only symbols of these kinds
  lang:tsx                only files of this language
  path:packages/**/src    only below this folder, file or glob
  file:router             only files with this in their name
  name:Router             only symbols with this name, or with all its parts
  exported:yes            only what other modules can import
  test:no                 no tests; test:only for nothing else
  cache -legacy -path:v1  words, without what matches the others";

/// What `mcp` says below its options.
const MCP_HELP: &str = "\
Roots are those of `--root`, which may be given again; else those that the client names; else the one that a command in \
this folder would use, or the folder that a call names. Nothing outside of them is read, and of them only what is indexed.

`reseek setup` shows how to add the server to a client.";

/// Finds the files and symbols of a code base that a task needs.
///
/// The first query builds an index in `.reseek/` at the root; later ones bring it up to date. Paths in answers are
/// relative to the root. Nothing leaves the machine.
#[derive(Parser, Debug)]
#[command(name = "reseek", version, after_help = AFTER_HELP, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    /// What every command understands.
    #[command(flatten)]
    pub(crate) global: Global,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Folder to index and search [default: the nearest folder above with an index, else the top of the git work
    /// tree, else the working directory]. Only `mcp` takes more than one.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Folder that holds the index [default: `.reseek` at the root].
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "RESEEK_INDEX_DIR",
        hide_env_values = true
    )]
    pub(crate) index_dir: Option<PathBuf>,
    /// Accepts the whole disk or the home folder as the root.
    #[arg(long, global = true)]
    pub(crate) allow_large_root: bool,
    /// Prints one JSON document, also for errors; the same as `--format json`.
    #[arg(long, global = true, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Form of the answer [default: text].
    #[arg(long, global = true, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// When to colour; `auto` honours `NO_COLOR` and colours on a terminal only.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: clap::ColorChoice,
    /// Says nothing on standard error but errors.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Tells on standard error what happens; twice for more.
    #[arg(long, short, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,
    /// Threads to walk and parse with, at most 256; 0 for one per core.
    #[arg(long, global = true, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub(crate) threads: usize,
    /// Answers from the index as it is, without a look at the files.
    #[arg(long, global = true)]
    pub(crate) no_refresh: bool,
    /// Seconds to wait for another process that writes the index, or for a running `watch` to catch up [default: 2 for a
    /// query that can do with the index as it is, else 600].
    #[arg(long, alias = "wait-fresh", global = true, value_name = "SECONDS")]
    pub(crate) wait: Option<u64>,
    /// Leaves the lexicon of everyday phrases out of refinement.
    #[arg(long, global = true)]
    pub(crate) no_lexicon: bool,
}

impl Global {
    /// The form of the answer that was asked for.
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format.unwrap_or(Format::Text) }
    }
}

/// Forms of an answer. Not every command has every form.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON document.
    Json,
    /// `path:line:column:text`, for editors.
    Vimgrep,
    /// One path a line, best first.
    Paths,
    /// Source text for an agent, within a budget of tokens.
    Context,
}

impl Format {
    /// The name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Vimgrep => "vimgrep",
            Self::Paths => "paths",
            Self::Context => "context",
        }
    }
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Builds the index, or brings it up to date.
    Index(IndexArgs),
    /// Brings the index up to date.
    Refresh,
    /// Searches once: `kind:class lang:tsx path:packages/** name:Router "exact phrase" -legacy`.
    Search(SearchArgs),
    /// Finds what a task needs, in up to three cycles of search, evaluation and refinement.
    Retrieve(RetrieveArgs),
    /// Lists symbols by name, kind and place.
    Symbols(SymbolsArgs),
    /// Shows the symbols of one file as a tree, parsed anew.
    Outline(OutlineArgs),
    /// Shows what the index holds, what it left out and why, and whether it is behind.
    Status(StatusArgs),
    /// Measures retrieval quality, on public topics or on those of your own history.
    Eval(EvalArgs),
    /// Keeps the index fresh while files change, until it is interrupted.
    Watch(WatchArgs),
    /// Compares the index with the contents of all files, and with itself.
    Verify(VerifyArgs),
    /// Serves coding agents by the Model Context Protocol, over standard input and output.
    Mcp(McpArgs),
    /// Shows how to add the server to a client, or adds it.
    Setup(SetupArgs),
    /// Prints a completion script.
    Completions(CompletionsArgs),
    /// Prints a manual page.
    Man(ManArgs),
    /// Prints what is generated for the repository.
    #[command(hide = true)]
    Generate(GenerateArgs),
}

/// Options of `index`.
#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// Builds from scratch although an update would do.
    #[arg(long)]
    pub(crate) force: bool,
    /// What the corpus is made of.
    #[command(flatten)]
    pub(crate) corpus: CorpusArgs,
}

/// What shapes the corpus beside `reseek.toml`. Remembered with the index until the next `index`.
#[derive(Args, Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[command(next_help_heading = "Corpus options, remembered until the next `index`")]
pub(crate) struct CorpusArgs {
    /// Indexes only files that match this path or glob; may be given again.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) include: Vec<String>,
    /// Leaves files and folders out, or with a leading `!` brings them back; may be given again.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
    /// Indexes names that start with a dot.
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Indexes source files up to this size, such as `512KiB`.
    #[arg(long, value_name = "SIZE", value_parser = checked::<ByteSize>)]
    pub(crate) max_file_size: Option<String>,
    /// Indexes only these languages, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = checked::<LanguageName>)]
    pub(crate) languages: Option<Vec<String>>,
    /// Follows symbolic links out of the root.
    #[arg(long)]
    pub(crate) follow_links: bool,
    /// Indexes files whose names say that they hold secrets.
    #[arg(long)]
    pub(crate) secrets: bool,
    /// Reads so many commits of history; 0 for none.
    #[arg(long, value_name = "N")]
    pub(crate) history_depth: Option<usize>,
}

/// Checks a value by the type that will read it, and keeps the text, which can be stored.
fn checked<T: FromStr<Err = String>>(text: &str) -> Result<String, String> {
    T::from_str(text).map(|_| text.to_owned())
}

/// Options of `search`.
#[derive(Args, Debug)]
#[command(after_help = QUERY_HELP)]
pub(crate) struct SearchArgs {
    /// Words, names, "exact phrases", filters and, within quotes or after `--`, `-exclusions`.
    #[arg(required = true, value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Most symbols and files in the answer.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
}

/// Options of `retrieve`.
#[derive(Args, Debug)]
pub(crate) struct RetrieveArgs {
    /// What is to be done, in plain words; `-` reads it from standard input.
    #[arg(required = true, value_name = "TASK")]
    pub(crate) task: Vec<String>,
    /// Searches only files that match this path or glob; may be given again.
    #[arg(long, short, value_name = "PATTERN")]
    pub(crate) pattern: Vec<String>,
    /// Adds a word of your own to the first query; may be given again.
    #[arg(long, short, value_name = "WORD")]
    pub(crate) keyword: Vec<String>,
    /// Leaves files that match this path or glob out of the answer; may be given again.
    #[arg(long, short, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
    /// Names something that the answer must cover; may be given again.
    #[arg(long, value_name = "WORDS")]
    pub(crate) focus: Vec<String>,
    /// Shows every cycle: its query with the origin of each term, and its evaluation.
    #[arg(long)]
    pub(crate) trace: bool,
    /// Most cycles.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) max_cycles: u32,
    /// Relevance from which a file is in the answer, 0 to 1.
    #[arg(long, value_name = "X", default_value_t = 0.7, value_parser = unit)]
    pub(crate) threshold: f32,
    /// Most files in the answer.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Most tokens of `--format context`, estimated so that the true count is lower.
    #[arg(long, value_name = "TOKENS", default_value_t = reseek_mcp::context::DEFAULT_BUDGET, value_parser = budget)]
    pub(crate) budget: usize,
    /// Switches an origin of further search terms off; may be given again.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) without: Vec<Expansion>,
}

/// A relevance.
fn unit(text: &str) -> Result<f32, String> {
    let wrong = || format!("`{text}` is not a number from 0 to 1");
    let value: f32 = text.parse().map_err(|_| wrong())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err(wrong()) }
}

/// A number of tokens that holds at least the frame of a context pack.
fn budget(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(tokens) if tokens >= reseek_mcp::context::MIN_BUDGET => Ok(tokens),
        _ => Err(format!(
            "`{text}` is not a number of tokens from {}",
            reseek_mcp::context::MIN_BUDGET
        )),
    }
}

/// Origins of search terms that are not the task's own words.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expansion {
    /// Words of the code with the same stem.
    Stem,
    /// Short and long forms, such as `config` and `cfg`.
    Abbreviation,
    /// Everyday phrases and synonyms.
    Lexicon,
    /// Names of symbols whose doc comments use the task's words.
    Comment,
    /// Files changed by commits whose messages use the task's words.
    History,
    /// Identifiers of the best files so far.
    Feedback,
}

/// Options of `symbols`.
#[derive(Args, Debug)]
pub(crate) struct SymbolsArgs {
    /// Name or part of a name; all symbols if left out.
    pub(crate) name: Option<String>,
    /// Only symbols of this kind; may be given again.
    #[arg(long, short, value_name = "KIND", value_parser = kinds())]
    pub(crate) kind: Vec<String>,
    /// Only files that match this path or glob; may be given again.
    #[arg(long, short, value_name = "PATTERN")]
    pub(crate) path: Vec<String>,
    /// Only symbols that another module can import.
    #[arg(long)]
    pub(crate) exported: bool,
    /// Most symbols in the answer.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
}

/// The names of all kinds of symbols.
fn kinds() -> clap::builder::PossibleValuesParser {
    reseek_symbols::SymbolKind::ALL.map(reseek_symbols::SymbolKind::name).into()
}

/// Options of `outline`.
#[derive(Args, Debug)]
pub(crate) struct OutlineArgs {
    /// The file, relative to the working directory or to the root.
    pub(crate) file: PathBuf,
}

/// Options of `status`.
#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    /// Tells why this file or folder is in the index or not, and which rule decided.
    #[arg(long, value_name = "PATH")]
    pub(crate) explain: Option<PathBuf>,
}

/// Options of `watch`.
#[derive(Args, Debug)]
pub(crate) struct WatchArgs {
    /// Looks at the files every two seconds instead of asking the system for events, as network file systems need.
    #[arg(long)]
    pub(crate) poll: bool,
}

/// Options of `verify`.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// Mends what was found.
    #[arg(long)]
    pub(crate) repair: bool,
}

/// Options of `mcp`.
#[derive(Args, Debug)]
#[command(after_help = MCP_HELP)]
pub(crate) struct McpArgs {
    /// Serves over HTTP at `/mcp` of this loopback address, such as `127.0.0.1:7711`; port 0 lets the system choose.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<std::net::SocketAddr>,
    /// File that holds the token of `--http`; made with a new token if it is not there. Without it a new token is
    /// printed on standard error.
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
}

/// Options of `setup`.
#[derive(Args, Debug)]
pub(crate) struct SetupArgs {
    /// The client.
    pub(crate) client: Client,
    /// Merges the entry into the client's file, and keeps all that is there.
    #[arg(long)]
    pub(crate) write: bool,
}

/// Clients of the server.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// `.mcp.json` at the root.
    ClaudeCode,
    /// `claude_desktop_config.json` in the user's settings.
    ClaudeDesktop,
    /// `.cursor/mcp.json` at the root.
    Cursor,
    /// `.vscode/mcp.json` at the root.
    Vscode,
    /// `~/.codeium/windsurf/mcp_config.json`.
    Windsurf,
    /// `.zed/settings.json` at the root.
    Zed,
    /// `~/.codex/config.toml`.
    Codex,
}

/// Options of `completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

/// Options of `man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// The command to print the page of; the main page if left out.
    pub(crate) command: Option<String>,
}

/// Options of `generate`.
#[derive(Args, Debug)]
pub(crate) struct GenerateArgs {
    /// What to print.
    pub(crate) what: Generated,
}

/// What `generate` prints.
#[derive(ValueEnum, Debug, Clone, Copy)]
pub(crate) enum Generated {
    /// The option tables of the README.
    Markdown,
    /// The tools of the server with their schemas.
    Tools,
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if n <= 256 => Ok(n),
        _ => Err("a whole number from 0 to 256 is wanted".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_has_no_contradictions() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_relevance_outside_of_its_range_is_refused() {
        assert_eq!(unit("0.5"), Ok(0.5));
        for wrong in ["1.1", "-0.1", "NaN", "much"] {
            assert!(unit(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_size_is_checked_when_the_line_is_parsed() {
        let parse = |size| Cli::try_parse_from(["reseek", "index", "--max-file-size", size]);
        assert!(parse("2MiB").is_ok());
        assert!(parse("big").is_err());
    }
}
