//! What an op failed with, and in which statement: for messages that name it.

use wire::Encoding;

use super::say::{Prepared, Say};
use super::Script;

/// After the length and the number of a packet, and the number of its command.
const HEAD: usize = 5;

/// A statement that failed for good.
#[derive(Debug)]
pub struct Refused {
    /// Its SQL; a prepared one as it was prepared.
    pub statement: String,
    /// Whether it was executed, or sent as text.
    pub is_prepared: bool,
    /// What the server reported, or what happened to the connection.
    pub error: wire::Error,
}

impl Refused {
    /// Step `step` of the op drawn last failed; the script writes it once more, without sending it.
    pub(super) fn new(script: &mut impl Script, step: usize, error: wire::Error) -> Refused {
        let statements = script.prepared();
        let place = |(id, sql): (usize, &String)| Prepared {
            id: id as u32,
            params: sql.matches('?').count() as u16,
        };
        let places: Vec<Prepared> = statements.iter().enumerate().map(place).collect();
        let (mut out, mut encoding) = (Vec::new(), Encoding::Text);
        script.step(step, Say::new(&mut out, &places, &mut encoding));
        let rest = out.get(HEAD..).unwrap_or_default();
        let is_prepared = encoding == Encoding::Binary;
        let statement = match rest.first_chunk() {
            Some(id) if is_prepared => statements[u32::from_le_bytes(*id) as usize].clone(),
            _ => String::from_utf8_lossy(rest).into_owned(),
        };
        Refused {
            statement,
            is_prepared,
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::Turn;

    struct Two;

    impl Script for Two {
        fn prepared(&self) -> Vec<String> {
            vec![
                "SELECT ?".to_owned(),
                "UPDATE t SET a = ?, b = ?".to_owned(),
            ]
        }

        fn draw(&mut self, _turn: Turn) -> u16 {
            0
        }

        fn step(&mut self, step: usize, say: Say<'_>) -> bool {
            match step {
                0 => say.query(b"SELECT 7"),
                1 => say.execute(1).int(5).text(b"x").done(),
                _ => return false,
            }
            true
        }

        fn is_transaction(&self) -> bool {
            false
        }
    }

    #[test]
    fn the_statement_is_the_text_that_was_sent_or_prepared() {
        let refused = |step| Refused::new(&mut Two, step, wire::Error::Lost { during: "a test" });
        let text = refused(0);
        assert_eq!(
            (text.statement.as_str(), text.is_prepared),
            ("SELECT 7", false)
        );
        let prepared = refused(1);
        assert_eq!(prepared.statement, "UPDATE t SET a = ?, b = ?");
        assert!(prepared.is_prepared);
        // Past the last step, as when a check of the whole answer failed.
        assert_eq!(refused(2).statement, "");
    }
}
