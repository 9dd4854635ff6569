//! Which links an id has initially, and which of its links a request asks for.

use load::Stream;

use super::degrees::Degrees;
use super::shuffle::{Seed, Shuffle};

/// How many draws, at most, for an id that isn't in the set yet.
const TRIES: u32 = 101;

/// How an id's links are divided among the types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// As coded in the original: the remainder is taken to be everything outside one share, so most
    /// ids have some links too many.
    AsCoded,
    /// The remainder goes to the first types.
    Even,
    /// All types have the same number, at least 1, and the remainder is dropped.
    Same,
}

/// How the other end of a requested link is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// From a range, of which a given share was loaded.
    Range,
    /// With a given probability from what was loaded, else from all ids.
    Coin,
}

/// How the other ends of links are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    /// How requests find them.
    pub aim: Aim,
    /// If not 0, they are anywhere below this, both in the load and in requests.
    pub random_below: u64,
    /// True if each connection keeps to its own other ends, so that none collide.
    pub own: bool,
}

/// One connection, if each keeps to its own ends.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Its number, from 0.
    pub number: u64,
    /// How many connections there are.
    pub of: u64,
}

/// What ids are linked to.
#[derive(Debug, Clone)]
pub struct Neighbours {
    degrees: Degrees,
    shuffle: Shuffle,
    ids: u64,
    first_id: u64,
    types: u64,
    split: Split,
    ends: Ends,
}

impl Neighbours {
    /// With `ids` ids from `first_id` on, and `types` types of links.
    pub fn new(
        degrees: Degrees,
        (first_id, ids): (u64, u64),
        (types, split): (u64, Split),
        ends: Ends,
    ) -> Neighbours {
        Neighbours {
            degrees,
            shuffle: Shuffle::new(Seed::Links, ids),
            ids,
            first_id,
            types,
            split,
            ends,
        }
    }

    /// How many links of type `kind`, from 0, the id of a rank has initially.
    fn links_of_rank(&self, rank: u64, kind: u64) -> u64 {
        let all = self.degrees.links_of_rank(rank, self.ids);
        let share = all / self.types;
        match self.split {
            Split::AsCoded => share + u64::from(kind < all - share),
            Split::Even => share + u64::from(kind < all % self.types),
            Split::Same => all.max(self.types) / self.types,
        }
    }

    /// How many links of type `kind` id number `id`, from 0, has initially.
    pub fn links(&self, id: u64, kind: u64) -> u64 {
        self.links_of_rank(self.shuffle.rank(id), kind)
    }

    /// How many links id number `id`, from 0, has initially.
    pub fn links_of_all_types(&self, id: u64) -> u64 {
        let rank = self.shuffle.rank(id);
        let of_kind = |kind| self.links_of_rank(rank, kind);
        (0..self.types).map(of_kind).sum()
    }

    /// Which id has rank `rank`, both from 0.
    pub fn id_of_rank(&self, rank: u64) -> u64 {
        self.shuffle.place(rank)
    }

    /// The other end of link `number` of an id, in the load.
    pub fn loaded(&self, id: u64, number: u64, stream: &mut Stream) -> u64 {
        match self.ends.random_below {
            0 => self.first_id + id + number,
            below => stream.below(below),
        }
    }

    /// The other end of a link that exists with a probability of about `is_there`.
    pub fn one(
        &self,
        (id, kind): (u64, u64),
        is_there: f64,
        place: Place,
        stream: &mut Stream,
    ) -> u64 {
        let links = self.links(id, kind);
        self.end(id, links, is_there, place, stream)
    }

    /// The same for several links; they all differ if there are enough.
    pub fn several(
        &self,
        (id, kind): (u64, u64),
        is_there: f64,
        (count, ends): (u64, &mut Vec<u64>),
        place: Place,
        stream: &mut Stream,
    ) {
        ends.clear();
        let links = self.links(id, kind);
        let few = self.ends.random_below == 0 && range(links, is_there) <= count;
        for number in 0..count {
            let end = match self.ends.aim {
                Aim::Range if few => self.own(self.first_id + id + number, place),
                Aim::Range => self.another(ends, || self.end(id, links, is_there, place, stream)),
                Aim::Coin => self.end(id, links, is_there, place, stream),
            };
            ends.push(end);
        }
    }

    fn another(&self, ends: &[u64], mut draw: impl FnMut() -> u64) -> u64 {
        let mut end = draw();
        for _ in 1..TRIES {
            if !ends.contains(&end) {
                break;
            }
            end = draw();
        }
        end
    }

