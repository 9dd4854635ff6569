//! What --help and --version print.

use super::table::{Group, Spec, Takes, NEW, OLD};
use crate::messages::NAME;

/// The width of option names, so that all groups have the same columns.
const WIDTH: usize = 45;

/// The version, and which program's command line this is.
pub fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("{NAME} {version}, with the command line of mysqlslap Ver 1.0\n")
}

/// All options with a few words each.
pub fn help() -> String {
    let mut text = format!(
        "{}\nRuns SQL with many clients at once and reports how long that took.\n\n\
         Usage: {NAME} [OPTIONS]\n\n\
         Options are also read from /etc/my.cnf, /etc/mysql/my.cnf, ~/.my.cnf, groups mysqlslap,\n\
         mariadb-slap, client, client-server, client-mariadb. As the first word:\n  \
         --print-defaults, --no-defaults, --defaults-file=FILE, --defaults-extra-file=FILE,\n  \
         --defaults-group-suffix=TEXT\n\n",
        version()
    );
    for Group { title, options } in OLD.iter().chain([&NEW]) {
        let rows: Vec<(String, String)> = options.iter().map(row).collect();
        text.push_str(&format!("{title}\n{}\n", doors::columns(&rows, WIDTH)));
    }
    text
}

fn row(spec: &Spec) -> (String, String) {
    let short = match spec.short {
        Some(letter) => format!("-{letter}, "),
        None => "    ".to_owned(),
    };
    let value = match spec.takes {
        Takes::Flag(_) | Takes::Count(_) => "",
        Takes::Number(_) => "=N",
        Takes::Text(_) => "=TEXT",
        Takes::Optional(_) => "[=TEXT]",
    };
    let explained = spec.explained().replace('\n', "\\n");
    (format!("{short}--{}{value}", spec.name), explained)
}
