//! Qrels: which document is how relevant to which topic.
//!
//! A grade of 1 or more is relevant, 0 and below is judged and not relevant, and a document without
//! a grade is unjudged. *Minor* documents leave a ranking before it is measured: a commit changed
//! them, but only their comments or imports, so they are neither right nor wrong.
//!
//! The TREC form `qid iter docid grade` has no place for minor documents; they are written with
//! grade 0 and the word `minor` in the second column, which every other reader ignores.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result, numbered_lines, parse_json_lines, read_text, to_json_lines},
    topic::{Topic, TopicId},
    trec,
};

/// The word in the second TREC column that marks a minor document.
const MINOR: &str = "minor";

/// The judgments of one topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgments {
    /// Grade per document.
    pub grades: BTreeMap<String, i32>,
    /// Documents that leave a ranking before it is measured.
    pub minor: BTreeSet<String>,
}

impl Judgments {
    /// Whether any document is relevant (grade 1 or more).
    pub fn has_relevant(&self) -> bool {
        self.grades.values().any(|grade| 0 < *grade)
    }

    /// The relevant documents, in order of name.
    pub fn relevant(&self) -> impl Iterator<Item = &str> {
        self.grades.iter().filter(|(_, grade)| 0 < **grade).map(|(doc, _)| doc.as_str())
    }

    /// Records a judgment; the error says what it contradicts.
    fn insert(&mut self, doc: &str, judgment: Judgment) -> Result<(), String> {
        let other = match judgment {
            Judgment::Grade(grade) => match self.grades.insert(doc.to_owned(), grade) {
                Some(other) if other != grade => Some(format!("grade {other}")),
                _ => self.minor.contains(doc).then(|| "minor".to_owned()),
            },
            Judgment::Minor => {
                self.minor.insert(doc.to_owned());
                self.grades.get(doc).map(|other| format!("grade {other}"))
            }
        };
        match other {
            Some(other) => Err(format!("{doc} is also judged {other}")),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy)]
enum Judgment {
    Grade(i32),
    Minor,
}

/// The judgments of all topics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Qrels {
    topics: BTreeMap<TopicId, Judgments>,
}

/// The formats of qrels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QrelsFormat {
    /// `qid iter docid grade`, separated by white space, cells encoded as in [`trec`].
    Trec,
    /// One JSON object per line: `repo` (may be absent), `id`, `path`, `grade` (absent means 1),
    /// `minor` (absent means false).
    Jsonl,
}

impl QrelsFormat {
    /// JSON lines for `.jsonl`, `.ndjson` and `.json`, TREC for all else.
    pub fn of_path(path: &Path) -> QrelsFormat {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl" | "ndjson" | "json") => QrelsFormat::Jsonl,
            _ => QrelsFormat::Trec,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct JsonLine {
    #[serde(flatten)]
    topic: TopicId,
    path: String,
    #[serde(default = "one")]
    grade: i32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    minor: bool,
}

fn one() -> i32 {
    1
}

impl Qrels {
    /// The judgments that topics carry: each relevant path has grade 1.
    ///
    /// # Errors
    ///
    /// [`Error::Topic`] if a path is both relevant and minor.
    pub fn from_topics<'a>(topics: impl IntoIterator<Item = &'a Topic>) -> Result<Qrels> {
        let mut qrels = Qrels::default();
        for topic in topics {
            let judgments = qrels.topics.entry(topic.topic.clone()).or_default();
            let rows = topic
                .relevant
                .iter()
                .map(|path| (path, Judgment::Grade(1)))
                .chain(topic.minor.iter().map(|path| (path, Judgment::Minor)));
            for (path, judgment) in rows {
                judgments
                    .insert(path, judgment)
                    .map_err(|problem| Error::Topic { topic: topic.topic.clone(), problem })?;
            }
        }
        Ok(qrels)
    }

    /// Qrels from text; `path` is only named in errors. The order of lines does not matter, and a
    /// judgment may be repeated as long as it says the same.
    pub fn parse(text: &str, format: QrelsFormat, path: &Path) -> Result<Qrels> {
        let rows = match format {
            QrelsFormat::Trec => numbered_lines(text)
                .map(|(number, line)| parse_trec_line(line, number, path))
                .collect::<Result<Vec<_>>>()?,
            QrelsFormat::Jsonl => {
                parse_json_lines(text, path, "a judgment as a JSON object with `id` and `path`")?
                    .into_iter()
                    .map(|(number, line): (usize, JsonLine)| {
                        let judgment =
                            if line.minor { Judgment::Minor } else { Judgment::Grade(line.grade) };
                        (number, line.topic, line.path, judgment)
                    })
                    .collect()
            }
        };
        let mut qrels = Qrels::default();
        for (number, topic, doc, judgment) in rows {
            qrels.topics.entry(topic).or_default().insert(&doc, judgment).map_err(|problem| {
                Error::line(path, number, "one judgment per document and topic", problem)
            })?;
        }
        Ok(qrels)
    }

    /// Qrels from a file, in the format that its name says.
    pub fn read(path: &Path) -> Result<Qrels> {
        Qrels::parse(&read_text(path)?, QrelsFormat::of_path(path), path)
    }

    /// Qrels as text, ordered by topic and document, minor documents last.
    pub fn to_text(&self, format: QrelsFormat) -> String {
        let rows = self.topics.iter().flat_map(|(topic, judgments)| {
            let graded = judgments.grades.iter().map(|(doc, grade)| (doc, *grade, false));
            graded.chain(judgments.minor.iter().map(|doc| (doc, 0, true))).map(
                move |(doc, grade, minor)| JsonLine {
                    topic: topic.clone(),
                    path: doc.clone(),
                    grade,
                    minor,
                },
            )
        });
        match format {
            QrelsFormat::Jsonl => to_json_lines(&rows.collect::<Vec<_>>()),
            QrelsFormat::Trec => {
                let mut text = String::new();
                for row in rows {
                    let iter = if row.minor { MINOR } else { "0" };
                    let _ = writeln!(
                        text,
                        "{} {iter} {} {}",
                        row.topic,
                        trec::encode(&row.path),
                        row.grade
                    );
                }
                text
            }
        }
    }

    /// The judgments of a topic, if it has any.
    pub fn get(&self, topic: &TopicId) -> Option<&Judgments> {
        self.topics.get(topic)
    }

    /// Adds or replaces the judgments of a topic.
    pub fn insert(&mut self, topic: TopicId, judgments: Judgments) {
        self.topics.insert(topic, judgments);
    }

    /// All topics with their judgments, in order of id.
    pub fn iter(&self) -> impl Iterator<Item = (&TopicId, &Judgments)> {
        self.topics.iter()
    }
}

fn parse_trec_line(
    line: &str,
    number: usize,
    path: &Path,
) -> Result<(usize, TopicId, String, Judgment)> {
    let cells: Vec<&str> = line.split_ascii_whitespace().collect();
    let [qid, iter, doc, grade] = cells[..] else {
        return Err(Error::line(
            path,
            number,
            "four columns `qid iter docid grade`",
            format!("{} columns", cells.len()),
        ));
    };
    let topic = trec::decode_topic(qid)
        .ok_or_else(|| Error::line(path, number, "a percent-encoded qid", format!("`{qid}`")))?;
    let doc = trec::decode(doc)
        .ok_or_else(|| Error::line(path, number, "a percent-encoded docid", format!("`{doc}`")))?;
    let grade = grade
        .parse()
        .map_err(|_| Error::line(path, number, "a whole number as grade", format!("`{grade}`")))?;
    let judgment = if iter == MINOR { Judgment::Minor } else { Judgment::Grade(grade) };
    Ok((number, topic, doc, judgment))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, format: QrelsFormat) -> Result<Qrels> {
        Qrels::parse(text, format, Path::new("qrels"))
    }

