//! The statements that are sent: a list of them, one per op, repeated.

use load::{Purpose, Turn};

use super::generate::Statement;
use super::rows::Keys;
use super::spec::Slap;
use crate::script::{Say, Script};

/// The script of one worker. Each starts with the first statement, as mysqlslap's clients do.
#[derive(Debug)]
pub struct Cycle {
    statements: Vec<(u16, Statement)>,
    keys: Keys,
    draws: Purpose,
    rows: u64,
    /// The statement of the current op, and its key.
    at: usize,
    key: Vec<u8>,
}

impl Cycle {
    /// The script under `seed`.
    pub fn new(slap: &Slap, seed: u64) -> Cycle {
        let names = slap.op_names();
        let (_, list) = slap.generate().statements(seed);
        let number = |statement: &Statement| {
            let verb = statement.sql.split(|&byte| byte == b' ').next();
            let verb = String::from_utf8_lossy(verb.unwrap_or_default()).to_lowercase();
            names.iter().position(|name| *name == verb).unwrap_or(0) as u16
        };
        Cycle {
            statements: list.into_iter().map(|one| (number(&one), one)).collect(),
            keys: Keys::new(seed, slap.primary),
            draws: Purpose::new(seed, "slap/keys"),
            rows: slap.rows.max(1),
            at: 0,
            key: Vec::new(),
        }
    }

    /// The SELECTs in the list, with the key of the first op.
    pub fn examples(&mut self) -> Vec<(String, String)> {
        self.draw(Turn { index: 0, nth: 0 });
        let reads = |(_, one): &&(u16, Statement)| one.sql.starts_with(b"SELECT");
        let select = self.statements.iter().find(reads);
        let example = select.map(|(_, one)| {
            let mut sql = Vec::new();
            one.write(&mut sql, &self.key);
            let sql = String::from_utf8_lossy(&sql).into_owned();
            ("select".to_owned(), sql)
        });
        example.into_iter().collect()
    }
}

impl Script for Cycle {
    fn prepared(&self) -> Vec<String> {
        Vec::new()
    }

    fn draw(&mut self, turn: Turn) -> u16 {
        self.at = (turn.nth % self.statements.len() as u64) as usize;
        self.key.clear();
        let (op, statement) = &self.statements[self.at];
        if statement.by_key {
            let row = self.draws.stream(turn.index).below(self.rows);
            self.keys.write(row, &mut self.key);
        }
        *op
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        if step > 0 {
            return false;
        }
        let (_, statement) = &self.statements[self.at];
        say.query_with(|out| statement.write(out, &self.key));
        true
    }

    fn is_transaction(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use wire::Encoding;

    use super::*;

    fn statements(keys: serde_json::Value, ops: u64) -> Vec<(u16, String)> {
        let slap: Slap = serde_json::from_value(keys).unwrap();
        let mut cycle = Cycle::new(&slap, 42);
        let one = |nth| {
            let op = cycle.draw(Turn { index: nth, nth });
            let mut out = Vec::new();
            assert!(cycle.step(0, Say::new(&mut out, &[], &mut Encoding::Text)));
            let text = String::from_utf8_lossy(&out).into_owned();
            let start = text.find(char::is_alphabetic).unwrap();
            (op, text[start..].to_owned())
        };
        (0..ops).map(one).collect()
    }

    #[test]
    fn mixed_statements_are_insert_and_select_in_turn() {
        let list = statements(json!({"unique_queries": 4}), 6);
        let verbs: Vec<&str> = list.iter().map(|(_, sql)| &sql[..6]).collect();
        assert_eq!(
            verbs,
            ["INSERT", "SELECT", "INSERT", "SELECT", "INSERT", "SELECT"]
        );
        assert_eq!(
            list.iter().map(|(op, _)| *op).collect::<Vec<_>>(),
            [0, 1, 0, 1, 0, 1]
        );
        assert_eq!(list[0], list[4]);
        assert_ne!(list[0], list[2]);
    }

    #[test]
    fn keys_are_those_of_rows() {
        let list = statements(
            json!({"load_type": "key", "primary": "auto_increment", "rows": 5}),
            50,
        );
        let mut seen: Vec<u64> = list
            .iter()
            .map(|(_, sql)| {
                let key = sql.split_once("WHERE id =  '").unwrap().1;
                key.trim_end_matches('\'').parse().unwrap()
            })
            .collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [1, 2, 3, 4, 5]);
    }
}
