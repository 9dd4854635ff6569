//! One typed value: a parameter of a prepared statement, or a column of a binary row.

/// A value in the binary protocol's types. Borrowed, so that binding and reading copy nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// SQL NULL.
    Null,
    /// Any signed integer type.
    Int(i64),
    /// Any unsigned integer type, YEAR included.
    UInt(u64),
    /// FLOAT.
    Float(f32),
    /// DOUBLE.
    Double(f64),
    /// Text in the connection's character set (utf8mb4); sent as a string.
    Text(&'a str),
    /// Text as bytes that the caller knows to be in the connection's character set; only sent.
    Chars(&'a [u8]),
    /// Bytes; sent as a BLOB. Every string, DECIMAL, JSON, BIT or BLOB column is read as this.
    Bytes(&'a [u8]),
    /// DATE, DATETIME or TIMESTAMP.
    DateTime(DateTime),
    /// TIME, which is a signed duration.
    Time(Time),
}

/// A calendar time without a time zone. All zero is the server's zero date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DateTime {
    /// 0 to 9999.
    pub year: u16,
    /// 0 to 12.
    pub month: u8,
    /// 0 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999,999.
    pub micros: u32,
}

/// A signed duration of days and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Time {
    /// True below zero.
    pub negative: bool,
    /// Whole days.
    pub days: u32,
    /// 0 to 23.
    pub hours: u8,
    /// 0 to 59.
    pub minutes: u8,
    /// 0 to 59.
    pub seconds: u8,
    /// 0 to 999,999.
    pub micros: u32,
}
