//! A suite: which systems answer which topics over which corpora, and how the answers are measured.
//!
//! One TOML file says everything that a repetition needs. Unknown keys are refused, for a misspelled
//! key would silently measure something else. Relative paths are relative to the suite's folder.
//!
//! ```toml
//! name = "development"
//! topics = "topics.jsonl"
//! measures = ["nDCG@10", "R@10"]
//!
//! [[corpora]]
//! name = "shop"
//! path = "corpora/shop"
//! revision = "0123456789abcdef0123456789abcdef01234567"
//!
//! [[systems]]
//! name = "loop-without-history"
//! kind = "loop"
//! max_cycles = 3
//! off = ["history"]
//!
//! [[floors]]
//! system = "loop-without-history"
//! measure = "nDCG@10"
//! at_least = 0.5
//! ```

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result, read_text},
    gate::Floor,
    measures::Measure,
    run::Hit,
    topic::Topic,
};

/// Documents kept per topic unless the suite says otherwise.
pub const DEFAULT_DEPTH: usize = 50;

/// A validated suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// Name, as in the outputs.
    pub name: String,
    /// The topics' file.
    pub topics: PathBuf,
    /// The qrels' file; `None` takes the judgments of the topics.
    pub qrels: Option<PathBuf>,
    /// The measures; a judged share is among them, `Judged@10` if the suite lists none.
    pub measures: Vec<Measure>,
    /// Documents kept per topic.
    pub depth: usize,
    /// Seed of randomisation tests and bootstraps.
    pub seed: u64,
    /// The corpora.
    pub corpora: Vec<Corpus>,
    /// The systems, the first being the baseline.
    pub systems: Vec<System>,
    /// Least macro means.
    pub floors: Vec<Floor>,
}

/// A corpus, pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corpus {
    /// Name, as the topics call it.
    pub name: String,
    /// Its root folder.
    pub path: PathBuf,
    /// Folder below the root that is indexed, if not all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Full id of the commit that must be checked out there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Hash of the content, for a corpus without git. The caller makes and compares it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// A system under test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct System {
    /// Name; run tag and file name.
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub kind: SystemKind,
}

