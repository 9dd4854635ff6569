//! Files named by users: only regular ones, each up to a maximum size.
//!
//! A pipe would block, and a device never ends.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file for reading; anything else is an error that says so. Never blocks.
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::options()
        .read(true)
        .custom_flags(nix::libc::O_NONBLOCK)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it isn't a regular file",
        ));
    }
    Ok(file)
}

/// The whole content of a regular file of at most `bytes_max` bytes.
pub fn file(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    bytes(open(path)?, bytes_max)
}

/// The same as text, which must be UTF-8.
pub fn text(path: &Path, bytes_max: u64) -> io::Result<String> {
    utf8(file(path, bytes_max)?)
}

/// Everything from a stream of at most `bytes_max` bytes.
pub fn bytes(from: impl Read, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is longer than {} MiB", bytes_max >> 20),
        ));
    }
    Ok(bytes)
}

/// Bytes as text.
pub fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
