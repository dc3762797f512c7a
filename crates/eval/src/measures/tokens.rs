//! Recall within a token budget: what a reader with a bounded context gets to see.
//!
//! Documents are handed over in rank order. A document counts if it is delivered whole, that is, if
//! the costs of all documents up to and including it stay within the budget. Nothing is skipped to
//! fit a later, smaller one: the measure judges the ranking and not a packing.

use super::{Judged, relevant, share};

/// Share of the relevant documents delivered within `budget` tokens. `Err` holds the place of the
/// first document that is reached and has no cost.
pub(super) fn recall_within(judged: &Judged, rel: i32, budget: u64) -> Result<f64, usize> {
    let mut spent = 0_u64;
    let mut n_found = 0;
    for (i, (grade, cost)) in judged.grades.iter().zip(&judged.tokens).enumerate() {
        spent = spent.saturating_add(cost.ok_or(i)?);
        if budget < spent {
            break;
        }
        n_found += usize::from(relevant(*grade, rel));
    }
    Ok(share(n_found, judged.n_relevant(rel)))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::check, *};

    #[test]
    fn a_document_that_just_fits_is_delivered() {
        // Every document of `check` costs 1000 tokens.
        check("R@2k tokens", &[Some(1), Some(1), Some(1)], &[1, 1, 1], 0.6667);
        check("R@1999 tokens", &[Some(1), Some(1), Some(1)], &[1, 1, 1], 0.3333);
    }

    #[test]
    fn delivery_ends_at_the_first_document_that_does_not_fit() {
        let judged = Judged {
            grades: vec![None, Some(1)],
            tokens: vec![Some(900), Some(10)],
            ideal: vec![1],
        };
        assert_eq!(recall_within(&judged, 1, 500), Ok(0.0));
    }

    #[test]
    fn an_unknown_cost_is_named_by_its_place() {
        let judged = Judged { grades: vec![None; 2], tokens: vec![Some(1), None], ideal: vec![1] };
        assert_eq!(recall_within(&judged, 1, 500), Err(1));
    }
}
