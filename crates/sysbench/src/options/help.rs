//! Options as lines of help.
//!
//! Columns are padded to the widest name of their group.

use super::table::{Group, GROUPS};
use super::{Declared, Kind};

impl Kind {
    fn placeholder(self) -> &'static str {
        match self {
            Kind::Bool | Kind::Tls => "[=on|off]",
            Kind::Int | Kind::Double | Kind::Percents => "=N",
            Kind::Size => "=SIZE",
            Kind::Text => "=STRING",
            Kind::List => "=[LIST,...]",
            Kind::File => "=FILENAME",
        }
    }
}

/// One line for each option, without the default where there is none.
pub fn lines(options: &[Declared]) -> String {
    let left = |option: &Declared| format!("--{}{}", option.name, option.kind.placeholder());
    let width = options.iter().map(|option| left(option).len()).max();
    let width = width.unwrap_or_default();
    let line = |option: &Declared| {
        let default = match &option.default {
            Some(default) => format!(" [{default}]"),
            None => String::new(),
        };
        let name = left(option);
        format!("  {name:<width$} {}{default}\n", option.description)
    };
    options.iter().map(line).collect()
}

fn group_lines(group: &Group) -> String {
    let options: Vec<Declared> = group
        .options
        .iter()
        .map(|option| Declared {
            name: option.name.to_owned(),
            kind: option.kind,
            default: option.default.map(str::to_owned),
            description: option.description.to_owned(),
        })
        .collect();
    lines(&options)
}

/// What `--help` prints.
pub fn general_help(scripts: &[&str]) -> String {
    let mut help = "Usage:\n  sysbench [options]... [testname] [command]\n\n\
                    Commands implemented by most tests: prepare run cleanup help\n\n"
        .to_owned();
    for group in GROUPS {
        if group.title.starts_with("mysql") {
            help += "\nCompiled-in database drivers:\n  mysql - MySQL driver\n\n";
        }
        if !group.title.is_empty() {
            help += group.title;
            help.push('\n');
        }
        help += &group_lines(group);
        help.push('\n');
    }
    help += "Compiled-in tests:\n";
    for script in scripts {
        help += &format!("  {script} - Lua script\n");
    }
    help + "\nSee 'sysbench <testname> help' for a list of options for each test.\n\n"
}