    fn end(&self, id: u64, links: u64, is_there: f64, place: Place, stream: &mut Stream) -> u64 {
        let id = self.first_id + id;
        let end = match (self.ends.random_below, self.ends.aim) {
            (0, Aim::Range) => id + stream.below(range(links, is_there)),
            (0, Aim::Coin) if stream.unit() < is_there => id + stream.below(links.max(1)),
            (0, Aim::Coin) => stream.below(self.first_id + self.ids),
            (below, _) => stream.below(below),
        };
        self.own(end, place)
    }

    /// The nearest end that belongs to the connection.
    fn own(&self, end: u64, place: Place) -> u64 {
        if !self.ends.own {
            return end;
        }
        let own = end - end % place.of + place.number;
        let below = self.ends.random_below;
        if below > 0 && own > below {
            own.saturating_sub(place.of)
        } else {
            own
        }
    }
}

/// The number of ends such that the `links` loaded ones are the share `is_there`.
fn range(links: u64, is_there: f64) -> u64 {
    ((1.0 / is_there * links as f64).ceil() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use load::Purpose;

    use super::*;

    const ALONE: Place = Place { number: 0, of: 1 };
    const ENDS: Ends = Ends {
        aim: Aim::Range,
        random_below: 0,
        own: false,
    };

    fn neighbours(split: Split, ends: Ends) -> Neighbours {
        Neighbours::new(Degrees::of_2011(), (1, 10_000), (2, split), ends)
    }

    #[test]
    fn links_are_split_as_each_profile_does() {
        let of = |split, all: u64| {
            let degrees = Degrees::Points(vec![(all, 1.0)]);
            let one = Neighbours::new(degrees, (1, 10), (2, split), ENDS);
            (one.links(3, 0), one.links(3, 1))
        };
        let coded = [(0, 0), (1, 0), (2, 1), (2, 2), (3, 3), (3, 3)];
        for (all, expected) in (0..).zip(coded) {
            assert_eq!(of(Split::AsCoded, all), expected, "{all}");
        }
        assert_eq!((of(Split::Even, 3), of(Split::Even, 4)), ((2, 1), (2, 2)));
        assert_eq!((of(Split::Same, 0), of(Split::Same, 5)), ((1, 1), (2, 2)));
    }

    #[test]
    fn requests_meet_loaded_links_as_often_as_they_should() {
        let purpose = Purpose::new(1, "test");
        for (aim, is_there) in [(Aim::Range, 0.9), (Aim::Range, 0.05), (Aim::Coin, 0.5)] {
            let graph = neighbours(Split::AsCoded, Ends { aim, ..ENDS });
            let id = graph.id_of_rank(5);
            let links = graph.links(id, 1);
            let meets = |index| {
                let mut stream = purpose.stream(index);
                let end = graph.one((id, 1), is_there, ALONE, &mut stream);
                end.wrapping_sub(1 + id) < links
            };
            let found = (0..20_000).filter(|&index| meets(index)).count() as f64 / 2e4;
            // Ends from all ids may be loaded ones, too.
            let by_chance = if aim == Aim::Coin { 0.5 } else { 0.0 };
            let bound = 4.0 * (0.25_f64 / 2e4).sqrt();
            assert!(found > is_there - bound && found < is_there + by_chance + bound);
        }
    }

    #[test]
    fn several_ends_differ_and_few_are_taken_in_order() {
        let graph = neighbours(Split::AsCoded, ENDS);
        let mut stream = Purpose::new(1, "test").stream(0);
        let mut ends = Vec::new();
        let hub = graph.id_of_rank(1);
        graph.several((hub, 0), 0.5, (100, &mut ends), ALONE, &mut stream);
        let mut sorted = ends.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((ends.len(), sorted.len()), (100, 100));
        let lonely = graph.id_of_rank(9_999);
        graph.several((lonely, 0), 0.5, (3, &mut ends), ALONE, &mut stream);
        assert_eq!(ends, [lonely + 1, lonely + 2, lonely + 3]);
    }

    #[test]
    fn ends_of_one_s_own_meet_nobody_s() {
        let graph = neighbours(Split::Even, Ends { own: true, ..ENDS });
        let purpose = Purpose::new(1, "test");
        for number in 0..3 {
            let place = Place { number, of: 3 };
            let end = |index| graph.one((7, 0), 0.05, place, &mut purpose.stream(index));
            assert!((0..100).all(|index| end(index) % 3 == number));
        }
    }
}
