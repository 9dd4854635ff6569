//! Rows of a real log: from a file as LOAD DATA reads it, tab-separated and with `\N` for NULL.
//!
//! The file stays where it is; only the start of each row is kept in memory, 8 bytes per row. After
//! the last row the first one follows again, with a new id.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::bounded;
use crate::fill::{Layout, Source};

/// Number of values in a row.
const COLUMNS: usize = 12;

/// Larger than any row: its columns take a few kB.
const LINE_BYTES: u64 = 1 << 20;

/// A file of rows.
#[derive(Debug)]
pub struct FileRows {
    file: File,
    /// Where each row starts, and where the last one ends.
    starts: Vec<u64>,
}

impl FileRows {
    /// Scans the file. An error names the line and what is wrong with it.
    pub fn open(path: &Path) -> io::Result<FileRows> {
        let mut reader = BufReader::with_capacity(1 << 20, bounded::open(path)?);
        let (mut starts, mut line) = (vec![0], Vec::new());
        let mut end = 0;
        loop {
            line.clear();
            let length = (&mut reader)
                .take(LINE_BYTES)
                .read_until(b'\n', &mut line)?;
            if length == 0 {
                break;
            }
            if length as u64 == LINE_BYTES {
                let message = format!("line {}: it is longer than any row", starts.len());
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if let Some(wrong) = wrong(&line) {
                let message = format!("line {}: {wrong}", starts.len());
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            end += length as u64;
            starts.push(end);
        }
        if starts.len() < 2 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it has no rows"));
        }
        Ok(FileRows {
            file: reader.into_inner(),
            starts,
        })
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.starts.len() as u64 - 1
    }

    fn read(&self, row: u64) -> io::Result<Vec<u8>> {
        let place = (row % self.rows()) as usize;
        let (start, end) = (self.starts[place], self.starts[place + 1]);
        let mut line = vec![0; (end - start) as usize];
        self.file.read_exact_at(&mut line, start)?;
        Ok(line)
    }
}

/// Why a line isn't a row; `None` if it is one. Nothing in it may need escaping.
fn wrong(line: &[u8]) -> Option<&'static str> {
    let Some(row) = line.strip_suffix(b"\n") else {
        return Some("it doesn't end with a line end");
    };
    let mut values = row.split(|&byte| byte == b'\t');
    if values.clone().count() != COLUMNS {
        return Some("it doesn't have 12 values");
    }
    let plain = |byte: &u8| (b' '..=b'~').contains(byte) && !b"'\"\\".contains(byte);
    let is_plain = |value: &[u8]| value == b"\\N" || value.iter().all(plain);
    if values.all(is_plain) {
        None
    } else {
        Some("a value holds more than plain text without quotes")
    }
}

impl Source for FileRows {
    /// A row that can't be read any more is left out; the phase `load` then finds it missing when
    /// it counts the server's rows.
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        let Ok(line) = self.read(index) else {
            return;
        };
        let row = line.strip_suffix(b"\n").unwrap_or(&line);
        let mut values = row.split(|&byte| byte == b'\t');
        values.next();
        let mut digits = itoa::Buffer::new();
        let id = digits.format(index + 1).as_bytes();
        match layout {
            Layout::Lines => {
                out.extend_from_slice(id);
                for value in values {
                    out.push(b'\t');
                    out.extend_from_slice(value);
                }
                out.push(b'\n');
            }
            Layout::Values => {
                out.push(b'(');
                out.extend_from_slice(id);
                for value in values {
                    quoted(value, out);
                }
                out.extend_from_slice(b"),");
            }
        }
    }
}

fn quoted(value: &[u8], out: &mut Vec<u8>) {
    if value == b"\\N" {
        out.extend_from_slice(b",NULL");
        return;
    }
    out.extend_from_slice(b",'");
    out.extend_from_slice(value);
    out.push(b'\'');
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    fn row(rows: &FileRows, index: u64, layout: Layout) -> String {
        let mut out = Vec::new();
        rows.write(index, layout, &mut out);
        String::from_utf8(out).unwrap()
    }

    const TWO: &str = "1\tGET\t7\tHTTP/1.1\t/\t\\N\th\tc\t\\N\tu\t\\N\t2004-09-01 00:00:00\n\
                       2\tPOST\t\\N\tHTTP/1.0\t/a\tb=c\th\tc\tr\t\\N\t5\t2004-09-01 00:00:01\n";

    #[test]
    fn rows_are_those_of_the_file_and_go_round() {
        let file = file(TWO);
        let rows = FileRows::open(file.path()).unwrap();
        assert_eq!(rows.rows(), 2);
        let lines: Vec<&str> = TWO.split_inclusive('\n').collect();
        assert_eq!(row(&rows, 0, Layout::Lines), lines[0]);
        assert_eq!(row(&rows, 1, Layout::Lines), lines[1]);
        let again = lines[0].replacen('1', "3", 1);
        assert_eq!(row(&rows, 2, Layout::Lines), again);
        assert_eq!(
            row(&rows, 1, Layout::Values),
            "(2,'POST',NULL,'HTTP/1.0','/a','b=c','h','c','r',NULL,'5','2004-09-01 00:00:01'),"
        );
    }

    #[test]
    fn what_is_no_row_is_named_by_its_line() {
        let second = TWO.split_inclusive('\n').nth(1).unwrap();
        for (text, says) in [
            (String::new(), "it has no rows"),
            (
                format!("{TWO}3\tGET\n"),
                "line 3: it doesn't have 12 values",
            ),
            (
                second.trim_end().to_owned(),
                "line 1: it doesn't end with a line end",
            ),
            (
                second.replace("/a", "/'"),
                "line 1: a value holds more than plain text",
            ),
        ] {
            let error = FileRows::open(file(&text).path()).unwrap_err();
            assert!(error.to_string().starts_with(says), "{error}");
        }
    }
}
