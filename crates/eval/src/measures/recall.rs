//! Recall: the share of the relevant documents that were found (`recall`, `set_recall`).

use super::{Judged, n_hits, share};

/// Relevant documents among the first `cutoff`, divided by all relevant documents.
pub(super) fn recall(judged: &Judged, rel: i32, cutoff: Option<u32>) -> f64 {
    share(n_hits(judged.top(cutoff), rel), judged.n_relevant(rel))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn one_of_three_found_in_time() {
        check("R@2", &[Some(1), None, Some(1)], &[1, 1, 1], 1.0 / 3.0);
    }

    #[test]
    fn only_grades_that_reach_rel_count() {
        check("R(rel=2)@2", &[Some(1), Some(2)], &[2, 2, 1], 0.5);
    }
}
