//! Values of prepared statements as text, as the server writes them in answer to a query.
//!
//! Scripts only see text, so a result is the same whether its statement was prepared or not.

use std::io::Write;

use wire::{Column, ColumnType, DateTime, Time, Value};

const ZEROFILL: u16 = 0x0040;
/// `Column::decimals` of a floating-point column without a fixed number of digits, or above.
const NOT_FIXED: u8 = 31;
/// From here on, and below the other constant, the server writes a power of ten.
const EXPONENT_FROM: f64 = 1e15;
const EXPONENT_BELOW: f64 = 1e-15;

/// Appends the text of a value that isn't NULL.
pub fn write(out: &mut Vec<u8>, column: &Column, value: &Value<'_>) {
    // Writing into a vector can't fail.
    let _ = match value {
        Value::Null => Ok(()),
        Value::Text(text) => out.write_all(text.as_bytes()),
        Value::Chars(bytes) | Value::Bytes(bytes) => out.write_all(bytes),
        Value::UInt(year) if column.kind == ColumnType::YEAR => write!(out, "{year:04}"),
        Value::UInt(number) if column.flags & ZEROFILL != 0 => {
            write!(out, "{number:0width$}", width = column.length as usize)
        }
        Value::Int(number) => write!(out, "{number}"),
        Value::UInt(number) => write!(out, "{number}"),
        Value::Float(number) if column.decimals >= NOT_FIXED => real(out, six_digits(*number)),
        Value::Float(number) => write!(out, "{number:.*}", usize::from(column.decimals)),
        Value::Double(number) if column.decimals >= NOT_FIXED => real(out, *number),
        Value::Double(number) => write!(out, "{number:.*}", usize::from(column.decimals)),
        Value::DateTime(when) => datetime(out, column, when),
        Value::Time(time) => duration(out, column, time),
    };
}

/// A FLOAT has six significant digits.
fn six_digits(number: f32) -> f64 {
    format!("{number:.5e}").parse().unwrap_or(f64::from(number))
}

fn real(out: &mut Vec<u8>, number: f64) -> std::io::Result<()> {
    let size = number.abs();
    if size >= EXPONENT_FROM || (size > 0.0 && size < EXPONENT_BELOW) {
        write!(out, "{number:e}")
    } else {
        write!(out, "{number}")
    }
}

fn datetime(out: &mut Vec<u8>, column: &Column, when: &DateTime) -> std::io::Result<()> {
    write!(out, "{:04}-{:02}-{:02}", when.year, when.month, when.day)?;
    if column.kind == ColumnType::DATE {
        return Ok(());
    }
    write!(
        out,
        " {:02}:{:02}:{:02}",
        when.hour, when.minute, when.second
    )?;
    fraction(out, column, when.micros)
}

fn duration(out: &mut Vec<u8>, column: &Column, time: &Time) -> std::io::Result<()> {
    let sign = if time.negative { "-" } else { "" };
    let hours = u64::from(time.days) * 24 + u64::from(time.hours);
    write!(
        out,
        "{sign}{hours:02}:{:02}:{:02}",
        time.minutes, time.seconds
    )?;
    fraction(out, column, time.micros)
}

/// Writes as many fractional digits of a second as the column has.
fn fraction(out: &mut Vec<u8>, column: &Column, micros: u32) -> std::io::Result<()> {
    match usize::from(column.decimals) {
        digits @ 1..=6 => {
            let micros = format!("{micros:06}");
            write!(out, ".{}", &micros[..digits])
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(kind: ColumnType, decimals: u8, value: Value<'_>) -> String {
        let column = Column {
            kind,
            decimals,
            ..Column::default()
        };
        let mut out = Vec::new();
        write(&mut out, &column, &value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn reals_have_the_digits_that_count() {
        let double = |number| written(ColumnType::DOUBLE, 31, Value::Double(number));
        assert_eq!(double(1.5), "1.5");
        assert_eq!(double(-0.0), "-0");
        assert_eq!(double(100.0), "100");
        assert_eq!(double(1e20), "1e20");
        assert_eq!(double(1.25e-20), "1.25e-20");
        let float = |number| written(ColumnType::FLOAT, 31, Value::Float(number));
        assert_eq!(float(0.1), "0.1");
        assert_eq!(float(1.0 / 3.0), "0.333333");
        assert_eq!(written(ColumnType::DOUBLE, 2, Value::Double(2.5)), "2.50");
    }

    #[test]
    fn times_have_the_digits_of_their_column() {
        let when = DateTime {
            year: 2012,
            month: 3,
            day: 4,
            hour: 5,
            micros: 60_000,
            ..DateTime::default()
        };
        let datetime = |kind, decimals| written(kind, decimals, Value::DateTime(when));
        assert_eq!(datetime(ColumnType::DATE, 0), "2012-03-04");
        assert_eq!(datetime(ColumnType::DATETIME, 0), "2012-03-04 05:00:00");
        assert_eq!(datetime(ColumnType::DATETIME, 3), "2012-03-04 05:00:00.060");
        let time = Time {
            negative: true,
            days: 2,
            hours: 3,
            ..Time::default()
        };
        assert_eq!(written(ColumnType::TIME, 0, Value::Time(time)), "-51:00:00");
    }

    #[test]
    fn numbers_are_padded_where_the_server_pads_them() {
        let column = Column {
            kind: ColumnType::LONG,
            flags: ZEROFILL,
            length: 5,
            ..Column::default()
        };
        let mut out = Vec::new();
        write(&mut out, &column, &Value::UInt(42));
        assert_eq!(out, b"00042");
        assert_eq!(written(ColumnType::YEAR, 0, Value::UInt(0)), "0000");
    }
}
