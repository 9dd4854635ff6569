//! The functions that preludes call rarely: checked and converted by mlua.

use std::sync::atomic::Ordering;

use mlua::{Lua, LuaString, Result, Table};

use crate::db::Session;
use crate::embedded;
use crate::log::{self, Level};
use crate::options::{help_lines, Spec};
use crate::shared::{with, Own};
use crate::stats::Buckets;

use super::flow::is_in_loop;

/// Adds them to `host`.
pub fn register(lua: &Lua, host: &Table) -> Result<()> {
    messages(lua, host)?;
    sessions(lua, host)?;
    results(lua, host)?;
    statements(lua, host)?;
    histograms(lua, host)?;
    host.set(
        "embedded",
        lua.create_function(|lua, name: LuaString| {
            let source = embedded::source(&name.to_string_lossy());
            source.map(|source| lua.create_string(source)).transpose()
        })?,
    )?;
    host.set(
        "option_lines",
        lua.create_function(|_, declared: Vec<Table>| {
            let declared = declared.iter().map(super::declared);
            let declared: Vec<Spec> = declared.collect::<Result<_>>()?;
            Ok(help_lines(&declared))
        })?,
    )
}

fn messages(lua: &Lua, host: &Table) -> Result<()> {
    host.set(
        "say",
        lua.create_function(|_, (level, message): (u8, LuaString)| {
            log::say(Level::from_number(level), &message.to_string_lossy());
            Ok(())
        })?,
    )?;
    host.set(
        "note_blocks",
        lua.create_function(|_, ()| {
            with(|own| own.shared.blocks.store(true, Ordering::Relaxed));
            Ok(())
        })?,
    )?;
    host.set(
        "print",
        lua.create_function(|_, text: LuaString| {
            // At any verbosity, but with --json standard output is for that report alone.
            if !with(|own| own.shared.settings.is_json) {
                log::print_always(&text.to_string_lossy());
            }
            Ok(())
        })?,
    )
}

fn sessions(lua: &Lua, host: &Table) -> Result<()> {
    host.set(
        "use_driver",
        lua.create_function(|_, name: LuaString| {
            let is_known = &*name.as_bytes() == b"mysql";
            if is_known {
                with(|own| own.shared.uses_sql.store(true, Ordering::Relaxed));
            }
            Ok(is_known)
        })?,
    )?;
    host.set(
        "connect",
        lua.create_function(|_, ()| {
            Ok(with(|own| {
                note_change(own);
                let session = Session::connect(&own.shared, own.number)?;
                Some(own.keep(session))
            }))
        })?,
    )?;
    host.set(
        "disconnect",
        lua.create_function(|_, id: usize| {
            Ok(with(|own| {
                note_change(own);
                own.session(id).is_some_and(Session::disconnect)
            }))
        })?,
    )?;
    host.set(
        "forget",
        lua.create_function(|_, id: usize| {
            with(|own| {
                if let Some(session) = own.sessions.get_mut(id) {
                    *session = None;
                }
            });
            Ok(())
        })?,
    )?;
    host.set(
        "reconnect",
        lua.create_function(|_, id: usize| {
            with(|own| {
                note_change(own);
                if let Some(session) = own.session(id) {
                    session.reconnect();
                }
            });
            Ok(())
        })?,
    )
}

/// Events that change their connections wait for more than the one that the load engine watches.
fn note_change(own: &Own) {
    if is_in_loop() {
        own.shared.blocks.store(true, Ordering::Relaxed);
    }
}

fn results(lua: &Lua, host: &Table) -> Result<()> {
    host.set(
        "failure",
        lua.create_function(|_, id: usize| {
            Ok(with(|own| {
                let failure = own.session(id).map(|session| session.failure.clone());
                let failure = failure.unwrap_or_default();
                (failure.code, failure.state, failure.message)
            }))
        })?,
    )?;
    host.set(
        "has_more",
        lua.create_function(|_, id: usize| {
            Ok(with(|own| {
                own.session(id)
                    .is_some_and(|session| session.stored.has_more())
            }))
        })?,
    )?;
    host.set(
        "next_set",
        lua.create_function(|_, id: usize| {
            Ok(with(|own| {
                let session = own.session(id)?;
                let is_there = session.stored.next_set();
                session.rows = session.stored.rows() as u64;
                Some(is_there)
            }))
        })?,
    )
}

fn statements(lua: &Lua, host: &Table) -> Result<()> {
    host.set(
        "prepare",
        lua.create_function(|_, (id, sql): (usize, LuaString)| {
            let sql = sql.to_string_lossy();
            let prepared = with(|own| own.session(id).and_then(|session| session.prepare(&sql)));
            Ok((
                prepared.map(|prepared| prepared.0),
                prepared.map(|prepared| prepared.1),
            ))
        })?,
    )?;
    host.set(
        "close_statement",
        lua.create_function(|_, (id, statement): (usize, usize)| {
            with(|own| {
                if let Some(session) = own.session(id) {
                    session.close_statement(statement);
                }
            });
            Ok(())
        })?,
    )?;
    host.set(
        "bulk_init",
        lua.create_function(|_, (id, prefix): (usize, LuaString)| {
            with(|own| {
                if let Some(session) = own.session(id) {
                    session.bulk_init(&prefix.as_bytes());
                }
            });
            Ok(())
        })?,
    )?;
    host.set(
        "bulk_done",
        lua.create_function(|_, id: usize| {
            Ok(with(|own| own.session(id).is_some_and(Session::bulk_done)))
        })?,
    )
}

fn histograms(lua: &Lua, host: &Table) -> Result<()> {
    host.set(
        "histogram_new",
        lua.create_function(|_, (size, min, max): (usize, f64, f64)| {
            Ok(with(|own| {
                let buckets = Buckets::new(size, min, max);
                own.histograms.push((buckets, vec![0; buckets.count()]));
                own.histograms.len() - 1
            }))
        })?,
    )?;
    host.set(
        "histogram_update",
        lua.create_function(|_, (number, value): (usize, f64)| {
            with(|own| {
                if let Some((buckets, counts)) = own.histograms.get_mut(number) {
                    counts[buckets.index(value)] += 1;
                }
            });
            Ok(())
        })?,
    )?;
    host.set(
        "histogram_picture",
        lua.create_function(|_, number: usize| {
            Ok(with(|own| {
                let histogram = own.histograms.get(number);
                histogram.map(|(buckets, counts)| buckets.picture(counts))
            }))
        })?,
    )
}
