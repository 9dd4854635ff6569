//! The reply to a query or to an executed statement, as a state machine over payloads.
//!
//! A reply is one result after another, each an OK, an error, or columns and rows; a flag says
//! whether another follows. The machine keeps its buffers from reply to reply.

use super::described::Described;
use super::packet::{self, EOF, ERR, OK};
use super::{index_binary, index_text, status, Cell, Column, Reader};
use crate::error::Error;
use crate::rows::{Done, Encoding, Row, Rows};

/// First byte of the server's request for the rows of LOAD DATA LOCAL.
const LOCAL_INFILE: u8 = 0xFB;
/// More columns than any server sends; keeps a wrong count from growing the buffers.
const COLUMNS_MAX: u64 = 65_535;

/// What to do after a payload was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Feed the next payload.
    More,
    /// The server waits for the rows of LOAD DATA LOCAL: send them, then an empty packet, then keep
    /// feeding. An empty packet alone refuses.
    LocalInfile,
    /// The reply is complete; see [`Reply::done`].
    Finished,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    Columns { left: usize },
    ColumnsEof,
    Rows,
    Finished,
}

/// The machine. Call [`Reply::start`] when a command was sent, then feed [`Reply::payload`].
#[derive(Debug)]
pub struct Reply {
    state: State,
    encoding: Encoding,
    deprecate_eof: bool,
    described: Described,
    cells: Vec<Cell>,
    done: Done,
    info: String,
}

impl Reply {
    /// A machine for a connection that did or did not agree on `CLIENT_DEPRECATE_EOF`.
    pub fn new(deprecate_eof: bool) -> Reply {
        Reply {
            state: State::Finished,
            encoding: Encoding::Text,
            deprecate_eof,
            described: Described::default(),
            cells: Vec::new(),
            done: Done::default(),
            info: String::new(),
        }
    }

    /// The connection agreed on [`super::handshake::extension::CACHE_METADATA`].
    pub fn cache_columns(&mut self) {
        self.described.cache();
    }

    /// A statement was prepared, with these columns.
    pub fn learn_columns(&mut self, statement: u32, columns: &[Column]) {
        self.described.learn(statement, columns);
    }

    /// A statement, or with `None` every statement, is no longer prepared.
    pub fn forget_columns(&mut self, statement: Option<u32>) {
        self.described.forget(statement);
    }

    /// A command was sent whose rows come in this encoding, and which executes this prepared
    /// statement, if any.
    pub fn start(&mut self, encoding: Encoding, statement: Option<u32>) {
        self.state = State::Head;
        self.encoding = encoding;
        self.described.start(statement);
        self.done = Done::default();
        self.info.clear();
    }

    /// The result of the command so far.
    pub fn done(&self) -> Done {
        self.done
    }

    /// Text of the last OK packet.
    pub fn info(&self) -> &str {
        &self.info
    }

    /// Takes the next payload and shows its row, if it is one.
    ///
    /// [`Error::Server`] is a proper end of the reply; any other error means that the stream can't
    /// be followed any more.
    #[inline]
    pub fn payload<R: Rows>(&mut self, payload: &[u8], rows: &mut R) -> Result<Step, Error> {
        match self.state {
            State::Rows => self.row_or_end(payload, rows),
            State::Head => self.head(payload, rows),
            State::Columns { left } => self.column(payload, left, rows),
            State::ColumnsEof if packet::is_eof(payload) => {
                self.begin_rows(rows);
                Ok(Step::More)
            }
            State::ColumnsEof => Err(Error::protocol("no EOF packet after the columns", payload)),
            State::Finished => Err(Error::protocol(
                "packet after the end of the reply",
                payload,
            )),
        }
    }

