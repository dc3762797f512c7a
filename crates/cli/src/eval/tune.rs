//! `reseek eval tune`: weights by coordinate ascent, with every corpus held out once.
//!
//! Field weights are tuned by nDCG@10 of the order that chooses candidates, before any judgement: the ranker is
//! trained for the weights in force and would punish every other. Lexicon weights are tuned by nDCG@10 of the loop's
//! answer. The tuned table is printed and never put in force by itself; the figure to believe is the held-out one.

use std::cell::RefCell;
use std::fmt::Write as _;

use reseek_eval::tune::{TuneResult, tune};
use reseek_eval::{Hit, Measure, Qrels, Run, Topic, evaluate};
use reseek_query::concepts::LexiconWeights;
use reseek_query::postings::Scored;
use reseek_query::retrieve::inspect;
use reseek_query::weights::{FieldWeights, Weights};
use serde::Serialize;

use super::args::{Table, TuneArgs};
use super::corpus::OpenCorpus;
use super::plan::Plan;
use super::systems::{everything, in_order_of_mix};
use super::write;
use crate::args::{Format, Global};
use crate::errors::Problem;
use crate::output::{Answer, Output};

/// What is climbed.
const OBJECTIVE: Measure = Measure::Ndcg { cutoff: Some(10) };
/// Cycles of the loop when lexicon weights are tuned.
const CYCLES: u32 = 3;

/// A weight with its name and place.
struct Weight {
    name: String,
    /// A share, which may not exceed 1.
    is_share: bool,
}

/// The JSON of the command.
#[derive(Serialize)]
struct Document<'a> {
    objective: String,
    weights: Vec<(&'a str, f64)>,
    result: &'a TuneResult,
}

/// Tunes.
pub(crate) fn run(
    global: &Global,
    output: &Output,
    format: Format,
    args: &TuneArgs,
) -> anyhow::Result<Answer> {
    let plan = Plan::read(&args.suite)?;
    let out = args.out.clone().unwrap_or_else(|| "eval-out/tuned".into());
    let indexes = super::run::indexes(global, out.parent().unwrap_or(std::path::Path::new(".")));
    let mut corpora: Vec<(String, OpenCorpus, Vec<&Topic>)> = Vec::new();
    for corpus in &plan.suite.corpora {
        let mut topics: Vec<&Topic> = plan.topics_of(&corpus.name).collect();
        if topics.is_empty() {
            continue;
        }
        let open = OpenCorpus::open(corpus, &topics, &indexes, global, output)?;
        topics.truncate(args.max_topics.unwrap_or(usize::MAX));
        corpora.push((corpus.name.clone(), open, topics));
    }
    let (names, all) = (weights_of(args.table), vector(args.table, &Weights::default()));
    let chosen: Vec<usize> = (0..names.len())
        .filter(|&i| {
            args.weight.is_empty()
                || args.weight.iter().any(|start| names[i].name.starts_with(start.as_str()))
        })
        .collect();
    if chosen.is_empty() {
        let known: Vec<&str> = names.iter().map(|weight| weight.name.as_str()).collect();
        return Err(Problem::Usage {
            message: "no weight has such a name".to_owned(),
            advice: format!("choose of: {}", known.join(", ")),
        }
        .into());
    }
    let full = |values: &[f64]| {
        let mut vector = all.clone();
        for (&i, value) in chosen.iter().zip(values) {
            vector[i] = *value;
        }
        vector
    };
    let failure: RefCell<Option<anyhow::Error>> = RefCell::new(None);
    let objective = |values: &[f64], group: &str| {
        let vector = full(values);
        let is_allowed =
            |(value, weight): (&f64, &Weight)| 0.0 <= *value && (!weight.is_share || *value <= 1.0);
        if !vector.iter().zip(&names).all(is_allowed) || failure.borrow().is_some() {
            return f64::NEG_INFINITY;
        }
        let Some((_, open, topics)) = corpora.iter().find(|(name, _, _)| name == group) else {
            return f64::NEG_INFINITY;
        };
        measure(&plan, open, topics, args.table, &weights(args.table, &vector)).unwrap_or_else(
            |error| {
                failure.replace(Some(error));
                f64::NEG_INFINITY
            },
        )
    };
    let groups: Vec<String> = corpora.iter().map(|(name, _, _)| name.clone()).collect();
    let start: Vec<f64> = chosen.iter().map(|&i| all[i]).collect();
    let result = tune(&objective, &start, &args.steps, &groups, args.seed);
    if let Some(error) = failure.into_inner() {
        return Err(error);
    }
    let tuned = full(&result.weights);
    let named: Vec<(&str, f64)> =
        names.iter().map(|weight| weight.name.as_str()).zip(tuned.iter().copied()).collect();
    let table = table(&named, &all);
    if args.out.is_some() {
        write(&out, &table)?;
    }
    if format == Format::Json {
        let document =
            Document { objective: OBJECTIVE.to_string(), weights: named, result: &result };
        return Answer::json(&document, true);
    }
    let mut text = table;
    let _ = writeln!(
        text,
        "\n{OBJECTIVE}: start {:.4}, training {:.4}, held out {:.4} ({} measurements)",
        result.start, result.training, result.held_out, result.n_evaluations
    );
    for fold in &result.folds {
        let _ = writeln!(
            text,
            "  without {:16} training {:.4}; held out {:.4} -> {:.4}",
            fold.held_out, fold.training, fold.start_value, fold.value
        );
    }
    Ok(Answer::text(text))
}

