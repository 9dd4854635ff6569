//! The five transactions (2.4 to 2.8): what each draws, says and expects.
//!
//! A transaction is sent in as few messages as it has decisions of the client's: statements whose
//! inputs are known go together. Each begins by itself, because connections don't commit by
//! themselves, and locks rows in one order everywhere: warehouse, district, stock by its key,
//! new orders, customer.

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
