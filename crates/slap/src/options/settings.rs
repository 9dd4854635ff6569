//! What the options mean: one value each, checked against one another.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use doors::Encryption;

use super::login::Login;
use super::number::whole;
use super::parse::{Given as Parsed, Value};
use super::table::{self, Given, Spec, Takes};
use crate::failure::Failure;
use crate::split::Rule;
use workloads::slap::{Generate, LoadType, Primary};

/// Where results are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sink {
    /// Standard output.
    Out,
    /// Appended to a file.
    File(PathBuf),
}

/// A storage engine of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engine {
    /// Its name.
    pub name: String,
    /// What follows it in CREATE TABLE; may be empty.
    pub options: String,
}

/// How much clients are to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Limit {
    /// The list once.
    #[default]
    List,
    /// A number of statements of all clients together.
    Total(u64),
    /// A number of statements of each client.
    Each(u64),
    /// A time.
    Time(Duration),
}

/// Everything that options decide.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// What --auto-generate-sql generates; `None` without it.
    pub generate: Option<Generate>,
    /// SQL, or files with SQL.
    pub create: Option<OsString>,
    pub query: Option<OsString>,
    pub pre_query: Option<OsString>,
    pub post_query: Option<OsString>,
    pub delimiter: Vec<u8>,
    pub split: Rule,
    pub schema: String,
    pub engines: Vec<Engine>,
    pub no_drop: bool,
    /// True if the user accepts the loss of an existing schema.
    pub may_drop: bool,
    pub concurrency: Vec<usize>,
    pub iterations: u64,
    pub limit: Limit,
    pub commit: u64,
    pub detach: u64,
    pub init_command: Option<OsString>,
    pub sql_mode: Option<String>,
    pub pre_system: Option<OsString>,
    pub post_system: Option<OsString>,
    pub csv: Option<Sink>,
    pub json: Option<Sink>,
    /// The text of --auto-generate-sql-load-type, which is a field of CSV.
    pub load_type: String,
    pub only_print: bool,
    pub silent: bool,
    pub verbose: u64,
    pub verbose_report: bool,
    pub debug_info: bool,
    pub prepared: bool,
    pub interleave: bool,
    /// How long a statement may take before the server is given up.
    pub answer: Duration,
    pub login: Login,
    /// Options that have yet to be combined.
    pub draft: Draft,
}

/// Options that only make sense together.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    pub generates: bool,
    pub autoincrement: bool,
    pub guid: bool,
    pub ints: workloads::slap::Columns,
    pub chars: workloads::slap::Columns,
    pub secondary: u64,
    pub unique_queries: u64,
    pub unique_writes: u64,
    pub writes: u64,
    pub total: u64,
    pub each: u64,
    pub time: Option<Duration>,
    pub verify: bool,
    /// What the user should know.
    pub notes: Vec<String>,
}

