//! The log, one line per entry, in LinkBench's layout: level, time, thread, text.
//!
//! It goes to standard error, or to the file of `-L`; then only warnings and errors go to standard
//! error.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use jiff::Zoned;

use crate::failure::{exit, Failure};

/// How important an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Even more detail than `Debug`.
    Trace,
    /// No entry has this level.
    Debug,
    /// Progress.
    Info,
    /// Something that should be checked.
    Warn,
    /// The reason why the run ends.
    Error,
    /// No entry has this level.
    Off,
}

impl Level {
    /// As in the key `debuglevel`: a word, or a number.
    pub fn read(text: &str) -> Option<Level> {
        if let Ok(number) = text.parse::<i64>() {
            return Some(match number {
                ..=0 => Level::Info,
                1 => Level::Debug,
                _ => Level::Trace,
            });
        }
        Some(match text.to_ascii_uppercase().as_str() {
            "TRACE" | "ALL" => Level::Trace,
            "DEBUG" => Level::Debug,
            "INFO" => Level::Info,
            "WARN" => Level::Warn,
            "ERROR" | "FATAL" => Level::Error,
            "OFF" => Level::Off,
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Level::Trace => "TRACE",
            Level::Debug => "DEBUG",
            Level::Info => "INFO",
            Level::Warn => "WARN",
            Level::Error | Level::Off => "ERROR",
        }
    }
}

/// Where entries go.
pub struct Log {
    level: Level,
    file: Option<(File, PathBuf)>,
}

impl Log {
    /// For entries from this level on; appends to a file, if one is named.
    pub fn open(level: Level, path: Option<&Path>) -> Result<Log, Failure> {
        let file = match path {
            Some(path) => {
                let opened = File::options().append(true).create(true).open(path);
                let file = opened.map_err(|error| cannot_write(path, &error))?;
                Some((file, path.to_owned()))
            }
            None => None,
        };
        Ok(Log { level, file })
    }

    /// Logs progress.
    pub fn info(&mut self, text: &str) -> io::Result<()> {
        self.write(Level::Info, text)
    }

    /// Logs something that should be checked.
    pub fn warn(&mut self, text: &str) -> io::Result<()> {
        self.write(Level::Warn, text)
    }

    /// Logs why the run ends.
    pub fn error(&mut self, text: &str) -> io::Result<()> {
        self.write(Level::Error, text)
    }

    fn write(&mut self, level: Level, text: &str) -> io::Result<()> {
        if level < self.level {
            return Ok(());
        }
        let time = Zoned::now().strftime("%Y-%m-%d %H:%M:%S,%3f");
        let entry = format!("{} {time} [main]: {text}\n", level.word());
        if self.file.is_none() || level >= Level::Warn {
            // If standard error is gone, nobody is left to read it.
            let _ = io::stderr().write_all(entry.as_bytes());
        }
        match &mut self.file {
            Some((file, path)) => named(path, file.write_all(entry.as_bytes())),
            None => Ok(()),
        }
    }
}

/// The same with the file's name in the error.
pub fn named(path: &Path, done: io::Result<()>) -> io::Result<()> {
    done.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// The failure for a file that can't be written.
pub fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        exit::OUTPUT,
        format!("{} can't be written: {error}", path.display()),
        "name another file",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_words_or_numbers() {
        for (text, level) in [
            ("INFO", Level::Info),
            ("warn", Level::Warn),
            ("0", Level::Info),
            ("-3", Level::Info),
            ("1", Level::Debug),
            ("7", Level::Trace),
        ] {
            assert_eq!(Level::read(text), Some(level), "{text}");
        }
        assert_eq!(Level::read("loud"), None);
    }

    #[test]
    fn a_file_has_entries_of_its_level() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut log = Log::open(Level::Info, Some(file.path())).unwrap();
        log.write(Level::Debug, "no").unwrap();
        log.info("REQUEST PHASE").unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        let (time, rest) = text.strip_prefix("INFO ").unwrap().split_at(23);
        assert_eq!(rest, " [main]: REQUEST PHASE\n");
        assert_eq!(&time[4..5], "-");
        assert_eq!(&time[19..20], ",");
    }
}
