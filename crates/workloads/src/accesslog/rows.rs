//! Requests as rows of the table `accesslog`, in the order of its columns. What a log writes as `-`
//! is NULL.

use super::pool;
use super::visits::{Origin, Request, Visits};
use crate::calendar::date;
use crate::fill::{Layout, Row, Source};

/// 2004-09-01 00:00:00 UTC in days since 1970-01-01: when the log starts.
const FIRST_DAY: i64 = 12_662;
const DAY_S: u64 = 86_400;

/// Writes the rows under one seed.
#[derive(Debug)]
pub struct MadeRows {
    visits: Visits,
}

impl MadeRows {
    /// The rows under `seed`.
    pub fn new(seed: u64) -> MadeRows {
        MadeRows {
            visits: Visits::new(seed),
        }
    }
}

impl Source for MadeRows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        let request = self.visits.request(index);
        let mut row = Row::begin(layout, out);
        row.int(index + 1);
        write(&request, &mut row);
        row.end();
    }
}

fn write(request: &Request, row: &mut Row<'_>) {
    row.text(|out| out.extend_from_slice(if request.is_post { b"POST" } else { b"GET" }));
    row.maybe(request.bytes, |bytes, out| {
        out.extend_from_slice(itoa::Buffer::new().format(bytes).as_bytes());
    });
    row.text(|out| {
        out.extend_from_slice(if request.is_old {
            b"HTTP/1.0"
        } else {
            b"HTTP/1.1"
        });
    });
    row.text(|out| pool::path(request.path, out));
    row.maybe(request.arguments, |draw, out| {
        pool::arguments(request.path, draw, out)
    });
    row.text(|out| pool::host(request.host, out));
    row.text(|out| pool::client(request.client, out));
    match request.origin {
        Origin::Unknown => row.null(),
        Origin::Site(site) => row.text(|out| pool::site(site, out)),
        Origin::Own(path) => row.text(|out| {
            pool::own_site(out);
            pool::path(path, out);
        }),
    }
    row.maybe(request.reader, pool::reader);
    row.maybe(request.node, |node, out| {
        out.extend_from_slice(itoa::Buffer::new().format(node).as_bytes());
    });
    row.text(|out| date_time(request.at_s, out));
}

/// `YYYY-MM-DD hh:mm:ss`.
fn date_time(at_s: u64, out: &mut Vec<u8>) {
    date(FIRST_DAY + (at_s / DAY_S) as i64, out);
    out.push(b' ');
    let of_day = at_s % DAY_S;
    let parts = [
        (of_day / 3600, b':'),
        (of_day / 60 % 60, b':'),
        (of_day % 60, 0),
    ];
    let mut digits = itoa::Buffer::new();
    for (value, behind) in parts {
        let text = digits.format(value).as_bytes();
        if text.len() == 1 {
            out.push(b'0');
        }
        out.extend_from_slice(text);
        if behind > 0 {
            out.push(behind);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(seed: u64, index: u64, layout: Layout) -> String {
        let mut out = Vec::new();
        MadeRows::new(seed).write(index, layout, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        let text = |at_s| {
            let mut out = Vec::new();
            date_time(at_s, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(0), "2004-09-01 00:00:00");
        assert_eq!(text(30 * DAY_S + 3723), "2004-10-01 01:02:03");
        assert_eq!(text(181 * DAY_S - 1), "2005-02-28 23:59:59");
    }

    proptest! {
        #[test]
        fn both_layouts_hold_the_same_values(seed in 0_u64..9, index in 0_u64..1_000_000) {
            let line = row(seed, index, Layout::Lines);
            let fields: Vec<&str> = line.trim_end_matches('\n').split('\t').collect();
            prop_assert_eq!(fields.len(), 12);
            let quoted = |(place, field): (usize, &&str)| match (place, *field) {
                (0, id) => id.to_owned(),
                (_, "\\N") => "NULL".to_owned(),
                (_, text) => format!("'{text}'"),
            };
            let values: Vec<String> = fields.iter().enumerate().map(quoted).collect();
            prop_assert_eq!(row(seed, index, Layout::Values), format!("({}),", values.join(",")));
            prop_assert!(fields.iter().all(|field| !field.is_empty() && field.len() <= 255));
            let plain = |byte: u8| (b' '..=b'~').contains(&byte) && !b"'\"".contains(&byte);
            let bare = line.replace("\\N", "").replace(['\t', '\n'], "");
            prop_assert!(bare.bytes().all(|byte| plain(byte) && byte != b'\\'), "{}", line);
        }
    }

    #[test]
    fn the_first_rows_of_seed_42_are_what_they_always_were() {
        // A change here changes every dataset: it alters numbers.
        assert_eq!(
            row(42, 0, Layout::Lines),
            "1\tGET\t4883\tHTTP/1.1\t/\t\\N\twww.tangent.example\t10.63.2.88\t\
             http://www.tangent.example/\t\\N\t\\N\t2004-09-01 00:00:00\n"
        );
        assert_eq!(
            row(42, 1_000_000, Layout::Lines),
            "1000001\tGET\t9698\tHTTP/1.1\t/askus/06/6/1000185.shtml\t\\N\twww.tangent.example\t\
             10.247.34.125\thttp://www.tangent.example/polls/02/13/1231472.shtml\t\\N\t\\N\t\
             2004-09-01 09:47:49\n"
        );
    }
}
