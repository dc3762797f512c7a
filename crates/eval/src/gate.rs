//! The gate: a change of ranking is shown topic by topic, and no mean may fall under its floor.
//!
//! The per-topic CSV is committed. A fresh one is held against it like a snapshot: every difference is
//! listed, so that whoever changes the ranking sees what became better and what became worse, and
//! commits the new file together with the change.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use serde::{Deserialize, Serialize};

use crate::{
    csv,
    error::{Error, Result},
    measures::Measure,
    output::KEY_COLUMNS,
    topic::TopicId,
};

/// Least macro mean of a system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    /// The system's name.
    pub system: String,
    /// The measure.
    pub measure: Measure,
    /// The least macro mean, 0 to 1.
    pub at_least: f64,
}

/// One value that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The system's name.
    pub system: String,
    /// The topic.
    pub topic: TopicId,
    /// The measure's name.
    pub measure: String,
    /// The committed value; `None` if the committed file lacks it.
    pub committed: Option<f64>,
    /// The fresh value; `None` if the fresh file lacks it.
    pub fresh: Option<f64>,
}

/// What the gate found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Gate {
    /// All differences, ordered by system, topic and measure.
    pub changes: Vec<Change>,
    /// Floors that do not hold, with the macro mean that was reached; `None` if nothing was measured.
    pub broken_floors: Vec<(Floor, Option<f64>)>,
}

/// One value per system, topic and measure.
type Values = BTreeMap<(String, TopicId, String), f64>;

/// Holds a fresh per-topic CSV against a committed one, and its macro means against the floors.
///
/// # Errors
///
/// [`Error::Line`] if one of the texts is not a per-topic CSV; the paths are only named there.
pub fn check(committed: (&str, &Path), fresh: (&str, &Path), floors: &[Floor]) -> Result<Gate> {
    let (committed, fresh) = (parse(committed.0, committed.1)?, parse(fresh.0, fresh.1)?);
    let keys: BTreeSet<_> = committed.keys().chain(fresh.keys()).collect();
    let changes = keys
        .into_iter()
        .map(|key| (key, committed.get(key).copied(), fresh.get(key).copied()))
        // Both sides were printed by the same format: what is equal is equal to the bit.
        .filter(|(_, a, b)| a.map(f64::to_bits) != b.map(f64::to_bits))
        .map(|((system, topic, measure), committed, fresh)| Change {
            system: system.clone(),
            topic: topic.clone(),
            measure: measure.clone(),
            committed,
            fresh,
        })
        .collect();
    let broken_floors = floors
        .iter()
        .map(|floor| (floor.clone(), macro_mean(&fresh, floor)))
        .filter(|(floor, mean)| mean.is_none_or(|mean| mean < floor.at_least))
        .collect();
    Ok(Gate { changes, broken_floors })
}

fn parse(text: &str, path: &Path) -> Result<Values> {
    let mut rows = csv::parse(text).into_iter();
    let header = rows.next().map(|(_, row)| row).unwrap_or_default();
    if !header.iter().map(String::as_str).take(KEY_COLUMNS.len()).eq(KEY_COLUMNS) {
        let expected = format!("a header that starts with {}", KEY_COLUMNS.join(","));
        return Err(Error::line(path, 1, expected, header.join(",")));
    }
    let measures = &header[KEY_COLUMNS.len()..];
    let mut values = Values::new();
    for (number, row) in rows {
        if row.len() != header.len() {
            let expected = format!("{} columns", header.len());
            return Err(Error::line(path, number, expected, row.len().to_string()));
        }
        let topic = TopicId::new(&*row[1], &*row[2]);
        for (measure, cell) in measures.iter().zip(&row[KEY_COLUMNS.len()..]) {
            let value = cell
                .parse()
                .map_err(|_| Error::line(path, number, "a number", format!("`{cell}`")))?;
            let key = (row[0].clone(), topic.clone(), measure.clone());
            if values.insert(key, value).is_some() {
                let found = format!("{topic} of {} a second time", row[0]);
                return Err(Error::line(path, number, "each topic once per system", found));
            }
        }
    }
    Ok(values)
}

fn macro_mean(values: &Values, floor: &Floor) -> Option<f64> {
    let measure = floor.measure.to_string();
    let mut repos: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for ((system, topic, name), value) in values {
        if *system == floor.system && *name == measure {
            let repo = repos.entry(&topic.repo).or_default();
            *repo = (repo.0 + value, repo.1 + 1);
        }
    }
    let sum: f64 = repos.values().map(|(sum, n)| sum / *n as f64).sum();
    (!repos.is_empty()).then(|| sum / repos.len() as f64)
}

