//! The fuzzer's seeds and 2,000 mutations of them for each target, always the same ones, so that
//! plain `cargo test` guards what the fuzzer (in `fuzz/`) found.

mod harness;

use std::path::Path;

use harness::TARGETS;

/// SplitMix64: the mutations depend only on this seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(target);
    let entries = std::fs::read_dir(&folder).expect("a folder of seeds");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a seed").path()).collect();
    // The folder's order is up to the file system; the mutations must not depend on it.
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read(file).expect("a seed"))
        .collect()
}

fn mutate(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    const TELLING: [u8; 10] = [0, 1, 2, 0x7F, 0x80, 0xFA, 0xFB, 0xFC, 0xFE, 0xFF];
    let mut input = seed.to_vec();
    for _ in 0..=dice.below(4) {
        let at = dice.below(input.len());
        match dice.below(6) {
            _ if input.is_empty() => input.push(dice.next() as u8),
            0 => input[at] ^= 1 << dice.below(8),
            1 => input[at] = TELLING[dice.below(TELLING.len())],
            2 => input[at] = dice.next() as u8,
            3 => input.truncate(at),
            4 => input.insert(at, TELLING[dice.below(TELLING.len())]),
            _ => {
                let end = at + dice.below(input.len() - at);
                let piece = input[at..end].to_vec();
                let to = dice.below(input.len());
                input.splice(to..to, piece);
            }
        }
    }
    input
}

#[test]
fn no_seed_and_no_mutation_breaks_the_codec() {
    for (name, target) in TARGETS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "no seeds for {name}");
        let mut dice = Dice(42);
        for seed in &seeds {
            target(seed);
        }
        for round in 0..2_000 {
            let input = mutate(&seeds[round % seeds.len()], &mut dice);
            if std::panic::catch_unwind(|| target(&input)).is_err() {
                panic!("target {name}, round {round}, input {input:02x?}");
            }
        }
    }
}
