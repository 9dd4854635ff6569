//! Who requests what and when: request i of a log depends only on the seed and i.
//!
//! Requests come in sessions: of each 512 neighbours, those that draw the same one of 64 lanes are
//! one visitor's. A visitor keeps address, name and origin; what is requested is drawn each time.
//! Paths, visitors and origins are drawn by Zipf's law: a few are most of the log. Three in a
//! hundred visitors are programs, which fetch feeds and pages in no order and never sign in.

use load::Purpose;

use super::pool::{kind, Kind};
use crate::oltp::{Distribution, Sampler};

/// Different paths of the site.
const PATHS: i64 = 20_000;
/// Different addresses.
const CLIENTS: i64 = 60_000;
/// Different pages that link to the site.
const SITES: i64 = 4_000;
const LANES: u64 = 64;
/// How many neighbouring requests make a block; those of one lane in it are a session, 8 on
/// average.
const EPOCH: u64 = 512;
/// Requests a second, on average over a day.
const PER_S: f64 = 40.0;
const DAY_S: f64 = 86_400.0;

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Seconds since the log began.
    pub at_s: u64,
    /// Which address sent it.
    pub client: u64,
    /// The signed-in reader, if any.
    pub reader: Option<u64>,
    /// A program, not a person.
    pub is_bot: bool,
    /// What was requested.
    pub path: u64,
    /// Which arguments, if any.
    pub arguments: Option<u64>,
    /// POST, not GET.
    pub is_post: bool,
    /// HTTP/1.0, not 1.1.
    pub is_old: bool,
    /// How many bytes were sent; `None` if nothing was sent, as after 304.
    pub bytes: Option<u64>,
    /// Where the visitor came from.
    pub origin: Origin,
    /// Selects the host's name.
    pub host: u64,
    /// The node that was shown, on a site that numbers its pages.
    pub node: Option<u64>,
}

/// Where a visitor came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// No referer was sent: typed in, or hidden.
    Unknown,
    /// A page of another site.
    Site(u64),
    /// A page of this site.
    Own(u64),
}

/// All requests under a seed.
#[derive(Debug)]
pub struct Visits {
    requests: Purpose,
    sessions: Purpose,
    paths: Sampler,
    clients: Sampler,
    sites: Sampler,
}

impl Visits {
    /// The requests under `seed`.
    pub fn new(seed: u64) -> Visits {
        let zipf = |count, exp| Sampler::new(&Distribution::Zipfian { exp }, 0, count - 1);
        Visits {
            requests: Purpose::new(seed, "accesslog/requests"),
            sessions: Purpose::new(seed, "accesslog/sessions"),
            paths: zipf(PATHS, 1.0),
            clients: zipf(CLIENTS, 0.8),
            sites: zipf(SITES, 1.1),
        }
    }

    /// Request `index`, from 0.
    pub fn request(&self, index: u64) -> Request {
        let mut draws = self.requests.stream(index);
        let lane = draws.below(LANES);
        let mut session = self.sessions.stream(index / EPOCH * LANES + lane);
        let client = self.clients.draw(&mut session) as u64;
        let is_bot = session.below(100) < 3;
        let signed_in = session.below(100) < 22;
        let comes_from_site = session.below(100) < 45;
        let site = self.sites.draw(&mut session) as u64;
        let is_old = is_bot || session.below(100) < 12;

        let path = self.paths.draw(&mut draws) as u64;
        let what = kind(path);
        let is_page = what == Kind::Page;
        let with_arguments = is_page && draws.below(100) < 35;
        // Only pages link to anything, and every eighth path is one.
        let own = self.paths.draw(&mut draws) as u64 / 8 * 8;
        Request {
            at_s: second(index),
            client,
            reader: (signed_in && !is_bot).then_some(client),
            is_bot,
            path,
            arguments: with_arguments.then(|| draws.next_u64() >> 32),
            is_post: with_arguments && draws.below(100) < 6,
            is_old,
            bytes: (draws.below(100) < 86).then(|| bytes(what, path, draws.unit())),
            origin: match draws.below(100) {
                _ if is_bot => Origin::Unknown,
                0..=14 => Origin::Unknown,
                15..=39 if comes_from_site => Origin::Site(site),
                _ => Origin::Own(own),
            },
            host: draws.below(1000),
            node: (is_page && draws.below(100) < 8).then(|| draws.below(1_500_000)),
        }
    }
}