    fn head<R: Rows>(&mut self, payload: &[u8], rows: &mut R) -> Result<Step, Error> {
        match payload.first() {
            Some(&OK) => self.ok(payload),
            Some(&ERR) => Err(self.error(payload)),
            Some(&LOCAL_INFILE) => Ok(Step::LocalInfile),
            _ => {
                let mut reader = Reader::new(payload, "reply begins with no known packet");
                let count = reader.lenenc()?;
                let is_described = !self.described.is_caching() || reader.u8()? != 0;
                if count == 0 || count > COLUMNS_MAX || !reader.is_done() {
                    return Err(reader.fail());
                }
                self.done.result_sets = self.done.result_sets.saturating_add(1);
                self.described.begin();
                if !is_described {
                    return self.recall(payload, count as usize, rows);
                }
                self.state = State::Columns {
                    left: count as usize,
                };
                Ok(Step::More)
            }
        }
    }

    /// The server omitted what it had described before.
    fn recall<R: Rows>(&mut self, head: &[u8], count: usize, rows: &mut R) -> Result<Step, Error> {
        if rows.wants_rows() && !self.described.recall(count) {
            let what = "columns left out that were never described";
            return Err(Error::protocol(what, head));
        }
        match self.deprecate_eof {
            true => self.begin_rows(rows),
            false => self.state = State::ColumnsEof,
        }
        Ok(Step::More)
    }

    fn column<R: Rows>(&mut self, packet: &[u8], left: usize, rows: &mut R) -> Result<Step, Error> {
        if packet.first() == Some(&ERR) {
            return Err(self.error(packet));
        }
        self.described.read(packet, rows.wants_rows())?;
        if left == 1 {
            self.described.end();
        }
        match (left, self.deprecate_eof) {
            (2.., _) => self.state = State::Columns { left: left - 1 },
            (_, false) => self.state = State::ColumnsEof,
            (_, true) => self.begin_rows(rows),
        }
        Ok(Step::More)
    }

    fn begin_rows<R: Rows>(&mut self, rows: &mut R) {
        self.state = State::Rows;
        if rows.wants_rows() {
            rows.columns(self.described.current());
        }
    }

    #[inline]
    fn row_or_end<R: Rows>(&mut self, payload: &[u8], rows: &mut R) -> Result<Step, Error> {
        match payload.first() {
            None => return Err(Error::protocol("empty packet instead of a row", payload)),
            Some(&ERR) => return Err(self.error(payload)),
            // A row that starts with this byte has a first column of 16 MiB or more.
            Some(&EOF) if payload.len() < super::FULL => return self.end(payload),
            Some(_) => {}
        }
        self.done.rows += 1;
        self.done.bytes += payload.len() as u64;
        if rows.wants_rows() {
            let columns = self.described.current();
            match self.encoding {
                Encoding::Text => index_text(payload, columns.len(), &mut self.cells)?,
                Encoding::Binary => index_binary(payload, columns, &mut self.cells)?,
            }
            let (cells, encoding) = (&self.cells[..], self.encoding);
            rows.row(Row {
                packet: payload,
                cells,
                columns,
                encoding,
            });
        }
        Ok(Step::More)
    }

    fn end(&mut self, payload: &[u8]) -> Result<Step, Error> {
        if self.deprecate_eof {
            return self.ok(payload);
        }
        if !packet::is_eof(payload) {
            return Err(Error::protocol("neither row nor EOF packet", payload));
        }
        let (warnings, status) = packet::eof(payload)?;
        self.done.warnings += u64::from(warnings);
        Ok(self.result_ended(status))
    }

    fn ok(&mut self, payload: &[u8]) -> Result<Step, Error> {
        let ok = packet::ok(payload)?;
        self.done.affected_rows = self.done.affected_rows.saturating_add(ok.affected_rows);
        if ok.last_insert_id != 0 {
            self.done.last_insert_id = ok.last_insert_id;
        }
        self.done.warnings += u64::from(ok.warnings);
        self.info.clear();
        if let Ok(info) = std::str::from_utf8(ok.info) {
            self.info.push_str(info);
        }
        Ok(self.result_ended(ok.status))
    }

    fn result_ended(&mut self, flags: u16) -> Step {
        self.done.status = flags;
        if flags & status::MORE_RESULTS != 0 {
            self.state = State::Head;
            return Step::More;
        }
        self.state = State::Finished;
        Step::Finished
    }

    /// An error packet ends the whole reply, whatever was announced.
    fn error(&mut self, payload: &[u8]) -> Error {
        self.state = State::Finished;
        packet::err(payload)
    }
}
