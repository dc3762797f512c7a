//! Topics mined from a git history: a commit's subject is the task, the files it changed answer it.
//!
//! People have labelled their repository for years: each commit says in words what was to be done
//! and shows where. Commits *after* a snapshot become topics, and the index is built *at* the
//! snapshot, so that nothing of the answer can be looked up (see [`export`]).
//!
//! The labels are cheap and incomplete: a file that would have helped and was not changed counts as
//! wrong. Figures over such topics compare systems; they do not say how good one is.
//!
//! What is kept, in the order of the checks (the names are those of [`Skip`]):
//!
//! 1. the commit is no merge, is not by a bot, and its message is UTF-8;
//! 2. its subject describes a task ([`subject`] lists the rules);
//! 3. it modifies 1 to [`MAX_FILES`] source files that exist at the snapshot ([`is_source`]), and
//!    these are at least half of the source files that it adds, deletes or modifies;
//! 4. no earlier topic has the same query;
//! 5. at least one of the files is changed in more than comments and imports; the others are `minor`.
//!
//! Invariants: the same repository, options and [`FILTER_VERSION`] give the same bytes, whatever the
//! user's git configuration says; every commit looked at is either a topic or counted as skipped.

mod diff;
mod export;
mod git;
pub mod subject;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    path::Path,
};

use serde::{Deserialize, Serialize};

pub use self::export::{check_snapshot, export};
use self::git::Git;
use crate::{
    error::{Error, Result},
    topic::{Topic, TopicId},
};

/// Version of all rules of this module; a manifest of another version cannot be mined again.
///
/// 1: first version.
pub const FILTER_VERSION: u32 = 1;

/// Most source files that a commit may modify: beyond that the subject says too little.
pub const MAX_FILES: usize = 6;

/// Longest body kept, in characters.
const MAX_BODY_CHARS: usize = 2000;

/// Extensions of source files, unless the options say otherwise.
pub const EXTENSIONS: [&str; 8] = ["ts", "tsx", "js", "jsx", "mts", "cts", "mjs", "cjs"];

/// Which commits between snapshot and end are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum History {
    /// The main line only: right where pull requests are squashed.
    #[default]
    FirstParent,
    /// All commits: right where branches are merged as they are.
    Full,
}

/// What to mine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Name of the repository in topic ids.
    pub repo: String,
    /// Revision at which the corpus is indexed.
    pub snapshot: String,
    /// Revision at which the history ends, usually the tip of the main branch.
    pub until: String,
    /// Which commits are looked at.
    pub history: History,
    /// Extensions of source files, without the dot.
    pub extensions: Vec<String>,
    /// Most topics, the commits nearest to the snapshot first; `None` for all.
    pub max_topics: Option<usize>,
}

impl Options {
    /// Everything on the first-parent history from `snapshot` to `until`.
    pub fn new(repo: &str, snapshot: &str, until: &str) -> Options {
        Options {
            repo: repo.to_owned(),
            snapshot: snapshot.to_owned(),
            until: until.to_owned(),
            history: History::default(),
            extensions: EXTENSIONS.map(str::to_owned).to_vec(),
            max_topics: None,
        }
    }
}

/// What it takes to mine the same topics again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Name of the repository in topic ids.
    pub repo: String,
    /// Full id of the snapshot.
    pub snapshot: String,
    /// Version of the rules.
    pub filter_version: u32,
    /// Extensions of source files, without the dot.
    pub extensions: Vec<String>,
    /// Full ids of the commits that became topics, in the order of the topics.
    pub commits: Vec<String>,
}

