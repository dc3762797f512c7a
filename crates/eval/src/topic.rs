//! Topics: what is asked, and which files answer it.
//!
//! Two formats. JSON lines carry everything, judgments included; keys that this crate does not know
//! are left alone, so a file may say more than we read. The tab-separated form `qid<TAB>text` is the
//! one of TREC collections and carries the text only.
//!
//! Invariant: a [`TopicId`] occurs once in a list of topics; both readers refuse a second one.

use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result, numbered_lines, parse_json_lines, read_text, to_json_lines},
    trec,
};

/// Names a topic: the repository it asks about (empty where there is only one) and its id there.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TopicId {
    /// Name of the repository, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub repo: String,
    /// Id, unique within the repository.
    pub id: String,
}

impl TopicId {
    /// A topic id from its two parts.
    pub fn new(repo: impl Into<String>, id: impl Into<String>) -> TopicId {
        TopicId { repo: repo.into(), id: id.into() }
    }
}

impl fmt::Display for TopicId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&trec::encode_topic(self))
    }
}

/// How far the words of a task overlap with its relevant files; see [`crate::class`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The task shares a term with a name or path of a relevant file.
    Named,
    /// The task shares a term with the text of a relevant file only.
    Text,
    /// The task shares no term with any relevant file.
    Mismatch,
}

impl Class {
    /// All classes, from the easiest to the hardest.
    pub const ALL: [Class; 3] = [Class::Named, Class::Text, Class::Mismatch];

    /// The name, as in files.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Named => "named",
            Class::Text => "text",
            Class::Mismatch => "mismatch",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One topic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topic {
    /// Repository and id.
    #[serde(flatten)]
    pub topic: TopicId,
    /// Commit at which the corpus is indexed; empty if the suite says it elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snapshot: String,
    /// The task in a line.
    pub query: String,
    /// The task's longer text, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub body: String,
    /// Paths of the files that answer it, each with grade 1.
    #[serde(default)]
    pub relevant: Vec<String>,
    /// Paths that leave a ranking before it is measured, neither right nor wrong.
    #[serde(default)]
    pub minor: Vec<String>,
    /// Symbols that answer it, as `path#Outer.inner`.
    #[serde(default)]
    pub symbols: Vec<String>,
    /// Overlap of words between task and relevant files, if computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// Kind of change (`fix`, `feat`, ...), or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// Part of the repository that the change names, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// The commit that the topic was mined from, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
}

impl Topic {
    /// The task as a system gets it: the line, then the longer text if there is one.
    pub fn task(&self) -> String {
        if self.body.is_empty() {
            self.query.clone()
        } else {
            format!("{}\n{}", self.query, self.body)
        }
    }
}

/// The formats of topics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TopicFormat {
    /// One JSON object per line, with the keys of [`Topic`].
    Jsonl,
    /// `qid<TAB>text`, the qid encoded as in [`trec`].
    Tsv,
}

impl TopicFormat {
    /// JSON lines for `.jsonl`, `.ndjson` and `.json`, tab-separated for all else.
    pub fn of_path(path: &Path) -> TopicFormat {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl" | "ndjson" | "json") => TopicFormat::Jsonl,
            _ => TopicFormat::Tsv,
        }
    }
}

/// Topics from text; `path` is only named in errors. The order of the lines is kept.
pub fn parse(text: &str, format: TopicFormat, path: &Path) -> Result<Vec<Topic>> {
    let numbered: Vec<(usize, Topic)> = match format {
        TopicFormat::Jsonl => {
            parse_json_lines(text, path, "a topic as a JSON object with `id` and `query`")?
        }
        TopicFormat::Tsv => numbered_lines(text)
            .map(|(number, line)| Ok((number, parse_tsv_line(line, number, path)?)))
            .collect::<Result<_>>()?,
    };
    let mut seen = BTreeSet::new();
    for (number, topic) in &numbered {
        if !seen.insert(&topic.topic) {
            return Err(Error::line(
                path,
                *number,
                "each topic once",
                format!("{} a second time", topic.topic),
            ));
        }
    }
    Ok(numbered.into_iter().map(|(_, topic)| topic).collect())
}

fn parse_tsv_line(line: &str, number: usize, path: &Path) -> Result<Topic> {
    const EXPECTED: &str = "`qid<TAB>text`";
    let (qid, query) = line
        .split_once('\t')
        .ok_or_else(|| Error::line(path, number, EXPECTED, "a line without a tab"))?;
    let topic = trec::decode_topic(qid.trim())
        .ok_or_else(|| Error::line(path, number, "a percent-encoded qid", format!("`{qid}`")))?;
    Ok(Topic { topic, query: query.to_owned(), ..Topic::default() })
}

