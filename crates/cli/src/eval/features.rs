//! `reseek eval features`: what the ranker is trained on.
//!
//! One row per judged file of each topic, in the order of the mix that chose it: corpus, topic, path, label (1 relevant, 0
//! not), then every feature as the loop judged the file in the end. Minor files are left out, neither right nor wrong.

use std::fmt::Write as _;

use reseek_eval::Topic;
use reseek_query::features::NAMES;
use reseek_query::retrieve::inspect;
use reseek_query::weights::Weights;
use serde::Serialize;

use super::args::FeaturesArgs;
use super::corpus::OpenCorpus;
use super::plan::Plan;
use super::systems::{everything, in_order_of_mix};
use super::write;
use crate::args::{Format, Global};
use crate::output::{Answer, Output, count};

/// The JSON of the command.
#[derive(Serialize)]
struct Document {
    table: String,
    n_topics: usize,
    n_rows: u64,
    n_relevant: u64,
    features: Vec<&'static str>,
}

/// Writes the table.
pub(crate) fn run(
    global: &Global,
    output: &Output,
    format: Format,
    args: &FeaturesArgs,
) -> anyhow::Result<Answer> {
    let plan = Plan::read(&args.suite)?;
    let beside = args.out.with_extension("indexes");
    let indexes = global.index_dir.clone().unwrap_or(beside);
    let mut text = format!("repo\tid\tpath\tlabel\t{}\n", NAMES.join("\t"));
    let (mut n_rows, mut n_relevant) = (0, 0);
    for corpus in &plan.suite.corpora {
        let topics: Vec<&Topic> = plan.topics_of(&corpus.name).collect();
        if topics.is_empty() {
            continue;
        }
        let open = OpenCorpus::open(corpus, &topics, &indexes, global, output)?;
        output.note(&format!("{}: {}", corpus.name, count(topics.len() as u64, "topic")));
        for topic in topics {
            let task = everything(&plan.task_of(topic), args.max_cycles, plan.suite.depth);
            let (retrieval, all) =
                inspect(&open.session.snapshot, &task, &open.lexicon, &Weights::default())?;
            let judgments = plan.qrels.get(&topic.topic).cloned().unwrap_or_default();
            for (file, _, features) in in_order_of_mix(&retrieval, &all) {
                let path = open.outer(&file.path);
                if judgments.minor.contains(&path) {
                    continue;
                }
                let is_relevant = judgments.grades.get(&path).is_some_and(|grade| 0 < *grade);
                n_rows += 1;
                n_relevant += u64::from(is_relevant);
                let id = &topic.topic;
                let _ = write!(text, "{}\t{}\t{path}\t{}", id.repo, id.id, u8::from(is_relevant));
                for value in features {
                    let _ = write!(text, "\t{value}");
                }
                text.push('\n');
            }
        }
    }
    write(&args.out, &text)?;
    let table = args.out.display().to_string();
    if format == Format::Json {
        let n_topics = plan.topics.len();
        let features = NAMES.to_vec();
        return Answer::json(&Document { table, n_topics, n_rows, n_relevant, features }, true);
    }
    let rows = count(n_rows, "row");
    Ok(Answer::text(format!("{rows}, {n_relevant} of them relevant, in {table}\n")))
}
