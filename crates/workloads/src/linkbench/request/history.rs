//! Remembers where lists were cut off, so that later ones can continue there.

use load::Stream;

/// The maximum number remembered.
const MOST: usize = 2048;

/// Where a list was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    pub id1: u64,
    pub link_type: u64,
    /// The time of its last link.
    pub time_ms: u64,
}

impl Cut {
    fn is_of_same_list(&self, other: &Cut) -> bool {
        (self.id1, self.link_type) == (other.id1, other.link_type)
    }
}

/// What one connection remembers.
#[derive(Debug, Default)]
pub struct History {
    cuts: Vec<Cut>,
}

impl History {
    /// A random one, with its number.
    pub fn draw(&self, stream: &mut Stream) -> Option<(usize, Cut)> {
        if self.cuts.is_empty() {
            return None;
        }
        let which = stream.below(self.cuts.len() as u64) as usize;
        Some((which, self.cuts[which]))
    }

    /// A list that began with its newest link was cut off.
    pub fn remember(&mut self, cut: Cut, random: u64) {
        if self.cuts.iter().any(|one| one.is_of_same_list(&cut)) {
            return;
        }
        if self.cuts.len() < MOST {
            self.cuts.push(cut);
        } else {
            self.cuts[random as usize % MOST] = cut;
        }
    }

    /// A list that continued an earlier one was cut off, too.
    pub fn go_on(&mut self, which: usize, cut: Cut) {
        self.cuts[which] = cut;
    }

    /// A list that continued an earlier one reached its end.
    pub fn forget(&mut self, which: usize) {
        self.cuts.swap_remove(which);
    }
}

#[cfg(test)]
mod tests {
    use load::Purpose;

    use super::*;

    fn cut(id1: u64, time_ms: u64) -> Cut {
        Cut {
            id1,
            link_type: 1,
            time_ms,
        }
    }

    #[test]
    fn a_list_is_remembered_once_until_it_ends() {
        let mut history = History::default();
        let mut stream = Purpose::new(1, "test").stream(0);
        assert_eq!(history.draw(&mut stream), None);
        history.remember(cut(1, 100), 0);
        history.remember(cut(1, 90), 0);
        assert_eq!(history.draw(&mut stream), Some((0, cut(1, 100))));
        history.go_on(0, cut(1, 80));
        assert_eq!(history.draw(&mut stream), Some((0, cut(1, 80))));
        history.forget(0);
        assert_eq!(history.draw(&mut stream), None);
    }

    #[test]
    fn no_more_are_remembered_than_there_is_room_for() {
        let mut history = History::default();
        for id in 0..3000 {
            history.remember(cut(id, 1), id);
        }
        assert_eq!(history.cuts.len(), MOST);
        assert!(history.cuts.contains(&cut(2999, 1)));
    }
}
