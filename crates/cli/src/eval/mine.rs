//! `reseek eval mine`: topics from a repository's own history, ready to be measured.
//!
//! What comes out is a folder with the topics, the manifest from which the same topics can be mined again, the tree of
//! the snapshot with the history up to it and nothing later, and a suite over them.

use std::fmt::Write as _;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use reseek_eval::mine::{self, History, Manifest, Mined, Options};
use reseek_eval::topic::{self, TopicFormat};
use reseek_symbols::{Language, extract};
use serde::Serialize;

use super::args::MineArgs;
use super::{read, write};
use crate::args::Format;
use crate::errors::Problem;
use crate::output::{Answer, count};

/// Systems of the suite that is written beside the topics.
const SYSTEMS: &str = include_str!("systems.toml");

/// The JSON of the command.
#[derive(Serialize)]
struct Document<'a> {
    repo: &'a str,
    snapshot: &'a str,
    n_topics: usize,
    skipped: Vec<(String, usize)>,
    suite: String,
}

/// Mines topics and writes the folder.
pub(crate) fn run(format: Format, args: &MineArgs) -> anyhow::Result<Answer> {
    let mined = match &args.manifest {
        Some(path) => {
            let manifest = Manifest::parse(&read(path)?, path)?;
            let topics = mine::mine_again(&args.repo, &manifest, &mut symbols_of)?;
            Mined { topics, manifest, skipped: std::collections::BTreeMap::new() }
        }
        None => mine::mine(&args.repo, &options(args)?, &mut symbols_of)?,
    };
    let Mined { topics, manifest, skipped } = &mined;
    if topics.is_empty() {
        let skipped: Vec<String> =
            skipped.iter().map(|(skip, n)| format!("{n} {skip:?}")).collect();
        return Err(Problem::Usage {
            message: format!("no commit after {} makes a topic ({})", manifest.snapshot, skipped.join(", ")),
            advice: "choose an earlier `--snapshot`, or `--full-history` where branches are merged as they are".to_owned(),
        }
        .into());
    }
    let tree = args.out.join("snapshot");
    if tree.exists() {
        mine::check_snapshot(&tree, &manifest.snapshot)?;
    } else {
        mine::export(&args.repo, &manifest.snapshot, &tree)?;
    }
    write(&args.out.join("topics.jsonl"), &topic::to_text(topics, TopicFormat::Jsonl)?)?;
    write(&args.out.join("manifest.json"), &manifest.to_text())?;
    let suite = args.out.join("suite.toml");
    write(&suite, &suite_text(manifest))?;
    if format == Format::Json {
        let document = Document {
            repo: &manifest.repo,
            snapshot: &manifest.snapshot,
            n_topics: topics.len(),
            skipped: skipped.iter().map(|(skip, n)| (format!("{skip:?}"), *n)).collect(),
            suite: suite.display().to_string(),
        };
        return Answer::json(&document, true);
    }
    let mut text = format!(
        "{} after {}\n",
        count(topics.len() as u64, "topic"),
        &manifest.snapshot[..10.min(manifest.snapshot.len())]
    );
    for (skip, n) in skipped {
        let _ = writeln!(text, "  skipped {n:5}  {skip:?}");
    }
    let _ = writeln!(
        text,
        "next: reseek eval run {} --out {}/out",
        suite.display(),
        args.out.display()
    );
    Ok(Answer::text(text))
}

fn options(args: &MineArgs) -> anyhow::Result<Options> {
    let name = args.name.clone().map_or_else(|| folder_name(&args.repo), Ok)?;
    let mut options = Options::new(&name, &args.snapshot, &args.until);
    if args.full_history {
        options.history = History::Full;
    }
    options.max_topics = args.max_topics;
    Ok(options)
}

/// The name of a repository's folder, in letters that names of a suite may have.
fn folder_name(repo: &Path) -> anyhow::Result<String> {
    let path = fs::canonicalize(repo).map_err(|error| Problem::Unreadable {
        path: repo.to_path_buf(),
        why: error.to_string(),
    })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    Ok(name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect())
}

/// The symbols of a source file with their lines; none for a language that is not parsed.
fn symbols_of(path: &str, source: &[u8]) -> Vec<(String, RangeInclusive<u32>)> {
    let Some(language) = Language::of_path(path) else { return Vec::new() };
    let parsed = extract(source, language);
    let named = parsed.symbols.into_iter().map(|symbol| {
        let name = if symbol.container.is_empty() {
            symbol.name
        } else {
            format!("{}.{}", symbol.container, symbol.name)
        };
        (name, symbol.lines.start..=symbol.lines.end)
    });
    named.collect()
}

fn suite_text(manifest: &Manifest) -> String {
    format!(
        "# Topics mined from the history of {repo}; `reseek eval mine --manifest manifest.json` mines them again.\n\
         name = \"{repo}\"\ntopics = \"topics.jsonl\"\n\
         measures = [\"nDCG@10\", \"R@10\", \"R@20\", \"RR\", \"Success@3\", \"R@4k tokens\", \"R@8k tokens\", \"R@16k tokens\"]\n\n\
         [[corpora]]\nname = \"{repo}\"\npath = \"snapshot\"\nrevision = \"{snapshot}\"\n\n{SYSTEMS}",
        repo = manifest.repo,
        snapshot = manifest.snapshot,
    )
}
