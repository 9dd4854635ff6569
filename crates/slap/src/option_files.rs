//! Option files (`my.cnf`): which are read, and their groups' content as command line words.
//!
//! Knows no option by name, except to hide passwords.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{env, fs};

use workloads::bounded;

use crate::failure::Failure;

/// The groups that are read.
const GROUPS: [&str; 5] = [
    "mysqlslap",
    "mariadb-slap",
    "client",
    "client-server",
    "client-mariadb",
];
/// Larger than any option file.
const FILE_BYTES: u64 = 1 << 20;
/// How deep nested includes are followed.
const DEPTH_MAX: usize = 10;

/// The content of the option files and of the first words of a command line.
#[derive(Debug, Default)]
pub struct Defaults {
    /// Options from files, as words.
    pub words: Vec<OsString>,
    /// The command line without the words that concern the files.
    pub left: Vec<OsString>,
    /// True if the words are only to be printed.
    pub only_prints: bool,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Reads the option files that the first words choose.
pub fn read(arguments: Vec<OsString>) -> Result<Defaults, Failure> {
    let mut choice = Choice::default();
    let mut left = arguments.into_iter().peekable();
    while left.peek().is_some_and(|word| choice.take(word)) {
        left.next();
    }
    let mut reader = Reader {
        groups: choice.groups(),
        defaults: Defaults {
            left: left.collect(),
            only_prints: choice.only_prints,
            ..Defaults::default()
        },
    };
    for (path, is_required) in choice.files() {
        if is_required && !path.is_file() {
            return Err(Failure::refused(
                format!("Could not open required defaults file: {}", path.display()),
                "name a file that exists, or leave the option out",
            ));
        }
        reader.file(&path, 0)?;
    }
    Ok(reader.defaults)
}

/// Words as printed by --print-defaults: without passwords.
pub fn listed(words: &[OsString]) -> String {
    let hide = |word: &OsString| {
        let word = word.to_string_lossy().into_owned();
        match word.split_once('=') {
            Some((name, _)) if name.starts_with("--pass") => format!("{name}=*****"),
            _ => word,
        }
    };
    let words: Vec<String> = words.iter().map(hide).collect();
    let name = crate::messages::NAME;
    format!(
        "{name} would have been started with the following arguments:\n{}\n",
        words.join(" ")
    )
}

/// Which files and groups are read.
#[derive(Debug, Default)]
struct Choice {
    none: bool,
    only: Option<PathBuf>,
    extra: Option<PathBuf>,
    suffix: Option<String>,
    only_prints: bool,
}

impl Choice {
    /// Takes a word that concerns the files; false for any other.
    fn take(&mut self, word: &OsStr) -> bool {
        let text = word.to_string_lossy();
        match text.split_once('=') {
            None if text == "--no-defaults" => self.none = true,
            None if text == "--print-defaults" => self.only_prints = true,
            Some(("--defaults-file", file)) => self.only = Some(file.into()),
            Some(("--defaults-extra-file", file)) => self.extra = Some(file.into()),
            Some(("--defaults-group-suffix", suffix)) => self.suffix = Some(suffix.to_owned()),
            _ => return false,
        }
        true
    }

    fn groups(&self) -> Vec<String> {
        let mut groups: Vec<String> = GROUPS.map(str::to_owned).to_vec();
        if let Some(suffix) = &self.suffix {
            groups.extend(GROUPS.map(|group| format!("{group}{suffix}")));
        }
        groups
    }

