//! What values are drawn from, ready to draw.

use load::Stream;

use super::spec::{Draw, Literal};
use crate::calendar;
use crate::oltp::Sampler;
use crate::script::Input;
use crate::statements::{Column, Generator};

/// A value that was drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawn {
    int: i64,
    /// Text if `is_text`; its room is used again for the next value.
    text: Vec<u8>,
    is_text: bool,
}

impl Drawn {
    /// As it goes into a statement.
    pub fn input(&self) -> Input<'_> {
        if self.is_text {
            Input::Text(&self.text)
        } else {
            Input::Int(self.int)
        }
    }

    fn set_int(&mut self, value: i64) {
        self.int = value;
        self.is_text = false;
    }

    fn set_text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.text.clear();
        write(&mut self.text);
        self.is_text = true;
    }
}

/// Draws one value of a query.
#[derive(Debug)]
pub enum Source {
    /// An integer.
    Int(Sampler),
    /// A day.
    Date(Sampler),
    /// Digits: what a column that goes on for ever has in any of its rows.
    Hex(Column),
    /// A place in a list of values, whose texts need no escaping where they are written.
    List(Sampler, Vec<Literal>),
    /// A row of a table, and the value that it has in a column.
    Column {
        /// The row.
        row: Sampler,
        /// What is in the rows.
        column: Column,
        /// Whether these are integers.
        is_int: bool,
    },
}

impl Source {
    /// What `draw` says, under `seed`; `name` tells the values of a plan apart. `is_text`: values
    /// are written as literals.
    pub fn new(draw: &Draw, seed: u64, name: &str, is_text: bool) -> Source {
        match draw {
            Draw::Int {
                min,
                max,
                distribution,
            } => Source::Int(Sampler::new(distribution, *min, *max)),
            Draw::Date {
                min,
                max,
                distribution,
            } => Source::Date(Sampler::new(distribution, *min, *max)),
            Draw::Hex { length, distinct } => {
                let generator = Generator::Hex {
                    length: *length,
                    distinct: *distinct,
                };
                Source::Hex(Column::new(seed, &format!("queries/{name}"), &generator))
            }
            Draw::List {
                values,
                distribution,
            } => {
                let last = values.len() as i64 - 1;
                let values = values.iter().map(|value| literal(value, is_text));
                Source::List(Sampler::new(distribution, 0, last), values.collect())
            }
            Draw::Column {
                table,
                place,
                rows,
                generator,
                distribution,
            } => Source::Column {
                row: Sampler::new(distribution, 0, *rows as i64 - 1),
                column: Column::new(seed, &format!("rows/{table}/{place}"), generator),
                is_int: matches!(
                    generator,
                    Generator::Int { .. } | Generator::Sequence { .. }
                ),
            },
        }
    }

    /// Draws into `drawn`.
    pub fn draw(&self, stream: &mut Stream, drawn: &mut Drawn) {
        match self {
            Source::Int(values) => drawn.set_int(values.draw(stream)),
            Source::Date(days) => drawn.set_text(|out| calendar::date(days.draw(stream), out)),
            Source::Hex(column) => drawn.set_text(|out| column.write(stream.next_u64(), out)),
            Source::List(places, values) => match &values[places.draw(stream) as usize] {
                Literal::Int(value) => drawn.set_int(*value),
                Literal::Text(text) => drawn.set_text(|out| out.extend_from_slice(text.as_bytes())),
            },
            Source::Column {
                row,
                column,
                is_int,
            } => {
                drawn.set_text(|out| column.write(row.draw(stream) as u64, out));
                if *is_int {
                    let text = std::str::from_utf8(&drawn.text);
                    drawn.set_int(text.ok().and_then(|text| text.parse().ok()).unwrap_or(0));
                }
            }
        }
    }
}

/// A value of a list. As a literal its text has its quotes and backslashes doubled.
fn literal(value: &Literal, is_text: bool) -> Literal {
    match value {
        Literal::Text(text) if is_text => {
            Literal::Text(text.replace('\\', "\\\\").replace('\'', "''"))
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use load::Purpose;
    use serde_json::json;

    use super::*;
    use crate::fill::Layout;
    use crate::statements;

    fn drawn(draw: serde_json::Value, is_text: bool, count: u64) -> Vec<String> {
        let draw: Draw = serde_json::from_value(draw).unwrap();
        let source = Source::new(&draw, 42, "q/v", is_text);
        let purpose = Purpose::new(42, "test");
        let mut value = Drawn::default();
        let one = |index| {
            source.draw(&mut purpose.stream(index), &mut value);
            match value.input() {
                Input::Int(value) => value.to_string(),
                Input::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
            }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn each_kind_draws_what_it_says() {
        let ints = drawn(json!({"draw": "int", "min": -2, "max": 2}), false, 200);
        assert!(ints
            .iter()
            .all(|text| (-2..=2).contains(&text.parse::<i64>().unwrap())));
        assert!(["-2", "-1", "0", "1", "2"]
            .iter()
            .all(|one| ints.contains(&(*one).to_owned())));
        let days = drawn(json!({"draw": "date", "min": 0, "max": 1}), false, 50);
        assert!(days.contains(&"'1970-01-01'".to_owned()));
        assert!(days.contains(&"'1970-01-02'".to_owned()));
        let mut digits = drawn(
            json!({"draw": "hex", "length": 6, "distinct": 3}),
            false,
            100,
        );
        digits.sort();
        digits.dedup();
        assert_eq!(digits.len(), 3);
        assert!(digits.iter().all(|text| text.len() == 8));
    }

    #[test]
    fn texts_of_a_list_are_escaped_where_they_are_literals() {
        let list = json!({"draw": "list", "values": ["it's \\ it"]});
        assert_eq!(drawn(list.clone(), false, 1), ["'it's \\ it'"]);
        assert_eq!(drawn(list, true, 1), ["'it''s \\\\ it'"]);
        assert_eq!(
            drawn(json!({"draw": "list", "values": [7]}), true, 1),
            ["7"]
        );
    }

    #[test]
    fn a_column_gives_what_its_rows_have() {
        let hex = Generator::Hex {
            length: 8,
            distinct: 1000,
        };
        let columns = [Generator::Sequence { start: 1 }, hex.clone()];
        let rows = statements::TableRows::new(
            42,
            &serde_json::from_value(json!({
                "name": "t", "create": "", "rows": 5, "columns": columns,
            }))
            .unwrap(),
        );
        let mut all = Vec::new();
        for index in 0..5 {
            crate::fill::Source::write(&rows, index, Layout::Lines, &mut all);
        }
        let all = String::from_utf8(all).unwrap();
        let of = |place: u32, generator: &Generator| {
            let mut draw = json!({"draw": "column", "table": "t", "rows": 5});
            draw["place"] = json!(place);
            draw["generator"] = json!(generator);
            draw
        };
        for text in drawn(of(2, &hex), false, 50) {
            assert!(all.contains(&format!("\t{}\n", text.trim_matches('\''))));
        }
        let mut ids = drawn(of(1, &columns[0]), false, 100);
        ids.sort();
        ids.dedup();
        assert_eq!(ids, ["1", "2", "3", "4", "5"]);
    }
}
