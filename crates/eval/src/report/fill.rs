//! What a report can say from the summary of a suite alone.
//!
//! Recall by cycle and calibration need more than rankings; the caller adds them where it has them.

use super::{Estimate, LatencyPlot, Line, LinePlot, QualityPlot, ReportData, Row, Table};
use crate::{
    latency::Latency,
    measures::Measure,
    output::{MeasureSummary, Summary, SystemResult},
};

impl ReportData {
    /// Title, notes, the table, quality by system (of the first measure), recall by token budget
    /// (where two or more budgets were measured) and quality against median latency (where it was
    /// measured).
    pub fn of_summary(summary: &Summary, results: &[SystemResult]) -> ReportData {
        let Some(first) = summary.systems.first() else {
            return ReportData { title: summary.provenance.suite.clone(), ..ReportData::default() };
        };
        let n_repos = first.repos.len();
        let average = format!("macro mean over {n_repos} repositories, {} topics", first.n_topics);
        let columns = first.means.iter().map(|row| row.measure.to_string()).collect();
        let rows = summary.systems.iter().map(|system| Row {
            system: system.name.clone(),
            cells: system.means.iter().map(|row| Some(estimate(row))).collect(),
        });
        let table = Table {
            caption: format!("{average}, with 95 % bootstrap intervals"),
            columns,
            rows: rows.collect(),
        };
        ReportData {
            title: summary.provenance.suite.clone(),
            notes: notes(summary),
            tables: vec![table],
            quality: first.means.first().map(|main| QualityPlot {
                measure: format!("{}, macro mean", main.measure),
                systems: summary
                    .systems
                    .iter()
                    .filter_map(|system| {
                        Some((system.name.clone(), estimate(system.means.first()?)))
                    })
                    .collect(),
            }),
            recall_by_tokens: by_tokens(summary),
            quality_by_latency: by_latency(summary, results),
            ..ReportData::default()
        }
    }
}

fn estimate(row: &MeasureSummary) -> Estimate {
    Estimate { value: row.macro_mean, interval: Some(row.interval) }
}

fn notes(summary: &Summary) -> Vec<String> {
    let provenance = &summary.provenance;
    let mut notes = vec![
        format!("program {}", provenance.version),
        format!("topics {}", provenance.topics),
        format!("intervals from {} bootstrap rounds, seed {}", summary.n_rounds, summary.seed),
    ];
    for corpus in &provenance.corpora {
        let pin = corpus.revision.as_ref().or(corpus.hash.as_ref());
        notes.push(format!("corpus {} {}", corpus.name, pin.map_or("not pinned", String::as_str)));
    }
    for system in summary.systems.iter().filter(|system| 0 < system.n_unanswered) {
        notes.push(format!("{} left {} topics unanswered", system.name, system.n_unanswered));
    }
    notes
}

fn by_tokens(summary: &Summary) -> Option<LinePlot> {
    let lines = summary.systems.iter().map(|system| {
        let mut points: Vec<(f64, f64)> = system
            .means
            .iter()
            .filter_map(|row| match row.measure {
                Measure::RecallTokens { budget, .. } => Some((budget as f64, row.macro_mean)),
                _ => None,
            })
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Line { system: system.name.clone(), points }
    });
    let lines: Vec<Line> = lines.filter(|line| 1 < line.points.len()).collect();
    let measure = "recall within the budget, macro mean".to_owned();
    (!lines.is_empty()).then_some(LinePlot { measure, lines })
}

fn by_latency(summary: &Summary, results: &[SystemResult]) -> Option<LatencyPlot> {
    let main = summary.systems.first()?.means.first()?.measure;
    let systems: Vec<(String, f64, f64)> = summary
        .systems
        .iter()
        .filter_map(|system| {
            let result = results.iter().find(|result| result.name == system.name)?;
            let latency = Latency::of(&result.cost.latency_ms)?;
            Some((system.name.clone(), latency.p50_ms, system.means.first()?.macro_mean))
        })
        .collect();
    (!systems.is_empty()).then(|| LatencyPlot {
        measure: format!("{main}, macro mean"),
        latency: "median time per task".to_owned(),
        systems,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        compare::Settings,
        evaluation::{Evaluation, TopicScores},
        output::{Cost, Provenance, summarise},
        topic::TopicId,
    };

    fn filled(measures: &[&str], latency_ms: Vec<f64>) -> ReportData {
        let values = (0..measures.len()).map(|i| i as f64 / 10.0).collect();
        let evaluation = Evaluation {
            measures: measures.iter().map(|name| name.parse().expect("a measure")).collect(),
            topics: vec![TopicScores { topic: TopicId::new("a", "1"), values }],
            n_unanswered: 1,
            ..Evaluation::default()
        };
        let result = SystemResult {
            name: "plain".to_owned(),
            evaluation,
            cost: Cost { latency_ms, ..Cost::default() },
            ..SystemResult::default()
        };
        let provenance = Provenance { suite: "dev".to_owned(), ..Provenance::default() };
        let results = [result];
        let summary = summarise(&provenance, &results, &BTreeMap::new(), Settings::default());
        ReportData::of_summary(&summary, &results)
    }

    #[test]
    fn the_table_names_topics_and_repositories() {
        let data = filled(&["RR", "AP"], Vec::new());
        assert_eq!(
            data.tables[0].caption,
            "macro mean over 1 repositories, 1 topics, with 95 % bootstrap intervals"
        );
        assert_eq!(data.tables[0].columns, ["RR", "AP"]);
        assert!(data.notes.contains(&"plain left 1 topics unanswered".to_owned()));
    }

    #[test]
    fn budgets_become_a_line_in_ascending_order() {
        let data = filled(&["RR", "R@8k tokens", "R@2k tokens"], Vec::new());
        let plot = data.recall_by_tokens.expect("two budgets");
        assert_eq!(plot.lines[0].points, [(2000.0, 0.2), (8000.0, 0.1)]);
    }

    #[test]
    fn what_was_not_measured_is_absent() {
        let data = filled(&["RR", "R@8k tokens"], Vec::new());
        assert_eq!((data.recall_by_tokens, data.quality_by_latency), (None, None));
    }

    #[test]
    fn the_median_latency_stands_against_the_first_measure() {
        let data = filled(&["RR", "AP"], vec![9.0, 1.0, 5.0]);
        let plot = data.quality_by_latency.expect("latency");
        assert_eq!(plot.systems, [("plain".to_owned(), 5.0, 0.0)]);
        assert_eq!(plot.measure, "RR, macro mean");
    }
}
