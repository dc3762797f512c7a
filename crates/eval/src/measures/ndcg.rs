//! nDCG with the grade itself as gain and log2(rank + 1) as discount, as `trec_eval`'s `ndcg` and
//! `ndcg_cut` compute it. Grades below 1 gain nothing.

use super::Judged;

/// `DCG / ideal DCG` over the first `cutoff` ranks; 0 if nothing is relevant.
pub(super) fn ndcg(judged: &Judged, cutoff: Option<u32>) -> f64 {
    let n = cutoff.map_or(usize::MAX, |cutoff| cutoff as usize);
    let gained = dcg(judged.top(cutoff).iter().map(|grade| grade.unwrap_or(0)));
    let ideal = dcg(judged.ideal.iter().copied().take(n));
    // Rounding of two sums over the same gains must not lift a perfect ranking over 1.
    // Adding zero makes the sum of nothing, which is -0, a plain 0.
    if 0.0 < ideal { (gained / ideal).min(1.0) + 0.0 } else { 0.0 }
}

fn dcg(grades: impl Iterator<Item = i32>) -> f64 {
    // The discount of the zero-based place i is log2(i + 2).
    grades.enumerate().map(|(i, grade)| f64::from(grade.max(0)) / (i as f64 + 2.0).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn graded_2_1_in_the_wrong_order() {
        // (1/log2 2 + 2/log2 3) / (2/log2 2 + 1/log2 3) = 2.26186 / 2.63093
        check("nDCG@10", &[Some(1), Some(2)], &[2, 1], 0.8597);
    }

    #[test]
    fn the_ideal_is_cut_like_the_ranking() {
        check("nDCG@1", &[Some(1)], &[1, 1, 1], 1.0);
        // 1 / (1 + 1/log2 3) = 0.61315
        check("nDCG@2", &[Some(1), None], &[1, 1, 1], 0.6131);
    }

    #[test]
    fn a_negative_grade_gains_nothing() {
        check("nDCG@10", &[Some(-1), Some(1)], &[1], 0.6309);
    }

    #[test]
    fn without_cutoff_every_rank_counts() {
        let mut grades = vec![None; 14];
        grades.push(Some(1));
        check("nDCG", &grades, &[1], 0.25);
        check("nDCG@10", &grades, &[1], 0.0);
    }
}
