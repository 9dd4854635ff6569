//! `bulk_insert`: each worker appends rows (n, n), n = 1, 2, …, to its own table.
//!
//! An op is one row. Rows gather in a buffer of 512 KiB, and the op that fills it sends them all as
//! one INSERT; the other ops send nothing, and so take almost no time. As in sysbench, the ops of
//! this script are therefore rows, not statements. What is in the buffer at the end of a run is
//! never sent: a script isn't notified of ends, and it would be part of a statement. Each run
//! starts with 1 again, so it needs empty tables.

use load::Turn;

use crate::oltp::schema;
use crate::script::{Say, Script};

/// sysbench's buffer. Below the smallest default of max_allowed_packet, 1 MiB in MySQL 5.5.
const BUFFER_BYTES: usize = 512 * 1024;
/// The longest row: two numbers of 20 digits and what is around them.
const ROW_BYTES: usize = 50;

/// The script `bulk_insert`.
#[derive(Debug)]
pub struct BulkInsert {
    head: Vec<u8>,
    /// The INSERT being gathered.
    sql: Vec<u8>,
    /// Rows generated so far, in all phases.
    rows: u64,
    /// True if the row drawn last filled the buffer.
    is_full: bool,
}

impl BulkInsert {
    /// The script of worker `worker`.
    pub fn new(worker: usize) -> BulkInsert {
        BulkInsert {
            head: format!("INSERT INTO {} VALUES ", schema::name(worker)).into_bytes(),
            sql: Vec::with_capacity(BUFFER_BYTES),
            rows: 0,
            is_full: false,
        }
    }
}

impl Script for BulkInsert {
    fn prepared(&self) -> Vec<String> {
        Vec::new()
    }

    fn draw(&mut self, _turn: Turn) -> u16 {
        // Only now, because the op that sent the buffer may have been repeated.
        if self.is_full || self.rows == 0 {
            self.sql.clear();
            self.sql.extend_from_slice(&self.head);
        } else {
            self.sql.push(b',');
        }
        self.rows += 1;
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(self.rows).as_bytes();
        self.sql.push(b'(');
        self.sql.extend_from_slice(digits);
        self.sql.push(b',');
        self.sql.extend_from_slice(digits);
        self.sql.push(b')');
        self.is_full = self.sql.len() + ROW_BYTES > BUFFER_BYTES;
        0
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        let says = self.is_full && step == 0;
        if says {
            say.query(&self.sql);
        }
        says
    }

    fn is_transaction(&self) -> bool {
        false
    }
}