impl Manifest {
    /// The manifest as JSON, ended by a line break.
    pub fn to_text(&self) -> String {
        // Strings and numbers: serialisation into memory has no way to fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// A manifest from JSON; `path` is only named in errors.
    pub fn parse(text: &str, path: &Path) -> Result<Manifest> {
        serde_json::from_str(text)
            .map_err(|error| Error::Config { path: path.to_owned(), problem: error.to_string() })
    }
}

/// Why a commit is no topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Skip {
    /// It has more or fewer than one parent.
    Merge,
    /// A bot made it.
    Bot,
    /// Its message is not UTF-8.
    NotUtf8,
    /// Its subject says nothing about a task; see [`subject`].
    Subject,
    /// It modifies no source file that exists at the snapshot.
    NoFile,
    /// It modifies more than [`MAX_FILES`] source files.
    ManyFiles,
    /// Most of the source files that it touches are not modified but added or deleted, or do not
    /// exist at the snapshot.
    MostlyNew,
    /// An earlier topic has the same query.
    Duplicate,
    /// It changes only comments and imports.
    Minor,
}

/// What was mined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mined {
    /// The topics, the commits nearest to the snapshot first.
    pub topics: Vec<Topic>,
    /// What it takes to mine them again.
    pub manifest: Manifest,
    /// Number of skipped commits by reason.
    pub skipped: BTreeMap<Skip, usize>,
}

/// Tells the symbols of a source file: qualified name (`Outer.inner`) and one-based inclusive lines.
///
/// This crate has no parser; a caller without one passes `&mut |_, _| Vec::new()`.
pub type SymbolsOf<'a> = &'a mut dyn FnMut(&str, &[u8]) -> Vec<(String, RangeInclusive<u32>)>;

/// Mines topics from the repository whose work tree or git directory is `path`.
///
/// # Errors
///
/// [`Error::Git`] if git cannot be run, a revision is unknown, or an object is missing.
pub fn mine(path: &Path, options: &Options, symbols_of: SymbolsOf) -> Result<Mined> {
    let git = Git::new(path);
    let snapshot = git.commit_id(&options.snapshot)?;
    let until = git.commit_id(&options.until)?;
    let mut miner = Miner::new(&git, &options.repo, &snapshot, &options.extensions, symbols_of)?;
    let range = format!("{snapshot}..{until}");
    let mut arguments = vec!["rev-list", "--topo-order", "--reverse"];
    if options.history == History::FirstParent {
        arguments.push("--first-parent");
    }
    arguments.extend([range.as_str(), "--"]);
    let commits = git.text(&arguments)?;
    let mut topics = Vec::new();
    let mut skipped = BTreeMap::new();
    for (commit, message) in git.messages(&commits)? {
        if options.max_topics.is_some_and(|max| max <= topics.len()) {
            break;
        }
        match miner.topic(&commit, &message)? {
            Ok(topic) => topics.push(topic),
            Err(skip) => *skipped.entry(skip).or_insert(0) += 1,
        }
    }
    let manifest = Manifest {
        repo: options.repo.clone(),
        snapshot,
        filter_version: FILTER_VERSION,
        extensions: options.extensions.clone(),
        commits: topics.iter().map(|topic: &Topic| topic.commit.clone()).collect(),
    };
    Ok(Mined { topics, manifest, skipped })
}

/// Mines the topics of a manifest again.
///
/// # Errors
///
/// [`Error::Config`] if the manifest is of another filter version or a commit no longer makes a
/// topic; [`Error::Git`] as for [`mine`].
pub fn mine_again(path: &Path, manifest: &Manifest, symbols_of: SymbolsOf) -> Result<Vec<Topic>> {
    let config = |problem| Error::Config { path: "manifest".into(), problem };
    if manifest.filter_version != FILTER_VERSION {
        return Err(config(format!(
            "filter_version is {}, and this program mines by version {FILTER_VERSION}",
            manifest.filter_version
        )));
    }
    let git = Git::new(path);
    let snapshot = git.commit_id(&manifest.snapshot)?;
    let mut miner = Miner::new(&git, &manifest.repo, &snapshot, &manifest.extensions, symbols_of)?;
    let mut topics = Vec::new();
    for (commit, message) in git.messages(&manifest.commits.join("\n"))? {
        let topic = miner.topic(&commit, &message)?;
        topics.push(topic.map_err(|skip| config(format!("{commit} is no topic: {skip:?}")))?);
    }
    Ok(topics)
}

