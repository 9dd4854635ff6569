//! What the options mean: one value each, checked against one another.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::login::{Encryption, Login};
use super::number::{columns, concurrency, seconds, whole};
use super::parse::{Given, Value};
use super::table::Kind;
use crate::failure::Failure;
use crate::split::Rule;
use workloads::slap::{Generate, LoadType, Primary};

/// Where results are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sink {
    /// Standard output.
    Out,
    /// At the end of a file.
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
    /// So many statements of all clients.
    Total(u64),
    /// So many of each.
    Each(u64),
    /// So long.
    Time(Duration),
}

/// Everything that options decide.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// What --auto-generate-sql makes; `None` without it.
    pub generate: Option<Generate>,
    /// SQL or files of it.
    pub create: Option<OsString>,
    pub query: Option<OsString>,
    pub pre_query: Option<OsString>,
    pub post_query: Option<OsString>,
    pub delimiter: Vec<u8>,
    pub split: Rule,
    pub schema: String,
    pub engines: Vec<Engine>,
    pub no_drop: bool,
    /// True if the user takes the loss of a schema that was there.
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
    /// How long a statement may take before its server is given up.
    pub answer: Duration,
    pub login: Login,
    /// What is still to be put together.
    pub draft: Draft,
}

/// mysqlslap waits for ever. No statement takes so long, and no server may take longer.
const ANSWER: Duration = Duration::from_secs(86_400);

/// Options that make sense together only.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    generates: bool,
    autoincrement: bool,
    guid: bool,
    ints: workloads::slap::Columns,
    chars: workloads::slap::Columns,
    secondary: u64,
    unique_queries: u64,
    unique_writes: u64,
    writes: u64,
    total: u64,
    each: u64,
    time: Option<Duration>,
    verify: bool,
}

impl Settings {
    /// Takes all options in their order.
    pub fn apply(&mut self, options: &[Given], notes: &mut Vec<String>) -> Result<(), Failure> {
        self.schema = "mysqlslap".to_owned();
        self.delimiter = b"\n".to_vec();
        self.load_type = "mixed".to_owned();
        self.concurrency = vec![1];
        self.iterations = 1;
        self.answer = ANSWER;
        self.draft.unique_queries = 10;
        self.draft.unique_writes = 10;
        self.draft.writes = 100;
        for given in options {
            match (given.spec.kind, &given.value) {
                (Kind::Flag | Kind::Quiet, value) => {
                    self.flag(given.spec.name, *value == Value::Switch(true))?;
                }
                (Kind::Count, Value::Switch(on)) => {
                    self.verbose = if *on { self.verbose + 1 } else { 0 };
                }
                (Kind::Count | Kind::Number, Value::Text(text)) => {
                    self.number(given, whole(given.spec.name, &text.to_string_lossy())?)?;
                }
                (Kind::Number, Value::Switch(_)) => self.number(given, 0)?,
                (Kind::Optional, value) => self.optional(given.spec.name, value)?,
                (Kind::Text, Value::Text(text)) => self.text(given, text, notes)?,
                (Kind::Text, Value::Switch(_)) => {}
            }
        }
        Ok(())
    }

    fn flag(&mut self, name: &str, on: bool) -> Result<(), Failure> {
        match name {
            "auto-generate-sql" => self.draft.generates = on,
            "auto-generate-sql-add-autoincrement" => self.draft.autoincrement = on,
            "auto-generate-sql-guid-primary" => self.draft.guid = on,
            "no-drop" => self.no_drop = on,
            "only-print" => self.only_print = on,
            "silent" => self.silent = on,
            "ssl" if on && self.login.encryption == Encryption::Off => {
                self.login.encryption = Encryption::Required;
            }
            "ssl" if !on => self.login.encryption = Encryption::Off,
            "ssl-verify-server-cert" => self.draft.verify = on,
            "debug-info" => self.debug_info = on,
            "i-know-what-i-drop" => self.may_drop = on,
            "prepared" => self.prepared = on,
            "interleave" => self.interleave = on,
            "verbose-report" => self.verbose_report = on,
            "compress" if on => return Err(unsupported(name)),
            _ => {}
        }
        Ok(())
    }

