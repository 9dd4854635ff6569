//! Reads the rows of an answer of several result sets, each row with the number of its set.

use std::str::FromStr;

use wire::{Column, Row, Rows};

/// Passes rows to `hear`, if they are wanted.
pub struct Ear<'a, F> {
    hears: bool,
    sets: &'a mut usize,
    hear: F,
}

impl<'a, F: FnMut(usize, Row<'_>)> Ear<'a, F> {
    /// `sets` counts the result sets begun, over all parts of one answer.
    pub fn new(hears: bool, sets: &'a mut usize, hear: F) -> Ear<'a, F> {
        Ear { hears, sets, hear }
    }
}

impl<F: FnMut(usize, Row<'_>)> Rows for Ear<'_, F> {
    fn columns(&mut self, _columns: &[Column]) {
        *self.sets += 1;
    }

    fn row(&mut self, row: Row<'_>) {
        (self.hear)(*self.sets - 1, row);
    }

    fn wants_rows(&self) -> bool {
        self.hears
    }
}

/// A column as an integer; `None` for NULL and for anything else.
pub(crate) fn int<T: FromStr>(row: Row<'_>, column: usize) -> Option<T> {
    std::str::from_utf8(row.get(column)?).ok()?.parse().ok()
}