/// Whether a path is a source file: it has one of the extensions, is no test, story, declaration or
/// tool configuration, and lies in no folder of tests, examples, documentation, generated or foreign
/// code.
///
/// A test is found by its own change, and rarely by the words of the task; it is left to the class of
/// topics that ask for tests.
pub fn is_source(path: &str, extensions: &[String]) -> bool {
    const FOLDERS: [&str; 29] = [
        "__fixtures__",
        "__generated__",
        "__mocks__",
        "__snapshots__",
        "__tests__",
        "bench",
        "benchmarks",
        "build",
        "cypress",
        "demo",
        "demos",
        "dist",
        "docs",
        "e2e",
        "example",
        "examples",
        "fixtures",
        "generated",
        "migrations",
        "node_modules",
        "playground",
        "sandbox",
        "spec",
        "specs",
        "test",
        "tests",
        "third_party",
        "vendor",
        "www",
    ];
    const INFIXES: [&str; 9] =
        ["test", "test-d", "tests", "spec", "e2e", "stories", "d", "min", "config"];
    const STEM_ENDS: [&str; 4] = ["-test", "_test", "-spec", "_spec"];
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut parts = name.rsplit('.');
    let extension = parts.next().unwrap_or_default();
    let has_extension = extensions.iter().any(|e| e == extension) && name != extension;
    // The last part is the stem itself.
    let infixes: Vec<&str> = parts.collect();
    let n_infixes = infixes.len().saturating_sub(1);
    has_extension
        && !STEM_ENDS.iter().any(|end| infixes.last().is_some_and(|stem| stem.ends_with(end)))
        && !infixes[..n_infixes].iter().any(|infix| INFIXES.contains(infix))
        && !folders.split('/').any(|folder| FOLDERS.contains(&folder.to_lowercase().as_str()))
}

/// The state of one pass over a history.
struct Miner<'a> {
    git: &'a Git,
    repo: &'a str,
    snapshot: &'a str,
    extensions: &'a [String],
    symbols_of: SymbolsOf<'a>,
    /// Source files at the snapshot.
    files: BTreeSet<String>,
    /// Queries so far, in lower case.
    queries: BTreeSet<String>,
}

