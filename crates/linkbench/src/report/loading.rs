//! The log lines of the load.

use std::io;

use workloads::event::{PhaseEvent, PhaseState, PhaseSummary};

use super::Out;
use crate::config::Settings;

/// The progress of the load.
pub struct Loading {
    ids: u64,
    every_links: u64,
    begin_s: f64,
    links: u64,
    nodes: u64,
}

impl Loading {
    /// Nothing has been loaded yet.
    pub fn new(settings: &Settings) -> Loading {
        Loading {
            ids: settings.ids as u64,
            every_links: settings.load_progress_links,
            begin_s: 0.0,
            links: 0,
            nodes: 0,
        }
    }

    /// The phase begins, progresses or ends.
    pub fn phase(&mut self, phase: &PhaseEvent, out: &mut Out) -> io::Result<()> {
        match (phase.state, phase.table.as_deref(), phase.rows) {
            (PhaseState::Begin, ..) => self.begin_s = phase.t_s,
            (PhaseState::Progress, Some("nodetable"), Some(rows)) => self.nodes = rows,
            (PhaseState::Progress, Some("linktable"), Some(rows)) => {
                let total = phase.rows_total.unwrap_or(rows);
                let before = std::mem::replace(&mut self.links, rows);
                let is_due = rows / self.every_links > before / self.every_links;
                if rows > before && (is_due || rows == total) {
                    let text = self.progress(total, phase.t_s - self.begin_s);
                    out.info(&text)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Links are counted; ids are taken as the same share of all ids.
    fn progress(&self, total: u64, elapsed_s: f64) -> String {
        let share = self.links as f64 / total.max(1) as f64;
        let id1s = (share * self.ids as f64) as u64;
        let elapsed_s = elapsed_s.max(0.001);
        format!(
            "{id1s}/{} id1s loaded ({:.1}% complete) at {:.2} id1s/sec avg. {} links loaded at \
             {:.2} links/sec avg.",
            self.ids,
            share * 100.0,
            id1s as f64 / elapsed_s,
            self.links,
            self.links as f64 / elapsed_s,
        )
    }

    /// The end of the load, or of the part of it that was done.
    pub fn end(&self, phase: &PhaseSummary, complete: bool, out: &mut Out) -> io::Result<()> {
        let Loading {
            ids, links, nodes, ..
        } = self;
        let elapsed_s = phase.elapsed_s.max(0.001);
        out.info(&format!(
            "LOAD PHASE {}.  Loaded {nodes} nodes (Expected {ids}). Loaded {links} links ({:.2} \
             links per node).  Took {:.1} seconds.  Links/second = {}",
            super::requesting::ended(complete),
            *links as f64 / (*nodes).max(1) as f64,
            elapsed_s,
            (*links as f64 / elapsed_s).round() as u64,
        ))?;
        if complete {
            return Ok(());
        }
        out.warn(
            "the tables may be there without all of their rows\nhint: drop linktable, counttable \
             and nodetable before the next load",
        )
    }
}
