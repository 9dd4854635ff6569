//! Checks the schema before anything is written: a load creates tables and never replaces any;
//! requests need them.

use std::time::Duration;

use wire::{Connection, Options, Row};

use crate::config::{Address, Settings};
use crate::failure::{self, Failure};

/// The tables of the workload.
const TABLES: [&str; 3] = ["counttable", "linktable", "nodetable"];
/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(60);

/// What is to be done in the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Create the tables.
    Load,
    /// Use them.
    Request,
}

/// Creates the schema if it is missing and a load is to follow; refuses a schema that doesn't fit.
pub fn look(settings: &Settings, wish: Wish) -> Result<(), Failure> {
    let mut options = Options::new(match &settings.address {
        Address::Socket(path) => wire::Address::Unix(path.clone()),
        Address::Host(host, port) => wire::Address::Tcp {
            host: host.clone(),
            port: *port,
        },
    });
    options.user = settings.user.clone();
    options.password = settings.password.clone();
    options.read_timeout = Some(LIMIT);
    options.local_infile = false;
    let mut connection = Connection::connect(&options).map_err(|error| refused(&error))?;
    let found = found(&mut connection, &settings.schema)?;
    let schema = &settings.schema;
    let verdict = match (found, wish) {
        (None, Wish::Load) => {
            let sql = format!("CREATE DATABASE `{}`", schema.replace('`', "``"));
            query(&mut connection, &sql).map(|_| ())
        }
        (None, Wish::Request) => Err(failure::server(
            format!("there is no schema {schema}"),
            "load it first: -l makes the schema and its tables",
        )),
        (Some(tables), Wish::Load) => match tables.first() {
            Some(table) => Err(failure::server(
                format!("schema {schema} has a table {table}"),
                format!(
                    "a load makes its tables itself and drops none: give another schema with \
                     -D dbid=…, or drop {} yourself",
                    tables.join(", ")
                ),
            )),
            None => Ok(()),
        },
        (Some(tables), Wish::Request) => {
            let missing = TABLES
                .iter()
                .find(|table| !tables.iter().any(|t| t == *table));
            missing.map_or(Ok(()), |missing| {
                Err(failure::server(
                    format!("schema {schema} has no table {missing}"),
                    "load it first: -l makes the tables and fills them",
                ))
            })
        }
    };
    // The server doesn't answer COM_QUIT, so a failure is ignored.
    let _ = connection.quit();
    verdict
}

/// The workload's tables that exist in the schema; `None` if there is no such schema.
fn found(connection: &mut Connection, schema: &str) -> Result<Option<Vec<String>>, Failure> {
    let schema = schema.replace('\\', "\\\\").replace('\'', "''");
    let there = query(
        connection,
        &format!(
            "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = '{schema}'"
        ),
    )?;
    if there.is_empty() {
        return Ok(None);
    }
    let tables = query(
        connection,
        &format!(
            "SELECT LOWER(TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = \
             '{schema}' AND LOWER(TABLE_NAME) IN ('{}') ORDER BY 1",
            TABLES.join("', '")
        ),
    )?;
    Ok(Some(tables))
}

/// The first column of all rows.
fn query(connection: &mut Connection, sql: &str) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut keep = |row: Row<'_>| {
        let value = row.get(0).unwrap_or_default();
        found.push(String::from_utf8_lossy(value).into_owned());
    };
    let done = connection.query(sql.as_bytes(), &mut keep);
    done.map_err(|error| refused(&error))?;
    Ok(found)
}

fn refused(error: &wire::Error) -> Failure {
    failure::server(error.to_string(), error.hint())
}
