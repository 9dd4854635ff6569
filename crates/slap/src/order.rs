//! Which engine runs with how many clients, and when: one engine after another, or in turn.

use crate::options::{Engine, Settings};

/// An engine and a number of clients: one block of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// `None` without --engine.
    pub engine: Option<Engine>,
    /// How many at once.
    pub clients: usize,
}

/// Cells that are run in turn, iteration by iteration, and then reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// One cell, unless engines are interleaved.
    pub cells: Vec<Cell>,
    /// True if an engine's first cell is among them.
    pub begins: bool,
    /// True if the schema is dropped after it.
    pub ends: bool,
}

/// All groups in order.
pub fn groups(settings: &Settings) -> Vec<Group> {
    let engines: Vec<Option<Engine>> = match settings.engines.as_slice() {
        [] => vec![None],
        engines => engines.iter().cloned().map(Some).collect(),
    };
    let last = settings.concurrency.len() - 1;
    let group = |engines: &[Option<Engine>], nth: usize| Group {
        cells: engines
            .iter()
            .map(|engine| Cell {
                engine: engine.clone(),
                clients: settings.concurrency[nth],
            })
            .collect(),
        begins: nth == 0,
        ends: nth == last,
    };
    // Interleaved engines share each group; otherwise an engine has its own groups.
    let shares: Vec<&[Option<Engine>]> = match settings.interleave {
        true => vec![&engines],
        false => engines.chunks(1).collect(),
    };
    shares
        .iter()
        .flat_map(|share| (0..=last).map(|nth| group(share, nth)).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(interleave: bool, engines: &[&str]) -> Vec<(String, bool, bool)> {
        let settings = Settings {
            concurrency: vec![1, 2],
            engines: engines
                .iter()
                .map(|name| Engine {
                    name: (*name).to_owned(),
                    options: String::new(),
                })
                .collect(),
            interleave,
            ..Settings::default()
        };
        let text = |cell: &Cell| {
            let engine = cell.engine.as_ref().map_or("-", |engine| &engine.name);
            format!("{engine}{}", cell.clients)
        };
        groups(&settings)
            .iter()
            .map(|group| {
                let cells: Vec<String> = group.cells.iter().map(text).collect();
                (cells.join(" "), group.begins, group.ends)
            })
            .collect()
    }

    #[test]
    fn one_engine_runs_after_the_other() {
        let found = order(false, &["a", "b"]);
        let wanted = [("a1", true, false), ("a2", false, true)];
        let wanted = wanted
            .iter()
            .chain(&[("b1", true, false), ("b2", false, true)]);
        let wanted: Vec<_> = wanted
            .map(|&(cells, b, e)| (cells.to_owned(), b, e))
            .collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn interleaved_engines_share_each_iteration() {
        let found = order(true, &["a", "b"]);
        assert_eq!(found[0], ("a1 b1".to_owned(), true, false));
        assert_eq!(found[1], ("a2 b2".to_owned(), false, true));
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn without_engines_there_is_one_that_has_no_name() {
        assert_eq!(order(false, &[])[0].0, "-1");
    }
}