    fn check_refused(text: &str, message: &str) {
        assert_eq!(check(text, QrelsFormat::Trec).expect_err(message).to_string(), message);
    }

    #[test]
    fn four_columns_read_as_trec() {
        let qrels = check("301 0 FT911-3 2\n301\t0\tFT911-4\t0\n", QrelsFormat::Trec).expect("ok");
        let judgments = qrels.get(&TopicId::new("", "301")).expect("topic 301");
        assert_eq!(judgments.grades["FT911-3"], 2);
        assert_eq!(judgments.relevant().collect::<Vec<_>>(), ["FT911-3"]);
    }

    #[test]
    fn three_columns_are_refused() {
        check_refused(
            "\n301 0 a\n",
            "qrels:2: expected four columns `qid iter docid grade`, found 3 columns",
        );
    }

    #[test]
    fn a_grade_that_is_no_number_is_refused() {
        check_refused("1 0 a high\n", "qrels:1: expected a whole number as grade, found `high`");
    }

    #[test]
    fn judgments_that_contradict_are_refused_in_either_order() {
        let message =
            "qrels:2: expected one judgment per document and topic, found a is also judged grade";
        check_refused("1 0 a 1\n1 0 a 2\n", &format!("{message} 1"));
        check_refused("1 0 a 2\n1 0 a 1\n", &format!("{message} 2"));
        check_refused("1 0 a 2\n1 minor a 0\n", &format!("{message} 2"));
    }

    #[test]
    fn a_judgment_said_twice_is_one() {
        assert_eq!(
            check("1 0 a 1\n1 0 a 1\n", QrelsFormat::Trec).expect("ok"),
            check("1 0 a 1\n", QrelsFormat::Trec).expect("ok")
        );
    }

    #[test]
    fn a_path_both_relevant_and_minor_is_refused() {
        let topic = Topic {
            topic: TopicId::new("shop", "1"),
            relevant: vec!["a".to_owned()],
            minor: vec!["a".to_owned()],
            ..Topic::default()
        };
        let error = Qrels::from_topics([&topic]).expect_err("contradiction").to_string();
        assert_eq!(error, "topic shop/1: a is also judged grade 1");
    }

    prop_compose! {
        fn any_qrels()(rows in proptest::collection::vec(
            (any::<String>(), any::<String>(), any::<String>(), -1..4_i32, any::<bool>()), 0..20)
        ) -> Qrels {
            let mut qrels = Qrels::default();
            for (repo, id, doc, grade, minor) in rows {
                let judgments = qrels.topics.entry(TopicId { repo, id }).or_default();
                if minor {
                    let _ = judgments.insert(&doc, Judgment::Minor);
                } else if !judgments.minor.contains(&doc) {
                    let _ = judgments.insert(&doc, Judgment::Grade(grade));
                }
            }
            qrels
        }
    }

    proptest! {
        #[test]
        fn both_formats_round_trip(qrels in any_qrels()) {
            for format in [QrelsFormat::Trec, QrelsFormat::Jsonl] {
                prop_assert_eq!(&check(&qrels.to_text(format), format).expect("own text"), &qrels);
            }
        }

        #[test]
        fn the_order_of_lines_does_not_matter(qrels in any_qrels()) {
            let text = qrels.to_text(QrelsFormat::Trec);
            let reversed: String = text.lines().rev().flat_map(|line| [line, "\n"]).collect();
            prop_assert_eq!(check(&reversed, QrelsFormat::Trec).expect("own text"), qrels);
        }
    }
}
