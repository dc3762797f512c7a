//! The judged share: how much of a ranking the assessors looked at.
//!
//! It says how far the other figures can be trusted. As in `ir_measures`, an answer shorter than the
//! cutoff is divided by its own length.

use super::{Judged, share};

/// Documents with any grade among the first `cutoff`, divided by how many there are.
pub(super) fn judged_share(judged: &Judged, cutoff: Option<u32>) -> f64 {
    let top = judged.top(cutoff);
    share(top.iter().flatten().count(), top.len())
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn a_short_answer_is_divided_by_its_length() {
        check("Judged@10", &[Some(0), None, Some(1), Some(-1)], &[1], 0.75);
    }
}
