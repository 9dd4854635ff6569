//! SQL, put together piece by piece.

/// Appends pieces of SQL to a message: text and integers.
macro_rules! sql {
    ($out:expr, $($piece:expr),+ $(,)?) => {{
        $($crate::linkbench::request::sql::Piece::put($piece, $out);)+
    }};
}
pub(super) use sql;

/// A piece of SQL. Formatting takes a good part of a request's time, so it is kept plain.
pub trait Piece {
    /// Appends it.
    fn put(self, out: &mut Vec<u8>);
}

impl Piece for &str {
    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
}

impl Piece for u64 {
    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(itoa::Buffer::new().format(self).as_bytes());
    }
}

/// Appends data as an SQL string; the connection's character set is latin1.
pub fn quoted(data: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for &byte in data {
        match byte {
            b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0 => out.extend_from_slice(b"\\0"),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
}
