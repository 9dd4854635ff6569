//! Reading links: their count, some of them, or the newest of a list.

use std::collections::HashSet;

use wire::{Done, Row};

use super::history::{Cut, History};
use super::parts::{Draw, Request, LIST_LIMIT};
use super::sql::sql;
use crate::linkbench::counts::Counts;
use crate::linkbench::types::FIRST_LINK_TYPE;
use crate::script::int;

/// The probability that a requested link exists.
const READ_IS_THERE: f64 = 0.5;
const COLUMNS: &str = "id1, id2, link_type, visibility, data, time, version";
/// The position of `time` in them.
const TIME: usize = 5;
/// For a list that begins with its newest link.
const NO_END_MS: u64 = i64::MAX as u64;
/// A list that has this many links initially may soon reach its limit.
const MANY: u64 = LIST_LIMIT / 2;

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Count,
    Several,
    List,
}

/// A read of links.
#[derive(Debug)]
pub struct LinkRead {
    verb: Verb,
    id1: u64,
    link_type: u64,
    ends: Vec<u64>,
    /// For a list that continues where an earlier one was cut off: which one of the history.
    goes_on: Option<usize>,
    /// For a list: it has no links newer than `until_ms`, and skips the first `offset`.
    until_ms: u64,
    offset: u64,
    /// For a list: whether it may reach its limit.
    may_be_cut: bool,
    heard: u64,
    rows: u64,
    last_ms: u64,
    history: History,
    /// Lists of ids that had few links initially, but were cut off all the same.
    grown: HashSet<(u64, u64)>,
    /// Decides what the history forgets.
    random: u64,
}

impl LinkRead {
    /// Nothing has been drawn yet.
    pub fn new() -> LinkRead {
        LinkRead {
            verb: Verb::Count,
            id1: 0,
            link_type: FIRST_LINK_TYPE,
            ends: Vec::new(),
            goes_on: None,
            until_ms: 0,
            offset: 0,
            may_be_cut: false,
            heard: 0,
            rows: 0,
            last_ms: 0,
            history: History::default(),
            grown: HashSet::new(),
            random: 0,
        }
    }

    /// Draws a count to read.
    pub fn draw_count(&mut self, draw: &mut Draw<'_>) {
        self.draw(Verb::Count, draw);
    }

    /// Draws some links to read.
    pub fn draw_several(&mut self, draw: &mut Draw<'_>) {
        let (id, kind) = self.draw(Verb::Several, draw);
        let count = draw.graph.parameters.several.at(draw.stream.unit());
        draw.graph.neighbours.several(
            (id, kind),
            READ_IS_THERE,
            (count, &mut self.ends),
            draw.place,
            &mut draw.stream,
        );
    }

    /// Draws a list to read.
    pub fn draw_list(&mut self, draw: &mut Draw<'_>) {
        let goes_on = draw.stream.unit() < draw.graph.parameters.history;
        if let (true, Some((which, cut))) = (goes_on, self.history.draw(&mut draw.stream)) {
            self.verb = Verb::List;
            (self.id1, self.link_type) = (cut.id1, cut.link_type);
            (self.until_ms, self.offset) = (cut.time_ms, 1);
            (self.goes_on, self.may_be_cut) = (Some(which), true);
            return;
        }
        let (id, kind) = self.draw(Verb::List, draw);
        self.may_be_cut = draw.graph.neighbours.links(id, kind) >= MANY
            || self.grown.contains(&(self.id1, self.link_type));
        (self.until_ms, self.offset, self.goes_on) = (NO_END_MS, 0, None);
        self.random = draw.stream.next_u64();
    }

    /// The three reads of one id, as they are sent.
    pub fn examples(id1: u64) -> [(&'static str, String); 3] {
        let example = |verb| {
            let mut read = LinkRead::new();
            (read.verb, read.id1, read.ends) = (verb, id1, vec![id1, id1 + 1]);
            read.until_ms = NO_END_MS;
            let mut out = Vec::new();
            read.say(0, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        };
        [
            ("get_links_list", example(Verb::List)),
            ("multiget_link", example(Verb::Several)),
            ("count_link", example(Verb::Count)),
        ]
    }

    fn draw(&mut self, verb: Verb, draw: &mut Draw<'_>) -> (u64, u64) {
        let id = draw.graph.link_read.draw(&mut draw.stream);
        let kind = draw.kind();
        self.verb = verb;
        self.id1 = draw.graph.first_id + id;
        self.link_type = FIRST_LINK_TYPE + kind;
        (id, kind)
    }

    /// Remembers lists that were cut off, and forgets those that were read to the end.
    fn remember(&mut self) {
        if self.rows >= LIST_LIMIT && !self.may_be_cut {
            // Its last link wasn't read this time.
            self.grown.insert((self.id1, self.link_type));
            return;
        }
        let cut = Cut {
            id1: self.id1,
            link_type: self.link_type,
            time_ms: self.last_ms,
        };
        match (self.goes_on, self.rows >= LIST_LIMIT) {
            (Some(which), true) => self.history.go_on(which, cut),
            (Some(which), false) => self.history.forget(which),
            (None, true) => self.history.remember(cut, self.random),
            (None, false) => {}
        }
    }
}

impl Request for LinkRead {
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool {
        if step > 0 {
            return false;
        }
        self.heard = 0;
        let (id1, link_type) = (self.id1, self.link_type);
        match self.verb {
            Verb::Count => sql!(
                out,
                "SELECT count FROM counttable WHERE id = ",
                id1,
                " AND link_type = ",
                link_type
            ),
            Verb::Several => {
                sql!(
                    out,
                    "SELECT ",
                    COLUMNS,
                    " FROM linktable WHERE id1 = ",
                    id1,
                    " AND link_type = ",
                    link_type,
                    " AND id2 IN ("
                );
                for (number, end) in self.ends.iter().enumerate() {
                    sql!(out, if number == 0 { "" } else { "," }, *end);
                }
                out.push(b')');
            }
            Verb::List => sql!(
                out,
                "SELECT ",
                COLUMNS,
                " FROM linktable FORCE INDEX (`id1_type`) WHERE id1 = ",
                id1,
                " AND link_type = ",
                link_type,
                " AND time >= 0 AND time <= ",
                self.until_ms,
                " AND visibility = 1 ORDER BY time DESC LIMIT ",
                self.offset,
                ",",
                LIST_LIMIT
            ),
        }
        true
    }

    /// Only for a list that may be cut off: reading rows takes longer than counting them.
    fn hears(&self) -> bool {
        self.verb == Verb::List && self.may_be_cut
    }

    fn hear(&mut self, row: Row<'_>) {
        self.heard += 1;
        if self.heard == LIST_LIMIT {
            self.last_ms = int(row, TIME).unwrap_or_default();
        }
    }

    fn check(&mut self, done: &Done) -> Result<(), &'static str> {
        self.rows = done.rows;
        Ok(())
    }

    fn count(&mut self, counts: &mut Counts) {
        match self.verb {
            Verb::Count => counts.counts_found += self.rows,
            Verb::Several => {
                counts.multigets += 1;
                counts.multiget_ids += self.ends.len() as u64;
                counts.multiget_rows += self.rows;
            }
            Verb::List => {
                counts.lists += 1;
                counts.list_rows += self.rows;
                counts.lists_at_limit += u64::from(self.rows >= LIST_LIMIT);
                counts.history_lists += u64::from(self.goes_on.is_some());
                self.remember();
            }
        }
    }
}
