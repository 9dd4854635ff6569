//! Writes one command directly into the send buffer: nothing is built twice.

use wire::codec::command::{self, Execute};
use wire::{Encoding, Value};

/// A statement prepared on the current connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared {
    /// The server's number for it.
    pub id: u32,
    /// How many parameters it has.
    pub params: u16,
}

/// Room for one command. Whoever gets one writes one command with it, or drops it.
#[derive(Debug)]
pub struct Say<'a> {
    out: &'a mut Vec<u8>,
    prepared: &'a [Prepared],
    encoding: &'a mut Encoding,
}

impl<'a> Say<'a> {
    /// Writes to the end of `out`, and notes how the reply's rows will be encoded.
    pub fn new(
        out: &'a mut Vec<u8>,
        prepared: &'a [Prepared],
        encoding: &'a mut Encoding,
    ) -> Say<'a> {
        Say {
            out,
            prepared,
            encoding,
        }
    }

    /// SQL as text.
    pub fn query(self, sql: &[u8]) {
        self.query_with(|out| out.extend_from_slice(sql));
    }

    /// SQL as text, written in place.
    pub fn query_with(self, write: impl FnOnce(&mut Vec<u8>)) {
        *self.encoding = Encoding::Text;
        command::query_with(self.out, write);
    }

    /// SQL as text, if `write` has any.
    pub fn query_if(self, write: impl FnOnce(&mut Vec<u8>) -> bool) -> bool {
        let mut has_any = false;
        self.query_with(|out| has_any = write(out));
        has_any
    }

    /// A prepared statement, by its place in [`super::Script::prepared`]. All its parameters must
    /// follow, in order.
    pub fn execute(self, statement: usize) -> Params<'a> {
        *self.encoding = Encoding::Binary;
        let Prepared { id, params } = self.prepared[statement];
        Params {
            execute: Execute::begin(self.out, id, params),
        }
    }
}

/// The parameters of an execute command.
#[derive(Debug)]
#[must_use = "a command ends with done()"]
pub struct Params<'a> {
    execute: Execute<'a>,
}

impl Params<'_> {
    /// An integer.
    pub fn int(mut self, value: i64) -> Self {
        self.execute.bind(&Value::Int(value));
        self
    }

    /// Text, as bytes in the connection's character set.
    pub fn text(mut self, value: &[u8]) -> Self {
        self.execute.bind(&Value::Chars(value));
        self
    }

    /// Ends the command. Panics if parameters are missing.
    pub fn done(self) {
        self.execute.finish();
    }
}
