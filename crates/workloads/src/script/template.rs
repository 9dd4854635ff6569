//! SQL with holes: one definition of a statement, prepared or as text.
//!
//! Where it is prepared, each hole is a parameter. As text, the statement contains the
//! value itself.

use super::say::Say;

/// What goes into a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input<'a> {
    /// An integer.
    Int(i64),
    /// Text that needs no escaping.
    Text(&'a [u8]),
}

/// A statement with holes of type `H`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template<H> {
    /// Each text precedes its hole.
    pieces: Vec<(String, H)>,
    end: String,
}

impl<H: Copy + PartialEq> Template<H> {
    /// Texts, each with the hole behind it, and the text behind the last hole.
    pub fn new(pieces: Vec<(String, H)>, end: String) -> Template<H> {
        Template { pieces, end }
    }

    /// True if the statement needs this input.
    pub fn has(&self, hole: H) -> bool {
        self.holes().any(|other| other == hole)
    }

    /// The holes, in order.
    pub fn holes(&self) -> impl Iterator<Item = H> + '_ {
        self.pieces.iter().map(|&(_, hole)| hole)
    }

    /// The statement as it is prepared: what `written` has for a hole is no parameter.
    pub fn prepared(&self, written: impl Fn(H) -> Option<i64>) -> String {
        let mut sql = String::new();
        for (text, hole) in &self.pieces {
            sql.push_str(text);
            match written(*hole) {
                Some(value) => sql.push_str(itoa::Buffer::new().format(value)),
                None => sql.push('?'),
            }
        }
        sql + &self.end
    }

    /// Writes the statement with literals.
    fn write<'a>(&self, input: impl Fn(H) -> Input<'a>, out: &mut Vec<u8>) {
        for (text, hole) in &self.pieces {
            out.extend_from_slice(text.as_bytes());
            match input(*hole) {
                Input::Int(value) => {
                    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
                }
                Input::Text(text) => {
                    out.push(b'\'');
                    out.extend_from_slice(text);
                    out.push(b'\'');
                }
            }
        }
        out.extend_from_slice(self.end.as_bytes());
    }

    /// The statement with literals.
    pub fn text<'a>(&self, input: impl Fn(H) -> Input<'a>) -> String {
        let mut sql = Vec::new();
        self.write(input, &mut sql);
        String::from_utf8_lossy(&sql).into_owned()
    }

    /// Sends the statement: as the prepared one of this number, or as text. `is_written` says which
    /// holes are no parameters.
    pub fn say<'a>(
        &self,
        prepared: Option<usize>,
        is_written: impl Fn(H) -> bool,
        input: impl Fn(H) -> Input<'a>,
        say: Say<'_>,
    ) {
        let Some(number) = prepared else {
            say.query_with(|out| self.write(input, out));
            return;
        };
        let mut params = say.execute(number);
        for hole in self.holes().filter(|&hole| !is_written(hole)) {
            params = match input(hole) {
                Input::Int(value) => params.int(value),
                Input::Text(text) => params.text(text),
            };
        }
        params.done();
    }
}

/// A step of an op whose statements may be a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// BEGIN or COMMIT. Text even if the rest is prepared: sysbench prepares them where the server
    /// can (MariaDB), but MySQL can't (error 1295), and text works everywhere.
    Bracket(&'static [u8]),
    /// A statement by its place, from 0; the op is done where there is none.
    Statement(usize),
}

impl Part {
    /// What step `step` (from 0) of an op of `statements` statements is.
    pub fn at(step: usize, statements: usize, is_transaction: bool) -> Part {
        match step.checked_sub(usize::from(is_transaction)) {
            None => Part::Bracket(b"BEGIN"),
            Some(nth) if is_transaction && nth == statements => Part::Bracket(b"COMMIT"),
            Some(nth) => Part::Statement(nth),
        }
    }
}
