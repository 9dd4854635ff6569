//! Runs the program as a user does, against the servers that tests are given.

// Each test file is a separate program and uses a part of this.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use wire::{Address, Connection, Options};

/// The program, which cargo builds next to the tests.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(Path::parent).unwrap();
    target.join("examples/sysbench")
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    fn new(output: Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The output of a successful run.
    pub fn well(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// The figure after a label of the final report.
    pub fn figure(&self, label: &str) -> f64 {
        let line = self.out.lines().find(|line| line.trim().starts_with(label));
        let line = line.unwrap_or_else(|| panic!("no `{label}` in {}", self.out));
        let figure = line
            .trim()
            .trim_start_matches(label)
            .split_whitespace()
            .next();
        figure.unwrap().trim_end_matches('s').parse().unwrap()
    }
}

/// A folder with scripts.
pub struct Scripts {
    pub folder: TempDir,
}

impl Scripts {
    pub fn new() -> Scripts {
        let folder = tempfile::tempdir().unwrap();
        Scripts { folder }
    }

    /// Runs the script of this text in the folder.
    pub fn run(&self, script: &str, arguments: &[&str]) -> Ran {
        fs::write(self.folder.path().join("script.lua"), script).unwrap();
        let mut all = vec!["script.lua"];
        all.extend(arguments);
        self.program(&all)
    }

    /// Runs the program in the folder.
    pub fn program(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(program());
        command.current_dir(self.folder.path()).args(arguments);
        Ran::new(command.output().unwrap())
    }
}

/// A schema for one test on a server; it is dropped at the end.
pub struct Database {
    socket: String,
    name: String,
    pub connection: Connection,
}

impl Database {
    /// One on each server of DYNO_TEST_SOCKET.
    pub fn on_each(test: &str) -> Vec<Database> {
        let sockets = std::env::var("DYNO_TEST_SOCKET").expect("DYNO_TEST_SOCKET names sockets");
        let database = |socket: &str| {
            let options = Options::new(Address::Unix(PathBuf::from(socket)));
            let mut connection = Connection::connect(&options).unwrap();
            let name = format!("dyno_sysbench_{test}");
            connection
                .execute_sql(&format!("DROP DATABASE IF EXISTS {name}"))
                .unwrap();
            connection
                .execute_sql(&format!("CREATE DATABASE {name}"))
                .unwrap();
            connection.use_database(&name).unwrap();
            Database {
                socket: socket.to_owned(),
                name,
                connection,
            }
        };
        sockets.split(',').map(database).collect()
    }

    /// The options that connect to it.
    pub fn options(&self) -> [String; 3] {
        [
            format!("--mysql-socket={}", self.socket),
            "--mysql-user=root".to_owned(),
            format!("--mysql-db={}", self.name),
        ]
    }

    /// The only value that a query returns.
    pub fn value(&mut self, sql: &str) -> String {
        self.connection.query_strings(sql).unwrap()[0][0]
            .clone()
            .unwrap()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let sql = format!("DROP DATABASE IF EXISTS {}", self.name);
        let _ = self.connection.execute_sql(&sql);
    }
}

/// Arguments, followed by those of a database.
pub fn with<'a>(arguments: &[&'a str], options: &'a [String; 3]) -> Vec<&'a str> {
    let options = options.iter().map(String::as_str);
    arguments.iter().copied().chain(options).collect()
}
