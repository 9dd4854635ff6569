//! The SQL of --auto-generate-sql: one table `t1`, rows to fill it, and statements on it.
//!
//! The shape is mysqlslap's; the constants are drawn from a seed, so runs with one seed have the
//! same.

use load::{Purpose, Stream};
use serde::{Deserialize, Serialize};

/// Characters of a string.
const STRING_CHARS: usize = 126;
/// What strings are made of: mysqlslap's 60, without the capitals U and V.
const LETTERS: &[u8; 60] = b"0123456789ABCDEFGHIJKLMNOPQRSTWXYZabcdefghijklmnopqrstuvwxyz";
/// A statement, in which a key may have to be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// SQL up to the key.
    pub sql: Vec<u8>,
    /// True if a key follows.
    pub by_key: bool,
}

impl Statement {
    /// SQL without a key.
    pub fn plain(sql: impl Into<Vec<u8>>) -> Statement {
        Statement {
            sql: sql.into(),
            by_key: false,
        }
    }

    /// Writes it with its key.
    pub fn write(&self, out: &mut Vec<u8>, key: &[u8]) {
        out.extend_from_slice(&self.sql);
        if self.by_key {
            out.extend_from_slice(b" WHERE id =  '");
            out.extend_from_slice(key);
            out.push(b'\'');
        }
    }

    /// As it is prepared on a server.
    pub fn to_prepare(&self) -> Vec<u8> {
        let mut sql = self.sql.clone();
        if self.by_key {
            sql.extend_from_slice(b" WHERE id =  ?");
        }
        sql
    }
}

/// What statements do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadType {
    /// Reads and writes in turn.
    #[default]
    Mixed,
    /// Reads all rows.
    Read,
    /// Reads a row by its key.
    Key,
    /// Adds a row.
    Write,
    /// Changes a row by its key or, without one, all rows.
    Update,
}

impl LoadType {
    /// Only the first letter counts, and any other means mixed.
    pub fn named(name: &str) -> LoadType {
        match name.as_bytes().first() {
            Some(b'r') => LoadType::Read,
            Some(b'k') => LoadType::Key,
            Some(b'w') => LoadType::Write,
            Some(b'u') => LoadType::Update,
            _ => LoadType::Mixed,
        }
    }
}

/// The table's first column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Primary {
    /// There is none.
    #[default]
    None,
    /// Counted by the server.
    AutoIncrement,
    /// Made by uuid().
    Guid,
}

/// Columns of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// How many.
    pub count: usize,
    /// True if each has an index.
    pub indexed: bool,
}

impl Default for Columns {
    fn default() -> Columns {
        Columns {
            count: 1,
            indexed: false,
        }
    }
}

/// What is to be generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generate {
    /// The table's first column.
    pub primary: Primary,
    /// Columns with a unique index, filled by uuid().
    pub secondary: usize,
    /// Integers.
    pub ints: Columns,
    /// Strings.
    pub chars: Columns,
    /// What statements do.
    pub load_type: LoadType,
    /// One fewer than there are statements to run.
    pub unique_queries: usize,
    /// Rows that are not alike in the fill.
    pub unique_writes: usize,
    /// Statements that make and fill the table.
    pub writes: usize,
}

impl Generate {
    /// Statements that make the table and fill it, and those that are run, under a seed.
    pub fn statements(&self, seed: u64) -> (Vec<Statement>, Vec<Statement>) {
        let mut draws = Purpose::new(seed, "slap").stream(0);
        let rows: Vec<Statement> = (0..self.unique_writes)
            .map(|_| Statement::plain(self.insert(&mut draws)))
            .collect();
        let mut create = vec![Statement::plain(self.create_table())];
        create.extend(
            rows.iter()
                .cycle()
                .take(self.writes.saturating_sub(1))
                .cloned(),
        );
        create.truncate(self.writes);
        let run = (0..=self.unique_queries).map(|nth| self.statement(nth, &mut draws));
        (create, run.collect())
    }

