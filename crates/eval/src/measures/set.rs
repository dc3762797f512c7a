//! Measures of the answer as a set (`set_P`, `set_F`): order and length limits play no part.

use super::{Judged, n_hits, recall::recall, share};

/// Relevant documents in the answer, divided by its length.
pub(super) fn set_precision(judged: &Judged, rel: i32) -> f64 {
    share(n_hits(&judged.grades, rel), judged.grades.len())
}

/// Harmonic mean of set precision and set recall; 0 if both are.
pub(super) fn set_f(judged: &Judged, rel: i32) -> f64 {
    let (p, r) = (set_precision(judged, rel), recall(judged, rel, None));
    if 0.0 < p + r { 2.0 * p * r / (p + r) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn one_right_of_two_given_and_four_wanted() {
        let (grades, ideal) = ([None, Some(1)], [1, 1, 1, 1]);
        check("SetP", &grades, &ideal, 0.5);
        check("SetR", &grades, &ideal, 0.25);
        check("SetF", &grades, &ideal, 0.3333);
    }
}
