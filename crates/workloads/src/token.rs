//! The parts of SQL in which no sign means anything: quoted texts and comments.

/// Length of the quoted text or comment that `text` begins with, or 1.
pub fn token_len(text: &[u8]) -> usize {
    match *text {
        [quote @ (b'\'' | b'"' | b'`'), ..] => quoted_len(text, quote),
        [b'#', ..] => until(text, 1, b"\n"),
        // "--" is a comment only before white space.
        [b'-', b'-'] => 2,
        [b'-', b'-', after, ..] if after.is_ascii_whitespace() => until(text, 2, b"\n"),
        [b'/', b'*', ..] => (until(text, 2, b"*/") + 2).min(text.len()),
        _ => 1,
    }
}

/// Where `end` begins, from `from` on; the length of the text where there is none.
fn until(text: &[u8], from: usize, end: &[u8]) -> usize {
    let mut windows = text[from..].windows(end.len());
    let found = windows.position(|window| window == end);
    found.map_or(text.len(), |found| from + found)
}

/// A doubled quote is one quote; a backslash escapes the next character, but not between backticks.
fn quoted_len(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if quote != b'`' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}
