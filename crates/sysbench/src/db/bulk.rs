//! Rows gathered into INSERT statements of half a mebibyte.

/// A statement never gets longer than this.
const BYTES_MAX: usize = 512 * 1024;

/// The current statement.
#[derive(Debug)]
pub struct Bulk {
    prefix: usize,
    sql: Vec<u8>,
}

/// What happened to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It was taken.
    Taken,
    /// The statement must be sent first.
    Full,
    /// It doesn't fit into any statement.
    Never,
}

impl Bulk {
    /// Starts a statement with this beginning of an INSERT, to which rows are added.
    pub fn new(prefix: &[u8]) -> Bulk {
        let mut sql = Vec::with_capacity(BYTES_MAX);
        sql.extend_from_slice(prefix);
        Bulk {
            prefix: sql.len(),
            sql,
        }
    }

    /// The message about a row that doesn't fit into any statement.
    pub fn too_long() -> String {
        format!("Query length exceeds the maximum value ({BYTES_MAX}), aborting")
    }

    /// True while no row has been taken.
    pub fn is_empty(&self) -> bool {
        self.sql.len() == self.prefix
    }

    /// Takes a row, if it fits.
    pub fn take(&mut self, row: &[u8]) -> Fit {
        let comma = usize::from(!self.is_empty());
        if self.sql.len() + comma + row.len() >= BYTES_MAX {
            return if self.is_empty() {
                Fit::Never
            } else {
                Fit::Full
            };
        }
        if comma == 1 {
            self.sql.push(b',');
        }
        self.sql.extend_from_slice(row);
        Fit::Taken
    }

    /// The statement so far.
    pub fn sql(&self) -> &[u8] {
        &self.sql
    }

    /// The rows have been sent.
    pub fn sent(&mut self) {
        self.sql.truncate(self.prefix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_joined_until_the_statement_is_full() {
        let mut bulk = Bulk::new(b"INSERT INTO t VALUES");
        assert!(bulk.is_empty());
        assert_eq!(bulk.take(b"(1)"), Fit::Taken);
        assert_eq!(bulk.take(b"(2)"), Fit::Taken);
        assert_eq!(bulk.sql(), b"INSERT INTO t VALUES(1),(2)");
        let long = vec![b'x'; BYTES_MAX - 20];
        assert_eq!(bulk.take(&long), Fit::Full);
        bulk.sent();
        assert_eq!(bulk.take(&long), Fit::Never);
        assert_eq!(bulk.take(&long[..BYTES_MAX - 21]), Fit::Taken);
    }
}
