//! The command line: LinkBench's own options, as parsed by GnuParser of Commons CLI.
//!
//! `-c FILE`, `-cFILE`, `-c=FILE`, `--c FILE`; `-D key=value`, `-Dkey=value`, `-D key value`. Only
//! words are parsed here; no files are read.

use std::borrow::Cow;
use std::ffi::OsString;
use std::iter::Peekable;
use std::path::PathBuf;
use std::time::Duration;
use std::vec::IntoIter;

use crate::config::Properties;
use crate::failure::{self, Failure};

/// What the command line says.
#[derive(Clone, Default, PartialEq)]
pub struct Arguments {
    /// -c
    pub config: Option<PathBuf>,
    /// -l
    pub loads: bool,
    /// -r
    pub requests: bool,
    /// -L
    pub log: Option<PathBuf>,
    /// -csvstats
    pub csv_stats: Option<PathBuf>,
    /// -csvstream
    pub csv_stream: Option<PathBuf>,
    /// --dyno-events
    pub events: Option<PathBuf>,
    /// --dyno-plan
    pub plan: bool,
    /// --dyno-timeout
    pub answer_s: Option<f64>,
    /// -D
    pub properties: Properties,
    /// -help
    pub help: bool,
}

/// What follows an option, and how it is set.
enum Takes {
    /// Nothing.
    Flag(fn(&mut Arguments)),
    /// A value; this is its name in help.
    Value(
        &'static str,
        fn(&mut Arguments, String) -> Result<(), Failure>,
    ),
    /// A key and its value, in one word or two.
    Property,
}

type Spec = doors::Spec<Takes>;

const fn option(name: &'static str, takes: Takes, help: &'static str) -> Spec {
    Spec {
        name: Cow::Borrowed(name),
        short: None,
        takes,
        default: None,
        help: Cow::Borrowed(help),
    }
}

/// Stores the path in a field.
macro_rules! path {
    ($field:ident) => {
        |arguments, value| {
            arguments.$field = Some(value.into());
            Ok(())
        }
    };
}

/// Sets a field to true.
macro_rules! on {
    ($field:ident) => {
        |arguments| arguments.$field = true
    };
}

use Takes::{Flag, Property, Value};

/// All options, in the order of help.
const OPTIONS: &[Spec] = &[
    option(
        "c",
        Value("FILE", path!(config)),
        "the configuration, as LinkConfigMysql.properties; without it\n\
         $LINKBENCH_HOME/config/LinkConfigMysql.properties",
    ),
    option(
        "l",
        Flag(on!(loads)),
        "load: make the three tables and fill them",
    ),
    option(
        "r",
        Flag(on!(requests)),
        "request: run the workload on them",
    ),
    option(
        "D",
        Property,
        "a key of the configuration, over what the files say",
    ),
    option(
        "L",
        Value("FILE", path!(log)),
        "the log; only warnings and errors then go to standard error",
    ),
    option(
        "csvstats",
        Value("FILE", path!(csv_stats)),
        "final figures, a row an operation",
    ),
    option(
        "csvstream",
        Value("FILE", path!(csv_stream)),
        "figures of each `displayfreq` seconds, a row an operation",
    ),
    option(
        "dyno-events",
        Value("FILE", path!(events)),
        "events of the request phase, as of `dynoload run`",
    ),
    option(
        "dyno-plan",
        Flag(on!(plan)),
        "print the load plan that this makes, and run nothing",
    ),
    option(
        "dyno-timeout",
        Value("S", timeout),
        "seconds that a statement may take; an hour unless given",
    ),
    option("help", Flag(on!(help)), "this text"),
];

fn timeout(arguments: &mut Arguments, value: String) -> Result<(), Failure> {
    let least = Duration::from_millis(100);
    let limit = doors::seconds("dyno-timeout", &value, least)?;
    arguments.answer_s = Some(limit.as_secs_f64());
    Ok(())
}

/// What `--help` prints.
pub fn help() -> String {
    let row = |spec: &Spec| {
        // LinkBench's own options have one dash, and their values after a space.
        let is_ours = spec.name.starts_with("dyno-") || spec.name == "help";
        let (dashes, sign) = if is_ours { ("--", "=") } else { ("-", " ") };
        let value = match spec.takes {
            Flag(_) => String::new(),
            Value(value, _) => format!("{sign}{value}"),
            Property => " KEY=VALUE".to_owned(),
        };
        (format!("{dashes}{}{value}", spec.name), spec.explained())
    };
    let rows: Vec<(String, String)> = OPTIONS.iter().map(row).collect();
    format!("{USAGE}{}{KEYS}", doors::columns(&rows, 0))
}

const USAGE: &str = "\
Runs LinkBench's workload with its own command line and configuration files.

Usage: dynoload linkbench [-c FILE] [-l] [-r] [-D KEY=VALUE]... [-L FILE] [-csvstats FILE]
                          [-csvstream FILE]

";

const KEYS: &str = "
Keys of Dyno's own, in a file or with -D:
  socket             path of a Unix socket, in place of host and port
  profile            fb-as-coded (default), fb-as-configured, mc-2017
  engine, create_options, partitions, secondary_index
                     how tables are made, as in a load plan

Every other key is LinkBench's: docs/reference/linkbench.md says what is done with each.
";

