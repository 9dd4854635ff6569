//! Splits the text of --create, --query, --pre-query and --post-query into statements.
//!
//! mysqlslap's rule knows no quotes: a delimiter counts anywhere, one white-space character after
//! it is skipped, and an empty statement ends the list. The original only checks the first
//! character of the delimiter; that is kept as [`Rule::Legacy`].

use workloads::token::token_len;

/// How text is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// Like mysqlslap, but by all characters of the delimiter.
    #[default]
    Slap,
    /// Like mysqlslap, by the first character of the delimiter.
    Legacy,
    /// By SQL syntax: not inside quotes and comments, and empty statements don't count.
    Sql,
}

/// The statements of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Split {
    /// Those that are run.
    pub statements: Vec<Vec<u8>>,
    /// Their number including those that an empty one hides: mysqlslap's count.
    pub counted: usize,
}

/// Splits `text`.
pub fn split(text: &[u8], delimiter: &[u8], rule: Rule) -> Split {
    match rule {
        Rule::Slap => by_delimiter(text, delimiter),
        Rule::Legacy => by_delimiter(text, &delimiter[..delimiter.len().min(1)]),
        Rule::Sql => as_sql(text, delimiter),
    }
}

fn by_delimiter(text: &[u8], delimiter: &[u8]) -> Split {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = find(rest, delimiter) {
        pieces.push(&rest[..at]);
        rest = &rest[at + delimiter.len()..];
        if rest.first().is_some_and(u8::is_ascii_whitespace) {
            rest = &rest[1..];
        }
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    let run = pieces.iter().take_while(|piece| !piece.is_empty());
    Split {
        statements: run.map(|piece| piece.to_vec()).collect(),
        counted: pieces.len(),
    }
}

fn find(text: &[u8], delimiter: &[u8]) -> Option<usize> {
    if delimiter.is_empty() {
        return None;
    }
    text.windows(delimiter.len())
        .position(|window| window == delimiter)
}

fn as_sql(text: &[u8], delimiter: &[u8]) -> Split {
    let mut statements: Vec<Vec<u8>> = Vec::new();
    let mut keep = |piece: &[u8]| {
        let piece = piece.trim_ascii();
        if !piece.is_empty() {
            statements.push(piece.to_vec());
        }
    };
    let (mut start, mut at) = (0, 0);
    while at < text.len() {
        if !delimiter.is_empty() && text[at..].starts_with(delimiter) {
            keep(&text[start..at]);
            at += delimiter.len();
            start = at;
        } else {
            at += token_len(&text[at..]);
        }
    }
    keep(&text[start..]);
    let counted = statements.len();
    Split {
        statements,
        counted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str, delimiter: &str, rule: Rule) -> (Vec<String>, usize) {
        let split = split(text.as_bytes(), delimiter.as_bytes(), rule);
        let text = |sql: &Vec<u8>| String::from_utf8(sql.clone()).unwrap();
        (split.statements.iter().map(text).collect(), split.counted)
    }

    /// The results of `mariadb-slap --only-print` for the same texts.
    #[test]
    fn slap_cuts_as_mysqlslap_does() {
        let cases: [(&str, &str, &[&str], usize); 12] = [
            (
                "SELECT 1;SELECT 2;;SELECT 3",
                ";",
                &["SELECT 1", "SELECT 2"],
                4,
            ),
            (
                "SELECT 1; SELECT 2; ;SELECT 3",
                ";",
                &["SELECT 1", "SELECT 2"],
                4,
            ),
            ("SELECT 1;   SELECT 2", ";", &["SELECT 1", "  SELECT 2"], 2),
            ("SELECT 1;\nSELECT 2;\n", ";", &["SELECT 1", "SELECT 2"], 2),
            ("S1;\nS2;\n\nS3;\n", ";", &["S1", "S2", "\nS3"], 3),
            ("\nSELECT 1\n", ";", &["\nSELECT 1\n"], 1),
            ("S1\nS2\n\nS3\n", "\n", &["S1", "S2", "S3"], 3),
            ("S1\n\n\nS2", "\n", &["S1"], 3),
            ("\nSELECT 1\n", "\n", &[], 2),
            ("", ";", &[], 0),
            (";SELECT 3", ";", &[], 2),
            ("SELECT ';'", ";", &["SELECT '", "'"], 2),
        ];
        for (text, delimiter, statements, counted) in cases {
            for rule in [Rule::Slap, Rule::Legacy] {
                let (found, count) = cut(text, delimiter, rule);
                assert_eq!(found, statements, "{text:?}");
                assert_eq!(count, counted, "{text:?}");
            }
        }
    }

    #[test]
    fn only_the_legacy_rule_takes_half_a_delimiter() {
        let text = "SELECT 1$$SELECT 2";
        let (found, count) = cut(text, "$$", Rule::Slap);
        assert_eq!(
            (found, count),
            (vec!["SELECT 1".into(), "SELECT 2".into()], 2)
        );
        let (found, count) = cut(text, "$$", Rule::Legacy);
        assert_eq!((found, count), (vec!["SELECT 1".into()], 3));
    }

    #[test]
    fn sql_knows_quotes_and_comments() {
        let whole = [
            "SELECT 'a;b', \"c;d\", `e;f`",
            "SELECT 'it''s; \\'; so'",
            "SELECT 1 -- one; two\n+ 1",
            "SELECT 1 # one; two\n+ 1",
            "SELECT /* ; */ 1",
            "SELECT 'unfinished; ",
            "/* unfinished; ",
        ];
        for text in whole {
            let (found, count) = cut(text, ";", Rule::Sql);
            assert_eq!((found, count), (vec![text.trim().to_owned()], 1), "{text}");
        }
        let (found, _) = cut("SELECT 1--1;;\n SELECT 2 ; --", ";", Rule::Sql);
        assert_eq!(found, ["SELECT 1--1", "SELECT 2", "--"]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_made_up(
            text in "[a;'\"`/*#\\\\ \n-]{0,40}", delimiter in "[;a]{0,2}"
        ) {
            for rule in [Rule::Slap, Rule::Legacy, Rule::Sql] {
                let split = split(text.as_bytes(), delimiter.as_bytes(), rule);
                prop_assert!(split.statements.len() <= split.counted);
                prop_assert!(split.statements.concat().len() <= text.len());
                let inside = |sql: &Vec<u8>| find(text.as_bytes(), sql).is_some();
                prop_assert!(split.statements.iter().all(inside));
            }
        }
    }
}
