//! SQL with holes: one definition of a statement for all tables, prepared or as text.
//!
//! `SELECT c FROM sbtest{table} WHERE id={id}` is prepared as `… sbtest1 WHERE id=?`; as text it
//! contains the value itself.

use crate::script::{self, Input, Say};

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

/// A statement of these scripts.
pub type Template = script::Template<Hole>;

/// Reads `{table}`, `{id}`, `{last}`, `{k}`, `{c}`, `{pad}` and numbers such as `{0}`.
/// Panics on other names: templates are part of this program.
pub fn template(sql: &str) -> Template {
    let mut pieces = Vec::new();
    let mut rest = sql;
    while let Some((text, from_name)) = rest.split_once('{') {
        let Some((name, after)) = from_name.split_once('}') else {
            panic!("a hole has no end: {sql}");
        };
        pieces.push((text.to_owned(), hole(name)));
        rest = after;
    }
    Template::new(pieces, rest.to_owned())
}

/// The inputs of a statement for table `table` (from 0).
fn of_table<'a>(table: usize, input: impl Fn(Hole) -> Input<'a>) -> impl Fn(Hole) -> Input<'a> {
    move |hole| match hole {
        Hole::Table => Input::Int(table as i64 + 1),
        other => input(other),
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
        let number = |table, hole| (hole == Hole::Table).then_some(table as i64 + 1);
        let one = |template: &Template, table| template.prepared(|hole| number(table, hole));
        all.iter()
            .flat_map(|template| (0..self.tables).map(move |table| one(template, table)))
            .collect()
    }

    /// A template for table `table` as text with these inputs.
    pub fn text<'a>(
        &self,
        template: usize,
        table: usize,
        input: impl Fn(Hole) -> Input<'a>,
    ) -> String {
        self.all[template].text(of_table(table, input))
    }

    /// Writes a template for table `table` with these inputs.
    pub fn say<'a>(
        &self,
        template: usize,
        table: usize,
        input: impl Fn(Hole) -> Input<'a>,
        say: Say<'_>,
    ) {
        let number = self.is_prepared.then_some(template * self.tables + table);
        let is_written = |hole| hole == Hole::Table;
        self.all[template].say(number, is_written, of_table(table, input), say);
    }
}
