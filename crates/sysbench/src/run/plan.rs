//! Whether the workload `oltp` can replace a bundled script, and as which plan.

use serde_json::json;
use workloads::oltp::{Distribution, Oltp, ScriptName};

use crate::log::{self, Level};
use crate::lua::State;
use crate::options::{Options, Settings, Value};
use crate::shared::{Shared, Source};

/// Errors outside this range are the server's own. Those in it are the client's and concern
/// connections: retrying events after them needs a script.
const CLIENT_ERRORS: std::ops::Range<u16> = 2000..3000;
/// `id` and `k` are signed 32-bit integers.
const ROWS_MAX: u32 = i32::MAX as u32;

/// The script as a plan; `None` if Lua is needed.
pub(super) fn oltp(shared: &Shared, state: &State) -> Option<Oltp> {
    let Source::Named(name) = &shared.source else {
        return None;
    };
    let options = shared.options.get()?;
    if !state.is_bundled() || !is_plain(&shared.settings) || options.get("reconnect").int() != 0 {
        return None;
    }
    let script: ScriptName = serde_json::from_value(json!(name)).ok()?;
    // Its event is a row, but a statement consists of many.
    if script == ScriptName::BulkInsert {
        return None;
    }
    let oltp = with_options(script, options, &shared.settings)?;
    (oltp.tables > 0 && (1..=ROWS_MAX).contains(&oltp.table_size)).then_some(oltp)
}

/// Nothing is requested but load on one server, as fast as possible, without info messages.
fn is_plain(settings: &Settings) -> bool {
    let login = &settings.login;
    let servers = [login.sockets.len(), login.hosts.len(), login.ports.len()];
    let counts_from_warmup = settings.warmup_s > 0 && settings.events > 0;
    settings.rate == 0
        && !counts_from_warmup
        && !log::shows(Level::Info)
        && !login.is_dry
        && !login.ignores_all
        && !login
            .ignored
            .iter()
            .any(|code| CLIENT_ERRORS.contains(code))
        && servers.iter().all(|&count| count <= 1)
}

fn with_options(script: ScriptName, options: &Options, settings: &Settings) -> Option<Oltp> {
    let number = |name: &str, or: u32| match options.get(name).double() {
        _ if *options.get(name) == Value::Unset => Some(or),
        value if value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value) => {
            Some(value as u32)
        }
        _ => None,
    };
    let is_on = |name: &str| options.get(name).is_on();
    Some(Oltp {
        script,
        tables: number("tables", 1)?,
        table_size: number("table_size", 10_000)?,
        range_size: number("range_size", 100)?,
        point_selects: number("point_selects", 10)?,
        simple_ranges: number("simple_ranges", 1)?,
        sum_ranges: number("sum_ranges", 1)?,
        order_ranges: number("order_ranges", 1)?,
        distinct_ranges: number("distinct_ranges", 1)?,
        range_selects: is_on("range_selects"),
        index_updates: number("index_updates", 1)?,
        non_index_updates: number("non_index_updates", 1)?,
        delete_inserts: number("delete_inserts", 1)?,
        skip_trx: is_on("skip_trx"),
        auto_inc: is_on("auto_inc"),
        secondary: is_on("secondary"),
        create_secondary: is_on("create_secondary"),
        engine: options.get("mysql_storage_engine").text().to_owned(),
        create_options: options.get("create_table_options").text().to_owned(),
        prepared: settings.login.prepares,
        random_points: number("random_points", 10)?,
        number_of_ranges: number("number_of_ranges", 10)?,
        delta: number("delta", 5)?,
        loaders: 1,
        distribution: distribution(settings),
    })
}

fn distribution(settings: &Settings) -> Distribution {
    match settings.rand_type.as_str() {
        "uniform" => Distribution::Uniform {},
        "gaussian" => settings.gaussian.clone(),
        "pareto" => settings.pareto.clone(),
        "zipfian" => settings.zipfian.clone(),
        _ => settings.special.clone(),
    }
}
