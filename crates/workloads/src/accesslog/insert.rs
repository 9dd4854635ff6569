//! What is sent to the server: one text INSERT per op, with one or more rows.
//!
//! With its nth op over all phases, worker w of W writes block w + n W of the rows after the loaded
//! ones: no row is written twice.

use load::Turn;

use super::spec::AccessLog;
use super::workload::LogRows;
use crate::fill::{Layout, Source};
use crate::script::{Say, Script};

const HEAD: &[u8] = b"INSERT INTO accesslog VALUES ";

/// The script of one worker.
#[derive(Debug)]
pub struct Insert {
    rows: LogRows,
    rows_per_insert: u64,
    /// The first row of the next op, and how far it is from there to the op after it.
    next: u64,
    step: u64,
    /// The first row of the op drawn last.
    first: u64,
}

impl Insert {
    /// The script of worker `worker` of `workers`.
    pub fn new(log: &AccessLog, rows: LogRows, worker: usize, workers: usize) -> Insert {
        let rows_per_insert = u64::from(log.rows_per_insert);
        Insert {
            rows,
            rows_per_insert,
            next: log.rows + worker as u64 * rows_per_insert,
            step: workers as u64 * rows_per_insert,
            first: 0,
        }
    }
}

impl Script for Insert {
    fn prepared(&self) -> Vec<String> {
        Vec::new()
    }

    fn draw(&mut self, _turn: Turn) -> u16 {
        self.first = self.next;
        self.next += self.step;
        0
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        if step > 0 {
            return false;
        }
        say.query_with(|out| {
            out.extend_from_slice(HEAD);
            for row in self.first..self.first + self.rows_per_insert {
                self.rows.write(row, Layout::Values, out);
            }
            // Each row ends with a comma.
            out.pop();
        });
        true
    }

    fn is_transaction(&self) -> bool {
        false
    }
}
