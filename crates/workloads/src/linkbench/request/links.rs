//! Adding, updating and deleting links, together with the count of their id and type.
//!
//! The count is changed in the same transaction as the link, and only if a link appears or
//! disappears: so it always agrees with the visible links.

use wire::{Done, Row};

use super::parts::{Draw, Link, Request};
use super::sql::{quoted, sql};
use crate::linkbench::counts::Counts;
use crate::linkbench::profile::Writes;
use crate::script::int;

/// The probability that a requested link exists.
const ADDED_IS_THERE: f64 = 0.05;
const WRITTEN_IS_THERE: f64 = 0.9;
const VISIBLE: u64 = 1;

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Add,
    Update,
    Delete,
}

/// Which statement comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Insert it, or unhide it if it is hidden.
    Upsert,
    /// Insert it unless it exists.
    Insert,
    /// Lock it and check whether it exists and is visible.
    Look,
    /// The rest of an add or update.
    Finish { appears: bool, rewrites: bool },
    /// The rest of a delete.
    Hide,
    /// There is nothing to do.
    Commit,
    /// All statements have been sent.
    Nothing,
}

/// A write of one link.
#[derive(Debug)]
pub struct LinkWrite {
    verb: Verb,
    writes: Writes,
    link: Link,
    data: Vec<u8>,
    now_ms: u64,
    next: Next,
    /// Which statement was sent last.
    sent: Next,
    visibility: Option<u64>,
    came: Came,
}

/// The result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    Inserted,
    Shown,
    Rewritten,
    Hidden,
    Missed,
}

impl LinkWrite {
    /// Nothing has been drawn yet.
    pub fn new(writes: Writes) -> LinkWrite {
        LinkWrite {
            verb: Verb::Add,
            writes,
            link: Link::default(),
            data: Vec::new(),
            now_ms: 0,
            next: Next::Nothing,
            sent: Next::Nothing,
            visibility: None,
            came: Came::Missed,
        }
    }

    /// Draws a link to add.
    pub fn draw_add(&mut self, draw: &mut Draw<'_>) {
        self.draw(Verb::Add, ADDED_IS_THERE, draw);
        draw.graph.link_add.draw(&mut draw.stream, &mut self.data);
    }

    /// Draws a link to update.
    pub fn draw_update(&mut self, draw: &mut Draw<'_>) {
        self.draw(Verb::Update, WRITTEN_IS_THERE, draw);
        draw.graph
            .link_update
            .draw(&mut draw.stream, &mut self.data);
    }

    /// Draws a link to delete.
    pub fn draw_delete(&mut self, draw: &mut Draw<'_>) {
        self.draw(Verb::Delete, WRITTEN_IS_THERE, draw);
    }

    fn draw(&mut self, verb: Verb, is_there: f64, draw: &mut Draw<'_>) {
        self.verb = verb;
        self.link = Link::draw(draw, is_there);
        self.now_ms = draw.now_ms;
    }

    fn first(&self) -> Next {
        match (self.verb, self.writes) {
            (Verb::Add | Verb::Update, Writes::Upsert) => Next::Upsert,
            (Verb::Add, Writes::Apart) => Next::Insert,
            (Verb::Update, Writes::Apart) | (Verb::Delete, _) => Next::Look,
        }
    }

    fn insert(&self, ignore: &str, out: &mut Vec<u8>) {
        let Link {
            id1,
            link_type,
            id2,
        } = self.link;
        sql!(
            out,
            "INSERT ",
            ignore,
            "INTO linktable (id1, id2, link_type, visibility, data, time, version) VALUES (",
            id1,
            ", ",
            id2,
            ", ",
            link_type,
            ", ",
            VISIBLE,
            ", "
        );
        quoted(&self.data, out);
        sql!(out, ", ", self.now_ms, ", 0)");
    }

    /// `WHERE`, with the whole primary key.
    fn at(&self, out: &mut Vec<u8>) {
        let Link {
            id1,
            link_type,
            id2,
        } = self.link;
        sql!(
            out,
            " WHERE id1 = ",
            id1,
            " AND id2 = ",
            id2,
            " AND link_type = ",
            link_type
        );
    }

