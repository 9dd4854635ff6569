//! What a run prints: the banner, the line of an interval, the final report, as text or JSON.

mod json;
mod text;

pub use json::json;
pub use text::{banner, interval, queue, Final};
