//! Reciprocal rank (`recip_rank`) of the first relevant document.

use super::{Judged, relevant};

/// `1 / rank` of the first relevant document within the cutoff, else 0.
pub(super) fn reciprocal_rank(judged: &Judged, rel: i32, cutoff: Option<u32>) -> f64 {
    let first = judged.top(cutoff).iter().position(|grade| relevant(*grade, rel));
    first.map_or(0.0, |i| 1.0 / (i + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn the_first_relevant_document_decides() {
        check("RR", &[None, Some(0), Some(1), Some(1)], &[1, 1], 1.0 / 3.0);
    }

    #[test]
    fn beyond_the_cutoff_there_is_nothing() {
        check("RR@2", &[None, None, Some(1)], &[1], 0.0);
    }
}
