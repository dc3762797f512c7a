//! Precision at a cutoff (`P`): a short answer is not forgiven, the divisor is always the cutoff.

use super::{Judged, n_hits, share};

/// Relevant documents among the first `cutoff`, divided by `cutoff`.
pub(super) fn precision(judged: &Judged, rel: i32, cutoff: u32) -> f64 {
    share(n_hits(judged.top(Some(cutoff)), rel), cutoff as usize)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn a_short_answer_is_divided_by_the_cutoff() {
        check("P@5", &[Some(1), Some(1)], &[1, 1], 0.4);
    }
}
