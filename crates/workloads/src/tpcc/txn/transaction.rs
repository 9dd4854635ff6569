//! What the five transactions share: what one is, its place, its customer, and SQL.

use std::fmt;

use load::Stream;
use wire::{Done, Row};

use crate::script::int;
use crate::tpcc::nurand::Constants;

/// Appends SQL to a message. Writing to memory can't fail.
macro_rules! sql {
    ($out:expr, $($text:tt)*) => {{
        use std::io::Write;
        let _ = write!($out, $($text)*);
    }};
}
pub(super) use sql;

/// What is wrong with the data.
pub type Wrong = &'static str;

/// One of the five, with its inputs already drawn.
pub trait Transaction {
    /// Appends message `step`, from 0; false if the transaction is over.
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool;

    /// A row of the answer to message `step`, in its result set `set`, from 0.
    fn hear(&mut self, step: usize, set: usize, row: Row<'_>);

    /// The whole answer to message `step` has arrived.
    fn check(&mut self, step: usize, done: &Done) -> Result<(), Wrong>;
}

/// Where a terminal's transaction happens, and what it draws from.
#[derive(Debug, Clone, Copy)]
pub struct Home {
    /// The total number.
    pub warehouses: u32,
    /// From 1.
    pub warehouse: u32,
    /// From 1.
    pub district: u32,
    /// Of the run.
    pub constants: Constants,
}

impl Home {
    /// A warehouse other than the terminal's own, if there is one.
    pub fn other_warehouse(&self, stream: &mut Stream) -> u32 {
        if self.warehouses == 1 {
            return self.warehouse;
        }
        let drawn = 1 + stream.below(u64::from(self.warehouses) - 1) as u32;
        drawn + u32::from(drawn >= self.warehouse)
    }
}

/// A customer as the terminal's user gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// By customer number.
    Id(u32),
    /// By the number of the last name.
    Name(u32),
}

impl Wanted {
    /// 60 % are given by name.
    pub fn draw(stream: &mut Stream, constants: &Constants) -> Wanted {
        if stream.below(100) < 60 {
            Wanted::Name(constants.last_name(stream))
        } else {
            Wanted::Id(constants.customer(stream))
        }
    }
}

/// The middle one of the customers with a given name.
#[derive(Debug, Default)]
pub struct Namesakes {
    pub(super) ids: Vec<u32>,
}

impl Namesakes {
    /// Asks for all customers of a district with this name.
    pub fn say(&mut self, warehouse: u32, district: u32, name: u32, out: &mut Vec<u8>) {
        self.ids.clear();
        sql!(
            out,
            "SELECT c_id FROM customer WHERE c_w_id = {warehouse} AND c_d_id = {district} \
             AND c_last = '"
        );
        crate::tpcc::text::last_name(name, out);
        sql!(out, "' ORDER BY c_first");
    }

    pub fn hear(&mut self, row: Row<'_>) {
        self.ids.extend(int::<u32>(row, 0));
    }

    /// Of n, the one at n / 2, rounded up.
    pub fn middle(&self) -> Result<u32, Wrong> {
        let place = self.ids.len().div_ceil(2);
        let found = place.checked_sub(1).and_then(|index| self.ids.get(index));
        found
            .copied()
            .ok_or("no customer has the last name that was asked for")
    }
}

/// An amount in hundredths, written as SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hundredths(pub i64);

impl fmt::Display for Hundredths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let value = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:02}", value / 100, value % 100)
    }
}

/// A column with two decimal digits, in hundredths.
pub fn hundredths(row: Row<'_>, column: usize) -> Option<i64> {
    let text = std::str::from_utf8(row.get(column)?).ok()?;
    let (whole, part) = text.split_once('.')?;
    if part.len() != 2 {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let part: i64 = part.parse().ok()?;
    Some(whole * 100 + if text.starts_with('-') { -part } else { part })
}

/// `wrong`, unless something holds.
pub fn ensure(holds: bool, wrong: Wrong) -> Result<(), Wrong> {
    if holds {
        Ok(())
    } else {
        Err(wrong)
    }
}
