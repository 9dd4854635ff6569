//! Which transaction comes next, and how long a terminal rests before and after it.

use load::{Purpose, Stream};

use super::spec::Mix;

/// One of the five.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    NewOrder,
    Payment,
    OrderStatus,
    Delivery,
    StockLevel,
}

/// Out of 23 cards (5.2.4.2).
const CARDS: [(Kind, usize); 5] = [
    (Kind::NewOrder, 10),
    (Kind::Payment, 10),
    (Kind::OrderStatus, 1),
    (Kind::Delivery, 1),
    (Kind::StockLevel, 1),
];
const DECK: usize = 23;
/// Percent (5.2.3): the minimum for each kind, and the rest for New-Order.
const WEIGHTS: [(Kind, u64); 5] = [
    (Kind::NewOrder, 45),
    (Kind::Payment, 43),
    (Kind::OrderStatus, 4),
    (Kind::Delivery, 4),
    (Kind::StockLevel, 4),
];
/// A think time may be cut at this multiple of its mean (5.2.5.4).
const LONGEST: f64 = 10.0;
const SECOND_NS: f64 = 1e9;

impl Kind {
    /// Seconds of keying time, and the mean of the think time that follows.
    fn waits_s(self) -> (f64, f64) {
        match self {
            Kind::NewOrder => (18.0, 12.0),
            Kind::Payment => (3.0, 12.0),
            Kind::OrderStatus => (2.0, 10.0),
            Kind::Delivery | Kind::StockLevel => (2.0, 5.0),
        }
    }
}

/// The transactions of one connection, in order.
#[derive(Debug)]
pub struct Kinds {
    mix: Mix,
    draws: Purpose,
    drawn: u64,
    deck: [Kind; DECK],
}

impl Kinds {
    /// Those of connection `number`.
    pub fn new(mix: Mix, seed: u64, number: usize) -> Kinds {
        let mut kinds = CARDS
            .iter()
            .flat_map(|&(kind, count)| std::iter::repeat_n(kind, count));
        Kinds {
            mix,
            draws: Purpose::new(seed, &format!("tpcc/kinds/{number}")),
            drawn: 0,
            deck: std::array::from_fn(|_| kinds.next().unwrap_or(Kind::NewOrder)),
        }
    }

    /// The next one.
    pub fn next(&mut self) -> Kind {
        let nth = self.drawn;
        self.drawn += 1;
        match self.mix {
            Mix::Weighted => weighted(&mut self.draws.stream(nth)),
            Mix::Deck => {
                let place = (nth % DECK as u64) as usize;
                if place == 0 {
                    self.shuffle(nth / DECK as u64);
                }
                self.deck[place]
            }
        }
    }

    /// Fisher-Yates shuffle.
    fn shuffle(&mut self, deck: u64) {
        let mut stream = self.draws.stream(deck);
        for last in (1..DECK).rev() {
            self.deck.swap(last, stream.below(last as u64 + 1) as usize);
        }
    }
}

fn weighted(stream: &mut Stream) -> Kind {
    let mut left = stream.below(100);
    for (kind, weight) in WEIGHTS {
        if left < weight {
            return kind;
        }
        left -= weight;
    }
    Kind::StockLevel
}

/// Keying and think times of one terminal (5.2.5).
#[derive(Debug)]
pub struct Pauses {
    scale: f64,
    draws: Purpose,
    drawn: u64,
}

impl Pauses {
    /// Those of connection `number`, times `scale`.
    pub fn new(scale: f64, seed: u64, number: usize) -> Pauses {
        Pauses {
            scale,
            draws: Purpose::new(seed, &format!("tpcc/pauses/{number}")),
            drawn: 0,
        }
    }

    /// From the end of `before` until `next` is sent, in nanoseconds. If there was no transaction
    /// before, the terminal starts somewhere within this pause: so they don't all start at once.
    pub fn between(&mut self, before: Option<Kind>, next: Kind) -> u64 {
        let mut stream = self.draws.stream(self.drawn);
        self.drawn += 1;
        let (keying_s, _) = next.waits_s();
        let (_, think_s) = before.unwrap_or(next).waits_s();
        // 1 - u lies in (0, 1], so the logarithm is finite.
        let think_s = think_s * (-(1.0 - stream.unit()).ln()).min(LONGEST);
        let left = if before.is_some() { 1.0 } else { stream.unit() };
        ((keying_s + think_s) * left * self.scale * SECOND_NS) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn counts(mix: Mix, number: usize) -> BTreeMap<Kind, u64> {
        let mut kinds = Kinds::new(mix, 1, number);
        let mut counts = BTreeMap::new();
        for _ in 0..23_000 {
            *counts.entry(kinds.next()).or_default() += 1;
        }
        counts
    }

    #[test]
    fn a_deck_keeps_its_shares_exactly_and_its_order_is_new_each_time() {
        let decks = counts(Mix::Deck, 0);
        assert_eq!(
            decks.values().copied().collect::<Vec<u64>>(),
            [10_000, 10_000, 1000, 1000, 1000]
        );
        let mut kinds = Kinds::new(Mix::Deck, 1, 0);
        let mut deck = || (0..23).map(|_| kinds.next()).collect::<Vec<_>>();
        let (first, second) = (deck(), deck());
        assert_ne!(first, second);
        let mut others = Kinds::new(Mix::Deck, 1, 1);
        assert_ne!(first, (0..23).map(|_| others.next()).collect::<Vec<_>>());
    }

    #[test]
    fn weights_are_kept_on_average() {
        let shares = counts(Mix::Weighted, 0);
        // 23,000 draws: the standard deviation of the largest is 75.
        assert!(
            (10_050..10_650).contains(&shares[&Kind::NewOrder]),
            "{shares:?}"
        );
        assert!(
            (9590..10_190).contains(&shares[&Kind::Payment]),
            "{shares:?}"
        );
        for kind in [Kind::OrderStatus, Kind::Delivery, Kind::StockLevel] {
            assert!((800..1040).contains(&shares[&kind]), "{shares:?}");
        }
    }

    #[test]
    fn pauses_have_the_means_of_the_specification() {
        let mean = |before, next| {
            let mut pauses = Pauses::new(1.0, 1, 0);
            let sum: u64 = (0..40_000).map(|_| pauses.between(before, next)).sum();
            sum as f64 / 40_000.0 / SECOND_NS
        };
        // Think times are cut at ten means, which takes off 0.005 %.
        let both = mean(Some(Kind::Payment), Kind::NewOrder);
        assert!((both - 30.0).abs() < 0.3, "{both}");
        let other = mean(Some(Kind::StockLevel), Kind::OrderStatus);
        assert!((other - 7.0).abs() < 0.12, "{other}");
        let first = mean(None, Kind::NewOrder);
        assert!((first - 15.0).abs() < 0.3, "{first}");
        let mut scaled = Pauses::new(0.01, 1, 0);
        assert!(scaled.between(Some(Kind::Payment), Kind::Payment) < 1_230_000_000);
    }
}
