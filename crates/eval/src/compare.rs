//! Two runs side by side: is the difference real, and where does it come from?
//!
//! - The p-value is that of a paired randomisation test, two-sided: under the null hypothesis the two
//!   systems are exchangeable on every topic, so the sign of each topic's difference is a coin toss.
//!   Smucker, Allan and Carterette, "A comparison of statistical significance tests for information
//!   retrieval evaluation", CIKM 2007. It is `(b + 1) / (m + 1)` for `b` of `m` rounds that reach the
//!   observed difference: Phipson and Smyth, "Permutation p-values should never be zero", 2010.
//! - The interval is a percentile bootstrap (Efron and Tibshirani, "An introduction to the
//!   bootstrap", 1993, chapter 13) of the mean difference. For macro means topics are drawn within
//!   their repository, and the repositories stay as they are: it speaks of other topics of these
//!   repositories, not of other repositories.
//!
//! Invariant: the same evaluations and settings give the same figures, on every machine.

use std::{cmp::Ordering, collections::BTreeMap, fmt::Write as _};

use serde::Serialize;

use crate::{
    error::{Error, Result},
    evaluation::Evaluation,
    latency::percentile,
    measures::Measure,
    qrels::Qrels,
    rng::SplitMix64,
    run::Run,
    topic::TopicId,
};

/// Differences of a topic below this are a tie: rounding, not ranking.
const TIE: f64 = 1e-9;

/// Which mean is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Average {
    /// Over all topics.
    Micro,
    /// Over the means of the repositories.
    Macro,
}

/// How a comparison is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which mean.
    pub average: Average,
    /// Rounds of the randomisation test and of the bootstrap.
    pub n_rounds: u32,
    /// Seed of both.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { average: Average::Macro, n_rounds: 10_000, seed: 1 }
    }
}

/// One measure of two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The measure.
    pub measure: Measure,
    /// Mean of the baseline.
    pub baseline: f64,
    /// Mean of the run.
    pub run: f64,
    /// Lower and upper end of the 95 % interval of `run - baseline`.
    pub interval: (f64, f64),
    /// Two-sided p-value of the paired randomisation test.
    pub p_value: f64,
    /// Topics on which the run is better.
    pub n_wins: usize,
    /// Topics without a difference.
    pub n_ties: usize,
    /// Topics on which the run is worse.
    pub n_losses: usize,
}

/// A run against a baseline.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Tag of the baseline.
    pub baseline: String,
    /// Tag of the run.
    pub run: String,
    /// Which mean.
    pub average: Average,
    /// Number of topics.
    pub n_topics: usize,
    /// Topics that the baseline and the run leave unanswered.
    pub n_unanswered: (usize, usize),
    /// One row per measure.
    pub measures: Vec<Difference>,
}

/// Compares two evaluations of the same topics by the same measures.
///
/// # Errors
///
/// [`Error::Incomparable`] if topics or measures differ.
pub fn compare(baseline: &Evaluation, run: &Evaluation, settings: Settings) -> Result<Comparison> {
    check_comparable(baseline, run)?;
    let mean = |evaluation: &Evaluation| match settings.average {
        Average::Micro => evaluation.micro_mean(),
        Average::Macro => evaluation.macro_mean(),
    };
    let (baseline_mean, run_mean) = (mean(baseline), mean(run));
    let measures = baseline.measures.iter().enumerate().map(|(m, measure)| {
        let strata = strata(run, settings.average, |i| {
            run.topics[i].values[m] - baseline.topics[i].values[m]
        });
        let count =
            |wanted: Ordering| strata.iter().flatten().filter(|d| sign(**d) == wanted).count();
        Difference {
            measure: *measure,
            baseline: baseline_mean.values[m],
            run: run_mean.values[m],
            interval: bootstrap(&strata, settings),
            p_value: randomisation(&strata, settings),
            n_wins: count(Ordering::Greater),
            n_ties: count(Ordering::Equal),
            n_losses: count(Ordering::Less),
        }
    });
    Ok(Comparison {
        baseline: baseline.tag.clone(),
        run: run.tag.clone(),
        average: settings.average,
        n_topics: run.topics.len(),
        n_unanswered: (baseline.n_unanswered, run.n_unanswered),
        measures: measures.collect(),
    })
}