/// Topics from a file, in the format that its name says.
pub fn read(path: &Path) -> Result<Vec<Topic>> {
    parse(&read_text(path)?, TopicFormat::of_path(path), path)
}

/// Topics as text, in the order given.
///
/// # Errors
///
/// [`Error::Unwritable`] if a query holds a line break and the format is [`TopicFormat::Tsv`].
pub fn to_text(topics: &[Topic], format: TopicFormat) -> Result<String> {
    match format {
        TopicFormat::Jsonl => Ok(to_json_lines(topics)),
        TopicFormat::Tsv => {
            let mut text = String::new();
            for topic in topics {
                if topic.query.contains(['\n', '\r']) {
                    return Err(Error::Unwritable {
                        value: topic.query.clone(),
                        format: "tab-separated topics",
                    });
                }
                let _ = writeln!(text, "{}\t{}", topic.topic, topic.query);
            }
            Ok(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, format: TopicFormat) -> Result<Vec<Topic>> {
        parse(text, format, Path::new("topics"))
    }

    #[test]
    fn json_lines_carry_judgments_and_ignore_unknown_keys() {
        let text = r#"{"repo":"shop","id":"1","query":"fix it","relevant":["a.ts"],"kept":0.5}"#;
        let topics = check(text, TopicFormat::Jsonl).expect("one topic");
        assert_eq!(topics[0].topic, TopicId::new("shop", "1"));
        assert_eq!(topics[0].relevant, ["a.ts"]);
        assert!(topics[0].minor.is_empty() && topics[0].class.is_none());
    }

    #[test]
    fn a_broken_json_line_is_named_by_file_and_line() {
        let error = check("{\"id\":\"1\",\"query\":\"a\"}\n{\"id\":2}\n", TopicFormat::Jsonl)
            .expect_err("line 2 is broken")
            .to_string();
        assert!(error.starts_with("topics:2: expected a topic as a JSON object"), "{error}");
    }

    #[test]
    fn a_topic_that_occurs_twice_is_refused() {
        let error = check("1\ta\n\n1\tb\n", TopicFormat::Tsv).expect_err("twice").to_string();
        assert_eq!(error, "topics:3: expected each topic once, found 1 a second time");
    }

    #[test]
    fn a_line_without_a_tab_is_refused() {
        let error = check("1 text\n", TopicFormat::Tsv).expect_err("no tab").to_string();
        assert_eq!(error, "topics:1: expected `qid<TAB>text`, found a line without a tab");
    }

    #[test]
    fn windows_line_ends_read_alike() {
        assert_eq!(check("1\ta\r\n", TopicFormat::Tsv).expect("topics")[0].query, "a");
    }

    #[test]
    fn a_query_of_two_lines_cannot_be_tab_separated() {
        let topic = Topic { query: "a\nb".to_owned(), ..Topic::default() };
        assert!(matches!(
            to_text(&[topic], TopicFormat::Tsv),
            Err(Error::Unwritable { format: "tab-separated topics", .. })
        ));
    }

    #[test]
    fn the_task_joins_line_and_body() {
        let topic = Topic { query: "a".to_owned(), body: "b".to_owned(), ..Topic::default() };
        assert_eq!(topic.task(), "a\nb");
    }

    proptest! {
        #[test]
        fn json_lines_round_trip(repo in any::<String>(), id in any::<String>(), query in any::<String>(),
                                 relevant in proptest::collection::vec(any::<String>(), 0..4)) {
            let topic = Topic { topic: TopicId { repo, id }, query, relevant, class: Some(Class::Text), ..Topic::default() };
            let text = to_text(std::slice::from_ref(&topic), TopicFormat::Jsonl).expect("text");
            prop_assert_eq!(check(&text, TopicFormat::Jsonl).expect("topics"), vec![topic]);
        }

        #[test]
        fn tab_separated_topics_round_trip(repo in any::<String>(), id in any::<String>(), query in "[^\r\n]*") {
            let topic = Topic { topic: TopicId { repo, id }, query, ..Topic::default() };
            let text = to_text(std::slice::from_ref(&topic), TopicFormat::Tsv).expect("text");
            prop_assert_eq!(check(&text, TopicFormat::Tsv).expect("topics"), vec![topic]);
        }
    }
}
