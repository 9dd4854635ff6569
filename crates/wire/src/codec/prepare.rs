//! The reply to preparing a statement: its number, its parameters, its columns.

use super::packet::{self, ERR, OK};
use super::{Column, Reader};
use crate::error::Error;

/// What a server says about a statement it prepared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prepared {
    /// The statement's number.
    pub id: u32,
    /// Number of parameters.
    pub params: u16,
    /// Columns of the result; empty if there are none or they aren't known yet.
    pub columns: Vec<Column>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Head,
    Params(u16),
    Columns(u16),
    Finished,
}

/// The state machine; small and made again for each statement, since preparing is not a hot path.
#[derive(Debug)]
pub struct PrepareReply {
    state: State,
    deprecate_eof: bool,
    columns: u16,
    prepared: Prepared,
}

impl PrepareReply {
    /// As for [`super::Reply::new`].
    pub fn new(deprecate_eof: bool) -> PrepareReply {
        let prepared = Prepared::default();
        PrepareReply {
            state: State::Head,
            deprecate_eof,
            columns: 0,
            prepared,
        }
    }

    /// Takes the next payload; true when the reply is complete.
    pub fn payload(&mut self, payload: &[u8]) -> Result<bool, Error> {
        if payload.first() == Some(&ERR) {
            self.state = State::Finished;
            return Err(packet::err(payload));
        }
        self.state = match self.state {
            State::Head => self.head(payload)?,
            // Parameter definitions say nothing useful, so they are skipped.
            State::Params(0) | State::Columns(0) => self.eof(payload)?,
            State::Params(left) => self.skip_empty(State::Params(left - 1)),
            State::Columns(left) => {
                let mut column = Column::default();
                column.read(payload)?;
                self.prepared.columns.push(column);
                self.skip_empty(State::Columns(left - 1))
            }
            State::Finished => return Err(Error::protocol("packet after the end", payload)),
        };
        Ok(self.state == State::Finished)
    }

    /// The statement; call once [`PrepareReply::payload`] has returned true.
    pub fn into_prepared(self) -> Prepared {
        self.prepared
    }

    fn head(&mut self, payload: &[u8]) -> Result<State, Error> {
        let mut reader = Reader::new(payload, "reply to a prepare cut short");
        if reader.u8()? != OK {
            return Err(reader.fail());
        }
        self.prepared.id = reader.u32()?;
        self.columns = reader.u16()?;
        self.prepared.params = reader.u16()?;
        Ok(match (self.prepared.params, self.columns) {
            (0, 0) => State::Finished,
            (0, columns) => State::Columns(columns),
            (params, _) => State::Params(params),
        })
    }

    fn eof(&self, payload: &[u8]) -> Result<State, Error> {
        if !packet::is_eof(payload) {
            return Err(Error::protocol(
                "no EOF packet after the definitions",
                payload,
            ));
        }
        Ok(self.after(self.state))
    }

    /// With `CLIENT_DEPRECATE_EOF` a list ends with its last definition.
    fn skip_empty(&self, state: State) -> State {
        match state {
            State::Params(0) | State::Columns(0) if self.deprecate_eof => self.after(state),
            other => other,
        }
    }

    fn after(&self, state: State) -> State {
        match state {
            State::Params(_) if self.columns > 0 => State::Columns(self.columns),
            _ => State::Finished,
        }
    }
}
