//! Every option there is: its names, what value it takes, what it does in a few words.
//!
//! Not what its value means; see `settings`.

use Kind::{Count, Flag, Number, Optional, Quiet, Text};

/// What follows an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing, or `=0` and `=1`; `--skip-` turns it off.
    Flag,
    /// Nothing; each one adds.
    Count,
    /// A whole number.
    Number,
    /// A text.
    Text,
    /// A text behind `=`, or nothing.
    Optional,
    /// A flag that is known and has nothing to do here.
    Quiet,
}

/// Whose option it is. mysqlslap's may be cut short; new ones may not, so that they can't make an
/// old command line ambiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// mariadb-slap's, and most of them mysqlslap's.
    MariaDb,
    /// MySQL's only.
    MySql,
    /// Ours.
    Dyno,
}

/// One option.
#[derive(Debug)]
pub struct Spec {
    /// Behind `--`.
    pub name: &'static str,
    /// Behind `-`.
    pub short: Option<char>,
    /// What follows it.
    pub kind: Kind,
    /// Whose it is.
    pub origin: Origin,
    /// For --help.
    pub help: &'static str,
}

const fn old(name: &'static str, short: &str, kind: Kind, help: &'static str) -> Spec {
    let short = match short.as_bytes() {
        [letter] => Some(*letter as char),
        _ => None,
    };
    Spec {
        name,
        short,
        kind,
        origin: Origin::MariaDb,
        help,
    }
}

const fn mysql(name: &'static str, kind: Kind, help: &'static str) -> Spec {
    Spec {
        name,
        short: None,
        kind,
        origin: Origin::MySql,
        help,
    }
}

const fn new(name: &'static str, kind: Kind, help: &'static str) -> Spec {
    Spec {
        name,
        short: None,
        kind,
        origin: Origin::Dyno,
        help,
    }
}

