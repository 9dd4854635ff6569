//! The server's status around a statement, and what reading it costs.
//!
//! None of it is inside a timed part.

use std::collections::BTreeMap;

use wire::Connection;

use crate::observe::{deltas, status, Deltas, Numbers};

/// How often the status is read at the start of a phase to learn what reading it costs.
const CALIBRATIONS: usize = 5;

/// The counters and gauges of a session and of the server at one moment.
#[derive(Debug, Default)]
pub struct Status {
    session: Numbers,
    global: Numbers,
}

impl Status {
    /// SHOW SESSION STATUS, then SHOW GLOBAL STATUS. Values that aren't integers are left out.
    pub fn read(connection: &mut Connection) -> Result<Status, wire::Error> {
        Ok(Status {
            session: status(connection, "SESSION")?,
            global: status(connection, "GLOBAL")?,
        })
    }

    /// What changed since `before`: session and server. Gauges may go down.
    fn since(&self, before: &Status) -> (Deltas, Deltas) {
        (
            deltas(&before.session, &self.session),
            deltas(&before.global, &self.global),
        )
    }
}

/// How reading the status itself changes the status.
#[derive(Debug, Default)]
pub struct Calibration {
    session: Deltas,
    global: Deltas,
}

impl Calibration {
    /// Reads the status several times with nothing in between. It takes the median of each
    /// difference, so that something the server happened to do just then isn't mistaken for a cost.
    pub fn take(connection: &mut Connection) -> Result<Calibration, wire::Error> {
        let mut sessions = Vec::new();
        let mut globals = Vec::new();
        let mut before = Status::read(connection)?;
        for _ in 0..CALIBRATIONS {
            let after = Status::read(connection)?;
            let (session, global) = after.since(&before);
            sessions.push(session);
            globals.push(global);
            before = after;
        }
        Ok(Calibration {
            session: median(&sessions),
            global: median(&globals),
        })
    }

    /// What changed between two readings beyond what reading changes: session and server, non-zero.
    pub fn correct(&self, before: &Status, after: &Status) -> (Deltas, Deltas) {
        let (session, global) = after.since(before);
        (
            subtract(session, &self.session),
            subtract(global, &self.global),
        )
    }
}

fn median(all: &[Deltas]) -> Deltas {
    let names: std::collections::BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
    let middle = |name: &String| {
        let mut values: Vec<i64> = all
            .iter()
            .map(|deltas| deltas.get(name).copied().unwrap_or(0))
            .collect();
        values.sort_unstable();
        values[values.len() / 2]
    };
    names
        .into_iter()
        .map(|name| (name.clone(), middle(name)))
        .collect()
}

fn subtract(mut deltas: Deltas, own: &Deltas) -> Deltas {
    for (name, cost) in own {
        *deltas.entry(name.clone()).or_insert(0) -= cost;
    }
    deltas.retain(|_, delta| *delta != 0);
    deltas
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deltas_from(pairs: &[(&str, i64)]) -> Deltas {
        pairs
            .iter()
            .map(|&(name, delta)| (name.to_owned(), delta))
            .collect()
    }

    #[test]
    fn the_cost_of_reading_is_subtracted_and_gauges_go_down() {
        let status = |pairs: &[(&str, i128)]| Status {
            session: pairs
                .iter()
                .map(|&(name, value)| (name.to_owned(), value))
                .collect(),
            global: BTreeMap::new(),
        };
        let own = Calibration {
            session: deltas_from(&[("Com_show_status", 2)]),
            global: Deltas::new(),
        };
        let before = status(&[("Com_show_status", 4), ("Com_do", 1), ("Open_tables", 9)]);
        let after = status(&[("Com_show_status", 6), ("Com_do", 2), ("Open_tables", 7)]);
        let (session, global) = own.correct(&before, &after);
        assert_eq!(session, deltas_from(&[("Com_do", 1), ("Open_tables", -2)]));
        assert!(global.is_empty());
    }

    #[test]
    fn one_odd_calibration_does_not_count() {
        let usual = deltas_from(&[("Questions", 2)]);
        let odd = deltas_from(&[("Questions", 2), ("Innodb_data_writes", 7)]);
        let seen = median(&[usual.clone(), odd, usual]);
        assert_eq!(
            seen,
            deltas_from(&[("Innodb_data_writes", 0), ("Questions", 2)])
        );
    }
}