/// The 95 % bootstrap interval of an evaluation's mean, for one measure by its place.
pub fn interval(evaluation: &Evaluation, measure_idx: usize, settings: Settings) -> (f64, f64) {
    let values =
        |i: usize| evaluation.topics[i].values.get(measure_idx).copied().unwrap_or_default();
    bootstrap(&strata(evaluation, settings.average, values), settings)
}

fn check_comparable(baseline: &Evaluation, run: &Evaluation) -> Result<()> {
    if baseline.measures != run.measures {
        return Err(Error::Incomparable { problem: "they were measured differently".to_owned() });
    }
    let ids = |evaluation: &Evaluation| -> Vec<TopicId> {
        evaluation.topics.iter().map(|row| row.topic.clone()).collect()
    };
    let (a, b) = (ids(baseline), ids(run));
    let first = a.iter().zip(&b).find(|(a, b)| a != b).map(|(a, b)| a.min(b));
    let first = first.or_else(|| if a.len() < b.len() { b.get(a.len()) } else { a.get(b.len()) });
    match first {
        Some(topic) => Err(Error::Incomparable { problem: format!("only one covers {topic}") }),
        None => Ok(()),
    }
}

fn sign(difference: f64) -> Ordering {
    if difference.abs() < TIE { Ordering::Equal } else { difference.total_cmp(&0.0) }
}

/// The topics' values, one list per repository for a macro mean and one list for a micro mean.
fn strata(
    evaluation: &Evaluation,
    average: Average,
    value: impl Fn(usize) -> f64,
) -> Vec<Vec<f64>> {
    let mut strata: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (i, row) in evaluation.topics.iter().enumerate() {
        let stratum = match average {
            Average::Micro => "",
            Average::Macro => &row.topic.repo,
        };
        strata.entry(stratum).or_default().push(value(i));
    }
    strata.into_values().collect()
}

/// Mean over the strata of the mean of `value(stratum, place)`.
fn mean_of_means(strata: &[Vec<f64>], mut value: impl FnMut(&[f64], usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for stratum in strata {
        let total: f64 = (0..stratum.len()).map(|i| value(stratum, i)).sum();
        sum += total / stratum.len() as f64;
    }
    sum / strata.len().max(1) as f64
}

fn randomisation(strata: &[Vec<f64>], settings: Settings) -> f64 {
    let mut rng = SplitMix64::new(settings.seed);
    let observed = mean_of_means(strata, |stratum, i| stratum[i]).abs();
    let mut n_reached = 0_u32;
    for _ in 0..settings.n_rounds {
        let drawn =
            mean_of_means(
                strata,
                |stratum, i| {
                    if rng.next() >> 63 == 0 { stratum[i] } else { -stratum[i] }
                },
            );
        // Sums in another order differ in the last bits; that must not decide.
        n_reached += u32::from(observed <= drawn.abs() + 1e-12);
    }
    f64::from(n_reached + 1) / f64::from(settings.n_rounds + 1)
}

fn bootstrap(strata: &[Vec<f64>], settings: Settings) -> (f64, f64) {
    let mut rng = SplitMix64::new(settings.seed);
    let mut means: Vec<f64> = (0..settings.n_rounds)
        .map(|_| mean_of_means(strata, |stratum, _| stratum[rng.below(stratum.len())]))
        .collect();
    means.sort_by(f64::total_cmp);
    let end = |percent| percentile(&means, percent).unwrap_or_default();
    (end(2.5), end(97.5))
}

/// A topic and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// The topic.
    pub topic: TopicId,
    /// Its value in the baseline.
    pub baseline: f64,
    /// Its value in the run.
    pub run: f64,
}

