//! What is read from the server once, before the first timed phase: settings and execution plans.

use std::collections::BTreeMap;

use wire::{Column, Connection, Row, Rows};

use crate::error::Error;
use crate::event::{Explain, Settings, SqlError};

/// SHOW SESSION VARIABLES and SHOW GLOBAL VARIABLES.
pub fn settings(connection: &mut Connection) -> Result<Settings, Error> {
    let mut read = |scope: &str| -> Result<BTreeMap<String, String>, Error> {
        let rows = connection
            .query_strings(&format!("SHOW {scope} VARIABLES"))
            .map_err(|source| Error::Observe {
                what: "settings",
                source,
            })?;
        Ok(rows
            .into_iter()
            .filter_map(pair)
            .collect::<BTreeMap<String, String>>())
    };
    Ok(Settings {
        session: read("SESSION")?,
        global: read("GLOBAL")?,
    })
}

/// The counters and gauges of a status at one moment, by name.
pub type Numbers = BTreeMap<String, i128>;

/// Differences between two readings of the status, by name.
pub type Deltas = BTreeMap<String, i64>;

/// SHOW SESSION STATUS or SHOW GLOBAL STATUS. Values that aren't integers are left out.
pub fn status(connection: &mut Connection, scope: &str) -> Result<Numbers, wire::Error> {
    let mut numbers = Numbers::new();
    let sql = format!("SHOW {scope} STATUS");
    connection.query(sql.as_bytes(), &mut |row: Row<'_>| {
        let text = |place| std::str::from_utf8(row.get(place)?).ok();
        if let (Some(name), Some(value)) = (text(0), text(1)) {
            if let Ok(value) = value.parse() {
                numbers.insert(name.to_owned(), value);
            }
        }
    })?;
    Ok(numbers)
}

/// What changed; unchanged values are left out. Gauges may go down.
pub fn deltas(before: &Numbers, after: &Numbers) -> Deltas {
    let change = |(name, &now): (&String, &i128)| {
        let delta = i64::try_from(now - before.get(name)?).ok()?;
        (delta != 0).then(|| (name.clone(), delta))
    };
    after.iter().filter_map(change).collect()
}

fn pair(row: Vec<Option<String>>) -> Option<(String, String)> {
    let mut values = row.into_iter();
    Some((values.next()??, values.next()?.unwrap_or_default()))
}

/// EXPLAIN of a statement; `None` if it isn't a SELECT. A refusal is a valid answer.
pub fn explain(
    connection: &mut Connection,
    name: &str,
    sql: &str,
) -> Result<Option<Explain>, Error> {
    let first = sql.trim_start().trim_start_matches('(').get(..6);
    if !first.is_some_and(|word| word.eq_ignore_ascii_case("select")) {
        return Ok(None);
    }
    let mut table = Copied::default();
    let name = name.to_owned();
    let mut asked = connection.query(format!("EXPLAIN {sql}").as_bytes(), &mut table);
    if asked.is_ok() && table.columns.len() == 1 {
        // MySQL 9 answers with a tree unless it is asked for the table that all others give.
        table = Copied::default();
        let sql = format!("EXPLAIN FORMAT=TRADITIONAL {sql}");
        asked = connection.query(sql.as_bytes(), &mut table);
    }
    match asked {
        Ok(_) => {
            let (columns, rows) = (Some(table.columns), Some(table.rows));
            Ok(Some(Explain {
                statement: name,
                columns,
                rows,
                error: None,
            }))
        }
        Err(wire::Error::Server {
            code,
            sqlstate,
            message,
        }) => {
            let error = Some(SqlError {
                code,
                sqlstate,
                message,
            });
            Ok(Some(Explain {
                statement: name,
                columns: None,
                rows: None,
                error,
            }))
        }
        Err(source) => Err(Error::Observe {
            what: "an execution plan",
            source,
        }),
    }
}

/// A small result, copied with its column names.
#[derive(Default)]
struct Copied {
    columns: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
}

impl Rows for Copied {
    fn columns(&mut self, columns: &[Column]) {
        self.columns = columns.iter().map(|column| column.name.clone()).collect();
    }

    fn row(&mut self, row: Row<'_>) {
        let text =
            |value: Option<&[u8]>| value.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        self.rows.push(row.iter().map(text).collect());
    }
}
