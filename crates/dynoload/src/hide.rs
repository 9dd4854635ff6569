//! Keeps passwords on the command line out of the process list.
//!
//! Everybody can read the arguments of every process. By now the command line has been read, so the
//! letters are overwritten in place, as MySQL's own programs do.

use std::fs::{self, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// Options with a password in the same word.
const LONG: [&[u8]; 2] = [b"--mysql-password=", b"--mysql_password="];
/// mysqlslap's option, which may be abbreviated down to this.
const ABBREVIATED: &[u8] = b"--pass";
const SHORT: &[u8] = b"-p";
/// LinkBench's, with the property in the next word or in the same one.
const PROPERTY: [&[u8]; 2] = [b"-D", b"--D"];
const PROPERTY_KEY: &[u8] = b"password";
/// Position of `arg_start` in /proc/self/stat, counted from after the name in parentheses.
const ARG_START: usize = 45;

/// Overwrites every password in this process's own arguments. If the system doesn't allow it, they
/// stay: the program runs all the same.
pub fn passwords() {
    let _ = try_passwords();
}

fn try_passwords() -> io::Result<()> {
    let arguments = fs::read("/proc/self/cmdline")?;
    let places = places(&arguments);
    if places.is_empty() {
        return Ok(());
    }
    let start = start_of_arguments(&fs::read_to_string("/proc/self/stat")?)
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    let memory = OpenOptions::new().write(true).open("/proc/self/mem")?;
    for place in places {
        memory.write_all_at(&vec![b'x'; place.len()], start + place.start as u64)?;
    }
    Ok(())
}

fn start_of_arguments(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(ARG_START)?.parse().ok()
}

/// Where passwords lie in arguments that each end with a zero byte.
fn places(arguments: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut before: [&[u8]; 2] = [b"", b""];
    for argument in arguments.split(|&byte| byte == 0) {
        let prefix = prefix(argument).or_else(|| property_prefix(before, argument));
        if let Some(prefix) = prefix.filter(|&prefix| prefix < argument.len()) {
            found.push(start + prefix..start + argument.len());
        }
        start += argument.len() + 1;
        before = [before[1], argument];
    }
    found
}

/// The same for a LinkBench property, given the two arguments before it.
fn property_prefix(before: [&[u8]; 2], argument: &[u8]) -> Option<usize> {
    let is_option = |word: &[u8]| PROPERTY.contains(&word);
    if is_option(before[0]) && before[1] == PROPERTY_KEY {
        return Some(0);
    }
    let option = PROPERTY.iter().find(|option| argument.starts_with(option));
    let option = match option {
        Some(option) => option.len(),
        None if is_option(before[1]) => 0,
        None => return None,
    };
    let rest = argument[option..]
        .strip_prefix(b"=")
        .unwrap_or(&argument[option..]);
    let value = rest.strip_prefix(PROPERTY_KEY)?.strip_prefix(b"=")?;
    Some(argument.len() - value.len())
}

/// How much of an argument precedes its password.
fn prefix(argument: &[u8]) -> Option<usize> {
    if let Some(option) = LONG.iter().find(|option| argument.starts_with(option)) {
        return Some(option.len());
    }
    if argument.starts_with(ABBREVIATED) {
        return argument
            .iter()
            .position(|&byte| byte == b'=')
            .map(|at| at + 1);
    }
    argument.starts_with(SHORT).then_some(SHORT.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(arguments: &[&str]) -> Vec<String> {
        let line: Vec<u8> = arguments
            .iter()
            .flat_map(|argument| argument.bytes().chain([0]))
            .collect();
        let text = |range: Range<usize>| String::from_utf8(line[range].to_vec()).unwrap();
        places(&line).into_iter().map(text).collect()
    }

    #[test]
    fn a_password_is_found_in_every_spelling() {
        let line = [
            "sysbench",
            "--mysql-password=a b",
            "--mysql_password=c",
            "run",
        ];
        assert_eq!(hidden(&line), ["a b", "c"]);
        let line = [
            "slap",
            "--password=d",
            "--passw=e",
            "-pf",
            "--password",
            "-p",
        ];
        assert_eq!(hidden(&line), ["d", "e", "f"]);
        assert!(hidden(&["--mysql-user=root", "--port=1", "-P3306", ""]).is_empty());
    }

    #[test]
    fn a_password_among_properties_is_found() {
        let line = [
            "linkbench",
            "-Dpassword=a",
            "-D",
            "password=b=c",
            "--D=password=d",
            "-D",
            "password",
            "e",
            "-D",
            "user=f",
            "password=g",
        ];
        assert_eq!(hidden(&line), ["a", "b=c", "d", "e"]);
    }

    #[test]
    fn the_start_of_the_arguments_is_that_of_this_process() {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let start = start_of_arguments(&stat).unwrap();
        let memory = fs::File::open("/proc/self/mem").unwrap();
        let line = fs::read("/proc/self/cmdline").unwrap();
        let mut seen = vec![0; line.len()];
        memory.read_exact_at(&mut seen, start).unwrap();
        assert_eq!(seen, line);
    }
}
