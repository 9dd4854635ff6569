//! What is sent to the server: one query an op, with its values.

use std::sync::Arc;

use load::{Purpose, Stream, Turn};

use super::spec::{Queries, Query};
use super::sql;
use super::values::{Drawn, Source};
use crate::script::{Part, Say, Script, Template};

/// The queries, ready to be asked; all connections share them.
#[derive(Debug)]
pub struct Asked {
    queries: Vec<One>,
    draws: Purpose,
    /// The weights of all.
    weight: u64,
    is_prepared: bool,
}

/// A query.
#[derive(Debug)]
struct One {
    name: String,
    /// The weights of it and of those before it.
    until: u64,
    /// Its statements. A hole is the place of its value.
    templates: Vec<Template<usize>>,
    /// How many statements the queries before it have.
    first: usize,
    values: Vec<Source>,
    is_transaction: bool,
}

impl Asked {
    /// The queries of a plan under `seed`.
    pub fn new(plan: &Queries, seed: u64) -> Asked {
        let (mut queries, mut until, mut first) = (Vec::new(), 0, 0);
        for query in &plan.queries {
            until += u64::from(query.weight);
            queries.push(One::new(query, until, first, seed, !plan.prepared));
            first += query.sql.len();
        }
        Asked {
            queries,
            draws: Purpose::new(seed, "ops/queries"),
            weight: until,
            is_prepared: plan.prepared,
        }
    }

    /// The names of the queries.
    pub fn names(&self) -> Vec<String> {
        self.queries.iter().map(|one| one.name.clone()).collect()
    }
}

impl One {
    fn new(query: &Query, until: u64, first: usize, seed: u64, is_text: bool) -> One {
        let place = |name: &str| query.values.keys().position(|key| key == name).unwrap_or(0);
        let source = |(name, draw)| {
            let name = format!("{}/{name}", query.name);
            Source::new(draw, seed, &name, is_text)
        };
        One {
            name: query.name.clone(),
            until,
            templates: query
                .sql
                .iter()
                .map(|sql| sql::template(sql, place))
                .collect(),
            first,
            values: query.values.iter().map(source).collect(),
            is_transaction: query.transaction,
        }
    }
}

/// The script of one connection.
#[derive(Debug)]
pub struct Ask {
    all: Arc<Asked>,
    /// Which query the op is.
    at: usize,
    /// Its values come first; there is room for those of any.
    values: Vec<Drawn>,
}

impl Ask {
    /// Any of these queries.
    pub fn new(all: Arc<Asked>) -> Ask {
        let most = all.queries.iter().map(|one| one.values.len()).max();
        Ask {
            all,
            at: 0,
            values: vec![Drawn::default(); most.unwrap_or(0)],
        }
    }

    /// The SELECTs of a plan with values: name and SQL. Of several in a query, the first.
    pub fn examples(plan: &Queries, seed: u64) -> Vec<(String, String)> {
        let as_text = Queries {
            prepared: false,
            ..plan.clone()
        };
        Ask::new(Arc::new(Asked::new(&as_text, seed))).selects()
    }

    fn selects(mut self) -> Vec<(String, String)> {
        let mut examples = Vec::new();
        for at in 0..self.all.queries.len() {
            self.draw_values(at, &mut self.all.draws.stream(0));
            let one = &self.all.queries[at];
            let select = one.templates.iter().find_map(|template| {
                let sql = template.text(|place| self.values[place].input());
                let sql = sql.trim_start().to_owned();
                let verb = sql.get(..6).unwrap_or_default();
                verb.eq_ignore_ascii_case("SELECT").then_some(sql)
            });
            examples.extend(select.map(|sql| (one.name.clone(), sql)));
        }
        examples
    }

    fn draw_values(&mut self, at: usize, stream: &mut Stream) {
        let sources = &self.all.queries[at].values;
        for (source, value) in sources.iter().zip(&mut self.values) {
            source.draw(stream, value);
        }
    }
}

impl Script for Ask {
    fn prepared(&self) -> Vec<String> {
        if !self.all.is_prepared {
            return Vec::new();
        }
        let templates = self.all.queries.iter().flat_map(|one| &one.templates);
        templates.map(|one| one.prepared(|_| None)).collect()
    }