/// Reads the words after the program's name.
pub fn read(words: Vec<OsString>) -> Result<Arguments, Failure> {
    let mut arguments = Arguments::default();
    let words: Vec<String> = words.into_iter().map(text).collect::<Result<_, _>>()?;
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let Some((spec, value)) = option_of(&word)? else {
            return Err(failure::arguments(
                format!("Invalid trailing arguments: {word}"),
                "every word belongs to an option: --help lists them",
            ));
        };
        match spec.takes {
            Flag(set) => set(&mut arguments),
            Value(what, set) => {
                let value = given_or_next(spec, what, value, &mut words)?;
                set(&mut arguments, value)?;
            }
            Property => {
                let given = given_or_next(spec, "KEY=VALUE", value, &mut words)?;
                let (key, value) = property(given, &mut words);
                arguments.properties.insert(key, value);
            }
        }
    }
    if !(arguments.help || arguments.loads || arguments.requests) {
        return Err(failure::arguments(
            "Did not select benchmark mode",
            "give -l to load, -r to request, or both",
        ));
    }
    Ok(arguments)
}

/// The remaining words.
type Words = Peekable<IntoIter<String>>;

/// The value attached to an option, or the word after it.
fn given_or_next(
    spec: &Spec,
    what: &str,
    given: Option<String>,
    words: &mut Words,
) -> Result<String, Failure> {
    if let Some(given) = given {
        return Ok(given);
    }
    let next = words.next();
    next.filter(|next| !next.is_empty()).ok_or_else(|| {
        let name = &spec.name;
        failure::arguments(
            format!("Missing argument for option: {name}"),
            format!("write -{name} {what}"),
        )
    })
}

/// `key=value`, or a key with its value in the next word; a key by itself is true.
fn property(given: String, words: &mut Words) -> (String, String) {
    if let Some((key, value)) = given.split_once('=') {
        return (key.to_owned(), value.to_owned());
    }
    let next = words.next_if(|next| !next.starts_with('-'));
    (given, next.unwrap_or_else(|| "true".to_owned()))
}

fn text(word: OsString) -> Result<String, Failure> {
    word.into_string().map_err(|word| {
        failure::arguments(
            format!("{} isn't UTF-8", word.to_string_lossy()),
            "write it in UTF-8",
        )
    })
}

/// The option that a word stands for, with an attached value.
fn option_of(word: &str) -> Result<Option<(&'static Spec, Option<String>)>, Failure> {
    let Some(bare) = word.strip_prefix('-') else {
        return Ok(None);
    };
    let bare = bare.strip_prefix('-').unwrap_or(bare);
    let known = |name: &str| OPTIONS.iter().find(|spec| spec.name == name);
    if let Some(spec) = known(if bare == "h" { "help" } else { bare }) {
        return Ok(Some((spec, None)));
    }
    let with_value = |name: &str| known(name).filter(|spec| !matches!(spec.takes, Flag(_)));
    if let Some((name, value)) = bare.split_once('=') {
        if let Some(spec) = with_value(name) {
            return Ok(Some((spec, Some(value.to_owned()))));
        }
    }
    // LinkBench's own parser would read a word such as -csvstreams as -c with a value.
    let is_slip = bare.starts_with("csv") || word.starts_with("--");
    let short = bare.chars().next().map(String::from).unwrap_or_default();
    match with_value(&short) {
        Some(spec) if !is_slip || matches!(spec.takes, Property) => {
            let value = bare[short.len()..].to_owned();
            Ok(Some((spec, Some(value))))
        }
        _ => {
            let names = OPTIONS.iter().map(|spec| spec.name.as_ref());
            Err(failure::arguments(
                format!("Unrecognized option: {word}"),
                doors::did_you_mean("-", bare, names, "--help lists all options"),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Arguments, Failure> {
        read(line.split(' ').map(OsString::from).collect())
    }

    #[test]
    fn values_are_found_in_every_spelling() {
        for line in [
            "-c a.properties -l -csvstats s.csv -D x=1",
            "-ca.properties -l -csvstats=s.csv -Dx=1",
            "--c=a.properties --l --csvstats s.csv --D x=1",
            "-c=a.properties -l --csvstats=s.csv -D x 1",
        ] {
            let read = of(line).unwrap();
            assert_eq!(read.config, Some("a.properties".into()), "{line}");
            assert_eq!(read.csv_stats, Some("s.csv".into()), "{line}");
            assert_eq!(read.properties["x"], "1", "{line}");
            assert!(read.loads && !read.requests, "{line}");
        }
    }

    #[test]
    fn properties_keep_signs_and_the_last_one_counts() {
        let read = of("-r -D password=a=b -Dx=1 -D x=2 -D flag -L log").unwrap();
        let all: Vec<_> = read.properties.into_iter().collect();
        let wanted = [("flag", "true"), ("password", "a=b"), ("x", "2")];
        assert_eq!(
            all,
            wanted.map(|(key, value)| (key.to_owned(), value.to_owned()))
        );
        assert_eq!(read.log, Some("log".into()));
    }

    #[test]
    fn wrong_use_is_told_with_a_hint() {
        for (line, message, hint) in [
            ("-c a", "Did not select benchmark mode", "-l"),
            ("-r b", "Invalid trailing arguments: b", "--help"),
            ("-r -c", "Missing argument for option: c", "-c FILE"),
            (
                "-r -csvstreams x",
                "Unrecognized option: -csvstreams",
                "csvstream?",
            ),
            ("-r -x", "Unrecognized option: -x", "--help"),
            ("-r --load", "Unrecognized option: --load", "--help"),
        ] {
            let failure = of(line).err().unwrap();
            assert_eq!(failure.message, message);
            assert!(failure.hint.contains(hint), "{line}: {}", failure.hint);
            assert_eq!(failure.code, 1);
        }
        assert!(of("--help").unwrap().help);
    }
}
