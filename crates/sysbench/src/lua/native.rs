//! The functions that scripts' preludes call through LuaJIT's FFI because they are called often:
//! such a call costs a jump, not a conversion.
//!
//! Unsafe, because the FFI passes pointers. Only preludes have these addresses; they pass the
//! pointer and length of a live string or of their own memory, and they define the layout of both
//! structs. No function calls Lua, and none keeps a pointer.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::slice;

use mlua::{Lua, LuaOptions, StdLib};
use wire::Value;

use crate::db::{Reply, Text};
use crate::random::{unique, Shape};
use crate::shared::with;

use super::flow::{pause, Pause};

/// A parameter of a statement, as built by preludes.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Param {
    integer: i64,
    real: f64,
    text: *const u8,
    len: u32,
    room: u32,
    kind: i32,
}

/// A result as preludes have it.
#[derive(Debug)]
#[repr(C)]
pub struct Shown {
    id: c_int,
    fields: c_int,
    rows: f64,
    is_free: bool,
}

/// A Lua state with every library and with LuaJIT's own `pcall`: a coroutine can't yield through
/// the one that mlua puts in its place to let Rust's panics through.
pub fn state() -> Lua {
    let options = LuaOptions::new().catch_rust_panics(true);
    // SAFETY: scripts run as in sysbench: with FFI, debug and C modules they can do whatever the
    // user who started them can.
    unsafe { Lua::unsafe_new_with(StdLib::ALL, options) }
}

/// Names and addresses of the functions.
pub fn addresses() -> Vec<(&'static str, *const ())> {
    vec![
        ("query", query as *const ()),
        ("execute", execute as *const ()),
        ("next_row", next_row as *const ()),
        ("show", show as *const ()),
        ("bulk_next", bulk_next as *const ()),
        ("more_events", more_events as *const ()),
        ("is_over", is_over as *const ()),
        ("event_start", event_start as *const ()),
        ("event_stop", event_stop as *const ()),
        ("counter_inc", counter_inc as *const ()),
        ("rand_default", rand_default as *const ()),
        ("rand_uniform", rand_uniform as *const ()),
        ("rand_gaussian", rand_gaussian as *const ()),
        ("rand_special", rand_special as *const ()),
        ("rand_pareto", rand_pareto as *const ()),
        ("rand_zipfian", rand_zipfian as *const ()),
        ("rand_unique", rand_unique as *const ()),
        ("rand_double", rand_double as *const ()),
        ("rand_bits", rand_bits as *const ()),
        ("rand_fill", rand_fill as *const ()),
        ("rand_letters", rand_letters as *const ()),
    ]
}

/// The bytes that a prelude passed; empty for a null pointer.
///
/// # Safety
/// `text` is null or points to `len` bytes that stay valid for `'a`.
unsafe fn bytes<'a>(text: *const u8, len: usize) -> &'a [u8] {
    if text.is_null() {
        return &[];
    }
    // SAFETY: as promised by the caller.
    unsafe { slice::from_raw_parts(text, len) }
}

/// The memory that a prelude passed to be filled.
///
/// # Safety
/// `out` is null or points to `len` bytes that nobody else uses during `'a`.
unsafe fn room<'a>(out: *mut u8, len: usize) -> &'a mut [u8] {
    if out.is_null() {
        return &mut [];
    }
    // SAFETY: as promised by the caller.
    unsafe { slice::from_raw_parts_mut(out, len) }
}

unsafe extern "C" fn query(session: c_int, sql: *const u8, len: usize) -> c_int {
    // SAFETY: a Lua string, alive on the caller's stack.
    let sql = unsafe { bytes(sql, len) };
    with(|own| match own.session(session as usize) {
        Some(session) => session.query(sql) as c_int,
        None => Reply::Misuse as c_int,
    })
}

unsafe extern "C" fn execute(
    session: c_int,
    statement: c_int,
    params: *const *const Param,
    count: c_int,
) -> c_int {
    let params: &[*const Param] = if params.is_null() {
        &[]
    } else {
        // SAFETY: the prelude created an array of `count` pointers.
        unsafe { slice::from_raw_parts(params, count as usize) }
    };
    let values = params.iter().map(|&param| {
        // SAFETY: each points to a parameter that the prelude keeps with the statement.
        let param = unsafe { *param };
        match param.kind {
            1 => Value::Int(param.integer),
            2 => Value::Double(param.real),
            // SAFETY: the prelude keeps the text with the parameter.
            3 => Value::Chars(unsafe { bytes(param.text, param.len as usize) }),
            _ => Value::Null,
        }
    });
    with(|own| match own.session(session as usize) {
        Some(session) => session.execute(statement as usize, values) as c_int,
        None => Reply::Misuse as c_int,
    })
}

