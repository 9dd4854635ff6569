//! Which of all workers run here, where several programs make one load together.
//!
//! Workers are numbered over all programs, and so are ops: each program does what its workers would
//! do if all of them ran in one.

/// The workers of this program: `count` from `first` on, of `of` in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The number of the first worker here.
    pub first: u64,
    /// How many workers are here.
    pub count: u64,
    /// How many there are in all programs.
    pub of: u64,
}

impl Share {
    /// All workers are here.
    pub fn of_all(count: u64) -> Share {
        Share {
            first: 0,
            count,
            of: count,
        }
    }

    /// Whether the op with this number is done here.
    pub fn has(&self, index: u64) -> bool {
        let place = index % self.of;
        (self.first..self.first + self.count).contains(&place)
    }

    /// How many of the first `total` ops are done here.
    pub fn own(&self, total: u64) -> u64 {
        let left = (total % self.of).saturating_sub(self.first);
        total / self.of * self.count + left.min(self.count)
    }

    /// The number in the whole list of the op that is number `own` of those that are done here.
    pub fn index(&self, own: u64) -> u64 {
        own / self.count * self.of + self.first + own % self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_op_is_done_in_one_place_in_order(
            counts in prop::collection::vec(1_u64..6, 1..5), ops in 0_u64..200
        ) {
            let of = counts.iter().sum();
            let mut first = 0;
            let mut seen = Vec::new();
            for count in counts {
                let share = Share { first, count, of };
                first += count;
                let indexes = (0..).map(|own| share.index(own));
                let own: Vec<u64> = indexes.take_while(|&i| i < ops).collect();
                prop_assert!(own.is_sorted());
                prop_assert_eq!(share.own(ops), own.len() as u64);
                prop_assert_eq!(&own, &(0..ops).filter(|&i| share.has(i)).collect::<Vec<_>>());
                seen.extend(own);
            }
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..ops).collect::<Vec<_>>());
        }
    }
}
