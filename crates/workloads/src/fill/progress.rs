//! Tells how far a table is, however many loaders are at it.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use load::Clock;

use super::Table;
use crate::event::{seconds, Event, PhaseEvent, PhaseState};
use crate::workload::Shared;

/// Progress is told at most this often.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// What is known of one table.
#[derive(Debug)]
pub struct Progress {
    rows_total: u64,
    at: Mutex<At>,
}

#[derive(Debug, Default)]
struct At {
    /// Rows sent.
    rows: u64,
    told: Option<Instant>,
}

impl Progress {
    /// Nothing is sent yet of so many rows.
    pub fn new(rows_total: u64) -> Progress {
        Progress {
            rows_total,
            at: Mutex::default(),
        }
    }

    /// More rows were sent. Told if it was a while ago that something was, or `always`; under the
    /// lock, so that the numbers told only grow.
    pub fn add<S>(&self, shared: &Shared, table: &Table<S>, rows: u64, always: bool) {
        let mut at = match self.at.lock() {
            Ok(at) => at,
            Err(poisoned) => poisoned.into_inner(),
        };
        at.rows += rows;
        let due = at.told.is_none_or(|told| told.elapsed() >= TELL_EVERY);
        if due || always {
            at.told = Some(Instant::now());
            shared.events.say(Event::Phase(PhaseEvent {
                phase: "load".to_owned(),
                state: PhaseState::Progress,
                t_s: seconds(shared.clock.now_ns()),
                table: Some(table.name.clone()),
                rows: Some(at.rows),
                rows_total: Some(self.rows_total),
            }));
        }
    }
}