    /// Each file with whether it must exist.
    fn files(&self) -> Vec<(PathBuf, bool)> {
        if self.none {
            return Vec::new();
        }
        if let Some(only) = &self.only {
            return vec![(only.clone(), true)];
        }
        let mut files: Vec<(PathBuf, bool)> = ["/etc/my.cnf", "/etc/mysql/my.cnf"]
            .map(|file| (file.into(), false))
            .to_vec();
        let home = env::var_os("MARIADB_HOME").or_else(|| env::var_os("MYSQL_HOME"));
        files.extend(home.map(|home| (Path::new(&home).join("my.cnf"), false)));
        files.extend(self.extra.clone().map(|file| (file, true)));
        let own = env::var_os("HOME").map(|home| Path::new(&home).join(".my.cnf"));
        files.extend(own.map(|file| (file, false)));
        files
    }
}

struct Reader {
    groups: Vec<String>,
    defaults: Defaults,
}

impl Reader {
    fn file(&mut self, path: &Path, depth: usize) -> Result<(), Failure> {
        let Ok(meta) = fs::metadata(path) else {
            return Ok(());
        };
        if meta.permissions().mode() & 0o002 != 0 && meta.is_file() {
            self.defaults.notes.push(format!(
                "Warning: World-writable config file '{}' is ignored",
                path.display()
            ));
            return Ok(());
        }
        // A file that this user may not read is not meant for them.
        let Ok(text) = bounded::file(path, FILE_BYTES) else {
            return Ok(());
        };
        let mut is_ours = false;
        for line in text.split(|&byte| byte == b'\n') {
            let line = line.trim_ascii();
            match line {
                [] | [b'#' | b';', ..] => {}
                [b'!', directive @ ..] => self.include(directive, path, depth)?,
                [b'[', group @ ..] => {
                    let end = group.iter().position(|&byte| byte == b']');
                    let name = String::from_utf8_lossy(&group[..end.unwrap_or(group.len())]);
                    is_ours = self.groups.iter().any(|group| group == name.trim());
                }
                option if is_ours => self.defaults.words.push(word(option)),
                _ => {}
            }
        }
        Ok(())
    }

    fn include(&mut self, directive: &[u8], from: &Path, depth: usize) -> Result<(), Failure> {
        let directive = String::from_utf8_lossy(directive).into_owned();
        if depth == DEPTH_MAX {
            return Err(Failure::refused(
                format!("{}: files include one another", from.display()),
                "take one of the !include lines out",
            ));
        }
        match directive.split_once(char::is_whitespace) {
            Some(("include", file)) => self.file(Path::new(file.trim()), depth + 1),
            Some(("includedir", folder)) => {
                let mut files: Vec<PathBuf> = fs::read_dir(folder.trim())
                    .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
                    .unwrap_or_default();
                files.retain(|file| file.extension() == Some(OsStr::new("cnf")));
                files.sort();
                files.iter().try_for_each(|file| self.file(file, depth + 1))
            }
            _ => Err(Failure::refused(
                format!("{}: !{directive} isn't known", from.display()),
                "only !include and !includedir are",
            )),
        }
    }
}

/// A line of a file as a command line word.
fn word(line: &[u8]) -> OsString {
    let mut word = b"--".to_vec();
    match line.iter().position(|&byte| byte == b'=') {
        Some(at) => {
            word.extend_from_slice(line[..at].trim_ascii());
            word.push(b'=');
            word.extend_from_slice(&value(line[at + 1..].trim_ascii()));
        }
        None => word.extend_from_slice(without_comment(line)),
    }
    OsString::from_vec(word)
}

fn without_comment(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| byte == b'#');
    text[..end.unwrap_or(text.len())].trim_ascii()
}

