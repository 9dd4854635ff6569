//! Messages from servers, made safe for a terminal and a log line.

/// Servers truncate their messages at 512 bytes.
const BYTES_MAX: usize = 2048;

/// The text in one line of UTF-8, with a mark in place of each control character, since a terminal
/// takes some of those as commands. At most 2 KiB.
pub fn printable(words: &[u8]) -> String {
    String::from_utf8_lossy(&words[..words.len().min(BYTES_MAX)])
        .trim()
        .chars()
        .map(|letter| match letter {
            '\n' | '\r' | '\t' => ' ',
            letter if is_command(letter) => char::REPLACEMENT_CHARACTER,
            letter => letter,
        })
        .collect()
}

/// True for control characters, and for those that change the text direction.
fn is_command(letter: char) -> bool {
    let turns = ['\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'];
    letter.is_control()
        || turns.contains(&letter)
        || ('\u{202a}'..='\u{202e}').contains(&letter)
        || ('\u{2066}'..='\u{2069}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stay_and_commands_go() {
        assert_eq!(
            printable("Zugriff für »ann« verweigert\n".as_bytes()),
            "Zugriff für »ann« verweigert"
        );
        assert_eq!(
            printable(b"\x1b[2J\x9b31m\r\nerror: a\tb"),
            "\u{fffd}[2J\u{fffd}31m  error: a b"
        );
        assert_eq!(
            printable("a\u{85}b\u{202e}c".as_bytes()),
            "a\u{fffd}b\u{fffd}c"
        );
    }
}
