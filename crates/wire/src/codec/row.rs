//! Rows: finding each column's bytes, and reading typed values from them.

use super::bytes::Reader;
use super::{Column, ColumnType};
use crate::error::Error;
use crate::value::{DateTime, Time, Value};

/// Where a column's bytes lie in its row.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    start: u32,
    end: u32,
}

impl Cell {
    /// NULL is a cell that starts beyond any row: [`super::frame::PAYLOAD_MAX`] keeps rows shorter.
    const NULL: Cell = Cell {
        start: u32::MAX,
        end: u32::MAX,
    };

    fn new(start: usize, end: usize) -> Cell {
        Cell {
            start: start as u32,
            end: end as u32,
        }
    }

    /// The bytes, or `None` for NULL.
    #[inline]
    pub fn slice(self, row: &[u8]) -> Option<&[u8]> {
        row.get(self.start as usize..self.end as usize)
    }
}

/// Finds the columns of a text row. Clears `cells` and fills it with one per column.
///
/// Fails if the row has a different number of columns or leftover bytes.
#[inline]
pub fn index_text(row: &[u8], columns: usize, cells: &mut Vec<Cell>) -> Result<(), Error> {
    cells.clear();
    let mut reader = Reader::new(row, "text row that doesn't fit its columns");
    if row.len() >= u32::MAX as usize {
        return Err(reader.fail());
    }
    for _ in 0..columns {
        if row.get(reader.position()) == Some(&0xFB) {
            reader.u8()?;
            cells.push(Cell::NULL);
            continue;
        }
        let len = reader.lenenc_bytes()?.len();
        let end = reader.position();
        cells.push(Cell::new(end - len, end));
    }
    if reader.is_done() {
        return Ok(());
    }
    Err(reader.fail())
}

/// Finds the columns of a binary row, as [`index_text`] does.
pub fn index_binary(row: &[u8], columns: &[Column], cells: &mut Vec<Cell>) -> Result<(), Error> {
    cells.clear();
    let mut reader = Reader::new(row, "binary row that doesn't fit its columns");
    if row.len() >= u32::MAX as usize || reader.u8()? != 0 {
        return Err(reader.fail());
    }
    // The NULL bitmap is shifted by two bits that are never used.
    let bitmap = reader.take((columns.len() + 2).div_ceil(8))?;
    for (index, column) in columns.iter().enumerate() {
        let bit = index + 2;
        if bitmap[bit / 8] & (1 << (bit % 8)) != 0 {
            cells.push(Cell::NULL);
            continue;
        }
        let len = value_len(column.kind, &mut reader)?;
        let start = reader.position();
        reader.take(len)?;
        cells.push(Cell::new(start, start + len));
    }
    if reader.is_done() {
        return Ok(());
    }
    Err(reader.fail())
}

/// Length of the current value; skips its length prefix if its type has one.
fn value_len(kind: ColumnType, reader: &mut Reader<'_>) -> Result<usize, Error> {
    let len = match kind {
        ColumnType::NULL => 0,
        ColumnType::TINY => 1,
        ColumnType::SHORT | ColumnType::YEAR => 2,
        ColumnType::LONG | ColumnType::INT24 | ColumnType::FLOAT => 4,
        ColumnType::LONGLONG | ColumnType::DOUBLE => 8,
        ColumnType::DATE | ColumnType::DATETIME | ColumnType::TIMESTAMP => match reader.u8()? {
            len @ (0 | 4 | 7 | 11) => usize::from(len),
            _ => return Err(reader.fail()),
        },
        ColumnType::TIME => match reader.u8()? {
            len @ (0 | 8 | 12) => usize::from(len),
            _ => return Err(reader.fail()),
        },
        // Strings, decimals, blobs, and whatever newer servers add.
        _ => usize::try_from(reader.lenenc()?).map_err(|_| reader.fail())?,
    };
    Ok(len)
}

/// A column of a binary row as a typed value. `bytes` are as [`index_binary`] found them; if their
/// length doesn't fit the type, they are returned as bytes.
pub fn value<'a>(column: &Column, bytes: &'a [u8]) -> Value<'a> {
    decode(column, bytes).unwrap_or(Value::Bytes(bytes))
}

fn decode<'a>(column: &Column, bytes: &'a [u8]) -> Option<Value<'a>> {
    let unsigned = column.is_unsigned();
    Some(match column.kind {
        ColumnType::NULL => Value::Null,
        ColumnType::TINY | ColumnType::SHORT | ColumnType::YEAR => integer(bytes, unsigned)?,
        ColumnType::LONG | ColumnType::INT24 => integer(bytes, unsigned)?,
        ColumnType::LONGLONG => integer(bytes, unsigned)?,
        ColumnType::FLOAT => Value::Float(f32::from_le_bytes(bytes.try_into().ok()?)),
        ColumnType::DOUBLE => Value::Double(f64::from_le_bytes(bytes.try_into().ok()?)),
        ColumnType::DATE | ColumnType::DATETIME | ColumnType::TIMESTAMP => {
            Value::DateTime(datetime(bytes)?)
        }
        ColumnType::TIME => Value::Time(time(bytes)?),
        _ => Value::Bytes(bytes),
    })
}

/// Widens 1 to 8 bytes, with the sign if the column has one.
fn integer(bytes: &[u8], unsigned: bool) -> Option<Value<'static>> {
    let mut wide = [0_u8; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let number = u64::from_le_bytes(wide);
    if unsigned {
        return Some(Value::UInt(number));
    }
    let shift = 64_u32.checked_sub(8 * bytes.len() as u32)?;
    let shifted = number.checked_shl(shift).unwrap_or(0) as i64;
    Some(Value::Int(shifted >> shift.min(63)))
}

fn datetime(bytes: &[u8]) -> Option<DateTime> {
    let mut when = DateTime::default();
    if let [low, high, month, day, clock @ ..] = bytes {
        when.year = u16::from_le_bytes([*low, *high]);
        when.month = *month;
        when.day = *day;
        if let [hour, minute, second, micros @ ..] = clock {
            (when.hour, when.minute, when.second) = (*hour, *minute, *second);
            when.micros = optional_u32(micros)?;
        }
    }
    Some(when)
}

fn time(bytes: &[u8]) -> Option<Time> {
    let mut time = Time::default();
    if let [negative, a, b, c, d, hours, minutes, seconds, micros @ ..] = bytes {
        time.negative = *negative != 0;
        time.days = u32::from_le_bytes([*a, *b, *c, *d]);
        (time.hours, time.minutes, time.seconds) = (*hours, *minutes, *seconds);
        time.micros = optional_u32(micros)?;
    }
    Some(time)
}

/// Four bytes, or none for zero.
fn optional_u32(bytes: &[u8]) -> Option<u32> {
    if bytes.is_empty() {
        return Some(0);
    }
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
