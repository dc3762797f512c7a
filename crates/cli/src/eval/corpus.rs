//! A corpus of a suite: checked against what pins it, indexed, and opened.
//!
//! A figure means something only if the corpus is the one it speaks of. So before anything is measured, the checked-out
//! commit and its files must be those that the suite names, and an index may not hold a commit that a topic was mined
//! from: its message would be the task, and its files the answer.
//!
//! A corpus pinned by a hash has no history: its files may lie in the repository of somebody else, whose commits
//! would change the figures.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use reseek_eval::Topic;
use reseek_eval::class::{TopicTerms, classify};
use reseek_eval::suite::Corpus;
use reseek_eval::topic::Class;
use reseek_indexer::analyzer::{Analyzer, Mode};
use reseek_query::Lexicon;
use reseek_query::report::FileResult;

use super::baseline::Bm25;
use crate::args::{CorpusArgs, Global};
use crate::errors::Problem;
use crate::freshness::{Place, Session};
use crate::output::Output;
use crate::retrieve::lexicon;
use reseek_mcp::context;
use reseek_mcp::tokens::estimate;

/// A corpus that can be asked.
pub(crate) struct OpenCorpus {
    /// Its index.
    pub(crate) session: Session,
    /// The lexicon that its configuration asks for.
    pub(crate) lexicon: Lexicon,
    /// What plain BM25 knows of it.
    pub(crate) bm25: Bm25,
    /// What stands before a path of the index to make it a path of the corpus: empty, or the indexed folder and `/`.
    prefix: String,
    /// Tokens of the files that were handed over, up to and including each line.
    tokens: RefCell<BTreeMap<String, Vec<u64>>>,
}

impl OpenCorpus {
    /// Checks, indexes and opens a corpus. Its index is below `indexes`, and is used again as long as it is current.
    pub(crate) fn open(
        corpus: &Corpus,
        topics: &[&Topic],
        indexes: &Path,
        global: &Global,
        output: &Output,
    ) -> anyhow::Result<Self> {
        if !corpus.path.is_dir() {
            return Err(Problem::Usage {
                message: format!("corpus {}: there is no folder {}", corpus.name, corpus.path.display()),
                advice: "bring it as docs/quality.md tells, and name the folder of all corpora with `--corpora DIR`"
                    .to_owned(),
            }
            .into());
        }
        let prefix = corpus.folder.as_deref().map(|f| f.trim_matches('/')).unwrap_or_default();
        let root = if prefix.is_empty() { corpus.path.clone() } else { corpus.path.join(prefix) };
        let global = Global {
            root: vec![root.clone()],
            index_dir: Some(indexes.join(&corpus.name)),
            ..global.clone()
        };
        let history_depth = corpus.revision.is_none().then_some(0);
        let options = CorpusArgs { history_depth, ..CorpusArgs::default() };
        let place = Place::find(&global)?.with_corpus(&options, &global)?;
        if let Some(revision) = &corpus.revision {
            check_revision(corpus, revision, place.config.hidden)?;
        }
        if let Some(wanted) = &corpus.hash {
            let found = content_hash(&root)?;
            if found != *wanted {
                return Err(moved(
                    corpus,
                    &format!("its content has the hash {found}, and not {wanted}"),
                )
                .into());
            }
        }
        let (index, report) = place.update_patiently(false, global.quiet)?;
        for problem in &report.problems {
            output.note(&format!("{}: {problem}", corpus.name));
        }
        let session = Session::new(place, &index, Some(0), report.problems)?;
        check_no_leak(corpus, topics, &session)?;
        let lexicon = lexicon(&session);
        let bm25 = Bm25::new(&session.snapshot)?;
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Self { session, lexicon, bm25, prefix, tokens: RefCell::default() })
    }

    /// The path in the corpus of a path in the index.
    pub(crate) fn outer(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    /// The path in the index of a path in the corpus, if it lies in the indexed folder.
    fn inner<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(&self.prefix)
    }

    /// The root of the index.
    pub(crate) fn root(&self) -> &Path {
        &self.session.place.root
    }

    /// Estimated tokens of a whole file of the index, as somebody reads it; 0 for what is no file.
    pub(crate) fn whole_cost(&self, path: &str) -> u64 {
        self.with_lines(path, |sums| sums.last().copied().unwrap_or(0))
    }

    /// Estimated tokens of a file in a context pack: its best symbols, or all of a small file.
    pub(crate) fn pack_cost(&self, file: &FileResult) -> u64 {
        self.with_lines(&file.path, |sums| context::cost(file, sums))
    }

    fn with_lines<T>(&self, path: &str, read: impl FnOnce(&[u64]) -> T) -> T {
        let mut known = self.tokens.borrow_mut();
        let sums = known.entry(path.to_owned()).or_insert_with(|| {
            let bytes = fs::read(self.root().join(path)).unwrap_or_default();
            let mut sum = 0;
            let text = String::from_utf8_lossy(&bytes);
            text.split_inclusive('\n')
                .map(|line| {
                    sum += estimate(line) as u64;
                    sum
                })
                .collect()
        });
        read(sums)
    }

    /// How far the words of a task overlap with the files that answer it.
    pub(crate) fn class(&self, topic: &Topic, task: &str) -> anyhow::Result<Class> {
        let mut analyzer = Analyzer::new();
        let mut terms = TopicTerms::default();
        terms.task.extend(analyzer.collect(task, Mode::Prose));
        for path in topic.relevant.iter().filter_map(|path| self.inner(path)) {
            terms.names.extend(analyzer.collect(path, Mode::Name));
            if let Some(file) = self.session.snapshot.file(path)? {
                for symbol in &self.session.snapshot.entry(file)?.symbols {
                    terms.names.extend(analyzer.collect(&symbol.name, Mode::Name));
                }
            }
            let bytes = fs::read(self.root().join(path)).unwrap_or_default();
            terms.text.extend(analyzer.collect(&String::from_utf8_lossy(&bytes), Mode::Prose));
        }
        Ok(classify(&terms))
    }
}

