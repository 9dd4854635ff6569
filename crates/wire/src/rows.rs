//! How results reach a caller: a sink that is shown each row in place, in the read buffer.
//!
//! Nothing is materialised; a caller that wants to keep a value copies it.

use crate::codec::{self, Cell, Column};
use crate::value::Value;

/// Takes the rows of a reply as they come.
pub trait Rows {
    /// A result set begins. Called once for each, before its rows.
    fn columns(&mut self, columns: &[Column]) {
        let _ = columns;
    }

    /// One row of the result set begun last.
    fn row(&mut self, row: Row<'_>);

    /// False if rows need only be counted: then they aren't even parsed, and neither
    /// [`Rows::columns`] nor [`Rows::row`] is called.
    fn wants_rows(&self) -> bool {
        true
    }
}

/// Keeps nothing: rows and bytes are counted in [`Done`], and that is all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Discard;

impl Rows for Discard {
    fn row(&mut self, _row: Row<'_>) {}

    fn wants_rows(&self) -> bool {
        false
    }
}

/// Any closure over a row is a sink.
impl<F: FnMut(Row<'_>)> Rows for F {
    fn row(&mut self, row: Row<'_>) {
        self(row);
    }
}

/// How the values of a row are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Reply to a query: every value is text.
    Text,
    /// Reply to a prepared statement: values are typed.
    Binary,
}

/// One row, valid until the sink returns. Checked before the sink sees it, so reading can't fail.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    pub(crate) packet: &'a [u8],
    pub(crate) cells: &'a [Cell],
    pub(crate) columns: &'a [Column],
    pub(crate) encoding: Encoding,
}

impl<'a> Row<'a> {
    /// Number of columns.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True for a row without columns, which no server sends.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The bytes of a column as received (text, or the binary encoding without its length). `None`
    /// for NULL and for a column that doesn't exist.
    pub fn get(&self, column: usize) -> Option<&'a [u8]> {
        self.cells.get(column)?.slice(self.packet)
    }

    /// Every column's bytes in order, NULL as `None`.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&'a [u8]>> + 'a {
        let packet = self.packet;
        self.cells.iter().map(move |cell| cell.slice(packet))
    }

    /// A column as a typed value. In a text row everything but NULL is [`Value::Bytes`]; a column
    /// that doesn't exist is NULL.
    pub fn value(&self, column: usize) -> Value<'a> {
        match (self.get(column), self.encoding, self.columns.get(column)) {
            (Some(bytes), Encoding::Binary, Some(column)) => codec::value(column, bytes),
            (Some(bytes), _, _) => Value::Bytes(bytes),
            (None, _, _) => Value::Null,
        }
    }

    /// Every column as a typed value, in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Value<'a>> + '_ {
        (0..self.len()).map(|column| self.value(column))
    }

    /// The columns of the result set.
    pub fn columns(&self) -> &'a [Column] {
        self.columns
    }

    /// Whether the values are text or typed.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Size of the row on the wire, without packet headers.
    pub fn size_bytes(&self) -> usize {
        self.packet.len()
    }
}

/// The result of a command, over all its result sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Rows changed, summed over all results.
    pub affected_rows: u64,
    /// The last AUTO_INCREMENT value that was generated; 0 if none.
    pub last_insert_id: u64,
    /// Warnings, summed over all results.
    pub warnings: u64,
    /// Rows received.
    pub rows: u64,
    /// Bytes of row data received, without packet headers.
    pub bytes: u64,
    /// Results that had rows or could have had (a column list); a plain OK isn't counted.
    pub result_sets: u32,
    /// The server's status flags at the end (see [`crate::codec::status`]).
    pub status: u16,
}