    fn number(&mut self, given: &Given, number: u64) -> Result<(), Failure> {
        let draft = &mut self.draft;
        match given.spec.name {
            "auto-generate-sql-secondary-indexes" => draft.secondary = number,
            "auto-generate-sql-unique-query-number" => draft.unique_queries = number,
            "auto-generate-sql-unique-write-number" => draft.unique_writes = number,
            "auto-generate-sql-write-number" => draft.writes = number,
            "auto-generate-sql-execute-number" => draft.each = number,
            "number-of-queries" => draft.total = number,
            "iterations" => self.iterations = number,
            "commit" => self.commit = number,
            "detach" => self.detach = number,
            "verbose" => self.verbose = number,
            "port" => {
                let port = u16::try_from(number).map_err(|_| {
                    Failure::refused(format!("--port={number} is no TCP port"), "0 to 65535")
                })?;
                // mysqlslap's 0 means the default.
                self.login.port = Some(port).filter(|&port| port != 0);
                if given.typed {
                    self.login.tcp = Some(true);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn optional(&mut self, name: &str, value: &Value) -> Result<(), Failure> {
        let sink = match value {
            Value::Switch(false) => None,
            Value::Switch(true) => Some(Sink::Out),
            Value::Text(path) if path.is_empty() || path == "-" => Some(Sink::Out),
            Value::Text(path) => Some(Sink::File(path.into())),
        };
        match (name, value) {
            ("csv", _) => self.csv = sink,
            ("json", _) => self.json = sink,
            ("password" | "password1", Value::Text(text)) => {
                self.login.password = Some(text.to_string_lossy().into_owned());
                self.login.asks_password = false;
            }
            ("password" | "password1", Value::Switch(on)) => {
                self.login.password = None;
                self.login.asks_password = *on;
            }
            ("password2" | "password3", _) => return Err(unsupported(name)),
            _ => {}
        }
        Ok(())
    }

    fn text(
        &mut self,
        given: &Given,
        value: &OsString,
        notes: &mut Vec<String>,
    ) -> Result<(), Failure> {
        use std::os::unix::ffi::OsStrExt;
        let text = value.to_string_lossy().into_owned();
        let name = given.spec.name;
        match name {
            "create" => self.create = Some(value.clone()),
            "query" => self.query = Some(value.clone()),
            "pre-query" => self.pre_query = Some(value.clone()),
            "post-query" => self.post_query = Some(value.clone()),
            "pre-system" => self.pre_system = Some(value.clone()),
            "post-system" => self.post_system = Some(value.clone()),
            "init-command" => self.init_command = Some(value.clone()),
            "create-schema" => self.schema = text,
            "delimiter" => self.delimiter = value.as_bytes().to_vec(),
            "split" => self.split = rule(&text)?,
            "auto-generate-sql-load-type" => self.load_type = text,
            "number-char-cols" => self.draft.chars = columns(name, &text)?,
            "number-int-cols" => self.draft.ints = columns(name, &text)?,
            "engine" => self.engines = engines(&text),
            "concurrency" => {
                let (found, ended) = concurrency(&text)?;
                if ended {
                    notes.push(format!("Warning: --concurrency={text} ends at its 0"));
                }
                self.concurrency = found;
            }
            "time" => self.draft.time = Some(seconds(name, &text)?),
            "dyno-timeout" => self.answer = seconds(name, &text)?,
            "sql-mode" => self.sql_mode = Some(text),
            "host" => self.login.host = Some(text),
            "user" => self.login.user = Some(text),
            "protocol" => self.login.protocol(&text)?,
            "socket" => {
                self.login.socket = Some(value.into()).filter(|_| !text.is_empty());
                if given.typed && self.login.socket.is_some() {
                    self.login.tcp = Some(false);
                }
            }
            "ssl-mode" => self.login.ssl_mode(&text)?,
            "ssl-ca" if !text.is_empty() => {
                self.login.ca_file = Some(value.into());
                self.login.encryption = Encryption::VerifyIdentity;
            }
            "compression-algorithms" if text == "uncompressed" => {}
            "ssl-capath"
            | "ssl-cert"
            | "ssl-cipher"
            | "ssl-key"
            | "ssl-crl"
            | "ssl-crlpath"
            | "tls-version"
            | "server-public-key-path"
            | "compression-algorithms"
            | "login-path"
                if !text.is_empty() =>
            {
                return Err(unsupported(name));
            }
            _ => {}
        }
        Ok(())
    }

    /// What options ask for together.
    pub fn check(&mut self, notes: &mut Vec<String>) -> Result<(), Failure> {
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
            return refuse("--iterations=0 measures nothing", "1 or more");
        }
        if self.delimiter.is_empty() {
            return refuse("--delimiter is empty", "such as --delimiter=';'");
        }
        if draft.generates && draft.writes > 1 && draft.unique_writes == 0 {
            return refuse(
                "--auto-generate-sql-unique-write-number=0 leaves no row to fill the table with",
                "1 or more",
            );
        }
        self.check_login(notes)?;
        self.settle(load_type);
        Ok(())
    }

    fn check_login(&mut self, notes: &mut Vec<String>) -> Result<(), Failure> {
        let login = &mut self.login;
        if self.draft.verify && login.encryption != Encryption::Off {
            login.encryption = Encryption::VerifyIdentity;
        }
        let checks = [Encryption::VerifyCa, Encryption::VerifyIdentity];
        if checks.contains(&login.encryption) && login.ca_file.is_none() {
            return Err(Failure::refused(
                "the server's certificate is to be checked, but --ssl-ca names no authorities",
                "give --ssl-ca=FILE, or leave the check out",
            ));
        }
        if login.tcp == Some(false) && login.port.is_some() && login.socket.is_some() {
            notes.push("Info: the socket is used, and --port is not".to_owned());
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
        // Whoever takes lines apart doesn't want the report among them.
        self.silent |=
            self.csv.is_some() || matches!(self.json, Some(Sink::Out)) || self.only_print;
    }
}

fn unsupported(name: &str) -> Failure {
    Failure::refused(
        format!("--{name} can't be done here"),
        "what it asks for would change what is measured, so it isn't left out silently: \
         see docs/reference/slap.md",
    )
}

fn rule(text: &str) -> Result<Rule, Failure> {
    match text {
        "slap" => Ok(Rule::Slap),
        "legacy" => Ok(Rule::Legacy),
        "sql" => Ok(Rule::Sql),
        _ => Err(Failure::refused(
            format!("--split={text} is not known"),
            "slap, legacy or sql",
        )),
    }
}

/// `a:options,b`; one blank behind a comma doesn't count.
fn engines(text: &str) -> Vec<Engine> {
    if text.is_empty() {
        return Vec::new();
    }
    let engine = |piece: &str| {
        let piece = piece.strip_prefix(' ').unwrap_or(piece);
        let (name, options) = piece.split_once(':').unwrap_or((piece, ""));
        Engine {
            name: name.to_owned(),
            options: options.to_owned(),
        }
    };
    text.split(',').map(engine).collect()
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
