//! What is to be measured: a suite with the topics and the part of it that the command line asks for.

use std::collections::BTreeMap;
use std::path::Path;

use reseek_eval::output::Provenance;
use reseek_eval::suite::{Corpus, Suite};
use reseek_eval::{Qrels, Topic, TopicId, topic};
use reseek_indexer::format::{ANALYZER_VERSION, FORMAT_VERSION};
use reseek_query::weights::WEIGHTS_VERSION;

use super::args::{SuiteArgs, TaskText};
use super::read;
use crate::errors::Problem;

/// A suite, ready to be measured.
pub(crate) struct Plan {
    /// The suite; paths of corpora are where they are found.
    pub(crate) suite: Suite,
    /// The topics of the chosen corpora.
    pub(crate) topics: Vec<Topic>,
    /// The judgments of these topics.
    pub(crate) qrels: Qrels,
    /// Topics by group; a topic may be in several.
    pub(crate) groups: BTreeMap<String, Vec<TopicId>>,
    /// What a repetition needs to know.
    pub(crate) provenance: Provenance,
    /// Which text of a topic is the task.
    pub(crate) task: TaskText,
}

impl Plan {
    /// Reads suite and topics.
    pub(crate) fn read(args: &SuiteArgs) -> anyhow::Result<Self> {
        let text = read(&args.suite)?;
        let mut suite = Suite::parse(&text, &args.suite)?;
        // As written: what is published must not name folders of this machine.
        let mut written = Suite::parse(&text, Path::new("suite"))?;
        if let Some(folder) = &args.corpora {
            suite.corpora = Suite::parse(&text, &folder.join("suite"))?.corpora;
        }
        for name in &args.corpus {
            if !suite.corpora.iter().any(|corpus| corpus.name == *name) {
                return Err(unknown("corpus", name, suite.corpora.iter().map(|c| &*c.name)).into());
            }
        }
        let chosen = |corpus: &Corpus| args.corpus.is_empty() || args.corpus.contains(&corpus.name);
        suite.corpora.retain(chosen);
        written.corpora.retain(chosen);

        let files =
            if args.topics.is_empty() { vec![suite.topics.clone()] } else { args.topics.clone() };
        let mut topics: Vec<Topic> = Vec::new();
        let mut groups: BTreeMap<String, Vec<TopicId>> = BTreeMap::new();
        let mut sources = Vec::new();
        for file in &files {
            let text = read(file)?;
            let hash = blake3::hash(text.as_bytes()).to_hex();
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            sources.push(format!("{name} (blake3 {})", &hash[..16]));
            for topic in topic::parse(&text, topic::TopicFormat::of_path(file), file)? {
                if files.len() > 1 {
                    groups.entry(format!("topics {name}")).or_default().push(topic.topic.clone());
                }
                topics.push(topic);
            }
        }
        if args.corpus.is_empty() {
            suite.check_topics(&topics)?;
        } else {
            topics.retain(|topic| args.corpus.contains(&topic.topic.repo));
            suite.check_topics(&topics)?;
        }
        topics.sort_by(|a, b| a.topic.cmp(&b.topic));
        if let Some(pair) = topics.windows(2).find(|pair| pair[0].topic == pair[1].topic) {
            return Err(Problem::Usage {
                message: format!("topic {} is in more than one file", pair[0].topic),
                advice: "give files of topics that share none".to_owned(),
            }
            .into());
        }
        for topic in topics.iter().filter(|topic| !topic.kind.is_empty()) {
            groups.entry(format!("kind {}", topic.kind)).or_default().push(topic.topic.clone());
        }
        let qrels = judgments(&suite, &topics)?;
        let provenance = Provenance {
            suite: suite.name.clone(),
            version: format!(
                "reseek {}, index format {FORMAT_VERSION}, analyzer {ANALYZER_VERSION}, weights {WEIGHTS_VERSION}",
                env!("CARGO_PKG_VERSION")
            ),
            topics: sources.join(", "),
            qrels: written.qrels.map(|path| path.display().to_string()).unwrap_or_default(),
            corpora: written.corpora,
        };
        Ok(Self { suite, topics, qrels, groups, provenance, task: args.task })
    }

    /// Keeps the named systems only; all if none is named.
    pub(crate) fn choose_systems(&mut self, names: &[String]) -> anyhow::Result<()> {
        for name in names {
            if !self.suite.systems.iter().any(|system| system.name == *name) {
                let known = self.suite.systems.iter().map(|system| &*system.name);
                return Err(unknown("system", name, known).into());
            }
        }
        if !names.is_empty() {
            self.suite.systems.retain(|system| names.contains(&system.name));
        }
        Ok(())
    }

    /// The topics about one corpus.
    pub(crate) fn topics_of<'a>(&'a self, corpus: &'a str) -> impl Iterator<Item = &'a Topic> {
        self.topics.iter().filter(move |topic| topic.topic.repo == corpus)
    }

    /// The text of a topic that a system gets.
    pub(crate) fn task_of(&self, topic: &Topic) -> String {
        match self.task {
            TaskText::Query => topic.query.clone(),
            TaskText::QueryBody => topic.task(),
        }
    }
}

/// The judgments of exactly these topics, from the suite's qrels if it has some. A topic without any stays out of every
/// mean, and the evaluation counts it.
fn judgments(suite: &Suite, topics: &[Topic]) -> anyhow::Result<Qrels> {
    let Some(path) = &suite.qrels else { return Ok(Qrels::from_topics(topics)?) };
    let all = Qrels::read(path)?;
    let mut qrels = Qrels::default();
    for topic in topics {
        if let Some(judgments) = all.get(&topic.topic) {
            qrels.insert(topic.topic.clone(), judgments.clone());
        }
    }
    Ok(qrels)
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Problem {
    Problem::Usage {
        message: format!("the suite has no {what} `{name}`"),
        advice: format!("choose of: {}", known.collect::<Vec<_>>().join(", ")),
    }
}