/// The `n` topics that moved most by a measure, the largest move first; ties are left out.
///
/// # Errors
///
/// [`Error::Incomparable`] if topics or measures differ or the measure was not taken.
pub fn moved(
    baseline: &Evaluation,
    run: &Evaluation,
    measure: Measure,
    n: usize,
) -> Result<Vec<Moved>> {
    check_comparable(baseline, run)?;
    let m = run
        .measure_idx(measure)
        .ok_or_else(|| Error::Incomparable { problem: format!("{measure} was not taken") })?;
    let mut rows: Vec<Moved> = baseline
        .topics
        .iter()
        .zip(&run.topics)
        .map(|(a, b)| Moved { topic: a.topic.clone(), baseline: a.values[m], run: b.values[m] })
        .filter(|row| sign(row.run - row.baseline).is_ne())
        .collect();
    rows.sort_by(|a, b| {
        let by = |row: &Moved| (row.run - row.baseline).abs();
        by(b).total_cmp(&by(a)).then_with(|| a.topic.cmp(&b.topic))
    });
    rows.truncate(n);
    Ok(rows)
}

/// A document in one of two rankings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The document.
    pub doc: String,
    /// Its grade; `None` if unjudged.
    pub grade: Option<i32>,
    /// Its rank in the other ranking, one-based; `None` if it is not there.
    pub other_rank: Option<usize>,
}

/// Two rankings of one topic, and what both of them missed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SideBySide {
    /// The topic.
    pub topic: TopicId,
    /// The baseline's first documents.
    pub baseline: Vec<Place>,
    /// The run's first documents.
    pub run: Vec<Place>,
    /// Relevant documents that neither shows, with their ranks in the baseline and the run.
    pub missed: Vec<(String, Option<usize>, Option<usize>)>,
}

/// The first `depth` documents of both rankings of a topic; minor documents are left out.
pub fn side_by_side(
    topic: &TopicId,
    baseline: &Run,
    run: &Run,
    qrels: &Qrels,
    depth: usize,
) -> SideBySide {
    let judgments = qrels.get(topic).cloned().unwrap_or_default();
    let docs = |run: &Run| -> Vec<String> {
        let kept = run.ranking(topic).iter().filter(|hit| !judgments.minor.contains(&hit.doc));
        kept.map(|hit| hit.doc.clone()).collect()
    };
    let (a, b) = (docs(baseline), docs(run));
    let rank = |docs: &[String], doc: &str| docs.iter().position(|d| d == doc).map(|i| i + 1);
    let places = |docs: &[String], others: &[String]| -> Vec<Place> {
        let top = docs.iter().take(depth).map(|doc| Place {
            doc: doc.clone(),
            grade: judgments.grades.get(doc).copied(),
            other_rank: rank(others, doc),
        });
        top.collect()
    };
    let missed = judgments
        .relevant()
        .map(|doc| (doc.to_owned(), rank(&a, doc), rank(&b, doc)))
        .filter(|(_, a, b)| [a, b].iter().all(|rank| rank.is_none_or(|rank| depth < rank)))
        .collect();
    SideBySide { topic: topic.clone(), baseline: places(&a, &b), run: places(&b, &a), missed }
}

impl Comparison {
    /// The comparison as a table of plain text.
    pub fn to_text(&self) -> String {
        let average = match self.average {
            Average::Micro => "micro",
            Average::Macro => "macro",
        };
        let mut text = format!(
            "{} against {}: {average} means over {} topics; unanswered {} and {}\n",
            self.run, self.baseline, self.n_topics, self.n_unanswered.1, self.n_unanswered.0
        );
        let width = self.measures.iter().map(|row| row.measure.to_string().len()).max();
        let width = width.unwrap_or(0).max("measure".len());
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "{:width$}  baseline     run    diff  95 % interval         p  win/tie/loss",
            "measure"
        );
        for row in &self.measures {
            let _ = writeln!(
                text,
                "{:width$}    {:.4}  {:.4} {:+.4}  {:+.4}..{:+.4}  {:.4}  {}/{}/{}",
                row.measure.to_string(),
                row.baseline,
                row.run,
                row.run - row.baseline,
                row.interval.0,
                row.interval.1,
                row.p_value,
                row.n_wins,
                row.n_ties,
                row.n_losses
            );
        }
        text
    }
}

