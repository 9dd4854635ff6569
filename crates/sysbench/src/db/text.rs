//! Statements with their parameters as text, if they aren't prepared by the server.

use std::io::Write;

use wire::Value;

/// The pieces of a statement between its question marks; those inside quotes count too.
pub fn pieces(sql: &str) -> Vec<String> {
    sql.split('?').map(str::to_owned).collect()
}

/// Writes the statement with its values.
pub fn write<'a>(out: &mut Vec<u8>, pieces: &[String], values: impl Iterator<Item = Value<'a>>) {
    let mut values = values;
    for (index, piece) in pieces.iter().enumerate() {
        if index > 0 {
            literal(out, &values.next().unwrap_or(Value::Null));
        }
        out.extend_from_slice(piece.as_bytes());
    }
}

fn literal(out: &mut Vec<u8>, value: &Value<'_>) {
    // Writing into a vector can't fail.
    let _ = match value {
        Value::Int(number) => write!(out, "{number}"),
        Value::Double(number) => write!(out, "{number:.6}"),
        Value::Chars(bytes) => {
            quote(out, bytes);
            Ok(())
        }
        _ => write!(out, "NULL"),
    };
}

fn quote(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'\'');
    for byte in bytes {
        match byte {
            b'\'' => out.extend_from_slice(b"''"),
            b'\\' => out.extend_from_slice(b"\\\\"),
            0 => out.extend_from_slice(b"\\0"),
            other => out.push(*other),
        }
    }
    out.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(sql: &str, values: &[Value<'_>]) -> String {
        let mut out = Vec::new();
        write(&mut out, &pieces(sql), values.iter().copied());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_stand_for_question_marks() {
        let values = [Value::Int(-7), Value::Null, Value::Double(1.5)];
        assert_eq!(
            written("INSERT INTO t VALUES (?, ?,?)", &values),
            "INSERT INTO t VALUES (-7, NULL,1.500000)"
        );
        assert_eq!(written("BEGIN", &[]), "BEGIN");
    }

    #[test]
    fn text_cannot_leave_its_quotes() {
        let value = [Value::Chars(b"it's a \\ and a \0")];
        assert_eq!(
            written("SELECT ?", &value),
            "SELECT 'it''s a \\\\ and a \\0'"
        );
    }
}
