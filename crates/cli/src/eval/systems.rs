//! The systems of a suite: each takes a task and answers with a ranking.
//!
//! All rank over the whole corpus without a threshold, to the depth of the suite. Only the answer is timed; what it costs
//! an agent to read is worked out afterwards.

use std::process::Command;
use std::time::Instant;

use reseek_eval::Hit;
use reseek_eval::suite::{System, SystemKind, fill_command, parse_paths};
use reseek_query::report::{EXPANSIONS, FileResult, Origin, Retrieval};
use reseek_query::retrieve::inspect;
use reseek_query::weights::Weights;
use reseek_query::{Task, features, retrieve};

use super::corpus::OpenCorpus;
use crate::errors::Problem;
use crate::freshness::slashed;

/// Best files of a ranking that count as handed over, for cost.
pub(crate) const N_READ: usize = 10;

/// A system that can be asked.
pub(crate) enum Asked {
    /// BM25 over whole files.
    Bm25,
    /// The first cycle of the loop, in the order of the hand-set mix.
    Fields,
    /// The loop.
    Loop {
        /// Most cycles.
        max_cycles: u32,
        /// Origins that are switched off.
        off: Vec<Origin>,
    },
    /// Another program.
    External {
        /// Program and arguments.
        command: Vec<String>,
    },
}

/// A ranking and how long it took.
pub(crate) struct Ranking {
    /// The files, best first, with the tokens that it takes to hand them over.
    pub(crate) hits: Vec<Hit>,
    /// Milliseconds.
    pub(crate) ms: f64,
    /// How many of the paths are no files of the corpus. They stay in the ranking and count as wrong.
    pub(crate) n_unknown: u64,
}

impl Asked {
    /// The system that a suite describes. `folder` is that of the suite, for `{suite}` in commands.
    pub(crate) fn new(system: &System, folder: &str) -> anyhow::Result<Self> {
        Ok(match &system.kind {
            SystemKind::Bm25 => Self::Bm25,
            SystemKind::Fields => Self::Fields,
            SystemKind::Loop { max_cycles, off } => {
                let origins = off.iter().map(|name| origin(&system.name, name));
                Self::Loop { max_cycles: *max_cycles, off: origins.collect::<Result<_, _>>()? }
            }
            SystemKind::External { command } => Self::External {
                command: command.iter().map(|part| part.replace("{suite}", folder)).collect(),
            },
            other => {
                return Err(Problem::Usage {
                    message: format!("systems.{}: {other:?} is not known here", system.name),
                    advice: "choose of: bm25, fields, loop, external".to_owned(),
                }
                .into());
            }
        })
    }

