//! The command line, which may come on a file descriptor: everybody may read a process' arguments,
//! and nobody else what was handed down to it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStringExt;

use workloads::bounded;

/// The environment variable that names the descriptor; its content is the words, a zero byte
/// behind each.
const HANDED_DOWN: &str = "DYNO_ARGUMENTS_FD";
/// No command line is longer (Linux: a quarter of the stack, 2 MiB by default, 6 MiB at most).
const BYTES_MAX: u64 = 8 << 20;

/// All words, the program's name first.
pub fn read() -> io::Result<Vec<OsString>> {
    let Some(number) = env::var_os(HANDED_DOWN) else {
        return Ok(env::args_os().collect());
    };
    // Children of this process are none of those words' business.
    env::remove_var(HANDED_DOWN);
    let number = number.to_str().and_then(|text| text.parse().ok());
    let number = number.ok_or(io::ErrorKind::InvalidInput)?;
    let bytes = descriptor(number)?;
    let words = bytes.split(|&byte| byte == 0);
    let mut words: Vec<OsString> = words
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect();
    // Behind the last zero byte there is nothing.
    if words.last().is_some_and(|last| last == OsStr::new("")) {
        words.pop();
    }
    Ok(words)
}

/// All that a descriptor handed down to this process has to say.
pub fn descriptor(number: RawFd) -> io::Result<Vec<u8>> {
    if number <= 2 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let file = File::open(format!("/proc/self/fd/{number}"))?;
    bounded::bytes(file, BYTES_MAX)
}
