//! SQL with named values: `SELECT v FROM t WHERE id = :id`.
//!
//! A value is `:` and a name, outside quotes and comments.

use std::ops::Range;

use crate::script::Template;
use crate::token::token_len;

/// The names of the values, in order; a name may come twice.
pub fn names(sql: &str) -> impl Iterator<Item = &str> {
    places(sql).into_iter().map(|place| &sql[place][1..])
}

/// The statement, with what `hole` makes of a name in the value's place.
pub fn template<H: Copy + PartialEq>(sql: &str, mut hole: impl FnMut(&str) -> H) -> Template<H> {
    let (mut pieces, mut begun) = (Vec::new(), 0);
    for place in places(sql) {
        let text = sql[begun..place.start].to_owned();
        begun = place.end;
        pieces.push((text, hole(&sql[place][1..])));
    }
    Template::new(pieces, sql[begun..].to_owned())
}

/// Where the values are, with their colons.
fn places(sql: &str) -> Vec<Range<usize>> {
    let bytes = sql.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let length = match bytes[at] {
            b':' => 1 + name_length(&bytes[at + 1..]),
            _ => 0,
        };
        if length > 1 {
            found.push(at..at + length);
            at += length;
        } else {
            at += token_len(&bytes[at..]);
        }
    }
    found
}

/// How long the name is that `text` begins with; 0 if it begins with none.
fn name_length(text: &[u8]) -> usize {
    if text.first().is_none_or(u8::is_ascii_digit) {
        return 0;
    }
    let is_end = |&byte: &u8| !(byte.is_ascii_alphanumeric() || byte == b'_');
    text.iter().position(is_end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(sql: &str) -> Vec<&str> {
        names(sql).collect()
    }

    #[test]
    fn values_have_names() {
        assert_eq!(
            found("SELECT v FROM t WHERE id=:id AND k>:k_2"),
            ["id", "k_2"]
        );
        assert_eq!(found(":a:b :a"), ["a", "b", "a"]);
        assert_eq!(found("SELECT @x := 1, a : b, '12:30', :5"), [""; 0]);
    }

    #[test]
    fn quotes_and_comments_hold_no_values() {
        let sql = "SELECT ':a', \":b\", `:c`, 'it''s :d', '\\':e' /* :f */ -- :g\n, # :h\n :i";
        assert_eq!(found(sql), ["i"]);
        assert_eq!(found("SELECT 1--:a"), ["a"]);
        assert_eq!(found("SELECT 'no end :a"), [""; 0]);
    }

    #[test]
    fn a_template_holds_all_but_the_names() {
        let made = template("SELECT :é, :b - :a", |name| name == "a");
        assert_eq!(made.prepared(|_| None), "SELECT :é, ? - ?");
        assert_eq!(made.holes().collect::<Vec<_>>(), [false, true]);
    }

    proptest! {
        #[test]
        fn any_text_is_read(sql in "[-:a'\"`*/# é\n\\\\]{0,30}") {
            let made = template(&sql, |name| name.len());
            let back = made.prepared(|_| None).len() - made.holes().count();
            let named: usize = names(&sql).map(|name| name.len() + 1).sum();
            prop_assert_eq!(back + named, sql.len());
        }
    }
}
