//! One row, value by value, in either layout.

use super::table::Layout;

/// A row being written.
#[derive(Debug)]
pub struct Row<'a> {
    layout: Layout,
    out: &'a mut Vec<u8>,
    is_first: bool,
}

impl<'a> Row<'a> {
    /// Starts a row at the end of `out`.
    pub fn begin(layout: Layout, out: &'a mut Vec<u8>) -> Row<'a> {
        if layout == Layout::Values {
            out.push(b'(');
        }
        Row {
            layout,
            out,
            is_first: true,
        }
    }

    /// A value whose text `write` appends.
    pub fn text(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.separate();
        if self.layout == Layout::Values {
            self.out.push(b'\'');
        }
        write(self.out);
        if self.layout == Layout::Values {
            self.out.push(b'\'');
        }
    }

    /// Bytes of any kind, for a column of the character set latin1.
    pub fn bytes(&mut self, value: &[u8]) {
        self.separate();
        match self.layout {
            Layout::Lines => escape(value, self.out),
            // Independent of the connection's character set.
            Layout::Values if value.is_empty() => self.out.extend_from_slice(b"''"),
            Layout::Values => hexadecimal(value, self.out),
        }
    }

    /// An integer.
    pub fn int(&mut self, value: impl itoa::Integer) {
        self.separate();
        self.out
            .extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    }

    /// NULL.
    pub fn null(&mut self) {
        self.separate();
        self.out.extend_from_slice(match self.layout {
            Layout::Lines => b"\\N",
            Layout::Values => b"NULL",
        });
    }

    /// A value that may be missing.
    pub fn maybe<T>(&mut self, value: Option<T>, write: impl FnOnce(T, &mut Vec<u8>)) {
        match value {
            Some(value) => self.text(|out| write(value, out)),
            None => self.null(),
        }
    }

    /// Ends the row.
    pub fn end(self) {
        self.out.extend_from_slice(match self.layout {
            Layout::Lines => b"\n",
            Layout::Values => b"),",
        });
    }

    fn separate(&mut self) {
        if self.is_first {
            self.is_first = false;
            return;
        }
        self.out.push(match self.layout {
            Layout::Lines => b'\t',
            Layout::Values => b',',
        });
    }
}

fn escape(value: &[u8], out: &mut Vec<u8>) {
    for &byte in value {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            0 => out.extend_from_slice(b"\\0"),
            _ => out.push(byte),
        }
    }
}

fn hexadecimal(value: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(b"x'");
    for &byte in value {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
    out.push(b'\'');
}