impl Gate {
    /// Whether nothing differs and every floor holds.
    pub fn passes(&self) -> bool {
        self.changes.is_empty() && self.broken_floors.is_empty()
    }

    /// All findings, one a line, and their number.
    pub fn to_text(&self) -> String {
        let number = |value: Option<f64>| value.map_or("none".to_owned(), |v| format!("{v:.6}"));
        let mut text = String::new();
        // Writing into a string cannot fail.
        for (floor, mean) in &self.broken_floors {
            let _ = writeln!(
                text,
                "floor   {} {}: {} is below {:.6}",
                floor.system,
                floor.measure,
                number(*mean),
                floor.at_least
            );
        }
        for change in &self.changes {
            let word = match (change.committed, change.fresh) {
                (None, _) => "added  ",
                (_, None) => "missing",
                (Some(a), Some(b)) if a < b => "better ",
                _ => "worse  ",
            };
            let _ = writeln!(
                text,
                "{word} {} {} {}: {} -> {}",
                change.system,
                change.topic,
                change.measure,
                number(change.committed),
                number(change.fresh)
            );
        }
        let _ = writeln!(
            text,
            "{} values differ, {} floors broken",
            self.changes.len(),
            self.broken_floors.len()
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "system,repo,id,class,RR\n";

    fn check_text(committed: &str, fresh: &str, floors: &[Floor], expected: &str) {
        let (a, b) = (format!("{HEADER}{committed}"), format!("{HEADER}{fresh}"));
        let gate = check((&a, Path::new("committed.csv")), (&b, Path::new("fresh.csv")), floors)
            .expect("two CSVs");
        assert_eq!(gate.to_text(), expected);
        assert_eq!(gate.passes(), expected == "0 values differ, 0 floors broken\n");
    }

    fn floor(at_least: f64) -> Floor {
        let measure = "RR".parse().expect("a measure");
        Floor { system: "s".to_owned(), measure, at_least }
    }

    #[test]
    fn equal_files_pass_in_any_order() {
        check_text(
            "s,r,1,,0.5\ns,r,2,,1\n",
            "s,r,2,,1\ns,r,1,,0.5\n",
            &[floor(0.75)],
            "0 values differ, 0 floors broken\n",
        );
    }

    #[test]
    fn every_difference_is_listed() {
        check_text(
            "s,r,1,,0.5\ns,r,2,,1\ns,r,3,,1\n",
            "s,r,1,,0.75\ns,r,2,,0.5\ns,r,4,,1\n",
            &[],
            "better  s r/1 RR: 0.500000 -> 0.750000\nworse   s r/2 RR: 1.000000 -> 0.500000\n\
             missing s r/3 RR: 1.000000 -> none\nadded   s r/4 RR: none -> 1.000000\n\
             4 values differ, 0 floors broken\n",
        );
    }

    #[test]
    fn a_macro_mean_below_its_floor_is_told() {
        let rows = "s,a,1,,0\ns,a,2,,0\ns,a,3,,0\ns,b,1,,1\n";
        check_text(rows, rows, &[floor(0.5)], "0 values differ, 0 floors broken\n");
        check_text(
            rows,
            rows,
            &[floor(0.6)],
            "floor   s RR: 0.500000 is below 0.600000\n0 values differ, 1 floors broken\n",
        );
    }

    #[test]
    fn a_floor_of_a_system_that_was_not_measured_is_broken() {
        check_text(
            "",
            "",
            &[floor(0.1)],
            "floor   s RR: none is below 0.100000\n0 values differ, 1 floors broken\n",
        );
    }

    #[test]
    fn a_file_that_is_no_per_topic_csv_is_refused() {
        let path = Path::new("x.csv");
        let error = check(("a,b\n", path), (HEADER, path), &[]).expect_err("header").to_string();
        assert_eq!(
            error,
            "x.csv:1: expected a header that starts with system,repo,id,class, found a,b"
        );
        let text = format!("{HEADER}s,r,1,,high\n");
        let error = check((HEADER, path), (&text, path), &[]).expect_err("value").to_string();
        assert_eq!(error, "x.csv:2: expected a number, found `high`");
    }
}
