//! Reads properties files as Java does, into keys and values.
//!
//! Lines that start with `#` or `!` are comments, a backslash at the end continues a line, and a
//! key ends at the first `=`, `:` or blank without a backslash before it. Java reads such a file as
//! Latin-1. What keys mean isn't known here.

use std::collections::BTreeMap;

/// Keys with their values; if a key occurs twice, the last value counts.
pub type Properties = BTreeMap<String, String>;

/// Reads a file's bytes. An error is a `\u` without four hexadecimal digits, with its line.
pub fn parse(bytes: &[u8]) -> Result<Properties, String> {
    let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    let mut properties = Properties::new();
    for (number, line) in logical_lines(&text) {
        let (key, value) = split(&line);
        let in_line = |error: String| format!("line {number}: {error}");
        let key = unescape(key).map_err(in_line)?;
        properties.insert(key, unescape(value).map_err(in_line)?);
    }
    Ok(properties)
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\u{c}')
}

/// Lines joined with their continuations, and the number of their first line, from 1.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut continues = false;
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for (index, line) in text.split('\n').enumerate() {
        let line = line.trim_start_matches(is_blank);
        if !continues && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let backslashes = line.len() - line.trim_end_matches('\\').len();
        let goes_on = backslashes % 2 == 1;
        let part = if goes_on {
            &line[..line.len() - 1]
        } else {
            line
        };
        match lines.last_mut() {
            Some((_, last)) if continues => last.push_str(part),
            _ => lines.push((index + 1, part.to_owned())),
        }
        continues = goes_on;
    }
    lines
}

/// The key and the value of a line, still with their escapes.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let mut end = line.len();
    for (at, letter) in line.char_indices() {
        if !escaped && (is_blank(letter) || matches!(letter, '=' | ':')) {
            end = at;
            break;
        }
        escaped = letter == '\\' && !escaped;
    }
    let (key, rest) = line.split_at(end);
    let rest = rest.trim_start_matches(is_blank);
    let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    (key, rest.trim_start_matches(is_blank))
}

fn unescape(text: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(text.len());
    // Java's characters are 16 bits wide, and two of them may form one.
    let mut units: Vec<u16> = Vec::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\\' => match letters.next() {
                Some('u') => {
                    let digits: String = letters.by_ref().take(4).collect();
                    let is_hex = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                    let unit = u16::from_str_radix(&digits, 16).ok().filter(|_| is_hex);
                    units.push(unit.ok_or_else(|| format!("`\\u{digits}` isn't a character"))?);
                    continue;
                }
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('f') => '\u{c}',
                Some(other) => other,
                None => break,
            },
            other => other,
        };
        plain.push_str(&String::from_utf16_lossy(&units));
        units.clear();
        plain.push(letter);
    }
    plain.push_str(&String::from_utf16_lossy(&units));
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Vec<(String, String)> {
        parse(text.as_bytes()).unwrap().into_iter().collect()
    }

    fn one(text: &str) -> (String, String) {
        let all = read(text);
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].clone()
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn every_separator_ends_a_key() {
        for text in ["a=b", "a = b", "a:b", "a : b", "a b", "a\tb", "  a \t b"] {
            assert_eq!(one(text), pair("a", "b"), "{text:?}");
        }
        assert_eq!(one("a==b"), pair("a", "=b"));
        assert_eq!(one("a"), pair("a", ""));
        assert_eq!(one("a="), pair("a", ""));
        assert_eq!(one(r"a\ b\=c = d"), pair("a b=c", "d"));
        assert_eq!(one("= d"), pair("", "d"));
    }

    #[test]
    fn comments_and_empty_lines_are_none() {
        assert_eq!(
            read("# a=1\n! b=2\n\n  \n\t# c\nd=3 # not one\n"),
            [pair("d", "3 # not one")]
        );
    }

    #[test]
    fn a_backslash_continues_a_line() {
        assert_eq!(one("a = b,\\\n    c,\\\r\n  d"), pair("a", "b,c,d"));
        assert_eq!(one("a = b\\\n # c"), pair("a", "b# c"));
        assert_eq!(read("a = b\\\\\nc=d"), [pair("a", "b\\"), pair("c", "d")]);
        assert_eq!(one("a = b\\"), pair("a", "b"));
    }

    #[test]
    fn escapes_become_their_letters_and_trailing_blanks_stay() {
        assert_eq!(one(r"a=\t\n\r\f\\\q"), pair("a", "\t\n\r\u{c}\\q"));
        assert_eq!(one(r"a=\u00e4\ud83d\ude00!"), pair("a", "ä😀!"));
        assert_eq!(one("a=b  "), pair("a", "b  "));
        assert_eq!(
            parse(b"\n\na=\\u00x1"),
            Err("line 3: `\\u00x1` isn't a character".to_owned())
        );
    }

    #[test]
    fn bytes_are_latin_1_and_the_last_of_a_key_counts() {
        assert_eq!(parse(b"a=\xe4\x80\na=\xe5").unwrap()["a"], "\u{e5}");
    }

    proptest! {
        #[test]
        fn what_is_escaped_is_read_back(key in "[ -~]{1,12}", value in "[ -~]{0,20}") {
            let escaped = |text: &str| -> String {
                text.chars().flat_map(|letter| ['\\', letter]).collect::<String>()
                    // After a backslash, these would be other characters.
                    .replace("\\t", "t").replace("\\n", "n").replace("\\r", "r")
                    .replace("\\f", "f").replace("\\u", "u")
            };
            let line = format!("{} = {}", escaped(&key), escaped(&value));
            prop_assert_eq!(one(&line), (key, value));
        }

        #[test]
        fn nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