/// The kinds of systems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum SystemKind {
    /// BM25 over whole files.
    Bm25,
    /// One search over weighted fields.
    Fields,
    /// The loop.
    Loop {
        /// Most cycles, at least 1.
        max_cycles: u32,
        /// Origins of keywords that are turned off.
        off: Vec<String>,
    },
    /// A program that prints one path per line, best first.
    External {
        /// Program and arguments, with `{task}`, `{root}` and `{limit}` to be filled in.
        command: Vec<String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSuite {
    name: String,
    topics: PathBuf,
    qrels: Option<PathBuf>,
    measures: Vec<Measure>,
    depth: Option<usize>,
    seed: Option<u64>,
    corpora: Vec<Corpus>,
    systems: Vec<RawSystem>,
    #[serde(default)]
    floors: Vec<Floor>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSystem {
    name: String,
    kind: String,
    max_cycles: Option<u32>,
    off: Option<Vec<String>>,
    command: Option<Vec<String>>,
}

impl Suite {
    /// A suite from a file.
    pub fn read(path: &Path) -> Result<Suite> {
        Suite::parse(&read_text(path)?, path)
    }

    /// A suite from text; relative paths in it are joined to the folder of `path`.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] that names the key and what is wrong with it.
    pub fn parse(text: &str, path: &Path) -> Result<Suite> {
        let config = |problem: String| Error::Config { path: path.to_owned(), problem };
        let raw: RawSuite =
            toml::from_str(text).map_err(|error| config(error.to_string().trim().to_owned()))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let suite = Suite {
            name: raw.name,
            topics: folder.join(raw.topics),
            qrels: raw.qrels.map(|qrels| folder.join(qrels)),
            measures: with_judged(raw.measures),
            depth: raw.depth.unwrap_or(DEFAULT_DEPTH),
            seed: raw.seed.unwrap_or(1),
            corpora: raw
                .corpora
                .into_iter()
                .map(|corpus| Corpus { path: folder.join(&corpus.path), ..corpus })
                .collect(),
            systems: raw
                .systems
                .into_iter()
                .map(RawSystem::checked)
                .collect::<Result<_, String>>()
                .map_err(config)?,
            floors: raw.floors,
        };
        suite.validate().map_err(config)?;
        Ok(suite)
    }

    fn validate(&self) -> Result<(), String> {
        unique("measures", self.measures.iter().map(ToString::to_string))?;
        unique("corpora", self.corpora.iter().map(|corpus| corpus.name.clone()))?;
        unique("systems", self.systems.iter().map(|system| system.name.clone()))?;
        check_name("name", &self.name)?;
        if self.depth == 0 {
            return Err("depth: at least 1 document must be kept".to_owned());
        }
        for corpus in &self.corpora {
            check_name("corpora", &corpus.name)?;
            match &corpus.revision {
                Some(revision) if !is_commit_id(revision) => {
                    return Err(format!(
                        "corpora.{}: revision `{revision}` is no full commit id",
                        corpus.name
                    ));
                }
                None if corpus.hash.is_none() => {
                    return Err(format!(
                        "corpora.{}: neither revision nor hash pins the corpus",
                        corpus.name
                    ));
                }
                _ => {}
            }
        }
        for system in &self.systems {
            check_name("systems", &system.name)?;
        }
        for floor in &self.floors {
            if !self.systems.iter().any(|system| system.name == floor.system) {
                return Err(format!("floors: there is no system `{}`", floor.system));
            }
            if !self.measures.contains(&floor.measure) {
                return Err(format!("floors: {} is not among the measures", floor.measure));
            }
            if !(0.0..=1.0).contains(&floor.at_least) {
                return Err(format!("floors: at_least {} is not between 0 and 1", floor.at_least));
            }
        }
        Ok(())
    }

    /// Checks that every topic belongs to a corpus of the suite.
    ///
    /// # Errors
    ///
    /// [`Error::Topic`] for the first that does not.
    pub fn check_topics(&self, topics: &[Topic]) -> Result<()> {
        for topic in topics {
            let Some(corpus) = self.corpora.iter().find(|c| c.name == topic.topic.repo) else {
                let problem = format!("the suite has no corpus `{}`", topic.topic.repo);
                return Err(Error::Topic { topic: topic.topic.clone(), problem });
            };
            if let Some(revision) = &corpus.revision
                && !topic.snapshot.is_empty()
                && *revision != topic.snapshot
            {
                let problem =
                    format!("it asks about {}, the suite about {revision}", topic.snapshot);
                return Err(Error::Topic { topic: topic.topic.clone(), problem });
            }
        }
        Ok(())
    }
}

impl RawSystem {
    fn checked(self) -> Result<System, String> {
        let name = self.name;
        let only = |key: &str, given: bool, kind: &str| {
            if given && self.kind != kind {
                Err(format!("systems.{name}: `{key}` belongs to kind `{kind}`"))
            } else {
                Ok(())
            }
        };
        only("max_cycles", self.max_cycles.is_some(), "loop")?;
        only("off", self.off.is_some(), "loop")?;
        only("command", self.command.is_some(), "external")?;
        let kind = match self.kind.as_str() {
            "bm25" => SystemKind::Bm25,
            "fields" => SystemKind::Fields,
            "loop" => {
                let max_cycles = self.max_cycles.unwrap_or(3);
                if max_cycles == 0 {
                    return Err(format!("systems.{name}: max_cycles must be at least 1"));
                }
                SystemKind::Loop { max_cycles, off: self.off.unwrap_or_default() }
            }
            "external" => {
                let command = self.command.unwrap_or_default();
                if !command.iter().any(|argument| argument.contains("{task}")) {
                    return Err(format!("systems.{name}: command needs a `{{task}}`"));
                }
                SystemKind::External { command }
            }
            other => {
                return Err(format!(
                    "systems.{name}: kind `{other}` is none of bm25, fields, loop, external"
                ));
            }
        };
        Ok(System { name, kind })
    }
}

fn with_judged(mut measures: Vec<Measure>) -> Vec<Measure> {
    if !measures.iter().any(|measure| matches!(measure, Measure::Judged { .. })) {
        measures.push(Measure::Judged { cutoff: Some(10) });
    }
    measures
}

fn unique(key: &str, names: impl Iterator<Item = String>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for name in names {
        if seen.contains(&name) {
            return Err(format!("{key}: `{name}` occurs twice"));
        }
        seen.insert(name);
    }
    if seen.is_empty() { Err(format!("{key}: there is none")) } else { Ok(()) }
}

/// Names become file names and run tags.
fn check_name(key: &str, name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(format!(
            "{key}: `{name}` must be of letters, digits, `-`, `_` and `.`, and not start with `.`"
        ));
    }
    Ok(())
}

fn is_commit_id(revision: &str) -> bool {
    matches!(revision.len(), 40 | 64)
        && revision.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The command of an external system for one task. Placeholders are filled in once, from left to
/// right, so braces inside a task stay as they are.
pub fn fill_command(command: &[String], task: &str, root: &str, limit: usize) -> Vec<String> {
    let limit = limit.to_string();
    let values = [("{task}", task), ("{root}", root), ("{limit}", limit.as_str())];
    let fill = |argument: &String| {
        let mut filled = String::new();
        let mut rest = argument.as_str();
        while let Some(open) = rest.find('{') {
            let (before, tail) = rest.split_at(open);
            filled.push_str(before);
            if let Some((name, value)) = values.iter().find(|(name, _)| tail.starts_with(name)) {
                filled.push_str(value);
                rest = &tail[name.len()..];
            } else {
                filled.push('{');
                rest = &tail[1..];
            }
        }
        filled.push_str(rest);
        filled
    };
    command.iter().map(fill).collect()
}

/// The ranking that an external system printed: one path per line, best first. A leading `./` is
/// dropped and `\` counts as `/`.
pub fn parse_paths(stdout: &str) -> Vec<Hit> {
    let paths = stdout.lines().map(str::trim).filter(|line| !line.is_empty());
    let hits = paths.enumerate().map(|(i, path)| {
        let path = path.replace('\\', "/");
        let doc = path.strip_prefix("./").unwrap_or(&path).to_owned();
        Hit { doc, score: 1.0 / (i + 1) as f64, tokens: None }
    });
    hits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topic::TopicId;

    const REVISION: &str = "0123456789abcdef0123456789abcdef01234567";

    fn suite(rest: &str) -> String {
        format!(
            "name = 's'\ntopics = 't.jsonl'\nmeasures = ['nDCG@10']\n\
             [[corpora]]\nname = 'shop'\npath = 'c/shop'\nrevision = '{REVISION}'\n{rest}"
        )
    }

    fn check(rest: &str) -> Suite {
        Suite::parse(&suite(rest), Path::new("eval/s.toml")).expect("a suite")
    }

    fn check_refused(rest: &str, problem: &str) {
        let error = Suite::parse(&suite(rest), Path::new("s.toml")).expect_err(problem);
        assert_eq!(error.to_string(), format!("s.toml: {problem}"));
    }

    #[test]
    fn paths_are_relative_to_the_suite() {
        let suite = check("[[systems]]\nname = 'a'\nkind = 'bm25'\n");
        assert_eq!(suite.topics, Path::new("eval/t.jsonl"));
        assert_eq!(suite.corpora[0].path, Path::new("eval/c/shop"));
    }

    #[test]
    fn a_judged_share_is_always_measured() {
        let names: Vec<String> = check("[[systems]]\nname = 'a'\nkind = 'bm25'\n")
            .measures
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(names, ["nDCG@10", "Judged@10"]);
    }

    #[test]
    fn all_kinds_of_systems_are_read() {
        let suite = check(
            "[[systems]]\nname = 'a'\nkind = 'fields'\n[[systems]]\nname = 'b'\nkind = 'loop'\noff = ['history']\n\
             [[systems]]\nname = 'c'\nkind = 'external'\ncommand = ['find', '{task}']\n",
        );
        let kinds: Vec<SystemKind> = suite.systems.into_iter().map(|system| system.kind).collect();
        assert_eq!(
            kinds,
            [
                SystemKind::Fields,
                SystemKind::Loop { max_cycles: 3, off: vec!["history".to_owned()] },
                SystemKind::External { command: vec!["find".to_owned(), "{task}".to_owned()] },
            ]
        );
    }

    #[test]
    fn mistakes_are_named_by_key() {
        check_refused(
            "[[systems]]\nname = 'a'\nkind = 'magic'\n",
            "systems.a: kind `magic` is none of bm25, fields, loop, external",
        );
        check_refused(
            "[[systems]]\nname = 'a'\nkind = 'bm25'\nmax_cycles = 1\n",
            "systems.a: `max_cycles` belongs to kind `loop`",
        );
        check_refused(
            "[[systems]]\nname = 'a'\nkind = 'loop'\nmax_cycles = 0\n",
            "systems.a: max_cycles must be at least 1",
        );
        check_refused(
            "[[systems]]\nname = 'a'\nkind = 'external'\n",
            "systems.a: command needs a `{task}`",
        );
        check_refused(
            "[[systems]]\nname = 'a'\nkind = 'bm25'\n[[systems]]\nname = 'a'\nkind = 'bm25'\n",
            "systems: `a` occurs twice",
        );
        check_refused(
            "[[systems]]\nname = 'a/b'\nkind = 'bm25'\n",
            "systems: `a/b` must be of letters, digits, `-`, `_` and `.`, and not start with `.`",
        );
        check_refused(
            "[[systems]]\nname = 'a'\nkind = 'bm25'\n[[corpora]]\nname = 'x'\npath = 'x'\n",
            "corpora.x: neither revision nor hash pins the corpus",
        );
        check_refused(
            "[[systems]]\nname = 'a'\nkind = 'bm25'\n[[corpora]]\nname = 'x'\npath = 'x'\nrevision = 'main'\n",
            "corpora.x: revision `main` is no full commit id",
        );
        check_refused(
            "[[systems]]\nname = 'a'\nkind = 'bm25'\n[[floors]]\nsystem = 'b'\nmeasure = 'nDCG@10'\nat_least = 0.5\n",
            "floors: there is no system `b`",
        );
        check_refused(
            "[[systems]]\nname = 'a'\nkind = 'bm25'\n[[floors]]\nsystem = 'a'\nmeasure = 'RR'\nat_least = 0.5\n",
            "floors: RR is not among the measures",
        );
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let error =
            Suite::parse(&suite("[[systems]]\nname = 'a'\nkinds = 'bm25'\n"), Path::new("s.toml"))
                .expect_err("unknown key")
                .to_string();
        assert!(error.contains("line 10") && error.contains("unknown field `kinds`"), "{error}");
    }

    #[test]
    fn a_topic_outside_the_corpora_or_at_another_snapshot_is_refused() {
        let suite = check("[[systems]]\nname = 'a'\nkind = 'bm25'\n");
        let topic = |repo: &str, snapshot: &str| Topic {
            topic: TopicId::new(repo, "1"),
            snapshot: snapshot.to_owned(),
            ..Topic::default()
        };
        assert!(suite.check_topics(&[topic("shop", ""), topic("shop", REVISION)]).is_ok());
        let error = suite.check_topics(&[topic("mall", "")]).expect_err("no corpus").to_string();
        assert_eq!(error, "topic mall/1: the suite has no corpus `mall`");
        let error = suite.check_topics(&[topic("shop", "f00")]).expect_err("snapshot").to_string();
        assert_eq!(error, format!("topic shop/1: it asks about f00, the suite about {REVISION}"));
    }

    #[test]
    fn a_command_is_filled_in_once() {
        let command = [
            "grep".to_owned(),
            "-m{limit}".to_owned(),
            "{task} {x}".to_owned(),
            "{root}/src".to_owned(),
        ];
        assert_eq!(
            fill_command(&command, "fix {root}", "/c", 5),
            ["grep", "-m5", "fix {root} {x}", "/c/src"]
        );
    }

    #[test]
    fn printed_paths_become_a_ranking() {
        let hits = parse_paths("./src/a b.ts\n\nsrc\\c.ts\r\n");
        let docs: Vec<&str> = hits.iter().map(|hit| hit.doc.as_str()).collect();
        assert_eq!(docs, ["src/a b.ts", "src/c.ts"]);
    }
}