/// The objective on one corpus.
fn measure(
    plan: &Plan,
    open: &OpenCorpus,
    topics: &[&Topic],
    table: Table,
    weights: &Weights,
) -> anyhow::Result<f64> {
    let (mut run, mut qrels) = (Run::new("tune"), Qrels::default());
    let n_cycles = if table == Table::Fields { 1 } else { CYCLES };
    for topic in topics {
        let task = everything(&plan.task_of(topic), n_cycles, plan.suite.depth);
        let (retrieval, all) = inspect(&open.session.snapshot, &task, &open.lexicon, weights)?;
        let paths: Vec<&str> = if table == Table::Fields {
            in_order_of_mix(&retrieval, &all)
                .iter()
                .map(|(file, _, _)| file.path.as_str())
                .collect()
        } else {
            retrieval.results.iter().map(|file| file.path.as_str()).collect()
        };
        let hits = paths.into_iter().take(plan.suite.depth);
        let hits = hits.map(|path| Hit { doc: open.outer(path), score: 0.0, tokens: None });
        run.insert_ranked(topic.topic.clone(), hits.collect());
        if let Some(judgments) = plan.qrels.get(&topic.topic) {
            qrels.insert(topic.topic.clone(), judgments.clone());
        }
    }
    Ok(evaluate(&qrels, &run, &[OBJECTIVE])?.micro_mean().values[0])
}

/// The names of the weights of a table, in the order of [`vector`].
fn weights_of(table: Table) -> Vec<Weight> {
    let weight = |name: String, is_share: bool| Weight { name, is_share };
    match table {
        Table::Fields => {
            let mut names = vec![weight("k1".to_owned(), false)];
            let own = Scored::ALL.iter().map(|field| format!("{field:?}").to_lowercase());
            let whole = ["name", "doc", "body", "text"].iter().map(|name| format!("whole_{name}"));
            for name in own.chain(whole) {
                names.push(weight(name.clone(), false));
                names.push(weight(format!("{name}_b"), true));
            }
            names.push(weight("whole_compound".to_owned(), false));
            names.push(weight("whole_signature".to_owned(), false));
            names
        }
        Table::Lexicon => ["phrase", "inside", "code_term", "fall", "single", "synonym"]
            .into_iter()
            .map(|name| weight(name.to_owned(), matches!(name, "inside" | "code_term" | "synonym")))
            .collect(),
    }
}

/// The values of a table in one row.
fn vector(table: Table, weights: &Weights) -> Vec<f64> {
    // Through the text, so that 0.3 is 0.3 in print too.
    let wide = |value: f32| value.to_string().parse().unwrap_or_else(|_| f64::from(value));
    match table {
        Table::Fields => {
            let fields = &weights.fields;
            let mut row = vec![wide(fields.k1)];
            for (weight, b) in fields.own.iter().chain(&fields.whole) {
                row.extend([wide(*weight), wide(*b)]);
            }
            row.extend([wide(fields.whole_compound), wide(fields.whole_signature)]);
            row
        }
        Table::Lexicon => {
            let l = &weights.lexicon;
            [l.phrase, l.inside, l.code_term, l.fall, l.single, l.synonym].map(wide).to_vec()
        }
    }
}

/// The weights in force, with the values of a row in one table.
fn weights(table: Table, row: &[f64]) -> Weights {
    let mut weights = Weights::default();
    let mut values = row.iter().map(|value| *value as f32);
    let mut next = || values.next().unwrap_or_default();
    match table {
        Table::Fields => {
            let fields: &mut FieldWeights = &mut weights.fields;
            fields.k1 = next();
            for pair in fields.own.iter_mut().chain(&mut fields.whole) {
                *pair = (next(), next());
            }
            fields.whole_compound = next();
            fields.whole_signature = next();
        }
        Table::Lexicon => {
            weights.lexicon = LexiconWeights {
                phrase: next(),
                inside: next(),
                code_term: next(),
                fall: next(),
                single: next(),
                synonym: next(),
            };
        }
    }
    weights
}

/// A weight a line, with what it was where it changed.
fn table(named: &[(&str, f64)], before: &[f64]) -> String {
    let mut text = String::new();
    for ((name, value), before) in named.iter().zip(before) {
        let _ = write!(text, "{name} = {value:.4}");
        if (value - before).abs() > 1e-9 {
            let _ = write!(text, "  # was {before:.4}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_has_a_name_and_survives_the_row() {
        for table in [Table::Fields, Table::Lexicon] {
            let row = vector(table, &Weights::default());
            assert_eq!(row.len(), weights_of(table).len());
            assert_eq!(weights(table, &row), Weights::default());
        }
    }

    #[test]
    fn a_changed_weight_shows_what_it_was() {
        assert_eq!(
            table(&[("a", 1.0), ("b", 0.5)], &[1.0, 0.3]),
            "a = 1.0000\nb = 0.5000  # was 0.3000\n"
        );
    }
}
