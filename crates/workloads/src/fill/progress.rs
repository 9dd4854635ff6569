//! Reports how many rows of a table have been sent, by all loaders together.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use load::Clock;

use super::table::Table;
use crate::event::{seconds, Event, PhaseEvent, PhaseState};
use crate::workload::Shared;

/// Progress is reported at most this often.
const REPORT_EVERY: Duration = Duration::from_millis(500);

/// What is known about one table.
#[derive(Debug)]
pub struct TableProgress {
    rows_total: u64,
    at: Mutex<At>,
}

#[derive(Debug, Default)]
struct At {
    /// Rows sent.
    rows: u64,
    reported: Option<Instant>,
}

impl TableProgress {
    /// Nothing has been sent yet of `rows_total` rows.
    pub fn new(rows_total: u64) -> TableProgress {
        TableProgress {
            rows_total,
            at: Mutex::default(),
        }
    }

    /// More rows were sent. Reported if the last report was a while ago, or if `always`; under the
    /// lock, so that the reported numbers only grow.
    pub fn add<S>(&self, shared: &Shared, table: &Table<S>, rows: u64, always: bool) {
        let mut at = match self.at.lock() {
            Ok(at) => at,
            Err(poisoned) => poisoned.into_inner(),
        };
        at.rows += rows;
        let due = at
            .reported
            .is_none_or(|reported| reported.elapsed() >= REPORT_EVERY);
        if due || always {
            at.reported = Some(Instant::now());
            shared.events.say(Event::Phase(PhaseEvent {
                phase: "load".to_owned(),
                state: PhaseState::Progress,
                t_s: seconds(shared.clock.now_ns()),
                late_ns: None,
                table: Some(table.name.clone()),
                rows: Some(at.rows),
                rows_total: Some(self.rows_total),
            }));
        }
    }
}
