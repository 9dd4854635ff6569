//! An option as listed in a table, and help in two columns.

use std::borrow::Cow;

/// An option: everything there is to know about it, in one place.
///
/// `Takes` says what may follow it and how that is set. Each door has its own, because the programs
/// they stand in for read values by different rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec<Takes> {
    /// Without dashes, as written in help.
    pub name: Cow<'static, str>,
    /// The letter after a single dash.
    pub short: Option<char>,
    /// What follows it, and what is done with that.
    pub takes: Takes,
    /// Its default value, as text.
    pub default: Option<Cow<'static, str>>,
    /// What it is for.
    pub help: Cow<'static, str>,
}

impl<Takes> Spec<Takes> {
    /// Its help, with the default if there is one.
    pub fn explained(&self) -> String {
        match &self.default {
            Some(default) => format!("{} [{default}]", self.help),
            None => self.help.clone().into_owned(),
        }
    }
}

/// Options under one heading.
#[derive(Debug)]
pub struct Group<Takes: 'static> {
    /// Empty for a group that continues the previous one.
    pub title: &'static str,
    /// In the order of help.
    pub options: &'static [Spec<Takes>],
}

/// Lines of help: what to write and what it means. The second column starts after the widest entry
/// of the first, but at `width` at least. A meaning of several lines stays in its column.
pub fn columns(rows: &[(String, String)], width: usize) -> String {
    let widest = rows.iter().map(|(left, _)| left.len()).max();
    let width = widest.unwrap_or_default().max(width);
    let next_line = format!("\n{:1$}", "", width + 3);
    let line = |(left, right): &(String, String)| {
        let right = right.replace('\n', &next_line);
        format!("  {left:<width$} {right}\n")
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_column_stands_behind_the_widest_name() {
        let row = |left: &str, right: &str| (left.to_owned(), right.to_owned());
        let rows = [row("-a", "one\ntwo"), row("--long", "three")];
        let help = "  -a     one\n         two\n  --long three\n";
        assert_eq!(columns(&rows, 0), help);
        assert_eq!(columns(&rows[..1], 4), "  -a   one\n       two\n");
    }

    #[test]
    fn a_default_is_explained() {
        let mut spec = Spec {
            name: "time".into(),
            short: None,
            takes: (),
            default: None,
            help: "seconds".into(),
        };
        assert_eq!(spec.explained(), "seconds");
        spec.default = Some("10".into());
        assert_eq!(spec.explained(), "seconds [10]");
    }
}
