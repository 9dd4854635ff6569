//! SQL with holes: one definition of a statement, prepared or as text.
//!
//! Where it is prepared, each hole is a parameter. As text, the statement contains the
//! value itself.

use super::say::Params;

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
    pub fn write<'a>(&self, input: impl Fn(H) -> Input<'a>, out: &mut Vec<u8>) {
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
}

impl Params<'_> {
    /// The input of a hole.
    pub fn input(self, input: Input<'_>) -> Self {
        match input {
            Input::Int(value) => self.int(value),
            Input::Text(text) => self.text(text),
        }
    }
}
