//! Column definitions.

use super::bytes::Reader;
use crate::error::Error;

/// What the server says about a column of a result set or a parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    /// The name or alias in the result.
    pub name: String,
    /// The table's name or alias, empty for an expression.
    pub table: String,
    /// The type on the wire.
    pub kind: ColumnType,
    /// Flag bits, see [`Column::is_unsigned`].
    pub flags: u16,
    /// Collation number; 63 is binary.
    pub collation: u16,
    /// Maximum display length, as the server declares it.
    pub length: u32,
    /// Digits after the decimal point; 31 if not fixed.
    pub decimals: u8,
}

impl Column {
    /// Reads a definition into `self`, so that names reuse their memory.
    pub fn read(&mut self, packet: &[u8]) -> Result<(), Error> {
        let mut reader = Reader::new(packet, "column definition cut short");
        let _catalog = reader.lenenc_bytes()?;
        let _schema = reader.lenenc_bytes()?;
        set(&mut self.table, reader.lenenc_bytes()?);
        let _original_table = reader.lenenc_bytes()?;
        set(&mut self.name, reader.lenenc_bytes()?);
        let _original_name = reader.lenenc_bytes()?;
        let _length_of_the_rest = reader.lenenc()?;
        self.collation = reader.u16()?;
        self.length = reader.u32()?;
        self.kind = ColumnType(reader.u8()?);
        self.flags = reader.u16()?;
        self.decimals = reader.u8()?;
        Ok(())
    }

    /// True for an unsigned number.
    pub fn is_unsigned(&self) -> bool {
        self.flags & 0x0020 != 0
    }

    /// True if the column can't be NULL.
    pub fn is_not_null(&self) -> bool {
        self.flags & 0x0001 != 0
    }

    /// True for bytes without a character set.
    pub fn is_binary(&self) -> bool {
        self.collation == 63
    }
}

fn set(text: &mut String, bytes: &[u8]) {
    text.clear();
    match std::str::from_utf8(bytes) {
        Ok(valid) => text.push_str(valid),
        Err(_) => text.push_str(&String::from_utf8_lossy(bytes)),
    }
}

/// Type code of a column on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct ColumnType(pub u8);

impl ColumnType {
    /// DECIMAL before MySQL 5.0.
    pub const DECIMAL: ColumnType = ColumnType(0);
    /// TINYINT.
    pub const TINY: ColumnType = ColumnType(1);
    /// SMALLINT.
    pub const SHORT: ColumnType = ColumnType(2);
    /// INT.
    pub const LONG: ColumnType = ColumnType(3);
    /// FLOAT.
    pub const FLOAT: ColumnType = ColumnType(4);
    /// DOUBLE.
    pub const DOUBLE: ColumnType = ColumnType(5);
    /// NULL.
    pub const NULL: ColumnType = ColumnType(6);
    /// TIMESTAMP.
    pub const TIMESTAMP: ColumnType = ColumnType(7);
    /// BIGINT.
    pub const LONGLONG: ColumnType = ColumnType(8);
    /// MEDIUMINT.
    pub const INT24: ColumnType = ColumnType(9);
    /// DATE.
    pub const DATE: ColumnType = ColumnType(10);
    /// TIME.
    pub const TIME: ColumnType = ColumnType(11);
    /// DATETIME.
    pub const DATETIME: ColumnType = ColumnType(12);
    /// YEAR.
    pub const YEAR: ColumnType = ColumnType(13);
    /// VARCHAR.
    pub const VARCHAR: ColumnType = ColumnType(15);
    /// BIT.
    pub const BIT: ColumnType = ColumnType(16);
    /// JSON (MySQL; MariaDB sends text).
    pub const JSON: ColumnType = ColumnType(245);
    /// DECIMAL.
    pub const NEWDECIMAL: ColumnType = ColumnType(246);
    /// Any TEXT or BLOB.
    pub const BLOB: ColumnType = ColumnType(252);
    /// VARCHAR or VARBINARY.
    pub const VAR_STRING: ColumnType = ColumnType(253);
    /// CHAR, BINARY, ENUM, SET.
    pub const STRING: ColumnType = ColumnType(254);
}
