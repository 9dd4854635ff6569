//! Against real servers: every socket in `DYNO_TEST_SOCKET` (separated by commas; user root, no
//! password, all privileges), each with and without `CLIENT_DEPRECATE_EOF` and MariaDB's caching of
//! metadata.
//!
//! `DYNO_TEST_CA`, if set, is the authority that signed the certificates of the servers that have
//! TLS (certificate checks are also tested in `peer.rs`, which needs no variable). What a server
//! can't do is asserted to fail the documented way, so nothing is left out silently.

mod bulk;
mod logins;
mod prepared;
mod results;

use std::time::Duration;

use wire::{Address, Column, ColumnType, Connection, Error, Options, Row, Rows};

const SCHEMA: &str = "dyno_wire_test";

/// Runs a test on every server, in its own schema, with each set of capabilities.
fn on_every_server(name: &str, test: impl Fn(&Options)) {
    let sockets = std::env::var("DYNO_TEST_SOCKET")
        .expect("set DYNO_TEST_SOCKET to the sockets of running servers, separated by commas");
    for socket in sockets.split(',') {
        for (deprecate_eof, cache_metadata) in [(true, true), (false, true), (true, false)] {
            let mut options = Options::new(Address::Unix(socket.into()));
            options.deprecate_eof = deprecate_eof;
            options.cache_metadata = cache_metadata;
            options.read_timeout = Some(Duration::from_secs(60));
            let schema = format!("{SCHEMA}_{name}");
            let mut admin = connect(&options);
            run(&mut admin, &format!("DROP DATABASE IF EXISTS {schema}"));
            run(
                &mut admin,
                &format!("CREATE DATABASE {schema} DEFAULT CHARSET utf8mb4"),
            );
            eprintln!(
                "{name}: {} at {socket}, deprecate_eof {deprecate_eof}, \
                 cache_metadata {cache_metadata}",
                version(&admin)
            );
            options.database = Some(schema.clone());
            test(&options);
            run(&mut admin, &format!("DROP DATABASE {schema}"));
        }
    }
}

fn connect(options: &Options) -> Connection {
    Connection::connect(options).unwrap_or_else(|error| panic!("{error}; {}", error.hint()))
}

fn run(connection: &mut Connection, sql: &str) -> wire::Done {
    let head: String = sql.chars().take(200).collect();
    connection
        .execute_sql(sql)
        .unwrap_or_else(|error| panic!("{head}: {error}"))
}

fn one(connection: &mut Connection, sql: &str) -> String {
    let rows = connection
        .query_strings(sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.into_iter()
        .flatten()
        .flatten()
        .next_back()
        .expect("a value")
}

fn version(connection: &Connection) -> &str {
    connection.server_version()
}

/// Major and minor number.
fn release(connection: &Connection) -> (u32, u32) {
    let mut parts = version(connection)
        .split('.')
        .map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> u16 {
    let error = result.expect_err("a server error");
    error
        .code()
        .unwrap_or_else(|| panic!("not the server's: {error:?}"))
}

/// Keeps the columns of the last result set, and counts rows.
#[derive(Default)]
struct Names(Vec<(String, ColumnType, bool)>, u64);

impl Rows for Names {
    fn columns(&mut self, columns: &[Column]) {
        let name = |c: &Column| (c.name.clone(), c.kind, c.is_unsigned());
        self.0 = columns.iter().map(name).collect();
    }

    fn row(&mut self, row: Row<'_>) {
        assert_eq!(row.len(), self.0.len());
        self.1 += 1;
    }
}
