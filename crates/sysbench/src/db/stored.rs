//! The result sets of a query, kept as text until the next one. All buffers are reused.

use wire::{Column, Row, Rows, Value};

use super::typed;

/// Where a value is in the stored bytes; `len` is -1 for NULL.
#[derive(Debug, Clone, Copy)]
struct Cell {
    start: usize,
    len: i64,
}

/// A value as Lua sees it: where its bytes are, as a number, so that a state may change threads.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Text {
    pub text: usize,
    pub len: i64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Set {
    fields: usize,
    rows: usize,
    first_cell: usize,
}

/// Result sets, one after another, and how far they have been read.
#[derive(Debug, Default)]
pub struct Stored {
    bytes: Vec<u8>,
    cells: Vec<Cell>,
    sets: Vec<Set>,
    set: usize,
    row: usize,
    /// The row shown last.
    shown: Vec<Text>,
}

impl Stored {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.cells.clear();
        self.sets.clear();
        (self.set, self.row) = (0, 0);
    }

    fn at_hand(&self) -> Set {
        self.sets.get(self.set).copied().unwrap_or_default()
    }

    /// Rows of the current result set.
    pub fn rows(&self) -> usize {
        self.at_hand().rows
    }

    /// Columns of the current result set.
    pub fn fields(&self) -> usize {
        self.at_hand().fields
    }

    /// True if another result set follows.
    pub fn has_more(&self) -> bool {
        self.set + 1 < self.sets.len()
    }

    /// Moves on to the next result set; false if there is none.
    pub fn next_set(&mut self) -> bool {
        self.row = 0;
        self.set += 1;
        self.set < self.sets.len()
    }

    /// The next row; it stays in place until the next call. `None` after the last.
    pub fn next_row(&mut self) -> Option<&[Text]> {
        let set = self.at_hand();
        if self.row >= set.rows {
            return None;
        }
        let first = set.first_cell + self.row * set.fields;
        self.row += 1;
        self.shown.clear();
        for cell in &self.cells[first..first + set.fields] {
            self.shown.push(Text {
                text: self.bytes[cell.start..].as_ptr() as usize,
                len: cell.len,
            });
        }
        Some(&self.shown)
    }
}

impl Rows for Stored {
    fn columns(&mut self, columns: &[Column]) {
        self.sets.push(Set {
            fields: columns.len(),
            rows: 0,
            first_cell: self.cells.len(),
        });
    }

    fn row(&mut self, row: Row<'_>) {
        for (column, value) in row.columns().iter().zip(row.values()) {
            let start = self.bytes.len();
            let len = match value {
                Value::Null => -1,
                value => {
                    typed::write(&mut self.bytes, column, &value);
                    (self.bytes.len() - start) as i64
                }
            };
            self.cells.push(Cell { start, len });
        }
        if let Some(set) = self.sets.last_mut() {
            set.rows += 1;
        }
    }
}
