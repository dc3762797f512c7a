//! Names of measures: parsing and printing, as in `ir_measures`.
//!
//! `NAME`, `NAME@10`, `NAME(rel=2)@10`, and `R@8k tokens`. Defaults are left out when printing.
//! Invariant: a printed name parses to the same measure.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{DEFAULT_REL, Measure};
use crate::error::{Error, Result};

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, rel, cutoff) = match *self {
            Measure::Ndcg { cutoff } => ("nDCG", DEFAULT_REL, cutoff),
            Measure::Recall { rel, cutoff } => ("R", rel, Some(cutoff)),
            Measure::Precision { rel, cutoff } => ("P", rel, Some(cutoff)),
            Measure::ReciprocalRank { rel, cutoff } => ("RR", rel, cutoff),
            Measure::AveragePrecision { rel, cutoff } => ("AP", rel, cutoff),
            Measure::Success { rel, cutoff } => ("Success", rel, Some(cutoff)),
            Measure::Judged { cutoff } => ("Judged", DEFAULT_REL, cutoff),
            Measure::SetPrecision { rel } => ("SetP", rel, None),
            Measure::SetRecall { rel } => ("SetR", rel, None),
            Measure::SetF { rel } => ("SetF", rel, None),
            Measure::RecallTokens { rel, .. } => ("R", rel, None),
        };
        f.write_str(name)?;
        if rel != DEFAULT_REL {
            write!(f, "(rel={rel})")?;
        }
        if let Some(cutoff) = cutoff {
            write!(f, "@{cutoff}")?;
        }
        match *self {
            Measure::RecallTokens { budget, .. } if budget % 1000 == 0 => {
                write!(f, "@{}k tokens", budget / 1000)
            }
            Measure::RecallTokens { budget, .. } => write!(f, "@{budget} tokens"),
            _ => Ok(()),
        }
    }
}

impl FromStr for Measure {
    type Err = Error;

    fn from_str(text: &str) -> Result<Measure> {
        parse(text.trim())
            .map_err(|expected| Error::Measure { name: text.to_owned(), expected: expected.into() })
    }
}

/// `Err` says what was expected.
fn parse(text: &str) -> Result<Measure, &'static str> {
    let (head, tail) = match text.split_once('@') {
        Some((head, tail)) => (head, Some(tail)),
        None => (text, None),
    };
    let (name, rel) = match head.split_once('(') {
        None => (head, None),
        Some((name, parameters)) => {
            let rel = parameters
                .strip_prefix("rel=")
                .and_then(|rest| rest.strip_suffix(')'))
                .and_then(|rel| rel.parse().ok())
                .filter(|rel: &i32| 1 <= *rel)
                .ok_or("the one parameter is `(rel=N)` with N of 1 or more")?;
            (name, Some(rel))
        }
    };
    if let Some(budget) = tail.and_then(|tail| tail.strip_suffix("tokens")) {
        let budget = budget.trim_end();
        let (digits, unit) = match budget.strip_suffix('k') {
            Some(digits) => (digits, 1000),
            None => (budget, 1),
        };
        let budget = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(unit));
        return match (name, budget) {
            ("R", Some(budget)) if 0 < budget => {
                Ok(Measure::RecallTokens { rel: rel.unwrap_or(DEFAULT_REL), budget })
            }
            _ => Err("a token budget is written `R@8k tokens` or `R@500 tokens`"),
        };
    }
    let cutoff = match tail {
        None => None,
        Some(tail) => Some(
            tail.parse()
                .ok()
                .filter(|cutoff: &u32| 0 < *cutoff)
                .ok_or("a cutoff is a whole number above 0, as in `nDCG@10`")?,
        ),
    };
    let needed = cutoff.ok_or("this measure needs a cutoff, as in `P@5`");
    let takes_rel = !matches!(name, "nDCG" | "Judged");
    if rel.is_some() && !takes_rel {
        return Err("this measure looks at all grades and takes no `rel`");
    }
    let rel = rel.unwrap_or(DEFAULT_REL);
    let whole = |measure| match cutoff {
        None => Ok(measure),
        Some(_) => Err("a set measure looks at the whole answer and takes no cutoff"),
    };
    match name {
        "nDCG" => Ok(Measure::Ndcg { cutoff }),
        "R" => Ok(Measure::Recall { rel, cutoff: needed? }),
        "P" => Ok(Measure::Precision { rel, cutoff: needed? }),
        "RR" => Ok(Measure::ReciprocalRank { rel, cutoff }),
        "AP" => Ok(Measure::AveragePrecision { rel, cutoff }),
        "Success" => Ok(Measure::Success { rel, cutoff: needed? }),
        "Judged" => Ok(Measure::Judged { cutoff }),
        "SetP" => whole(Measure::SetPrecision { rel }),
        "SetR" => whole(Measure::SetRecall { rel }),
        "SetF" => whole(Measure::SetF { rel }),
        _ => Err("the names are nDCG, R, P, RR, AP, Success, Judged, SetP, SetR, SetF"),
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Measure, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, printed: &str) {
        let measure: Measure = text.parse().expect(text);
        assert_eq!(measure.to_string(), printed);
        assert_eq!(printed.parse::<Measure>().expect(printed), measure);
    }

    fn check_refused(text: &str, expected: &str) {
        let error = text.parse::<Measure>().expect_err(text).to_string();
        assert_eq!(error, format!("unknown measure `{text}`: {expected}"));
    }

    #[test]
    fn every_measure_prints_as_it_parses() {
        for name in super::super::tests::ALL {
            check(name, name);
        }
    }

    #[test]
    fn defaults_are_left_out() {
        check("P(rel=1)@5", "P@5");
        check(" RR ", "RR");
        check("R@8000 tokens", "R@8k tokens");
        check("R@500tokens", "R@500 tokens");
    }

    #[test]
    fn unknown_names_and_parameters_are_refused_with_advice() {
        check_refused(
            "NDCG",
            "the names are nDCG, R, P, RR, AP, Success, Judged, SetP, SetR, SetF",
        );
        check_refused("P", "this measure needs a cutoff, as in `P@5`");
        check_refused("P@0", "a cutoff is a whole number above 0, as in `nDCG@10`");
        check_refused("P(rel=0)@5", "the one parameter is `(rel=N)` with N of 1 or more");
        check_refused("nDCG(rel=2)", "this measure looks at all grades and takes no `rel`");
        check_refused("SetP@5", "a set measure looks at the whole answer and takes no cutoff");
        check_refused("P@8k tokens", "a token budget is written `R@8k tokens` or `R@500 tokens`");
    }

    #[test]
    fn a_measure_is_a_string_in_json() {
        let measure: Measure = serde_json::from_str("\"R@8k tokens\"").expect("a measure");
        assert_eq!(measure, Measure::RecallTokens { rel: 1, budget: 8000 });
        assert_eq!(serde_json::to_string(&measure).expect("json"), "\"R@8k tokens\"");
    }
}
