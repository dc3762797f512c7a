//! The crate's own random numbers: `SplitMix64`.
//!
//! Randomisation tests and bootstraps must give the same figures on every machine and with every
//! version of every dependency, so the generator is fixed here: Steele, Lea and Flood, "Fast
//! splittable pseudorandom number generators", OOPSLA 2014. It is not meant for secrets.

/// A seeded generator; the same seed gives the same numbers for ever.
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    pub(crate) fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// The next 64 random bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `n`, which must not be 0. The bias of at most `n / 2^64` does not matter
    /// for counts of topics.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// Puts `items` into a random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_seed_0_are_the_published_ones() {
        let mut rng = SplitMix64::new(0);
        assert_eq!(rng.next(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(rng.next(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_of_it() {
        let mut rng = SplitMix64::new(1);
        let mut seen = [0; 3];
        for _ in 0..300 {
            seen[rng.below(3)] += 1;
        }
        assert!(seen.iter().all(|n| 70 < *n), "{seen:?}");
    }

    #[test]
    fn a_shuffle_keeps_all_items() {
        let mut items: Vec<u32> = (0..10).collect();
        SplitMix64::new(2).shuffle(&mut items);
        assert_ne!(items, (0..10).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..10).collect::<Vec<_>>());
    }
}
