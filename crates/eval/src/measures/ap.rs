//! Average precision (`map`, `map_cut`).

use super::{Judged, relevant};

/// Sum of the precision at each relevant document within the cutoff, divided by all relevant
/// documents.
pub(super) fn average_precision(judged: &Judged, rel: i32, cutoff: Option<u32>) -> f64 {
    let n_relevant = judged.n_relevant(rel);
    if n_relevant == 0 {
        return 0.0;
    }
    let mut n_found = 0_u32;
    let mut sum = 0.0;
    for (i, grade) in judged.top(cutoff).iter().enumerate() {
        if relevant(*grade, rel) {
            n_found += 1;
            sum += f64::from(n_found) / (i + 1) as f64;
        }
    }
    sum / n_relevant as f64
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn precision_is_averaged_over_all_relevant_documents() {
        // (1/1 + 2/3) / 3
        check("AP", &[Some(1), None, Some(1)], &[1, 1, 1], 0.5556);
    }

    #[test]
    fn a_cutoff_shortens_the_ranking_but_not_the_divisor() {
        check("AP@1", &[Some(1), Some(1)], &[1, 1], 0.5);
    }
}
