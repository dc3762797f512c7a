//! Success (`success`): whether the first documents hold anything relevant.

use super::{Judged, n_hits};

/// 1 if one of the first `cutoff` documents is relevant, else 0.
pub(super) fn success(judged: &Judged, rel: i32, cutoff: u32) -> f64 {
    if n_hits(judged.top(Some(cutoff)), rel) == 0 { 0.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn the_third_document_is_in_time_and_the_fourth_is_not() {
        check("Success@3", &[None, None, Some(1)], &[1], 1.0);
        check("Success@3", &[None, None, None, Some(1)], &[1], 0.0);
    }
}