impl SideBySide {
    /// Both rankings in two columns. `+` marks a relevant document, `-` one judged not relevant; the
    /// number in brackets is the rank on the other side.
    pub fn to_text(&self) -> String {
        let cell = |place: Option<&Place>| {
            place.map_or_else(String::new, |place| {
                let mark = match place.grade {
                    Some(grade) if 0 < grade => '+',
                    Some(_) => '-',
                    None => ' ',
                };
                let other = place.other_rank.map_or_else(|| "none".to_owned(), |r| r.to_string());
                format!("{mark} {} ({other})", place.doc)
            })
        };
        let n = self.baseline.len().max(self.run.len());
        let rows: Vec<(String, String)> =
            (0..n).map(|i| (cell(self.baseline.get(i)), cell(self.run.get(i)))).collect();
        let width = rows.iter().map(|(left, _)| left.chars().count()).max().unwrap_or(0);
        let width = width.max("baseline".len());
        let mut text = format!("{}\n      {:width$}  run\n", self.topic, "baseline");
        for (i, (left, right)) in rows.iter().enumerate() {
            let line = format!("{:4}  {left:width$}  {right}", i + 1);
            text.push_str(line.trim_end());
            text.push('\n');
        }
        for (doc, a, b) in &self.missed {
            let rank =
                |rank: &Option<usize>| rank.map_or("not found".to_owned(), |r| r.to_string());
            let _ = writeln!(text, "missed  {doc}  (baseline {}, run {})", rank(a), rank(b));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{evaluation::TopicScores, qrels::QrelsFormat, run::RunFormat};

    fn evaluation(tag: &str, rows: &[(&str, f64)]) -> Evaluation {
        let topics = rows.iter().enumerate().map(|(i, (repo, value))| TopicScores {
            topic: TopicId::new(*repo, format!("{i:03}")),
            values: vec![*value],
        });
        Evaluation {
            tag: tag.to_owned(),
            measures: vec!["RR".parse().expect("a measure")],
            topics: topics.collect(),
            ..Evaluation::default()
        }
    }

    fn check(a: &[(&str, f64)], b: &[(&str, f64)], average: Average) -> Difference {
        let settings = Settings { average, ..Settings::default() };
        let comparison = compare(&evaluation("a", a), &evaluation("b", b), settings).expect("ok");
        comparison.measures[0].clone()
    }

    #[test]
    fn a_run_equals_itself() {
        let rows = [("r", 0.5), ("r", 1.0)];
        let difference = check(&rows, &rows, Average::Macro);
        assert_eq!((difference.n_wins, difference.n_ties, difference.n_losses), (0, 2, 0));
        assert!((difference.p_value - 1.0).abs() < 1e-12);
        assert_eq!(difference.interval, (0.0, 0.0));
    }

    #[test]
    fn the_p_value_of_three_equal_wins_is_a_quarter() {
        // Of the eight ways to toss three coins two are as far out as three wins.
        let difference = check(&[("r", 0.0); 3], &[("r", 0.5); 3], Average::Micro);
        assert!((difference.p_value - 0.25).abs() < 0.015, "{}", difference.p_value);
        assert_eq!(difference.interval, (0.5, 0.5));
    }

    #[test]
    fn twenty_wins_are_no_accident() {
        let difference = check(&[("r", 0.0); 20], &[("r", 0.1); 20], Average::Micro);
        assert!(difference.p_value < 0.001);
        assert!(0.0 < difference.p_value);
        assert_eq!(difference.n_wins, 20);
    }

    #[test]
    fn a_loss_counts_as_far_out_as_a_win() {
        let (low, high) = ([("r", 0.1); 12], [("r", 0.4); 12]);
        let (win, loss) = (check(&low, &high, Average::Micro), check(&high, &low, Average::Micro));
        assert!((win.p_value - loss.p_value).abs() < 1e-12);
        assert_eq!((loss.n_wins, loss.n_losses), (0, 12));
    }

    #[test]
    fn macro_means_weigh_repositories_alike() {
        let a = [("big", 0.0), ("big", 0.0), ("big", 0.0), ("small", 0.0)];
        let b = [("big", 0.0), ("big", 0.0), ("big", 0.0), ("small", 1.0)];
        let (micro, macro_) = (check(&a, &b, Average::Micro), check(&a, &b, Average::Macro));
        assert!((micro.run - 0.25).abs() < 1e-12);
        assert!((macro_.run - 0.5).abs() < 1e-12);
        // Drawn within its repository the one topic is always drawn.
        assert_eq!(macro_.interval, (0.5, 0.5));
        assert!(micro.interval.0 < micro.interval.1);
    }

    #[test]
    fn the_interval_of_a_mean_holds_the_mean() {
        let rows: Vec<(&str, f64)> = (0..40).map(|i| ("r", f64::from(i % 5) / 4.0)).collect();
        let (low, high) = interval(&evaluation("a", &rows), 0, Settings::default());
        assert!(low < 0.5 && 0.5 < high && high - low < 0.3, "{low} {high}");
    }

    #[test]
    fn the_same_seed_gives_the_same_figures() {
        let rows: Vec<(&str, f64)> = (0..30).map(|i| ("r", f64::from(i * 7 % 11) / 11.0)).collect();
        let other: Vec<(&str, f64)> =
            (0..30).map(|i| ("r", f64::from(i * 5 % 11) / 11.0)).collect();
        assert_eq!(check(&rows, &other, Average::Macro), check(&rows, &other, Average::Macro));
    }

    #[test]
    fn runs_over_different_topics_are_refused() {
        let (a, b) = (evaluation("a", &[("r", 0.0)]), evaluation("b", &[("r", 0.0), ("r", 1.0)]));
        let error = compare(&a, &b, Settings::default()).expect_err("topics differ").to_string();
        assert_eq!(error, "the runs cannot be compared: only one covers r/001");
    }

    #[test]
    fn the_largest_moves_come_first() {
        let a = evaluation("a", &[("r", 0.5), ("r", 0.5), ("r", 0.5)]);
        let b = evaluation("b", &[("r", 0.5), ("r", 0.6), ("r", 0.0)]);
        let rows = moved(&a, &b, a.measures[0], 10).expect("comparable");
        let ids: Vec<&str> = rows.iter().map(|row| row.topic.id.as_str()).collect();
        assert_eq!(ids, ["002", "001"]);
    }

    #[test]
    fn rankings_side_by_side() {
        let read = |text: &str| Run::parse(text, RunFormat::Ranked, Path::new("run")).expect("run");
        let baseline = read("r\t1\t1\ta.ts\nr\t1\t2\tminor.ts\nr\t1\t3\tgold.ts\n");
        let run = read("r\t1\t1\tgold.ts\nr\t1\t2\tb.ts\n");
        let qrels = "r/1 0 gold.ts 1\nr/1 0 b.ts 0\nr/1 0 lost.ts 1\nr/1 minor minor.ts 0\n";
        let qrels = Qrels::parse(qrels, QrelsFormat::Trec, Path::new("qrels")).expect("qrels");
        let rankings = side_by_side(&TopicId::new("r", "1"), &baseline, &run, &qrels, 2);
        assert_eq!(
            rankings.to_text(),
            "r/1\n\
             \x20     baseline       run\n\
             \x20  1    a.ts (none)  + gold.ts (2)\n\
             \x20  2  + gold.ts (1)  - b.ts (none)\n\
             missed  lost.ts  (baseline not found, run not found)\n"
        );
    }

    #[test]
    fn the_table_names_topics_tags_and_average() {
        let rows = [("r", 0.5), ("r", 1.0)];
        let (a, b) = (evaluation("base", &rows), evaluation("new", &rows));
        let text = compare(&a, &b, Settings::default()).expect("comparable").to_text();
        assert_eq!(
            text,
            "new against base: macro means over 2 topics; unanswered 0 and 0\n\
             measure  baseline     run    diff  95 % interval         p  win/tie/loss\n\
             RR         0.7500  0.7500 +0.0000  +0.0000..+0.0000  1.0000  0/2/0\n"
        );
    }
}
