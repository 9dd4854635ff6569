//! Commands, encoded and framed with sequence number 0. Each appends one command to `out`.

use super::bytes::put_lenenc_bytes;
use super::frame::{begin, finish, HEADER};
use super::ColumnType;
use crate::error::Error;
use crate::value::{DateTime, Time, Value};

const QUIT: u8 = 0x01;
const INIT_DB: u8 = 0x02;
const QUERY: u8 = 0x03;
const PING: u8 = 0x0E;
const STMT_PREPARE: u8 = 0x16;
const STMT_EXECUTE: u8 = 0x17;
const STMT_CLOSE: u8 = 0x19;
const STMT_RESET: u8 = 0x1A;
const RESET_CONNECTION: u8 = 0x1F;

fn put(out: &mut Vec<u8>, command: u8, body: &[u8]) {
    let start = begin(out);
    out.push(command);
    out.extend_from_slice(body);
    finish(out, start, 0);
}

/// SQL as text.
pub fn query(out: &mut Vec<u8>, sql: &[u8]) {
    put(out, QUERY, sql);
}

/// SQL as text, written in place.
pub fn query_with(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = begin(out);
    out.push(QUERY);
    write(out);
    finish(out, start, 0);
}

/// Ends the session; there is no reply.
pub fn quit(out: &mut Vec<u8>) {
    put(out, QUIT, &[]);
}

/// Asks for an OK.
pub fn ping(out: &mut Vec<u8>) {
    put(out, PING, &[]);
}

/// Changes the default schema.
pub fn init_db(out: &mut Vec<u8>, name: &[u8]) {
    put(out, INIT_DB, name);
}

/// Restores the session's initial state.
pub fn reset_connection(out: &mut Vec<u8>) {
    put(out, RESET_CONNECTION, &[]);
}

/// Prepares a statement.
pub fn prepare(out: &mut Vec<u8>, sql: &[u8]) {
    put(out, STMT_PREPARE, sql);
}

/// Frees a statement; there is no reply.
pub fn close(out: &mut Vec<u8>, statement: u32) {
    put(out, STMT_CLOSE, &statement.to_le_bytes());
}

/// Resets a statement.
pub fn reset_statement(out: &mut Vec<u8>, statement: u32) {
    put(out, STMT_RESET, &statement.to_le_bytes());
}

/// Executes a statement without a cursor, with the types of its parameters.
pub fn execute(out: &mut Vec<u8>, statement: u32, params: &[Value<'_>]) -> Result<(), Error> {
    let count = u16::try_from(params.len()).map_err(|_| Error::Usage {
        what: format!("{} parameters, 65535 at most", params.len()),
    })?;
    let mut execute = Execute::begin(out, statement, count);
    params.iter().for_each(|param| execute.bind(param));
    execute.finish();
    Ok(())
}

/// The statement that a command executes; `None` for any other command.
pub fn executed(command: &[u8]) -> Option<u32> {
    match command.get(HEADER..HEADER + 5)? {
        [STMT_EXECUTE, id @ ..] => id.try_into().ok().map(u32::from_le_bytes),
        _ => None,
    }
}

/// An execute command that is written value by value, directly into the send buffer.
#[derive(Debug)]
pub struct Execute<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    params: usize,
    bound: usize,
}

/// Bytes before the parameters: header, command, statement, flags, iteration count.
pub(super) const EXECUTE_HEAD: usize = HEADER + 10;
/// The type of a value that is NULL.
pub(super) const NULL_KIND: u8 = ColumnType::NULL.0;

impl<'a> Execute<'a> {
    /// Begins the command; `params` values must be bound.
    pub fn begin(out: &'a mut Vec<u8>, statement: u32, params: u16) -> Execute<'a> {
        let start = begin(out);
        let params = usize::from(params);
        out.push(STMT_EXECUTE);
        out.extend_from_slice(&statement.to_le_bytes());
        // No cursor; the iteration count is always 1.
        out.extend_from_slice(&[0, 1, 0, 0, 0]);
        if params > 0 {
            let bitmap = params.div_ceil(8);
            // The types come before the values, so room for them is left here and filled by `bind`.
            out.resize(out.len() + bitmap + 1 + 2 * params, 0);
            out[start + EXECUTE_HEAD + bitmap] = 1;
        }
        Execute {
            out,
            start,
            params,
            bound: 0,
        }
    }

    /// Binds the next parameter. Panics if there are more values than were announced.
    #[inline]
    pub fn bind(&mut self, value: &Value<'_>) {
        assert!(self.bound < self.params, "{} parameters only", self.params);
        let bitmap = self.start + EXECUTE_HEAD;
        let (kind, unsigned) = kind_of(value);
        if kind == ColumnType::NULL {
            self.out[bitmap + self.bound / 8] |= 1 << (self.bound % 8);
        }
        let kind_at = bitmap + self.params.div_ceil(8) + 1 + 2 * self.bound;
        self.out[kind_at] = kind.0;
        self.out[kind_at + 1] = if unsigned { 0x80 } else { 0 };
        put_value(self.out, value);
        self.bound += 1;
    }

    /// Ends the command. Panics if values are missing: the server would wait for them.
    pub fn finish(self) {
        assert!(self.bound == self.params, "a parameter is missing");
        finish(self.out, self.start, 0);
    }
}

/// The type a value is sent as, and whether it is unsigned.
fn kind_of(value: &Value<'_>) -> (ColumnType, bool) {
    match value {
        Value::Null => (ColumnType::NULL, false),
        Value::Int(_) => (ColumnType::LONGLONG, false),
        Value::UInt(_) => (ColumnType::LONGLONG, true),
        Value::Float(_) => (ColumnType::FLOAT, false),
        Value::Double(_) => (ColumnType::DOUBLE, false),
        Value::Text(_) | Value::Chars(_) => (ColumnType::VAR_STRING, false),
        Value::Bytes(_) => (ColumnType::BLOB, false),
        Value::DateTime(_) => (ColumnType::DATETIME, false),
        Value::Time(_) => (ColumnType::TIME, false),
    }
}

/// Appends a value in the binary encoding; nothing for NULL.
pub fn put_value(out: &mut Vec<u8>, value: &Value<'_>) {
    match *value {
        Value::Null => {}
        Value::Int(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::UInt(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Float(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Double(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Text(text) => put_lenenc_bytes(out, text.as_bytes()),
        Value::Bytes(bytes) | Value::Chars(bytes) => put_lenenc_bytes(out, bytes),
        Value::DateTime(when) => put_datetime(out, when),
        Value::Time(time) => put_time(out, time),
    }
}

fn put_datetime(out: &mut Vec<u8>, when: DateTime) {
    let DateTime {
        year,
        month,
        day,
        hour,
        minute,
        second,
        micros,
    } = when;
    let [low, high] = year.to_le_bytes();
    out.extend_from_slice(&[11, low, high, month, day, hour, minute, second]);
    out.extend_from_slice(&micros.to_le_bytes());
}

fn put_time(out: &mut Vec<u8>, time: Time) {
    let Time {
        negative,
        days,
        hours,
        minutes,
        seconds,
        micros,
    } = time;
    out.extend_from_slice(&[12, u8::from(negative)]);
    out.extend_from_slice(&days.to_le_bytes());
    out.extend_from_slice(&[hours, minutes, seconds]);
    out.extend_from_slice(&micros.to_le_bytes());
}