    fn statement(&self, nth: usize, draws: &mut Stream) -> Statement {
        let has_key = self.primary != Primary::None;
        match self.load_type {
            LoadType::Read => Statement::plain(self.select()),
            LoadType::Write => Statement::plain(self.insert(draws)),
            LoadType::Mixed if nth % 2 == 0 => Statement::plain(self.insert(draws)),
            LoadType::Key | LoadType::Mixed => Statement {
                sql: self.select(),
                by_key: has_key,
            },
            LoadType::Update => Statement {
                sql: self.update(draws),
                by_key: has_key,
            },
        }
    }

    /// CREATE TABLE, behind which the engine is put.
    pub fn create_table(&self) -> Vec<u8> {
        let id = match self.primary {
            Primary::None => None,
            Primary::AutoIncrement => Some("id serial".to_owned()),
            Primary::Guid => Some("id varchar(36) primary key".to_owned()),
        };
        let secondary = (0..self.secondary).map(|n| format!("id{n} varchar(36) unique key"));
        // The blanks are where mysqlslap has them.
        let ints = names("intcol", self.ints).map(|name| match self.ints.indexed {
            true => format!("{name} INT(32), INDEX({name})"),
            false => format!("{name} INT(32) "),
        });
        let chars = names("charcol", self.chars).map(|name| match self.chars.indexed {
            true => format!("{name} VARCHAR(128), INDEX({name}) "),
            false => format!("{name} VARCHAR(128)"),
        });
        let columns = id.into_iter().chain(secondary).chain(ints).chain(chars);
        let columns: Vec<String> = columns.collect();
        format!("CREATE TABLE `t1` ({})", columns.join(",")).into_bytes()
    }

    fn insert(&self, draws: &mut Stream) -> Vec<u8> {
        let mut values: Vec<String> = Vec::new();
        match self.primary {
            Primary::None => {}
            Primary::AutoIncrement => values.push("NULL".to_owned()),
            Primary::Guid => values.push("uuid()".to_owned()),
        }
        values.extend((0..self.secondary).map(|_| "uuid()".to_owned()));
        values.extend((0..self.ints.count).map(|_| int(draws)));
        values.extend((0..self.chars.count).map(|_| string(draws)));
        format!("INSERT INTO t1 VALUES ({})", values.join(",")).into_bytes()
    }

    fn select(&self) -> Vec<u8> {
        let columns: Vec<String> = self.columns().collect();
        format!("SELECT {} FROM t1", columns.join(",")).into_bytes()
    }

    fn update(&self, draws: &mut Stream) -> Vec<u8> {
        let ints = names("intcol", self.ints).map(|name| (name, true));
        let chars = names("charcol", self.chars).map(|name| (name, false));
        let set: Vec<String> = ints
            .chain(chars)
            .map(|(name, is_int)| match is_int {
                true => format!("{name} = {}", int(draws)),
                false => format!("{name} = {}", string(draws)),
            })
            .collect();
        format!("UPDATE t1 SET {}", set.join(",")).into_bytes()
    }

    fn columns(&self) -> impl Iterator<Item = String> {
        names("intcol", self.ints).chain(names("charcol", self.chars))
    }
}

fn names(prefix: &str, columns: Columns) -> impl Iterator<Item = String> {
    let prefix = prefix.to_owned();
    (1..=columns.count).map(move |n| format!("{prefix}{n}"))
}

/// An integer, as SQL.
pub(super) fn int(draws: &mut Stream) -> String {
    draws.below(1 << 31).to_string()
}

fn string(draws: &mut Stream) -> String {
    format!("'{}'", letters(draws))
}

/// What is between the quotes of a string.
pub(super) fn letters(draws: &mut Stream) -> String {
    let letter = |_| char::from(LETTERS[draws.below(LETTERS.len() as u64) as usize]);
    (0..STRING_CHARS).map(letter).collect()
}

#[cfg(test)]
#[path = "generate_tests.rs"]
mod tests;