/// When request `index` came: more by day than by night, following a sine, whose integral is known.
fn second(index: u64) -> u64 {
    let even_s = index as f64 / PER_S;
    let turn = std::f64::consts::TAU / DAY_S;
    // d(time)/d(index) varies by 60 % within a day and never becomes negative.
    (even_s + 0.6 / turn * (1.0 - (even_s * turn).cos())) as u64
}

/// Pictures and style sheets have one size each; pages and feeds vary from visit to visit.
fn bytes(what: Kind, path: u64, unit: f64) -> u64 {
    let own = path.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50;
    match what {
        Kind::Picture => 200 + own % 9_000,
        Kind::Style => 900 + own % 16_000,
        // Log-normal-like: the exponential of a bounded number, 3 to 160 KB.
        Kind::Page => (3_000.0 * (4.0 * unit).exp()) as u64,
        Kind::Feed => (1_500.0 * (2.0 * unit).exp()) as u64,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn log(rows: u64) -> Vec<Request> {
        let visits = Visits::new(42);
        (0..rows).map(|index| visits.request(index)).collect()
    }

    fn share(log: &[Request], is: impl Fn(&Request) -> bool) -> f64 {
        log.iter().filter(|request| is(request)).count() as f64 / log.len() as f64
    }

    #[test]
    fn requests_depend_on_seed_and_number_alone() {
        assert_eq!(Visits::new(42).request(7), Visits::new(42).request(7));
        assert_ne!(Visits::new(42).request(7), Visits::new(43).request(7));
    }

    #[test]
    fn time_never_goes_back_and_days_are_busier_than_nights() {
        let times: Vec<u64> = (0..10 * 3_456_000).step_by(999).map(second).collect();
        assert!(times.windows(2).all(|pair| pair[0] <= pair[1]));
        // 40 a second, over ten days.
        assert_eq!(second(10 * 3_456_000), 864_000);
    }

    #[test]
    fn a_few_are_most_of_the_log() {
        let log = log(100_000);
        let mut hits = BTreeMap::new();
        for request in &log {
            *hits.entry(request.path).or_insert(0_u64) += 1;
        }
        let mut hits: Vec<u64> = hits.into_values().collect();
        hits.sort_unstable_by(|a, b| b.cmp(a));
        let top: u64 = hits.iter().take(100).sum();
        // Zipf with exponent 1 over 20,000: H(100) / H(20,000) = 5.187 / 10.481.
        let expected = 5.187 / 10.481;
        assert!(
            (top as f64 / log.len() as f64 - expected).abs() < 0.01,
            "{top}"
        );
        assert!(hits.len() > 5_000, "{} paths", hits.len());
    }

    #[test]
    fn shares_are_as_said() {
        let log = log(100_000);
        let near =
            |found: f64, share: f64| assert!((found - share).abs() < 0.02, "{found}, {share}");
        near(share(&log, |request| request.is_bot), 0.03);
        near(share(&log, |request| request.bytes.is_none()), 0.14);
        near(share(&log, |request| request.reader.is_some()), 0.22 * 0.97);
        assert!(share(&log, |request| request.is_post) > 0.005);
        assert!(share(&log, |request| request.origin == Origin::Unknown) > 0.14);
    }

    #[test]
    fn a_visitor_stays_for_a_session() {
        let log = log(EPOCH);
        let mut visitors: Vec<u64> = log.iter().map(|request| request.client).collect();
        visitors.sort_unstable();
        visitors.dedup();
        assert!((20..=64).contains(&visitors.len()), "{}", visitors.len());
    }
}