/// All options, in the order of --help.
pub const OPTIONS: &[Spec] = &[
    old("help", "?", Flag, "Tell the options and end"),
    old("version", "V", Flag, "Tell the version and end"),
    // What is run.
    old(
        "auto-generate-sql",
        "a",
        Flag,
        "Make table, rows and statements",
    ),
    old(
        "auto-generate-sql-add-autoincrement",
        "",
        Flag,
        "A counted primary key",
    ),
    old(
        "auto-generate-sql-guid-primary",
        "",
        Flag,
        "A primary key by uuid()",
    ),
    old(
        "auto-generate-sql-load-type",
        "",
        Text,
        "mixed, update, write, key or read",
    ),
    old(
        "auto-generate-sql-secondary-indexes",
        "",
        Number,
        "Columns with a unique index",
    ),
    old(
        "auto-generate-sql-unique-query-number",
        "",
        Number,
        "Different statements, less one",
    ),
    old(
        "auto-generate-sql-unique-write-number",
        "",
        Number,
        "Different rows of the fill",
    ),
    old(
        "auto-generate-sql-write-number",
        "",
        Number,
        "Statements of the fill, CREATE too",
    ),
    old(
        "auto-generate-sql-execute-number",
        "",
        Number,
        "Statements of each client",
    ),
    old(
        "number-char-cols",
        "x",
        Text,
        "VARCHAR columns; with :1 indexed",
    ),
    old("number-int-cols", "y", Text, "INT columns; with :1 indexed"),
    old(
        "create",
        "",
        Text,
        "SQL or a file of it that makes the tables",
    ),
    old("create-schema", "", Text, "The schema to run in"),
    old("query", "q", Text, "SQL or a file of it that is run"),
    old(
        "pre-query",
        "",
        Text,
        "SQL or a file of it, before each run",
    ),
    old(
        "post-query",
        "",
        Text,
        "SQL or a file of it, after each run",
    ),
    old("pre-system", "", Text, "A shell command before each run"),
    old("post-system", "", Text, "A shell command after each run"),
    old("delimiter", "F", Text, "What stands between statements"),
    old(
        "engine",
        "e",
        Text,
        "Storage engines, each with its options behind a colon",
    ),
    old("no-drop", "", Flag, "Leave the schema"),
    // How it is run.
    old("concurrency", "c", Text, "Numbers of clients"),
    old("iterations", "i", Number, "How often"),
    old(
        "number-of-queries",
        "",
        Number,
        "Statements of all clients together",
    ),
    old("commit", "", Number, "COMMIT after so many statements"),
    old(
        "detach",
        "",
        Number,
        "Connect anew after so many statements",
    ),
    old(
        "init-command",
        "",
        Text,
        "SQL on each new connection of a client",
    ),
    // What is told.
    old(
        "csv",
        "",
        Optional,
        "A line for each result, to standard output or a file",
    ),
    old("only-print", "", Flag, "Run nothing, tell the statements"),
    old("silent", "s", Flag, "No report"),
    old(
        "verbose",
        "v",
        Count,
        "Tell more: twice steps, three times statements",
    ),
    // Whom to connect to.
    old("host", "h", Text, "The server's host"),
    old("port", "P", Number, "Its TCP port"),
    old("socket", "S", Text, "Its Unix socket"),
    old("user", "u", Text, "The account"),
    old(
        "password",
        "p",
        Optional,
        "Its password; asked for where none follows",
    ),
    old("protocol", "", Text, "tcp or socket"),
    old("ssl", "", Flag, "Encrypt"),
    old(
        "ssl-ca",
        "",
        Text,
        "Check the server's certificate by these authorities",
    ),
    old(
        "ssl-verify-server-cert",
        "",
        Flag,
        "Check the server's certificate",
    ),
    old("ssl-capath", "", Text, "(refused)"),
    old("ssl-cert", "", Text, "(refused)"),
    old("ssl-cipher", "", Text, "(refused)"),
    old("ssl-key", "", Text, "(refused)"),
    old("ssl-crl", "", Text, "(refused)"),
    old("ssl-crlpath", "", Text, "(refused)"),
    old("tls-version", "", Text, "(refused)"),
    old("compress", "C", Flag, "(refused)"),
    old(
        "default-auth",
        "",
        Text,
        "(no effect: the server names the plugin)",
    ),
    old("plugin-dir", "", Text, "(no effect: no plugins are loaded)"),
    old(
        "character-sets-dir",
        "",
        Text,
        "(no effect: text goes as utf8mb4)",
    ),
    old("debug", "#", Optional, "(no effect)"),
    old("debug-check", "", Quiet, "(no effect)"),
    old(
        "debug-info",
        "T",
        Flag,
        "Tell the processor time at the end",
    ),
    mysql(
        "sql-mode",
        Text,
        "sql_mode of the connection that makes the tables",
    ),
    mysql(
        "ssl-mode",
        Text,
        "disabled, preferred, required, verify_ca or verify_identity",
    ),
    mysql("enable-cleartext-plugin", Quiet, "(no effect)"),
    mysql("secure-auth", Quiet, "(no effect)"),
    mysql("get-server-public-key", Quiet, "(no effect)"),
    mysql("server-public-key-path", Text, "(refused)"),
    mysql(
        "compression-algorithms",
        Text,
        "(refused but for uncompressed)",
    ),
    mysql("zstd-compression-level", Number, "(no effect)"),
    mysql("password1", Optional, "The same as password"),
    mysql("password2", Optional, "(refused)"),
    mysql("password3", Optional, "(refused)"),
    mysql("login-path", Text, "(refused)"),
    // Beyond mysqlslap.
    new(
        "i-know-what-i-drop",
        Flag,
        "Drop the schema even if this run didn't make it",
    ),
    new(
        "split",
        Text,
        "slap, legacy (half delimiters) or sql (quotes and comments)",
    ),
    new(
        "time",
        Text,
        "Run for so many seconds instead of a number of statements",
    ),
    new("prepared", Flag, "Prepare the statements on the server"),
    new("interleave", Flag, "Engines in turn within each iteration"),
    new(
        "json",
        Optional,
        "A JSON object for each result, to standard output or a file",
    ),
    new(
        "dyno-timeout",
        Text,
        "Seconds that a statement may take; a day unless given",
    ),
    new(
        "verbose-report",
        Flag,
        "Rates, spread and latencies in the report",
    ),
];
