//! The command line: LinkBench's own options, as its parser (GnuParser of Commons CLI) takes them.
//!
//! `-c FILE`, `-cFILE`, `-c=FILE`, `--c FILE`; `-D key=value`, `-Dkey=value`, `-D key value`. Only
//! words are looked at here, no files.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::config::Properties;
use crate::failure::{did_you_mean, Failure};

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

/// 100 days.
const LONGEST_S: f64 = 8_640_000.0;

/// Name, and whether a value follows.
const OPTIONS: [(&str, bool); 11] = [
    ("c", true),
    ("L", true),
    ("csvstats", true),
    ("csvstream", true),
    ("dyno-events", true),
    ("dyno-plan", false),
    ("dyno-timeout", true),
    ("D", true),
    ("l", false),
    ("r", false),
    ("help", false),
];

/// What `--help` tells.
pub const HELP: &str = "\
Runs LinkBench's workload with its own command line and configuration files.

Usage: dynoload linkbench [-c FILE] [-l] [-r] [-D KEY=VALUE]... [-L FILE] [-csvstats FILE]
                          [-csvstream FILE]

  -c FILE            the configuration, as LinkConfigMysql.properties; without it
                     $LINKBENCH_HOME/config/LinkConfigMysql.properties
  -l                 load: make the three tables and fill them
  -r                 request: run the workload on them
  -D KEY=VALUE       a key of the configuration, over what the files say
  -L FILE            the log; only warnings and errors then go to standard error
  -csvstats FILE     final figures, a row an operation
  -csvstream FILE    figures of each `displayfreq` seconds, a row an operation
  --dyno-events=FILE events of the request phase, as of `dynoload run`
  --dyno-plan        print the load plan that this comes to, and run nothing
  --dyno-timeout=S   seconds that a statement may take; an hour unless given
  --help             this text

Keys of Dyno's own, in a file or with -D:
  socket             path of a Unix socket, in place of host and port
  profile            fb-as-coded (default), fb-as-configured, mc-2017
  engine, create_options, partitions, secondary_index
                     how tables are made, as in a load plan

Every other key is LinkBench's: docs/reference/linkbench.md says what is done with each.
";

fn seconds(text: &str) -> Result<f64, Failure> {
    let seconds = text.parse().ok();
    let is_time = |seconds: &f64| (0.1..=LONGEST_S).contains(seconds);
    seconds.filter(is_time).ok_or_else(|| {
        Failure::arguments(
            format!("--dyno-timeout={text} is no time"),
            "give seconds, such as --dyno-timeout=60".to_owned(),
        )
    })
}

/// Reads the words behind the program's name.
pub fn read(words: Vec<OsString>) -> Result<Arguments, Failure> {
    let mut arguments = Arguments::default();
    let mut words = words.into_iter().map(text).peekable();
    while let Some(word) = words.next() {
        let word = word?;
        let Some((name, mut value)) = option(&word)? else {
            return Err(Failure::arguments(
                format!("Invalid trailing arguments: {word}"),
                "every word belongs to an option: --help lists them",
            ));
        };
        if name == "help" {
            arguments.help = true;
            continue;
        }
        if value.is_none() && OPTIONS.contains(&(name, true)) {
            let next = words.next().transpose()?;
            value = Some(next.filter(|next| !next.is_empty()).ok_or_else(|| {
                let hint = if name == "D" { "KEY=VALUE" } else { "FILE" };
                Failure::arguments(
                    format!("Missing argument for option: {name}"),
                    format!("write -{name} {hint}"),
                )
            })?);
        }
        let value = value.unwrap_or_default();
        match name {
            "l" => arguments.loads = true,
            "r" => arguments.requests = true,
            "dyno-plan" => arguments.plan = true,
            "c" => arguments.config = Some(value.into()),
            "L" => arguments.log = Some(value.into()),
            "csvstats" => arguments.csv_stats = Some(value.into()),
            "csvstream" => arguments.csv_stream = Some(value.into()),
            "dyno-events" => arguments.events = Some(value.into()),
            "dyno-timeout" => arguments.answer_s = Some(seconds(&value)?),
            _ => {
                // A value of two words has no sign in the first one.
                let is_of_value = |next: &Result<String, Failure>| match next {
                    Ok(next) => !next.starts_with('-'),
                    Err(_) => false,
                };
                let (key, value) = match value.split_once('=') {
                    Some((key, value)) => (key.to_owned(), value.to_owned()),
                    None => match words.next_if(is_of_value) {
                        Some(next) => (value, next?),
                        None => (value, "true".to_owned()),
                    },
                };
                arguments.properties.insert(key, value);
            }
        }
    }
    if !(arguments.help || arguments.loads || arguments.requests) {
        return Err(Failure::arguments(
            "Did not select benchmark mode",
            "give -l to load, -r to request, or both",
        ));
    }
    Ok(arguments)
}

fn text(word: OsString) -> Result<String, Failure> {
    word.into_string().map_err(|word| {
        Failure::arguments(
            format!("{} is no UTF-8", word.to_string_lossy()),
            "write it in UTF-8",
        )
    })
}

/// The option that a word is, with a value that sticks to it.
fn option(word: &str) -> Result<Option<(&'static str, Option<String>)>, Failure> {
    let Some(bare) = word.strip_prefix('-') else {
        return Ok(None);
    };
    let bare = bare.strip_prefix('-').unwrap_or(bare);
    if bare == "h" {
        return Ok(Some(("help", None)));
    }
    let known = |name: &str| OPTIONS.iter().find(|option| option.0 == name);
    if let Some((name, _)) = known(bare) {
        return Ok(Some((name, None)));
    }
    if let Some((name, value)) = bare.split_once('=') {
        if let Some((name, true)) = known(name) {
            return Ok(Some((name, Some(value.to_owned()))));
        }
    }
    // A word such as -csvstreams would be -c with a value for LinkBench's own parser.
    let is_slip = bare.starts_with("csv") || word.starts_with("--");
    let short = bare.chars().next().map(String::from).unwrap_or_default();
    match known(&short) {
        Some((name, true)) if !is_slip || *name == "D" => {
            let value = bare[short.len()..].to_owned();
            Ok(Some((name, Some(value))))
        }
        _ => {
            let names = OPTIONS.iter().map(|option| option.0);
            let hint = did_you_mean(bare, names, "--help lists all options");
            Err(Failure::arguments(
                format!("Unrecognized option: {word}"),
                hint,
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
