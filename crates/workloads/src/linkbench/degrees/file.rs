//! Reads LinkBench's data file: sections, each with a name and pairs of a number and the percentage
//! of ids that have at most that number. Only the number of links per id is taken from it.

use std::io;
use std::path::Path;

use crate::bounded;

const SECTION: &str = "nlinks";
/// LinkBench's own file has 11 MB.
const FILE_BYTES: u64 = 256 << 20;

/// The points of the section, as shares instead of percentages.
pub fn read(path: &Path) -> io::Result<Vec<(u64, f64)>> {
    parse(&bounded::text(path, FILE_BYTES)?)
        .map_err(|message| io::Error::new(io::ErrorKind::InvalidData, message))
}

fn parse(text: &str) -> Result<Vec<(u64, f64)>, String> {
    let mut points: Vec<(u64, f64)> = Vec::new();
    let mut section = "";
    for (number, line) in text.lines().enumerate() {
        let wrong = |what: &str| Err(format!("line {}: {what}: `{}`", number + 1, line.trim()));
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            [name] => section = name,
            [_, _] if section != SECTION => {}
            [links, percent] => {
                let (Ok(links), Ok(percent)) = (links.parse(), percent.parse::<f64>()) else {
                    return wrong("a number of links and percent are needed");
                };
                if !(0.0..=100.0).contains(&percent) {
                    return wrong("percent are 0 to 100");
                }
                let share = percent / 100.0;
                if points
                    .last()
                    .is_some_and(|&(before, at)| links <= before || share < at)
                {
                    return wrong("numbers and percent must grow");
                }
                points.push((links, share));
            }
            _ => return wrong("a line has a name, or a number of links and percent"),
        }
    }
    if points.is_empty() {
        return Err(format!("it has no section `{SECTION}`"));
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linkbench::degrees::Degrees;

    #[test]
    fn a_section_is_read_and_others_are_not() {
        let text = "nlinks\n0 45.5\n1 77\n\n3\t100.0\nlink_nreads\n0 95\n9 100\n";
        let points = parse(text).unwrap();
        assert_eq!(points, [(0, 0.455), (1, 0.77), (3, 1.0)]);
        let degrees = Degrees::Points(points);
        let links: Vec<u64> = (0..10)
            .map(|rank| degrees.links_of_rank(rank, 10))
            .collect();
        assert_eq!(links, [3, 3, 3, 1, 1, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, message) in [
            ("", "no section"),
            ("link_nreads\n0 1\n", "no section"),
            ("nlinks\n0 x\n", "line 2"),
            (
                "nlinks\n0 10\n0 20\n",
                "line 3: numbers and percent must grow",
            ),
            ("nlinks\n0 110\n", "0 to 100"),
            ("nlinks\n0 10 20\n", "line 2"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