    /// What it is, in a line.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Bm25 => "BM25 over whole source files, one bag of words each; reads files whole".to_owned(),
            Self::Fields => "one search over weighted fields of symbols and files with history and priors, in the order \
                             of the hand-set mix; reads the best symbols"
                .to_owned(),
            Self::Loop { max_cycles, off } => {
                let names: Vec<&str> = off.iter().map(|origin| origin.name()).collect();
                let off = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                format!("the loop, at most {max_cycles} cycles, origins off: {off}; reads the best symbols")
            }
            Self::External { command } => {
                let program = command.iter().map(|part| part.rsplit('/').next().unwrap_or(part));
                let program: Vec<&str> = program.collect();
                format!("external: {}; reads files whole", program.join(" "))
            }
        }
    }

    /// Asks for the `depth` best files.
    pub(crate) fn ask(
        &self,
        corpus: &OpenCorpus,
        task: &str,
        depth: usize,
    ) -> anyhow::Result<Ranking> {
        let snapshot = &corpus.session.snapshot;
        let started = Instant::now();
        let ms = || started.elapsed().as_secs_f64() * 1e3;
        let whole = |path: &str, score: f64| Hit {
            doc: corpus.outer(path),
            score,
            tokens: Some(corpus.whole_cost(path)),
        };
        Ok(match self {
            Self::Bm25 => {
                let ranked = corpus.bm25.rank(snapshot, task, depth)?;
                let ms = ms();
                let hits = ranked.iter().map(|(path, score)| whole(path, f64::from(*score)));
                Ranking { hits: hits.collect(), ms, n_unknown: 0 }
            }
            Self::Fields => {
                let task = everything(task, 1, depth);
                let (retrieval, all) =
                    inspect(snapshot, &task, &corpus.lexicon, &Weights::default())?;
                let mixed = in_order_of_mix(&retrieval, &all);
                let ms = ms();
                let hits =
                    mixed.into_iter().take(depth).map(|(file, rank, _)| packed(corpus, file, rank));
                Ranking { hits: hits.collect(), ms, n_unknown: 0 }
            }
            Self::Loop { max_cycles, off } => {
                let mut task = Task::new(task).max_cycles(*max_cycles).threshold(0.0).limit(depth);
                task.without.clone_from(off);
                let retrieval = retrieve(snapshot, &task, &corpus.lexicon)?;
                let ms = ms();
                let files = retrieval.results.iter();
                let hits = files.map(|file| packed(corpus, file, file.relevance));
                Ranking { hits: hits.collect(), ms, n_unknown: 0 }
            }
            Self::External { command } => {
                let root = slashed(corpus.root());
                let stdout = call(corpus, &fill_command(command, task, &root, depth))?;
                let ms = ms();
                let root = format!("{root}/");
                let (mut hits, mut n_unknown) = (Vec::new(), 0);
                for hit in parse_paths(&stdout).into_iter().take(depth) {
                    let path = hit.doc.strip_prefix(&root).unwrap_or(&hit.doc);
                    n_unknown += u64::from(!corpus.root().join(path).is_file());
                    hits.push(whole(path, hit.score));
                }
                Ranking { hits, ms, n_unknown }
            }
        })
    }
}

/// A task that is answered with every file that is judged; `depth` holds the number of candidates up.
pub(crate) fn everything(text: &str, max_cycles: u32, depth: usize) -> Task {
    let mut task = Task::new(text).max_cycles(max_cycles).threshold(0.0).limit(usize::MAX);
    task.candidates = task.candidates.max(depth);
    task
}

/// All judged files with their reciprocal rank and features, in the order of the mix that chose them, before the ranker
/// saw them. Two files of different cycles can share a rank; then the path decides.
pub(crate) fn in_order_of_mix<'a>(
    retrieval: &'a Retrieval,
    all: &'a [features::Features],
) -> Vec<(&'a FileResult, f32, &'a features::Features)> {
    let place = features::NAMES.iter().position(|name| *name == "reciprocal_rank").unwrap_or(0);
    let mut mixed: Vec<_> = retrieval
        .results
        .iter()
        .zip(all)
        .map(|(file, features)| (file, features[place], features))
        .collect();
    mixed.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.path.cmp(&b.0.path)));
    mixed
}

fn packed(corpus: &OpenCorpus, file: &FileResult, score: f32) -> Hit {
    // Through the text, so that a relevance of three decimals stays one.
    let score = score.to_string().parse().unwrap_or_else(|_| f64::from(score));
    Hit { doc: corpus.outer(&file.path), score, tokens: Some(corpus.pack_cost(file)) }
}

fn origin(system: &str, name: &str) -> anyhow::Result<Origin> {
    EXPANSIONS.into_iter().find(|origin| origin.name() == name).ok_or_else(|| {
        let known: Vec<&str> = EXPANSIONS.iter().map(|origin| origin.name()).collect();
        Problem::Usage {
            message: format!("systems.{system}: there is no origin `{name}`"),
            advice: format!("choose of: {}", known.join(", ")),
        }
        .into()
    })
}

/// Runs another program in the root of the corpus; exit code 1 means, as for grep, that it found nothing.
fn call(corpus: &OpenCorpus, command: &[String]) -> anyhow::Result<String> {
    let failed = |why: String| Problem::Usage {
        message: format!("the external program `{}` {why}", command[0]),
        advice: "run its command by hand in the corpus, and correct it in the suite".to_owned(),
    };
    let output = Command::new(&command[0])
        .args(&command[1..])
        .current_dir(corpus.root())
        .output()
        .map_err(|error| failed(format!("does not run: {error}")))?;
    if matches!(output.status.code(), Some(0 | 1)) {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let last = message.lines().last().unwrap_or_default();
    Err(failed(format!("ended with {}: {last}", output.status)).into())
}
