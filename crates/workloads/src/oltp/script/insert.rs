//! `oltp_insert`: one new row per op, by a text INSERT, as in sysbench.
//!
//! With `auto_inc` the id is 0 and the server counts. Without it, worker w of W generates its own
//! ids: for its nth insert, over all phases, the image of w + n W under a permutation of 32 bits,
//! minus 2^31. No two of 2^32 are the same, but a second run with the same seed and number of
//! workers repeats those of the first, and so needs empty tables.

use load::{Purpose, Turn};

use super::kinds::INSERT;
use super::template::{template, Hole, Templates};
use crate::oltp::distribution::Sampler;
use crate::oltp::permutation::Permutation;
use crate::oltp::spec::Oltp;
use crate::oltp::strings::{write_groups, C_BYTES, PAD_BYTES};
use crate::script::{Input, Say, Script};

/// The script `oltp_insert`.
#[derive(Debug)]
pub struct Insert {
    templates: Templates,
    draws: Purpose,
    tables: u64,
    ks: Sampler,
    /// `None` if the server counts.
    ids: Option<Ids>,
    table: usize,
    id: i64,
    k: i64,
    c: [u8; C_BYTES],
    pad: [u8; PAD_BYTES],
}

/// Ids that no other worker generates.
#[derive(Debug)]
struct Ids {
    permutation: Permutation,
    next: u64,
    step: u64,
}

impl Ids {
    fn new(seed: u64, worker: usize, workers: usize) -> Ids {
        let key = Purpose::new(seed, "ops/inserts/ids").stream(0).next_u64();
        Ids {
            permutation: Permutation::new(key as u32),
            next: worker as u64,
            step: workers as u64,
        }
    }

    fn draw(&mut self) -> i64 {
        let image = self.permutation.image(self.next as u32);
        self.next += self.step;
        i64::from(image) + i64::from(i32::MIN)
    }
}

impl Insert {
    /// The script of worker `worker` of `workers`.
    pub fn new(oltp: &Oltp, seed: u64, worker: usize, workers: usize) -> Insert {
        let ids = || Ids::new(seed, worker, workers);
        Insert {
            templates: Templates::new(vec![template(INSERT)], oltp.tables as usize, false),
            draws: Purpose::new(seed, "ops/inserts"),
            tables: u64::from(oltp.tables),
            ks: Sampler::new(&oltp.distribution, 1, i64::from(oltp.table_size)),
            ids: (!oltp.auto_inc).then(ids),
            table: 0,
            id: 0,
            k: 0,
            c: [0; C_BYTES],
            pad: [0; PAD_BYTES],
        }
    }
}

impl Script for Insert {
    fn prepared(&self) -> Vec<String> {
        Vec::new()
    }

    fn draw(&mut self, turn: Turn) -> u16 {
        let mut stream = self.draws.stream(turn.index);
        self.table = stream.below(self.tables) as usize;
        self.k = self.ks.draw(&mut stream);
        write_groups(&mut stream, &mut self.c);
        write_groups(&mut stream, &mut self.pad);
        if let Some(ids) = &mut self.ids {
            self.id = ids.draw();
        }
        0
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        if step > 0 {
            return false;
        }
        let input = |hole| match hole {
            Hole::Id => Input::Int(self.id),
            Hole::K => Input::Int(self.k),
            Hole::C => Input::Text(&self.c),
            Hole::Pad => Input::Text(&self.pad),
            Hole::Table | Hole::Last | Hole::Nth(_) => unreachable!("no such hole"),
        };
        self.templates.say(0, self.table, input, say);
        true
    }

    fn is_transaction(&self) -> bool {
        false
    }
}
