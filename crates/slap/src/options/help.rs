//! What --help and --version tell.

use super::table::{Kind, Origin, Spec, OPTIONS};
use crate::NAME;

/// Where the column of explanations begins.
const COLUMN: usize = 46;

/// The version, and whose command line this is.
pub fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("{NAME} {version}, with the command line of mysqlslap Ver 1.0\n")
}

/// All options with a few words each.
pub fn help() -> String {
    let mut text = format!(
        "{}\nRuns SQL with many clients at once and tells how long that took.\n\n\
         Usage: {NAME} [OPTIONS]\n\n\
         Options are also read from /etc/my.cnf, /etc/mysql/my.cnf, ~/.my.cnf, groups mysqlslap,\n\
         mariadb-slap, client, client-server, client-mariadb. As the first word:\n  \
         --print-defaults, --no-defaults, --defaults-file=FILE, --defaults-extra-file=FILE,\n  \
         --defaults-group-suffix=TEXT\n\n",
        version()
    );
    let parts = [
        (Origin::MariaDb, "Options of mysqlslap:"),
        (Origin::MySql, "Of MySQL's mysqlslap only:"),
        (Origin::Dyno, "New ones (their names can't be cut short):"),
    ];
    for (origin, title) in parts {
        text.push_str(title);
        text.push('\n');
        for spec in OPTIONS.iter().filter(|spec| spec.origin == origin) {
            text.push_str(&line(spec));
        }
        text.push('\n');
    }
    text
}

fn line(spec: &Spec) -> String {
    let short = match spec.short {
        Some(letter) => format!("-{letter}, "),
        None => "    ".to_owned(),
    };
    let value = match spec.kind {
        Kind::Flag | Kind::Quiet | Kind::Count => "",
        Kind::Number => "=N",
        Kind::Text => "=TEXT",
        Kind::Optional => "[=TEXT]",
    };
    let names = format!("  {short}--{}{value}", spec.name);
    format!("{names:<COLUMN$} {}\n", spec.help)
}