impl<'a> Miner<'a> {
    fn new(
        git: &'a Git,
        repo: &'a str,
        snapshot: &'a str,
        extensions: &'a [String],
        symbols_of: SymbolsOf<'a>,
    ) -> Result<Miner<'a>> {
        let mut files = git.files(snapshot)?;
        files.retain(|path| is_source(path, extensions));
        let queries = BTreeSet::new();
        Ok(Miner { git, repo, snapshot, extensions, symbols_of, files, queries })
    }

    /// The topic of a commit, or why it makes none.
    fn topic(&mut self, commit: &str, message: &git::Message) -> Result<Result<Topic, Skip>> {
        let [parent] = &message.parents[..] else { return Ok(Err(Skip::Merge)) };
        if message.author.contains("[bot]") {
            return Ok(Err(Skip::Bot));
        }
        let Some(text) = &message.text else { return Ok(Err(Skip::NotUtf8)) };
        let Some(cleaned) = subject::clean(text.lines().next().unwrap_or_default()) else {
            return Ok(Err(Skip::Subject));
        };
        let changes = self.git.changes(parent, commit)?;
        let touched: Vec<_> =
            changes.iter().filter(|change| is_source(&change.path, self.extensions)).collect();
        let n_modified = touched.iter().filter(|change| change.modified).count();
        let mut paths: Vec<&str> = touched
            .iter()
            .filter(|change| change.modified && self.files.contains(&change.path))
            .map(|change| change.path.as_str())
            .collect();
        paths.sort_unstable();
        if paths.is_empty() {
            return Ok(Err(Skip::NoFile));
        }
        if MAX_FILES < n_modified {
            return Ok(Err(Skip::ManyFiles));
        }
        if paths.len() * 2 < touched.len() {
            return Ok(Err(Skip::MostlyNew));
        }
        let mut topic = Topic {
            topic: TopicId::new(self.repo, format!("{}-{}", self.repo, &commit[..10])),
            snapshot: self.snapshot.to_owned(),
            body: body(text),
            query: cleaned.query,
            kind: cleaned.kind,
            scope: cleaned.scope,
            commit: commit.to_owned(),
            ..Topic::default()
        };
        let key = topic.query.to_lowercase();
        if self.queries.contains(&key) {
            return Ok(Err(Skip::Duplicate));
        }
        for path in paths {
            self.add_file(&mut topic, parent, commit, path)?;
        }
        if topic.relevant.is_empty() {
            return Ok(Err(Skip::Minor));
        }
        self.queries.insert(key);
        Ok(Ok(topic))
    }

    /// Adds a modified file to the topic, as relevant with its changed symbols or as minor.
    fn add_file(
        &mut self,
        topic: &mut Topic,
        parent: &str,
        commit: &str,
        path: &str,
    ) -> Result<()> {
        let hunks = diff::hunks(&self.git.diff(parent, commit, path)?);
        let before = self.git.blob(parent, path)?;
        let after = self.git.blob(commit, path)?;
        if diff::is_minor(&hunks, &before, &after) {
            topic.minor.push(path.to_owned());
            return Ok(());
        }
        topic.relevant.push(path.to_owned());
        let changed = diff::changed_symbols(&hunks, &(self.symbols_of)(path, &before));
        if changed.is_empty() {
            return Ok(());
        }
        // The index sees the snapshot: a symbol that came later cannot be found there.
        let at_snapshot = self.git.blob(self.snapshot, path)?;
        let known: BTreeSet<String> =
            (self.symbols_of)(path, &at_snapshot).into_iter().map(|(name, _)| name).collect();
        let names = changed.intersection(&known);
        topic.symbols.extend(names.map(|name| format!("{path}#{name}")));
        Ok(())
    }
}

/// The text below the subject, without trailers, cut at [`MAX_BODY_CHARS`].
fn body(message: &str) -> String {
    const TRAILERS: [&str; 5] =
        ["signed-off-by:", "co-authored-by:", "reviewed-by:", "change-id:", "cherry picked from"];
    let lines: Vec<&str> = message
        .lines()
        .skip(1)
        .map(str::trim_end)
        .filter(|line| {
            let line = line.to_lowercase();
            !TRAILERS.iter().any(|trailer| line.trim_start_matches('(').starts_with(trailer))
        })
        .collect();
    let text: String = lines.join("\n").trim().chars().take(MAX_BODY_CHARS).collect();
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: bool) {
        assert_eq!(is_source(path, &EXTENSIONS.map(str::to_owned)), expected, "{path}");
    }

    #[test]
    fn source_files_are_told_by_extension() {
        check("src/a.ts", true);
        check("src/config.js", true);
        check("src/latest.tsx", true);
        check("README.md", false);
        check("src/ts", false);
    }

    #[test]
    fn tests_declarations_examples_and_generated_files_are_no_source() {
        check("src/a.test.ts", false);
        check("src/a.spec.tsx", false);
        check("types/a.d.ts", false);
        check("types/a.test-d.ts", false);
        check("integration/a-test.ts", false);
        check("vite.config.ts", false);
        check("lib/a.min.js", false);
        check("packages/x/__tests__/a.ts", false);
        check("Examples/a.ts", false);
        check("dist/a.js", false);
    }

    #[test]
    fn a_file_called_test_is_source() {
        check("src/test.ts", true);
        check("src/d.ts", true);
    }

    #[test]
    fn trailers_leave_the_body() {
        let message = "Subject\n\nWhy it is so.\n\nSigned-off-by: Test <test@example.test>\n";
        assert_eq!(body(message), "Why it is so.");
        assert_eq!(body("Subject"), "");
    }

    #[test]
    fn a_long_body_is_cut_between_characters() {
        let message = format!("S\n\n{}", "ä".repeat(3000));
        assert_eq!(body(&message).chars().count(), MAX_BODY_CHARS);
    }
}
