//! Options as lines of help.
//!
//! Columns are padded to the widest name of their group.

use super::table::{GROUPS, NOTES};
use super::{Kind, Spec};

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

/// One line per option; the default is left out if there is none.
pub fn lines(options: &[Spec]) -> String {
    let row = |option: &Spec| {
        let left = format!("--{}{}", option.name, option.takes.placeholder());
        (left, option.explained())
    };
    let rows: Vec<(String, String)> = options.iter().map(row).collect();
    doors::columns(&rows, 0)
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
        help += &lines(group.options);
        help.push('\n');
    }
    let notes = NOTES
        .iter()
        .map(|&(option, note)| (option.to_owned(), note.to_owned()));
    let notes: Vec<(String, String)> = notes.collect();
    help += "Options that differ from sysbench 1.0:\n";
    help += &doors::columns(&notes, 0);
    help += "\nLua scripts that come with the program:\n";
    for script in scripts {
        help += &format!("  {script}\n");
    }
    help += "\nCompiled-in tests: none; sysbench's are without a database\n";
    help + "\nSee 'sysbench <testname> help' for a list of options for each test.\n\n"
}
