//! The five transactions (2.4 to 2.8): what each draws, sends and expects.
//!
//! A transaction is sent in as few messages as the client has decisions to make: statements with
//! known inputs go together. Each starts implicitly, because connections don't autocommit, and
//! locks rows in one order everywhere: warehouse, district, stock by key, new orders, customer.

mod delivery;
mod new_order;
mod order_status;
mod payment;
mod stock_level;
#[cfg(test)]
mod tests;
mod transaction;

pub use delivery::Delivery;
pub use new_order::NewOrder;
pub use order_status::OrderStatus;
pub use payment::Payment;
pub use stock_level::StockLevel;
pub use transaction::{Home, Transaction};
