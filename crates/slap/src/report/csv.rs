//! A cell as mysqlslap's line of CSV: seven fields, no header.

use super::statistics::{seconds, Millis};
use super::Results;

/// Engine, load type, average, minimum, maximum, clients, queries per client.
pub fn line(results: &Results) -> String {
    let times = Millis::of(results);
    format!(
        "{},{},{},{},{},{},{}\n",
        results.engine.as_deref().unwrap_or(""),
        results.load_type,
        seconds(times.average),
        seconds(times.minimum),
        seconds(times.maximum),
        results.clients,
        results.queries_per_client(),
    )
}
