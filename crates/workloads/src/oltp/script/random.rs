//! `select_random_points` and `select_random_ranges`: one SELECT per op, only on `sbtest1`.
//!
//! As in sysbench, each worker draws from its own slice: worker w of W from table_size * w / W to
//! table_size * (w + 1) / W, both included.

use load::{Purpose, Turn};

use super::template::{template, Hole, Templates};
use crate::oltp::distribution::Sampler;
use crate::oltp::spec::{Oltp, ScriptName};
use crate::script::{Input, Say, Script};

/// A script of one SELECT with many random values.
#[derive(Debug)]
pub struct Random {
    name: &'static str,
    templates: Templates,
    draws: Purpose,
    slice: Sampler,
    /// What follows each drawn value in `values`: the value plus this. `None`: nothing.
    delta: Option<i64>,
    values: Vec<i64>,
}

impl Random {
    /// Rows whose `k` is one of `random_points` values.
    pub fn points(oltp: &Oltp, seed: u64, worker: usize, workers: usize) -> Random {
        let count = oltp.random_points as usize;
        let list: Vec<String> = (0..count).map(|nth| format!("{{{nth}}}")).collect();
        let sql = format!(
            "SELECT id, k, c, pad FROM sbtest{{table}} WHERE k IN ({})",
            list.join(", ")
        );
        let name = ScriptName::SelectRandomPoints.as_str();
        Random {
            name,
            templates: Templates::new(vec![template(&sql)], 1, oltp.prepared),
            draws: Purpose::new(seed, &format!("ops/{name}")),
            slice: slice(oltp, worker, workers),
            delta: None,
            values: vec![0; count],
        }
    }

    /// The number of rows with their `k` in one of `number_of_ranges` ranges.
    pub fn ranges(oltp: &Oltp, seed: u64, worker: usize, workers: usize) -> Random {
        let count = oltp.number_of_ranges as usize;
        let range = |nth: usize| format!("k BETWEEN {{{}}} AND {{{}}}", 2 * nth, 2 * nth + 1);
        let list: Vec<String> = (0..count).map(range).collect();
        let sql = format!(
            "SELECT count(k) FROM sbtest{{table}} WHERE {}",
            list.join(" OR ")
        );
        let name = ScriptName::SelectRandomRanges.as_str();
        Random {
            name,
            templates: Templates::new(vec![template(&sql)], 1, oltp.prepared),
            draws: Purpose::new(seed, &format!("ops/{name}")),
            slice: slice(oltp, worker, workers),
            delta: Some(i64::from(oltp.delta)),
            values: vec![0; 2 * count],
        }
    }

    /// The SELECT with the inputs of the op drawn last.
    pub fn examples(&self) -> Vec<(String, String)> {
        let sql = self.templates.text(0, 0, |hole| nth(&self.values, hole));
        vec![(self.name.to_owned(), sql)]
    }
}

fn slice(oltp: &Oltp, worker: usize, workers: usize) -> Sampler {
    let bound = |part: usize| (u64::from(oltp.table_size) * part as u64 / workers as u64) as i64;
    Sampler::new(&oltp.distribution, bound(worker), bound(worker + 1))
}

fn nth(values: &[i64], hole: Hole) -> Input<'static> {
    match hole {
        Hole::Nth(nth) => Input::Int(values[nth]),
        _ => unreachable!("all holes are numbered"),
    }
}

impl Script for Random {
    fn prepared(&self) -> Vec<String> {
        self.templates.prepared()
    }

    fn draw(&mut self, turn: Turn) -> u16 {
        let mut stream = self.draws.stream(turn.index);
        match self.delta {
            None => {
                for value in &mut self.values {
                    *value = self.slice.draw(&mut stream);
                }
            }
            Some(delta) => {
                for range in self.values.chunks_exact_mut(2) {
                    range[0] = self.slice.draw(&mut stream);
                    range[1] = range[0] + delta;
                }
            }
        }
        0
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        if step > 0 {
            return false;
        }
        self.templates
            .say(0, 0, |hole| nth(&self.values, hole), say);
        true
    }

    fn is_transaction(&self) -> bool {
        false
    }
}