extern "C" fn next_row(session: c_int) -> *const Text {
    with(|own| {
        let session = own.session(session as usize);
        let row = session.and_then(|session| session.stored.next_row());
        row.map_or(std::ptr::null(), <[Text]>::as_ptr)
    })
}

unsafe extern "C" fn show(session: c_int, shown: *mut Shown) {
    with(|own| {
        let session = own.session(session as usize);
        let (rows, fields) =
            session.map_or((0, 0), |session| (session.rows, session.stored.fields()));
        // SAFETY: the prelude passes a result of its own.
        if let Some(shown) = unsafe { shown.as_mut() } {
            shown.fields = fields as c_int;
            shown.rows = rows as f64;
            shown.is_free = false;
        }
    })
}

unsafe extern "C" fn bulk_next(session: c_int, row: *const u8, len: usize) -> c_int {
    // SAFETY: a Lua string, alive on the caller's stack.
    let row = unsafe { bytes(row, len) };
    with(|own| match own.session(session as usize) {
        Some(session) => c_int::from(session.bulk_next(row)),
        None => 0,
    })
}

extern "C" fn more_events(_worker: c_int) -> bool {
    if with(|own| own.shared.driven.is_some()) {
        return pause(Pause::Event);
    }
    with(|own| match own.shared.pace.next() {
        Some(due_ns) => {
            own.due_ns = due_ns;
            true
        }
        None => {
            own.shared.stats.worker(own.number).abandon();
            false
        }
    })
}

extern "C" fn is_over() -> bool {
    with(|own| own.shared.is_up())
}

extern "C" fn event_start(_worker: c_int) {
    with(|own| {
        own.began_ns = own.due_ns;
        own.shared.stats.worker(own.number).begin();
        own.shared.pace.note(true);
    });
}

extern "C" fn event_stop(_worker: c_int) {
    with(|own| {
        let latency_ns = own.shared.pace.now_ns().saturating_sub(own.began_ns);
        own.shared.pace.note(false);
        own.shared.ended(own.number, latency_ns);
    });
}

extern "C" fn counter_inc(worker: c_int, counter: c_int) {
    with(|own| {
        let worker = own.shared.stats.worker(worker as usize);
        worker.count_number(counter as usize);
    });
}

extern "C" fn rand_default(a: u32, b: u32) -> u32 {
    with(|own| own.random.default(a, b))
}

extern "C" fn rand_uniform(a: u32, b: u32) -> u32 {
    with(|own| own.random.draw(Shape::Uniform, a, b))
}

extern "C" fn rand_gaussian(a: u32, b: u32) -> u32 {
    with(|own| own.random.draw(Shape::Gaussian, a, b))
}

extern "C" fn rand_special(a: u32, b: u32) -> u32 {
    with(|own| own.random.draw(Shape::Special, a, b))
}

extern "C" fn rand_pareto(a: u32, b: u32) -> u32 {
    with(|own| own.random.draw(Shape::Pareto, a, b))
}

extern "C" fn rand_zipfian(a: u32, b: u32) -> u32 {
    with(|own| own.random.draw(Shape::Zipfian, a, b))
}

extern "C" fn rand_unique() -> u32 {
    unique()
}

extern "C" fn rand_double() -> f64 {
    with(|own| own.random.unit())
}

extern "C" fn rand_bits() -> u64 {
    with(|own| own.random.bits())
}

unsafe extern "C" fn rand_fill(template: *const u8, len: usize, out: *mut u8) {
    // SAFETY: a Lua string, and memory of the prelude of the same length.
    let (template, out) = unsafe { (bytes(template, len), room(out, len)) };
    with(|own| own.random.fill(template, out));
}

unsafe extern "C" fn rand_letters(out: *mut u8, len: usize) {
    // SAFETY: memory of the prelude of this length.
    let out = unsafe { room(out, len) };
    with(|own| own.random.letters(out));
}
