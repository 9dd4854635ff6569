//! SQL with holes: one definition of a statement for all tables, prepared or as text.
//!
//! `SELECT c FROM sbtest{table} WHERE id={id}` is prepared as `… sbtest1 WHERE id=?`; as text it
//! contains the value itself.

use crate::script::Say;

/// What goes into a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input<'a> {
    /// An integer.
    Int(i64),
    /// Text that needs no escaping.
    Text(&'a [u8]),
}

/// Where something goes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hole {
    /// The table's number, which isn't a parameter.
    Table,
    /// A row's id.
    Id,
    /// The last id of a range.
    Last,
    /// Value of a column.
    K,
    /// Value of a column.
    C,
    /// Value of a column.
    Pad,
    /// One of a list of values.
    Nth(usize),
}

/// A statement with holes.
#[derive(Debug, Clone)]
pub struct Template {
    /// Each text precedes its hole.
    pieces: Vec<(String, Hole)>,
    end: String,
}

impl Template {
    /// Reads `{table}`, `{id}`, `{last}`, `{k}`, `{c}`, `{pad}` and numbers such as `{0}`.
    /// Panics on other names: templates are part of this program.
    pub fn new(sql: &str) -> Template {
        let mut pieces = Vec::new();
        let mut rest = sql;
        while let Some((text, from_name)) = rest.split_once('{') {
            let Some((name, after)) = from_name.split_once('}') else {
                panic!("a hole has no end: {sql}");
            };
            pieces.push((text.to_owned(), hole(name)));
            rest = after;
        }
        Template {
            pieces,
            end: rest.to_owned(),
        }
    }

    /// True if the statement needs this input.
    pub fn has(&self, hole: Hole) -> bool {
        self.pieces.iter().any(|&(_, other)| other == hole)
    }

    /// The statement for table `table` (from 0) as it is prepared.
    fn prepared(&self, table: usize) -> String {
        let mut sql = String::new();
        for (text, hole) in &self.pieces {
            sql.push_str(text);
            match hole {
                Hole::Table => sql.push_str(&(table + 1).to_string()),
                _ => sql.push('?'),
            }
        }
        sql + &self.end
    }

    /// Writes the statement for table `table` (from 0) with literals.
    pub fn write<'a>(&self, table: usize, input: impl Fn(Hole) -> Input<'a>, out: &mut Vec<u8>) {
        for (text, hole) in &self.pieces {
            out.extend_from_slice(text.as_bytes());
            let input = match hole {
                Hole::Table => Input::Int(table as i64 + 1),
                other => input(*other),
            };
            match input {
                Input::Int(value) => {
                    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
                }
                Input::Text(text) => {
                    out.push(b'\'');
                    out.extend_from_slice(text);
                    out.push(b'\'');
                }
            }
        }
        out.extend_from_slice(self.end.as_bytes());
    }
}

fn hole(name: &str) -> Hole {
    match name {
        "table" => Hole::Table,
        "id" => Hole::Id,
        "last" => Hole::Last,
        "k" => Hole::K,
        "c" => Hole::C,
        "pad" => Hole::Pad,
        other => match other.parse() {
            Ok(nth) => Hole::Nth(nth),
            Err(_) => panic!("unknown hole {{{other}}}"),
        },
    }
}

/// The templates of a script, for each of its tables.
#[derive(Debug)]
pub struct Templates {
    all: Vec<Template>,
    tables: usize,
    is_prepared: bool,
}

impl Templates {
    /// These templates for tables 0 to `tables` - 1.
    pub fn new(all: Vec<Template>, tables: usize, is_prepared: bool) -> Templates {
        Templates {
            all,
            tables,
            is_prepared,
        }
    }

    /// One of them.
    pub fn get(&self, template: usize) -> &Template {
        &self.all[template]
    }

    /// What to prepare: each template for each table, or nothing.
    pub fn prepared(&self) -> Vec<String> {
        let all = if self.is_prepared { &self.all[..] } else { &[] };
        all.iter()
            .flat_map(|template| (0..self.tables).map(|table| template.prepared(table)))
            .collect()
    }

    /// Writes a template for table `table` with these inputs.
    pub fn say<'a>(
        &self,
        template: usize,
        table: usize,
        input: impl Fn(Hole) -> Input<'a>,
        say: Say<'_>,
    ) {
        if !self.is_prepared {
            say.query_with(|out| self.all[template].write(table, input, out));
            return;
        }
        let mut params = say.execute(template * self.tables + table);
        for &(_, hole) in &self.all[template].pieces {
            if hole != Hole::Table {
                params = match input(hole) {
                    Input::Int(value) => params.int(value),
                    Input::Text(text) => params.text(text),
                };
            }
        }
        params.done();
    }
}
