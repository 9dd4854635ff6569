//! How many links an id of a given rank has: by LinkBench's own data file, or by a table that
//! stands in for it.

mod file;
mod tables;

use std::io;
use std::path::Path;

/// How links are distributed over ids. Rank 0 has the most.
#[derive(Debug, Clone)]
pub enum Degrees {
    /// Points of a cumulative distribution: a number of links, and the share of ids that have at
    /// most that number; both ascending.
    Points(Vec<(u64, f64)>),
    /// Points of a survival function.
    Table(&'static Table),
}

/// A survival function by a few points: a number of links, ascending, and the share of ids that
/// have more than that; log-log linear in between.
#[derive(Debug)]
pub struct Table {
    points: &'static [(u64, f64)],
    /// The links of rank 0.
    most: u64,
}

impl Degrees {
    /// Facebook in 2011, as shipped by LinkBench.
    pub fn of_2011() -> Degrees {
        Degrees::Table(&tables::OF_2011)
    }

    /// As shipped by the fork of 2017.
    pub fn of_2017() -> Degrees {
        Degrees::Table(&tables::OF_2017)
    }

    /// Reads the section `nlinks` of a LinkBench data file.
    pub fn read(path: &Path) -> io::Result<Degrees> {
        file::read(path).map(Degrees::Points)
    }

    /// How many links the id of rank `rank` has, of `n` ids.
    pub fn links_of_rank(&self, rank: u64, n: u64) -> u64 {
        let share = rank as f64 / n as f64;
        match self {
            Degrees::Points(points) => {
                let u = 1.0 - share;
                let place = points.partition_point(|&(_, at_most)| at_most < u);
                points[place.min(points.len() - 1)].0
            }
            Degrees::Table(table) if rank == 0 => table.most,
            Degrees::Table(table) => table.at(share),
        }
    }
}

impl Table {
    fn at(&self, share: f64) -> u64 {
        let place = self.points.partition_point(|&(_, more)| more > share);
        let Some(&(high, more_than_high)) = self.points.get(place) else {
            return self.most;
        };
        let Some(&(low, more_than_low)) = place.checked_sub(1).map(|at| &self.points[at]) else {
            return high;
        };
        let part = (share / more_than_low).ln() / (more_than_high / more_than_low).ln();
        let (from, to) = (((low + 1) as f64).ln(), ((high + 1) as f64).ln());
        let links = (from + part * (to - from)).exp() - 1.0;
        // What should be an integer may come out slightly above.
        (links - 1e-9).ceil().clamp(low as f64 + 1.0, high as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(degrees: &Degrees, n: u64) -> impl Iterator<Item = u64> + '_ {
        (0..n).map(move |rank| degrees.links_of_rank(rank, n))
    }

    /// Links with the original's split as coded: even numbers above 2 get 2 more.
    fn as_coded(links: u64) -> u64 {
        let (half, left) = (links / 2, links - links / 2);
        2 * half + left.min(2)
    }

    #[test]
    fn the_table_of_2011_gives_its_links() {
        let degrees = Degrees::of_2011();
        let (mut links, mut rows) = (0, 0);
        for of_id in all(&degrees, 1_000_000) {
            links += as_coded(of_id);
            rows += of_id.min(2);
        }
        // The data file has 5,249,370 links and 772,059 rows of counts.
        assert!((links as f64 / 5_249_370.0 - 1.0).abs() < 1e-3, "{links}");
        assert!((rows as f64 / 772_059.0 - 1.0).abs() < 1e-4, "{rows}");
        assert_eq!(degrees.links_of_rank(0, 100), 961_963);
    }

    #[test]
    fn the_table_of_2017_gives_its_links() {
        let degrees = Degrees::of_2017();
        let links: u64 = all(&degrees, 100_000)
            .map(|links| links.max(2) / 2 * 2)
            .sum();
        // Its file has 4,597,662.
        assert!((links as f64 / 4_597_662.0 - 1.0).abs() < 1e-3, "{links}");
    }

    #[test]
    fn no_rank_has_fewer_links_than_the_next() {
        for degrees in [Degrees::of_2011(), Degrees::of_2017()] {
            let links: Vec<u64> = all(&degrees, 30_000).collect();
            assert!(links.is_sorted_by(|high, low| high >= low));
        }
    }
}
