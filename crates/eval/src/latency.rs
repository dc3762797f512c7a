//! Latency percentiles.
//!
//! The nearest-rank method: the p-th percentile of n samples is the one at rank ceil(p / 100 * n),
//! so every figure is a time that was in fact measured.

use serde::{Deserialize, Serialize};

/// Summary of measured times, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Number of samples.
    pub n: usize,
    /// Half of the samples took at most this.
    pub p50_ms: f64,
    /// 95 of 100 samples took at most this.
    pub p95_ms: f64,
    /// The slowest sample.
    pub max_ms: f64,
}

/// The `percent`-th percentile of samples in ascending order; `None` without samples.
///
/// `percent` is held to 0..=100; 0 gives the smallest sample.
pub fn percentile(sorted: &[f64], percent: f64) -> Option<f64> {
    let rank = (percent.clamp(0.0, 100.0) / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied()
}

impl Latency {
    /// Summarises times in milliseconds, in any order; `None` without samples.
    pub fn of(samples_ms: &[f64]) -> Option<Latency> {
        let mut sorted = samples_ms.to_vec();
        sorted.sort_by(f64::total_cmp);
        Some(Latency {
            n: sorted.len(),
            p50_ms: percentile(&sorted, 50.0)?,
            p95_ms: percentile(&sorted, 95.0)?,
            max_ms: *sorted.last()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sorted: &[f64], percent: f64, expected: Option<f64>) {
        assert_eq!(percentile(sorted, percent), expected);
    }

    #[test]
    fn the_nearest_rank_is_a_measured_sample() {
        let samples = [15.0, 20.0, 35.0, 40.0, 50.0];
        check(&samples, 30.0, Some(20.0));
        check(&samples, 40.0, Some(20.0));
        check(&samples, 50.0, Some(35.0));
        check(&samples, 100.0, Some(50.0));
        check(&samples, 0.0, Some(15.0));
    }

    #[test]
    fn of_twenty_samples_p95_is_the_nineteenth() {
        let samples: Vec<f64> = (1..=20).map(f64::from).collect();
        check(&samples, 95.0, Some(19.0));
    }

    #[test]
    fn without_samples_there_is_no_percentile() {
        check(&[], 50.0, None);
        assert_eq!(Latency::of(&[]), None);
    }

    #[test]
    fn the_order_of_samples_does_not_matter() {
        let latency = Latency::of(&[3.0, 1.0, 2.0]).expect("samples");
        assert_eq!(latency, Latency { n: 3, p50_ms: 2.0, p95_ms: 3.0, max_ms: 3.0 });
    }
}
