//! What the rows of several tables share: how many there are, which district they belong to, and
//! how dates and amounts are written.

use crate::fill::Row;

/// Districts per warehouse.
pub const DISTRICTS: u64 = 10;
/// Customers per district, and also its initial orders.
pub const CUSTOMERS: u64 = crate::tpcc::nurand::CUSTOMERS;
/// Items, and also stock rows per warehouse.
pub const ITEMS: u64 = crate::tpcc::nurand::ITEMS;
/// The first order of a district that isn't delivered yet.
pub const FIRST_NEW_ORDER: u64 = 2101;
/// Orders of a district that aren't delivered yet.
pub const NEW_ORDERS: u64 = CUSTOMERS + 1 - FIRST_NEW_ORDER;
/// All dates of the load.
const DATE: &[u8] = b"2000-01-01 00:00:00";

/// A row of a district, by its index over all warehouses.
pub struct Place {
    /// From 1.
    pub warehouse: u64,
    /// From 1.
    pub district: u64,
    /// Its number among those of the district, from 1.
    pub number: u64,
    /// The district's number over all warehouses, from 0.
    pub order: u64,
}

impl Place {
    /// For a table that has `rows` rows per district.
    pub fn from_index(index: u64, rows: u64) -> Place {
        let order = index / rows;
        Place {
            warehouse: order / DISTRICTS + 1,
            district: order % DISTRICTS + 1,
            number: index % rows + 1,
            order,
        }
    }
}

/// Writes a date.
pub fn date(row: &mut Row<'_>) {
    row.text(|out| out.extend_from_slice(DATE));
}

/// Writes an amount given in hundredths.
pub fn hundredths(row: &mut Row<'_>, value: u64) {
    fraction(row, value, 2);
}

/// Writes a decimal with `digits` digits after the point.
pub fn fraction(row: &mut Row<'_>, value: u64, digits: usize) {
    let unit = 10_u64.pow(digits as u32);
    row.text(|out| {
        out.extend_from_slice(itoa::Buffer::new().format(value / unit).as_bytes());
        out.push(b'.');
        let mut buffer = itoa::Buffer::new();
        let behind = buffer.format(value % unit).as_bytes();
        out.resize(out.len() + digits - behind.len(), b'0');
        out.extend_from_slice(behind);
    });
}