impl Settings {
    /// The defaults.
    pub fn new() -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        for spec in table::all() {
            if let Some(default) = &spec.default {
                let value = Value::Text(default.as_ref().into());
                settings.take(spec, &value, false)?;
            }
        }
        Ok(settings)
    }

    /// Applies all options in order.
    pub fn apply(&mut self, options: &[Parsed]) -> Result<(), Failure> {
        options
            .iter()
            .try_for_each(|option| self.take(option.spec, &option.value, option.typed))
    }

    fn take(&mut self, spec: &Spec, value: &Value, typed: bool) -> Result<(), Failure> {
        fn given<T>(name: &str, typed: bool, value: T) -> Given<'_, T> {
            Given { name, typed, value }
        }
        let name = spec.name.as_ref();
        match (spec.takes, value) {
            (Takes::Flag(set), value) => {
                set(self, given(name, typed, *value == Value::Switch(true)))
            }
            (Takes::Count(set), Value::Switch(on)) => {
                let count = if *on { self.verbose + 1 } else { 0 };
                set(self, given(name, typed, count))
            }
            (Takes::Count(set) | Takes::Number(set), Value::Text(text)) => {
                let number = whole(name, &text.to_string_lossy())?;
                set(self, given(name, typed, number))
            }
            (Takes::Number(set), Value::Switch(_)) => set(self, given(name, typed, 0)),
            (Takes::Optional(set), value) => set(self, given(name, typed, value)),
            (Takes::Text(set), Value::Text(text)) => set(self, given(name, typed, text)),
            (Takes::Text(_), Value::Switch(_)) => Ok(()),
        }
    }

    /// Checks and combines the options.
    pub fn check(&mut self) -> Result<(), Failure> {
        let draft = &self.draft;
        let load_type = LoadType::named(&self.load_type);
        let refuse = |message: &str, hint: &str| Err(Failure::refused(message, hint));
        if draft.generates && (self.create.is_some() || self.query.is_some()) {
            return refuse(
                "Can't use --auto-generate-sql when create and query strings are specified!",
                "leave out either --auto-generate-sql or --create and --query",
            );
        }
        if draft.guid && draft.autoincrement {
            return refuse(
                "Either auto-generate-sql-guid-primary or auto-generate-sql-add-autoincrement \
                 can be used!",
                "leave one of them out",
            );
        }
        if draft.each > 0 && draft.total > 0 {
            return refuse(
                "Either auto-generate-sql-execute-number or number-of-queries can be used!",
                "leave one of them out",
            );
        }
        if draft.time.is_some() && draft.each + draft.total > 0 {
            return refuse(
                "--time stands in place of a number of statements",
                "leave out --number-of-queries and --auto-generate-sql-execute-number",
            );
        }
        let has_key = draft.guid || draft.autoincrement;
        if draft.generates && load_type == LoadType::Key && !has_key {
            return refuse(
                "Can't perform key test without a primary key!",
                "add --auto-generate-sql-guid-primary or --auto-generate-sql-add-autoincrement",
            );
        }
        if self.iterations == 0 {
            return refuse("--iterations=0 measures nothing", "give 1 or more");
        }
        if self.delimiter.is_empty() {
            return refuse("--delimiter is empty", "give one, such as --delimiter=';'");
        }
        if draft.generates && draft.writes > 1 && draft.unique_writes == 0 {
            return refuse(
                "--auto-generate-sql-unique-write-number=0 leaves no row to fill the table with",
                "give 1 or more",
            );
        }
        self.check_login()?;
        self.settle(load_type);
        Ok(())
    }

    fn check_login(&mut self) -> Result<(), Failure> {
        let login = &mut self.login;
        if self.draft.verify && login.encryption != Encryption::Off {
            login.encryption = Encryption::VerifyIdentity;
        }
        if login.encryption.verifies() && login.ca_file.is_none() {
            return Err(Failure::refused(
                "the server's certificate is to be checked, but --ssl-ca names no authorities",
                "give --ssl-ca=FILE, or leave the check out",
            ));
        }
        if login.tcp == Some(false) && login.port.is_some() && login.socket.is_some() {
            let note = "Info: the socket is used, and --port is not";
            self.draft.notes.push(note.to_owned());
        }
        Ok(())
    }

    fn settle(&mut self, load_type: LoadType) {
        let draft = self.draft.clone();
        self.limit = match (draft.time, draft.each, draft.total) {
            (Some(time), _, _) => Limit::Time(time),
            (_, each, _) if each > 0 => Limit::Each(each),
            (_, _, total) if total > 0 => Limit::Total(total),
            _ => Limit::List,
        };
        self.generate = draft.generates.then_some(Generate {
            primary: match (draft.guid, draft.autoincrement) {
                (true, _) => Primary::Guid,
                (_, true) => Primary::AutoIncrement,
                _ => Primary::None,
            },
            secondary: draft.secondary as usize,
            ints: draft.ints,
            chars: draft.chars,
            load_type,
            unique_queries: draft.unique_queries as usize,
            unique_writes: draft.unique_writes as usize,
            writes: draft.writes as usize,
        });
        // If the output is to be parsed, the report must not be part of it.
        self.silent |=
            self.csv.is_some() || matches!(self.json, Some(Sink::Out)) || self.only_print;
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