fn moved(corpus: &Corpus, what: &str) -> Problem {
    Problem::Usage {
        message: format!("corpus {}: {what}", corpus.name),
        advice: "check out what the suite names, or pin the suite to what is there; figures of the two are not comparable"
            .to_owned(),
    }
}

/// Checks that the named commit is checked out and that no file differs from it. Hidden files do not count unless they are
/// indexed.
fn check_revision(corpus: &Corpus, revision: &str, with_hidden: bool) -> anyhow::Result<()> {
    let head = git(&corpus.path, &["rev-parse", "HEAD"])?;
    let head = head.trim();
    if head != revision {
        return Err(moved(corpus, &format!("{head} is checked out, and not {revision}")).into());
    }
    let status = git(
        &corpus.path,
        &["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", "."],
    )?;
    let changed = status.split('\0').filter_map(|line| line.get(3..)).find(|path| {
        let is_hidden = path.split('/').any(|name| name.starts_with('.'));
        with_hidden || !is_hidden
    });
    match changed {
        Some(path) => Err(moved(corpus, &format!("{path} is not as in {revision}")).into()),
        None => Ok(()),
    }
}

/// Checks that no commit that a topic was mined from is part of the index.
fn check_no_leak(corpus: &Corpus, topics: &[&Topic], session: &Session) -> anyhow::Result<()> {
    let commits: BTreeSet<String> = session.snapshot.commit_ids()?.into_iter().collect();
    match topics.iter().find(|topic| commits.contains(&topic.commit)) {
        Some(topic) => Err(Problem::Usage {
            message: format!(
                "corpus {}: its history holds commit {}, which topic {} was mined from, so the index knows the answer",
                corpus.name, topic.commit, topic.topic
            ),
            advice: "index an earlier snapshot; `reseek eval mine` exports one that ends before its topics".to_owned(),
        }
        .into()),
        None => Ok(()),
    }
}

fn git(folder: &Path, args: &[&str]) -> anyhow::Result<String> {
    let failed = |why: String| Problem::Unreadable { path: folder.to_path_buf(), why };
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(args)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .output()
        .map_err(|error| failed(format!("git does not run: {error}")))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        let last = message.lines().last().unwrap_or_default().to_owned();
        return Err(failed(format!("git {}: {last}", args.join(" "))).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The hash of all files below a folder, with their paths; what git and this program keep there aside.
pub(crate) fn content_hash(root: &Path) -> anyhow::Result<String> {
    let unreadable = |path: &Path, error: &std::io::Error| Problem::Unreadable {
        path: path.to_path_buf(),
        why: error.to_string(),
    };
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))? {
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            let kind = entry.file_type().map_err(|error| unreadable(&folder, &error))?;
            let is_ours = [".git", ".reseek"].iter().any(|name| entry.file_name() == *name);
            if kind.is_dir() && !is_ours {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    let mut named: Vec<(String, PathBuf)> = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root).unwrap_or(&path);
            (crate::freshness::slashed(name), path)
        })
        .collect();
    named.sort();
    let mut hasher = blake3::Hasher::new();
    for (name, path) in named {
        let bytes = fs::read(&path).map_err(|error| unreadable(&path, &error))?;
        // Lengths keep two files from reading as one.
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(&bytes);
    }
    Ok(hasher.finalize().to_hex().to_string())
}