/// A value without its quotes and comment, and with escapes resolved.
fn value(text: &[u8]) -> Vec<u8> {
    let inner = match text {
        [quote @ (b'\'' | b'"'), rest @ ..] => match rest.iter().rposition(|byte| byte == quote) {
            Some(end) => &rest[..end],
            None => text,
        },
        _ => without_comment(text),
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter();
    while let Some(&byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(b'b') => out.push(8),
            Some(b's') => out.push(b' '),
            Some(quoted @ (b'\\' | b'"' | b'\'')) => out.push(*quoted),
            Some(&other) => out.extend_from_slice(&[b'\\', other]),
            None => out.push(b'\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    fn strings(words: &[OsString]) -> Vec<String> {
        let text = |word: &OsString| String::from_utf8_lossy(word.as_bytes()).into_owned();
        words.iter().map(text).collect()
    }

    /// Reads a file with this text, next to a folder `more`.
    fn read_file(text: &str, more: &[&str]) -> Defaults {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.cnf");
        let other = folder.path().join("more");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("a.cnf"), "[client]\nuser=included\n").unwrap();
        fs::write(other.join("a.txt"), "[client]\nuser=ignored\n").unwrap();
        fs::write(&file, text.replace("MORE", other.to_str().unwrap())).unwrap();
        let mut words = vec![OsString::from(format!(
            "--defaults-file={}",
            file.display()
        ))];
        words.extend(more.iter().map(OsString::from));
        read(words).unwrap()
    }

    #[test]
    fn groups_of_ours_are_read_in_order_and_no_others() {
        let text = "user=nobody\n[mysqld]\nport=1\n[client]\nuser = a # me\nssl\n# no\n\n\
                    [mysqlslap]\ncsv=\"a b\"\n[mariadb-slap]\ndelimiter=\\n\n";
        let found = read_file(text, &["-a", "--no-defaults"]);
        assert_eq!(
            strings(&found.words),
            ["--user=a", "--ssl", "--csv=a b", "--delimiter=\n"]
        );
        assert_eq!(strings(&found.left), ["-a", "--no-defaults"]);
    }

    #[test]
    fn a_suffix_adds_groups() {
        let text = "[client_one]\nuser=one\n[client]\nuser=all\n";
        let found = read_file(text, &["--defaults-group-suffix=_one"]);
        assert_eq!(strings(&found.words), ["--user=one", "--user=all"]);
        assert_eq!(strings(&read_file(text, &[]).words), ["--user=all"]);
    }

    #[test]
    fn files_include_files() {
        for include in ["!include MORE/a.cnf", "!includedir MORE"] {
            let found = read_file(&format!("{include}\n[client]\nport=5\n"), &[]);
            assert_eq!(strings(&found.words), ["--user=included", "--port=5"]);
        }
    }

    #[test]
    fn a_file_that_includes_itself_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.cnf");
        fs::write(&file, format!("!includedir {}\n", folder.path().display())).unwrap();
        let failure = read(vec![format!("--defaults-file={}", file.display()).into()]).unwrap_err();
        assert!(failure.message.contains("include one another"));
    }

    #[test]
    fn a_file_that_is_asked_for_must_be_there() {
        let failure = read(vec!["--defaults-extra-file=/nonexistent/x.cnf".into()]).unwrap_err();
        assert_eq!(failure.code, 1);
        assert!(read(vec!["--no-defaults".into()]).unwrap().words.is_empty());
    }

    #[test]
    fn a_file_that_anybody_may_write_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.cnf");
        fs::write(&file, "[client]\nuser=x\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        let found = read(vec![format!("--defaults-file={}", file.display()).into()]).unwrap();
        assert!(found.words.is_empty());
        assert_eq!(found.notes.len(), 1);
    }

    #[test]
    fn values_lose_quotes_and_comments_and_keep_what_they_mean() {
        let cases = [
            ("a b", "a b"),
            ("'a # b'", "a # b"),
            ("\"it's\"", "it's"),
            ("a#b", "a"),
            ("a\\sb\\\\c\\td", "a b\\c\td"),
            ("\\z", "\\z"),
        ];
        for (text, wanted) in cases {
            assert_eq!(value(text.as_bytes()), wanted.as_bytes(), "{text}");
        }
    }

    #[test]
    fn passwords_are_not_told() {
        let words = ["--user=a", "--password=secret"].map(OsString::from);
        let text = listed(&words);
        assert!(text.contains("--user=a --password=*****") && !text.contains("secret"));
    }
}