    /// Sets the count to `first`, or changes it by `change` if there is one.
    fn count_by(&self, first: u64, change: &str, out: &mut Vec<u8>) {
        let Link { id1, link_type, .. } = self.link;
        let now_ms = self.now_ms;
        sql!(
            out,
            "INSERT INTO counttable (id, link_type, count, time, version) VALUES (",
            id1,
            ", ",
            link_type,
            ", ",
            first,
            ", ",
            now_ms,
            ", 0) ON DUPLICATE KEY UPDATE count = ",
            change,
            ", version = version + 1, time = ",
            now_ms,
            ";"
        );
    }

    fn finish(&self, appears: bool, rewrites: bool, out: &mut Vec<u8>) {
        if appears {
            self.count_by(1, "count + 1", out);
        }
        if rewrites {
            sql!(
                out,
                "UPDATE linktable SET visibility = ",
                VISIBLE,
                ", data = "
            );
            quoted(&self.data, out);
            sql!(out, ", time = ", self.now_ms, ", version = 0");
            self.at(out);
            sql!(out, ";");
        }
        sql!(out, "COMMIT");
    }

    fn hide(&self, out: &mut Vec<u8>) {
        sql!(out, "UPDATE linktable SET visibility = 0");
        self.at(out);
        sql!(out, ";");
        self.count_by(0, "IF(count = 0, 0, count - 1)", out);
        sql!(out, "COMMIT");
    }

    /// The next step, depending on whether the link exists.
    fn after_look(&mut self) -> (Next, Came) {
        let finish = |appears| Next::Finish {
            appears,
            rewrites: true,
        };
        match (self.verb, self.visibility) {
            (Verb::Delete, Some(VISIBLE)) => (Next::Hide, Came::Hidden),
            (Verb::Delete, _) => (Next::Commit, Came::Missed),
            (_, Some(VISIBLE)) => (finish(false), Came::Rewritten),
            (_, Some(_)) => (finish(true), Came::Shown),
            (_, None) => (Next::Insert, Came::Inserted),
        }
    }
}

impl Request for LinkWrite {
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool {
        if step == 0 {
            self.next = self.first();
            sql!(out, "BEGIN;");
        }
        match self.next {
            Next::Upsert => {
                self.insert("", out);
                sql!(out, " ON DUPLICATE KEY UPDATE visibility = ", VISIBLE);
            }
            Next::Insert => self.insert("IGNORE ", out),
            Next::Look => {
                self.visibility = None;
                sql!(out, "SELECT visibility FROM linktable");
                self.at(out);
                sql!(out, " FOR UPDATE");
            }
            Next::Finish { appears, rewrites } => self.finish(appears, rewrites, out),
            Next::Hide => self.hide(out),
            Next::Commit => sql!(out, "COMMIT"),
            Next::Nothing => return false,
        }
        self.sent = self.next;
        true
    }

    fn hears(&self) -> bool {
        self.sent == Next::Look
    }

    fn hear(&mut self, row: Row<'_>) {
        self.visibility = int(row, 0);
    }

    fn check(&mut self, done: &Done) -> Result<(), &'static str> {
        let finish = |appears, rewrites| Next::Finish { appears, rewrites };
        (self.next, self.came) = match (self.sent, done.affected_rows) {
            (Next::Upsert | Next::Insert, 1) => (finish(true, false), Came::Inserted),
            (Next::Upsert, 2) => (finish(true, true), Came::Shown),
            (Next::Upsert, 0) => (finish(false, true), Came::Rewritten),
            (Next::Insert, 0) => (Next::Look, self.came),
            (Next::Upsert | Next::Insert, _) => {
                return Err("an INSERT of one link changed several rows");
            }
            (Next::Look, _) => self.after_look(),
            _ => (Next::Nothing, self.came),
        };
        Ok(())
    }

    fn count(&mut self, counts: &mut Counts) {
        match self.came {
            Came::Inserted => counts.links_inserted += 1,
            Came::Shown => counts.links_shown += 1,
            Came::Rewritten => counts.links_rewritten += 1,
            Came::Hidden => counts.links_hidden += 1,
            Came::Missed => counts.links_missed += 1,
        }
        if self.verb != Verb::Delete {
            counts.link_payloads += 1;
            counts.link_bytes += self.data.len() as u64;
        }
    }
}
