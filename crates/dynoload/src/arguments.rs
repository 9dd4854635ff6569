//! The command line, which may come on a file descriptor: everybody can read a process's arguments,
//! but nobody else can read what was handed down to it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStringExt;

use workloads::bounded;

/// The environment variable that names the descriptor; its content is the words, each followed by a
/// zero byte.
const HANDED_DOWN: &str = "DYNO_ARGUMENTS_FD";
/// No command line is longer (Linux: a quarter of the stack, 2 MiB by default, 6 MiB at most).
const BYTES_MAX: u64 = 8 << 20;

/// All words, starting with the program's name.
pub fn read() -> io::Result<Vec<OsString>> {
    let Some(number) = env::var_os(HANDED_DOWN) else {
        return Ok(env::args_os().collect());
    };
    // Children of this process must not see those words.
    env::remove_var(HANDED_DOWN);
    let number = number.to_str().and_then(|text| text.parse().ok());
    let number = number.ok_or(io::ErrorKind::InvalidInput)?;
    let bytes = descriptor(number)?;
    let words = bytes.split(|&byte| byte == 0);
    let mut words: Vec<OsString> = words
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect();
    // Nothing follows the last zero byte.
    if words.last().is_some_and(|last| last == OsStr::new("")) {
        words.pop();
    }
    Ok(words)
}

/// Everything in a descriptor that was handed down to this process.
pub fn descriptor(number: RawFd) -> io::Result<Vec<u8>> {
    if number <= 2 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let file = File::open(format!("/proc/self/fd/{number}"))?;
    bounded::bytes(file, BYTES_MAX)
}
