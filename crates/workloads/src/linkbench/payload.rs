//! The data of links and nodes: how much, and which bytes.
//!
//! Data is made in chunks. A chunk is fresh random bytes with a given probability (uniqueness),
//! else a piece of the motif, bytes drawn once: so data compresses about as much as requested.

use load::{Purpose, Stream};

/// The most bytes that are drawn or copied together.
const CHUNK: usize = 128;
/// Standard deviation of the logarithm of a size.
const SIGMA: f64 = 1.0;

/// How long data is: a log-normal distribution, clipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    mu: f64,
    max: f64,
}

impl Size {
    /// With this median, in bytes; never above `max`.
    pub fn new(median: f64, max: u32) -> Size {
        Size {
            mu: median.ln(),
            max: f64::from(max),
        }
    }

    fn draw(&self, stream: &mut Stream) -> usize {
        // Box and Muller, "A note on the generation of random normal deviates", 1958.
        let radius = (-2.0 * (1.0 - stream.unit()).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * stream.unit()).cos();
        (normal * SIGMA + self.mu).exp().round().min(self.max) as usize
    }
}

/// What data consists of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alphabet {
    /// The smallest byte.
    pub first: u8,
    /// The largest byte.
    pub last: u8,
    /// The probability that a chunk is fresh.
    pub uniqueness: f64,
    /// Length of the motif in bytes, at least 1.
    pub motif: usize,
}

impl Alphabet {
    fn fresh(&self, stream: &mut Stream, length: usize, out: &mut Vec<u8>) {
        let range = u64::from(self.last - self.first) + 1;
        out.extend((0..length).map(|_| self.first + stream.below(range) as u8));
    }
}

/// Generates data of one kind.
#[derive(Debug, Clone)]
pub struct Payload {
    size: Size,
    alphabet: Alphabet,
    motif: Vec<u8>,
}

impl Payload {
    /// The motif is the one for `name` under the seed.
    pub fn new(size: Size, alphabet: Alphabet, seed: u64, name: &str) -> Payload {
        let mut motif = Vec::with_capacity(alphabet.motif);
        let mut stream = Purpose::new(seed, name).stream(0);
        alphabet.fresh(&mut stream, alphabet.motif, &mut motif);
        Payload {
            size,
            alphabet,
            motif,
        }
    }

    /// Replaces the content of `out` with new data.
    pub fn draw(&self, stream: &mut Stream, out: &mut Vec<u8>) {
        out.clear();
        let mut left = self.size.draw(stream);
        let most = CHUNK.min(self.motif.len());
        while left > 0 {
            let length = left.min(most);
            if stream.unit() < self.alphabet.uniqueness {
                self.alphabet.fresh(stream, length, out);
            } else {
                let places = self.motif.len() - length + 1;
                let from = stream.below(places as u64) as usize;
                out.extend_from_slice(&self.motif[from..from + length]);
            }
            left -= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: Alphabet = Alphabet {
        first: 32,
        last: 100,
        uniqueness: 0.225,
        motif: 512,
    };

    fn sizes(payload: &Payload, count: u64) -> Vec<usize> {
        let purpose = Purpose::new(1, "test");
        let mut data = Vec::new();
        let draw = |index| {
            payload.draw(&mut purpose.stream(index), &mut data);
            let alphabet = payload.alphabet;
            let in_alphabet = |byte: &u8| (alphabet.first..=alphabet.last).contains(byte);
            assert!(data.iter().all(in_alphabet));
            data.len()
        };
        (0..count).map(draw).collect()
    }

    #[test]
    fn sizes_have_the_means_of_the_original() {
        let node = Alphabet {
            first: 50,
            last: 220,
            uniqueness: 0.63,
            motif: 512,
        };
        for (median, max, alphabet, mean, deviation) in [
            (8.0, 254, LINK, 13.17, 17.0),
            (128.0, 1_048_575, node, 211.0, 277.0),
        ] {
            let payload = Payload::new(Size::new(median, max), alphabet, 1, "motif");
            let sizes = sizes(&payload, 100_000);
            let found = sizes.iter().sum::<usize>() as f64 / 1e5;
            assert!(
                (found - mean).abs() < 4.0 * deviation / 1e5_f64.sqrt(),
                "{found}"
            );
            assert!(sizes.iter().all(|&size| size <= max as usize));
        }
        let links = Payload::new(Size::new(8.0, 254), LINK, 1, "motif");
        let sizes = sizes(&links, 100_000);
        assert!(sizes.contains(&0) && sizes.contains(&254));
    }

    #[test]
    fn so_many_chunks_are_fresh() {
        let payload = Payload::new(Size::new(128.0, 128), LINK, 1, "motif");
        let purpose = Purpose::new(2, "test");
        let (mut data, mut fresh, mut seen) = (Vec::new(), 0, 0);
        for index in 0..4000 {
            payload.draw(&mut purpose.stream(index), &mut data);
            if data.len() >= 32 {
                let is_motif = payload.motif.windows(data.len()).any(|one| one == data);
                seen += 1;
                fresh += u32::from(!is_motif);
            }
        }
        let share = f64::from(fresh) / f64::from(seen);
        let bound = 4.0 * (0.225_f64 * 0.775 / f64::from(seen)).sqrt();
        assert!((share - 0.225).abs() < bound, "{share}");
    }
}