    fn draw(&mut self, turn: Turn) -> u16 {
        let mut stream = self.all.draws.stream(turn.index);
        let drawn = stream.below(self.all.weight);
        self.at = self.all.queries.partition_point(|one| one.until <= drawn);
        self.draw_values(self.at, &mut stream);
        self.at as u16
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        let one = &self.all.queries[self.at];
        let nth = match Part::at(step, one.templates.len(), one.is_transaction) {
            Part::Bracket(sql) => {
                say.query(sql);
                return true;
            }
            Part::Statement(nth) => nth,
        };
        let Some(template) = one.templates.get(nth) else {
            return false;
        };
        let number = self.all.is_prepared.then_some(one.first + nth);
        template.say(number, |_| false, |place| self.values[place].input(), say);
        true
    }

    fn is_transaction(&self) -> bool {
        self.all.queries[self.at].is_transaction
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, Value};
    use wire::Encoding;

    use super::*;
    use crate::script::Prepared;

    fn script(plan: Value) -> Ask {
        let plan: Queries = serde_json::from_value(plan).unwrap();
        Ask::new(Arc::new(Asked::new(&plan, 42)))
    }

    /// The commands of op `index`, without the header of a packet.
    fn op(script: &mut Ask, index: u64) -> (u16, Vec<String>) {
        let number = script.draw(Turn { index, nth: index });
        let prepared = [Prepared { id: 7, params: 1 }; 4];
        let mut commands = Vec::new();
        loop {
            let mut out = Vec::new();
            let step = commands.len();
            if !script.step(step, Say::new(&mut out, &prepared, &mut Encoding::Text)) {
                return (number, commands);
            }
            commands.push(String::from_utf8_lossy(&out[5..]).into_owned());
        }
    }

    fn plan(prepared: bool) -> Value {
        let one = json!({"draw": "int", "min": 5, "max": 5});
        json!({
            "prepared": prepared,
            "queries": [
                {"name": "read", "weight": 3, "sql": ["select v from t where id=:id or k=:id"],
                 "values": {"id": one}},
                {"name": "write", "transaction": true, "values": {"a": one},
                 "sql": ["UPDATE t SET v=v+:a", "SELECT :a"]},
            ],
        })
    }

    #[test]
    fn an_op_is_a_query_as_often_as_its_weight_says() {
        let mut script = script(plan(false));
        let mut counts = [0; 2];
        for index in 0..4000 {
            let (number, commands) = op(&mut script, index);
            counts[usize::from(number)] += 1;
            let expected: &[&str] = match number {
                0 => &["select v from t where id=5 or k=5"],
                _ => &["BEGIN", "UPDATE t SET v=v+5", "SELECT 5", "COMMIT"],
            };
            assert_eq!(commands, expected);
            assert_eq!(script.is_transaction(), number == 1);
        }
        assert!((2900..3100).contains(&counts[0]), "{counts:?}");
    }

    #[test]
    fn the_same_turn_is_the_same_op_on_every_connection() {
        let (mut one, mut other) = (script(plan(false)), script(plan(false)));
        let ops: Vec<_> = (0..50).map(|index| op(&mut one, index)).collect();
        for index in (0..50).rev() {
            assert_eq!(op(&mut other, index), ops[index as usize]);
        }
    }

    #[test]
    fn all_statements_of_all_queries_are_prepared() {
        let prepared = script(plan(true)).prepared();
        assert_eq!(
            prepared,
            [
                "select v from t where id=? or k=?",
                "UPDATE t SET v=v+?",
                "SELECT ?"
            ]
        );
        assert_eq!(script(plan(false)).prepared(), [""; 0]);
    }

    #[test]
    fn examples_are_the_selects_with_values() {
        let mut plan = plan(true);
        plan["queries"][1]["sql"] = json!(["UPDATE t SET v=:a", "SELECT :a"]);
        plan["queries"][1]["values"]["a"] = json!({"draw": "list", "values": ["it's"]});
        let examples = Ask::examples(&serde_json::from_value(plan).unwrap(), 42);
        let (names, sql): (Vec<_>, Vec<_>) = examples.into_iter().unzip();
        assert_eq!(names, ["read", "write"]);
        assert_eq!(sql, ["select v from t where id=5 or k=5", "SELECT 'it''s'"]);
    }
}
