//! One connection's part: which op, on which row, and the note of its acknowledgement.

use load::Turn;

use super::rows::write_body;
use super::spec::{Ledger, OpName};
use crate::notes::Notes;
use crate::script::{Say, Script};

/// A connection. It owns the rows whose id modulo the number of connections is its own number.
#[derive(Debug)]
pub struct Clerk {
    ops: Vec<OpName>,
    number: u64,
    connections: u64,
    /// How many rows are its own.
    rows: u64,
    notes: Option<Notes>,
    op: OpName,
    id: u64,
    version: u64,
}

impl Clerk {
    /// Connection `number` of `connections`.
    pub fn new(ledger: &Ledger, number: usize, connections: usize, notes: Option<Notes>) -> Clerk {
        let (number, connections) = (number as u64, connections as u64);
        Clerk {
            ops: ledger.ops.clone(),
            number,
            connections,
            rows: u64::from(ledger.rows)
                .saturating_sub(number)
                .div_ceil(connections),
            notes,
            op: OpName::Insert,
            id: 0,
            version: 0,
        }
    }

    fn insert(&self, table: &str, say: Say<'_>) {
        say.query_with(|out| {
            let into = format!(
                "INSERT INTO {table} (id, version, body) VALUES ({}, 0, '",
                self.id
            );
            out.extend_from_slice(into.as_bytes());
            write_body(self.id, 0, out);
            out.extend_from_slice(b"')");
        });
    }

    fn update(&self, say: Say<'_>) {
        say.query_with(|out| {
            let set = format!(
                "UPDATE ledger_versions SET version = {}, body = '",
                self.version
            );
            out.extend_from_slice(set.as_bytes());
            write_body(self.id, self.version, out);
            out.extend_from_slice(format!("' WHERE id = {}", self.id).as_bytes());
        });
    }
}

impl Script for Clerk {
    fn prepared(&self) -> Vec<String> {
        Vec::new()
    }

    /// Ids and versions are the op's number in the phase, which no other op has.
    fn draw(&mut self, turn: Turn) -> u16 {
        let place = (turn.nth % self.ops.len() as u64) as usize;
        self.op = self.ops[place];
        if self.op == OpName::Update {
            self.id = self.number + turn.nth / self.ops.len() as u64 % self.rows * self.connections;
            self.version = turn.index;
        } else {
            self.id = turn.index;
        }
        place as u16
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        match (self.op, step) {
            (OpName::Insert, 0) | (OpName::Transaction, 1) => self.insert("ledger_rows", say),
            (OpName::Transaction, 0) => say.query(b"BEGIN"),
            (OpName::Transaction, 2) => self.insert("ledger_pairs", say),
            (OpName::Transaction, 3) => say.query(b"COMMIT"),
            (OpName::Update, 0) => self.update(say),
            _ => return false,
        }
        true
    }

    fn ended(&mut self, is_ok: bool) {
        let (Some(notes), true) = (&self.notes, is_ok) else {
            return;
        };
        let (op, id) = (self.op.as_str(), self.id);
        match self.op {
            OpName::Update => notes.note(format_args!("{op} {id} {}", self.version)),
            OpName::Insert | OpName::Transaction => notes.note(format_args!("{op} {id}")),
        }
    }

    fn is_transaction(&self) -> bool {
        self.op == OpName::Transaction
    }
}

#[cfg(test)]
mod tests {
    use wire::Encoding;

    use super::*;

    fn statements(clerk: &mut Clerk, turn: Turn) -> Vec<String> {
        clerk.draw(turn);
        let mut all = Vec::new();
        for step in 0.. {
            let mut out = Vec::new();
            if !clerk.step(step, Say::new(&mut out, &[], &mut Encoding::Text)) {
                break;
            }
            let text = String::from_utf8_lossy(&out).into_owned();
            let start = text.find(char::is_alphabetic).unwrap();
            all.push(text[start..].split('\'').next().unwrap().to_owned());
        }
        all
    }

    #[test]
    fn ops_come_in_turn_and_rows_are_a_connections_own() {
        let ledger: Ledger = serde_json::from_str(r#"{"rows": 5}"#).unwrap();
        let mut clerk = Clerk::new(&ledger, 1, 2, None);
        let mut at = |nth| {
            statements(
                &mut clerk,
                Turn {
                    index: 100 + nth,
                    nth,
                },
            )
        };
        assert_eq!(
            at(0),
            ["INSERT INTO ledger_rows (id, version, body) VALUES (100, 0, "]
        );
        assert_eq!(at(1), ["UPDATE ledger_versions SET version = 101, body = "]);
        assert_eq!(
            at(2),
            [
                "BEGIN",
                "INSERT INTO ledger_rows (id, version, body) VALUES (102, 0, ",
                "INSERT INTO ledger_pairs (id, version, body) VALUES (102, 0, ",
                "COMMIT"
            ]
        );
        let mut rows = Vec::new();
        for nth in [1, 4, 7] {
            clerk.draw(Turn { index: nth, nth });
            rows.push(clerk.id);
        }
        assert_eq!(
            rows,
            [1, 3, 1],
            "of five rows the second of two connections has two"
        );
    }
}
