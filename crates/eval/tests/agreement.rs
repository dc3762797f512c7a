//! Agreement with the tools of the field: the committed figures are theirs, the computation ours.
//!
//! `eval/check_ir_measures.py` draws the synthetic fixture and recomputes its figures with
//! `ir_measures`. The ranked fixture carries what the scoring script of the development topics
//! printed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use reseek_eval::{Measure, Qrels, Run, RunFormat, TopicId, evaluate, qrels::QrelsFormat, topic};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn check(name: &str, ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours - theirs).abs() <= tolerance, "{name}: ours {ours}, theirs {theirs}");
}

fn synthetic() -> (Qrels, Run) {
    let qrels = Qrels::read(&fixture("synthetic.qrels")).expect("qrels");
    let run = Run::read(&fixture("synthetic.run")).expect("run");
    (qrels, run)
}

#[test]
fn figures_equal_those_of_ir_measures_to_six_places() {
    let (qrels, run) = synthetic();
    let expected = fs::read_to_string(fixture("synthetic.expected.tsv")).expect("figures");
    let mut by_measure: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for line in expected.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let value = cells[2].parse().expect("a figure");
        by_measure.entry(cells[0]).or_default().push((cells[1], value));
    }
    assert_eq!(by_measure.len(), 21);
    for (name, figures) in by_measure {
        let measure: Measure = name.parse().expect("a measure");
        let evaluation = evaluate(&qrels, &run, &[measure]).expect("no token costs needed");
        let mut ours: BTreeMap<&str, f64> =
            evaluation.topics.iter().map(|row| (row.topic.id.as_str(), row.values[0])).collect();
        ours.insert("all", evaluation.micro_mean().values[0]);
        assert_eq!(ours.len(), figures.len(), "{name}: topics");
        for (qid, theirs) in figures {
            check(&format!("{name} of {qid}"), ours[qid], theirs, 1e-6);
        }
    }
}

#[test]
fn the_synthetic_fixture_holds_every_kind_of_topic() {
    let (qrels, run) = synthetic();
    let measures = ["RR".parse().expect("a measure")];
    let evaluation = evaluate(&qrels, &run, &measures).expect("no token costs needed");
    assert_eq!(evaluation.topics.len(), 56);
    assert_eq!(evaluation.n_unanswered, 6);
    assert_eq!(evaluation.n_without_relevant, 4);
    assert_eq!(evaluation.n_unjudged, 1);
}

#[test]
fn a_ranked_run_scores_as_the_script_of_the_development_topics_does() {
    let names = ["nDCG@10", "R@10", "R@20", "RR", "Success@3"];
    let measures = names.map(|name| name.parse::<Measure>().expect("a measure"));
    let topics = topic::read(&fixture("ranked.topics.jsonl")).expect("topics");
    let qrels = Qrels::from_topics(&topics).expect("qrels");
    let run = Run::read(&fixture("ranked.run.tsv")).expect("run");
    let evaluation = evaluate(&qrels, &run, &measures).expect("no token costs needed");
    let expected = fs::read_to_string(fixture("ranked.expected.tsv")).expect("figures");
    let mut n_topics = 0;
    for line in expected.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (ours, tolerance) = if cells[0] == "MACRO" {
            (evaluation.macro_mean().values, 0.5e-4 + 1e-9)
        } else {
            n_topics += 1;
            let topic = TopicId::new(cells[0], cells[1]);
            let row = evaluation.topics.iter().find(|row| row.topic == topic);
            (row.expect("the topic is measured").values.clone(), 1e-6)
        };
        for ((name, ours), theirs) in names.iter().zip(ours).zip(&cells[2..]) {
            let theirs = theirs.parse().expect("a figure");
            check(&format!("{name} of {} {}", cells[0], cells[1]), ours, theirs, tolerance);
        }
    }
    assert_eq!(n_topics, evaluation.topics.len());
}

#[test]
fn shuffled_lines_give_the_same_run_and_qrels() {
    let read = |name: &str| fs::read_to_string(fixture(name)).expect("fixture");
    let sorted = |text: &str| {
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    let path = Path::new("sorted");
    let (qrels, run) = synthetic();
    let text = sorted(&read("synthetic.run"));
    assert_eq!(Run::parse(&text, RunFormat::Trec, path).expect("run"), run);
    let text = sorted(&read("synthetic.qrels"));
    assert_eq!(Qrels::parse(&text, QrelsFormat::Trec, path).expect("qrels"), qrels);
}
