//! The command line of `reseek eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Options of `eval`.
#[derive(Args, Debug)]
pub(crate) struct EvalArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
}

/// The commands below `eval`.
#[derive(Subcommand, Debug)]
pub(crate) enum EvalCommand {
    /// Measures the systems of a suite: runs, per-topic figures, means with intervals, cost.
    Run(RunArgs),
    /// Mines topics from a git history, with a snapshot that shows nothing later, and a suite to run.
    Mine(MineArgs),
    /// Compares two runs: means, wins and losses, significance, and the topics that moved most.
    Compare(CompareArgs),
    /// Renders what `eval run` measured as one HTML page.
    Report(ReportArgs),
    /// Measures a suite and holds it against the committed figures and the floors.
    Gate(GateArgs),
    /// Writes the features of every judged file, to train the ranker on.
    Features(FeaturesArgs),
    /// Tunes weights by coordinate ascent, cross-validated over the corpora.
    Tune(TuneArgs),
}

/// Which suite, and which part of it.
#[derive(Args, Debug, Clone)]
pub(crate) struct SuiteArgs {
    /// The suite, a TOML file.
    pub(crate) suite: PathBuf,
    /// Folder that the corpora's paths are relative to [default: that of the suite].
    #[arg(long, value_name = "DIR")]
    pub(crate) corpora: Option<PathBuf>,
    /// Topics instead of those of the suite; may be given again, and each file is a group of the summary.
    #[arg(long, value_name = "FILE")]
    pub(crate) topics: Vec<PathBuf>,
    /// Which text of a topic is the task.
    #[arg(long, value_name = "TEXT", default_value = "query")]
    pub(crate) task: TaskText,
    /// Only this corpus; may be given again.
    #[arg(long, value_name = "NAME")]
    pub(crate) corpus: Vec<String>,
}

/// The text of a topic that a system gets.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskText {
    /// The task in a line.
    Query,
    /// The line and the longer text below it, if there is one.
    #[value(name = "query+body")]
    QueryBody,
}

/// Options of `eval run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Which suite.
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// Only this system; may be given again.
    #[arg(long, value_name = "NAME")]
    pub(crate) system: Vec<String>,
    /// Folder for what is measured; also for the indexes, unless `--index-dir` names another.
    #[arg(long, value_name = "DIR", default_value = "eval-out")]
    pub(crate) out: PathBuf,
}

/// Options of `eval mine`.
#[derive(Args, Debug)]
pub(crate) struct MineArgs {
    /// The repository.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) repo: PathBuf,
    /// Name of the repository in the topics [default: that of its folder].
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Revision to index; later commits become topics.
    #[arg(long, value_name = "REVISION", default_value = "HEAD~200")]
    pub(crate) snapshot: String,
    /// Revision that the history ends with.
    #[arg(long, value_name = "REVISION", default_value = "HEAD")]
    pub(crate) until: String,
    /// Looks into merged branches too, not at the main line only.
    #[arg(long)]
    pub(crate) full_history: bool,
    /// Most topics.
    #[arg(long, value_name = "N")]
    pub(crate) max_topics: Option<usize>,
    /// Mines the topics of this manifest again instead of looking for some.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["snapshot", "until", "full_history", "max_topics", "name"])]
    pub(crate) manifest: Option<PathBuf>,
    /// Folder for topics, manifest, suite and snapshot.
    #[arg(long, value_name = "DIR", default_value = "eval-mined")]
    pub(crate) out: PathBuf,
}

/// Options of `eval compare`.
#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// The baseline: a run file, or a folder that `eval run` wrote.
    pub(crate) baseline: PathBuf,
    /// The run: a run file, or a folder that `eval run` wrote.
    pub(crate) run: PathBuf,
    /// The system to take from a folder.
    #[arg(long, value_name = "NAME")]
    pub(crate) system: Option<String>,
    /// The system to take from the baseline's folder, if it is another.
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline_system: Option<String>,
    /// Judgments, or topics that carry some [default: those beside the run].
    #[arg(long, value_name = "FILE")]
    pub(crate) qrels: Option<PathBuf>,
    /// A measure; may be given again. Without any: `nDCG@10`, `R@10`, `R@20`, `RR` and `Success@3`.
    #[arg(long, value_name = "NAME")]
    pub(crate) measure: Vec<String>,
    /// Compares means over all topics rather than over repositories.
    #[arg(long)]
    pub(crate) micro: bool,
    /// How many of the topics that moved most are shown with both rankings.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) moved: usize,
    /// Seed of the significance test and the intervals.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Options of `eval report`.
#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// The folder that `eval run` wrote.
    pub(crate) folder: PathBuf,
    /// The page [default: `report.html` in the folder].
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Options of `eval gate`.
#[derive(Args, Debug)]
pub(crate) struct GateArgs {
    /// Which suite.
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// The committed figures [default: `per-topic.csv` beside the suite].
    #[arg(long, value_name = "FILE")]
    pub(crate) committed: Option<PathBuf>,
    /// Writes the fresh figures over the committed ones; the floors must hold all the same.
    #[arg(long)]
    pub(crate) update: bool,
    /// Folder for what is measured.
    #[arg(long, value_name = "DIR", default_value = "eval-out")]
    pub(crate) out: PathBuf,
}

/// Options of `eval features`.
#[derive(Args, Debug)]
pub(crate) struct FeaturesArgs {
    /// Which suite.
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// The table.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Most cycles.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) max_cycles: u32,
}

/// Options of `eval tune`.
#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    /// Which suite.
    #[command(flatten)]
    pub(crate) suite: SuiteArgs,
    /// Which weights.
    #[arg(long, value_name = "TABLE", default_value = "fields")]
    pub(crate) table: Table,
    /// Only the weights whose names start so; may be given again.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) weight: Vec<String>,
    /// Most topics of each corpus, the first ones.
    #[arg(long, value_name = "N")]
    pub(crate) max_topics: Option<usize>,
    /// Steps that a weight is moved by, coarse to fine.
    #[arg(long, value_name = "X", value_delimiter = ',', default_values_t = [0.5, 0.2])]
    pub(crate) steps: Vec<f64>,
    /// Seed of the order of weights.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// File for the tuned table [default: it is only printed].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Tables of weights that can be tuned.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// Weights and length normalisation of the fields, by the order that they give before any judgement.
    Fields,
    /// Weights of what the lexicon says, by the answer of the loop.
    Lexicon,
}
