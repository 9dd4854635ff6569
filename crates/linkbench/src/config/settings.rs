//! The settings made from the properties. Every key is checked; the run's own become numbers, the
//! workload's are kept as they are. A missing key that LinkBench doesn't require has LinkBench's
//! own default.

use std::env;
use std::path::PathBuf;

use workloads::bounded;

use super::keys::{self, Use};
use super::values::Values;
use super::{Config, Properties};
use crate::failure::{self, Failure};
use crate::log::Level;

/// The only store.
const STORE: &str = "com.facebook.LinkBench.LinkStoreMysql";
/// The required names of the tables.
const TABLES: [&str; 3] = ["linktable", "counttable", "nodetable"];
/// The most connections that a plan allows.
const REQUESTERS_MAX: i64 = 10_000;
/// The limit that a plan allows; more is practically unlimited.
const REQUESTS_MAX: u64 = 1_000_000_000_000;
const SECONDS_MAX: i64 = 31_536_000;
/// Keys without which LinkBench's requests have no mix.
const MIX: [&str; 6] = [
    "addlink",
    "deletelink",
    "updatelink",
    "countlink",
    "getlink",
    "getlinklist",
];
/// Keys without which it has no data to send.
const PAYLOAD: [&str; 6] = [
    "link_datasize",
    "node_datasize",
    "link_add_datagen",
    "link_up_datagen",
    "node_add_datagen",
    "node_up_datagen",
];
/// Keys that LinkBench takes as 0 if they are missing.
const ZERO: [&str; 7] = [
    "addnode",
    "updatenode",
    "deletenode",
    "getnode",
    "getlinklist_history",
    "read_uncorr_blend",
    "write_uncorr_blend",
];

/// Where the server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A Unix socket.
    Socket(PathBuf),
    /// Over TCP.
    Host(String, u16),
}

/// What to run. Has no `Debug`, because of the password.
pub struct Settings {
    pub address: Address,
    pub user: String,
    pub password: Option<String>,
    pub schema: String,
    pub first_id: i64,
    pub ids: i64,
    pub data_file: Option<PathBuf>,
    /// Keys of the plan's workload that are also options of this door.
    pub own: Properties,
    /// LinkBench's properties of the workload.
    pub workload: Properties,
    pub loaders: i64,
    pub load_seed: Option<i64>,
    pub disable_binlog: bool,
    /// 0: no request phase.
    pub requesters: i64,
    /// For all requesters together.
    pub requests: u64,
    /// For all requesters together, per second; `None`: as fast as possible.
    pub rate_per_s: Option<u64>,
    pub max_time_s: i64,
    pub warmup_s: i64,
    pub request_seed: Option<i64>,
    /// For all requesters together; `None`: any number.
    pub max_failed: Option<u64>,
    pub progress_s: i64,
    pub display_s: i64,
    pub load_progress_links: u64,
    pub request_progress: u64,
    pub level: Level,
    /// Keys that are given but have no effect, with the reason.
    pub without_effect: Vec<(String, &'static str)>,
}

impl Settings {
    /// Interprets a configuration; `loads` and `requests` say what it is for.
    pub fn of(config: &Config, loads: bool, requests: bool) -> Result<Settings, Failure> {
        let values = Values(&config.properties);
        stores(&values)?;
        let without_effect = known(&config.properties)?;
        let first_id = values.within("startid1", 1, i64::from(i32::MAX))?;
        let ids = values.number("maxid1")? - first_id;
        if ids < 2 {
            return Err(failure::config(
                format!("maxid1 is {}, startid1 is {first_id}", first_id + ids),
                "give at least two ids: maxid1 is the first one that isn't loaded",
            ));
        }
        let requesters = match requests {
            true => values.within("requesters", 0, REQUESTERS_MAX)?,
            false => 0,
        };
        let each = if requests {
            values.within("requests", 1, i64::MAX)?
        } else {
            1
        };
        let rate = values.number_or("requestrate", 0)?;
        let max_time_s = match requests {
            true => values.within("maxtime", 1, i64::MAX)?.min(SECONDS_MAX),
            false => 1,
        };
        Ok(Settings {
            address: address(&values)?,
            user: values.required("user")?.to_owned(),
            password: password(&config.properties),
            schema: values.required("dbid")?.to_owned(),
            first_id,
            ids,
            data_file: values.text("data_file").map(|path| config.path(path)),
            own: own(&values),
            workload: workload(&values, requests)?,
            loaders: match loads {
                true => values.within("loaders", 1, 256)?,
                false => 1,
            },
            load_seed: seed(&values, "load_random_seed")?,
            disable_binlog: values.flag_or("mysql_disable_binlog_load", false)?,
            requesters,
            requests: (each as u64)
                .saturating_mul(requesters as u64)
                .min(REQUESTS_MAX),
            rate_per_s: (rate > 0).then(|| (rate as u64).saturating_mul(requesters as u64)),
            max_time_s,
            warmup_s: values.number_or("warmup_time", 0)?.clamp(0, SECONDS_MAX),
            request_seed: seed(&values, "request_random_seed")?,
            max_failed: u64::try_from(values.number_or("max_failed_requests", 0)?).ok(),
            progress_s: values.number_or("progressfreq", 6)?,
            display_s: values.number_or("displayfreq", 60)?,
            load_progress_links: at_least_one(values.number_or("load_progress_interval", 50_000)?),
            request_progress: at_least_one(values.number_or("req_progress_interval", 10_000)?),
            level: level(&values)?,
            without_effect,
        })
    }

    /// Checks that the data file exists, before anything is done.
    pub fn check_files(&self) -> Result<(), Failure> {
        let Some(path) = &self.data_file else {
            return Ok(());
        };
        bounded::open(path).map(|_| ()).map_err(|error| {
            failure::config(
                format!("data_file {} can't be read: {error}", path.display()),
                "give its path, or leave data_file out: Dyno has a compact table of the same",
            )
        })
    }
}

fn at_least_one(value: i64) -> u64 {
    value.max(1) as u64
}

/// Refuses by name what can't be done here.
fn stores(values: &Values<'_>) -> Result<(), Failure> {
    for key in ["linkstore", "nodestore"] {
        let store = values.required(key)?;
        if store != STORE {
            return Err(failure::config(
                format!("{key} is {store}"),
                format!("write {key} = {STORE}: it is the only one here"),
            ));
        }
    }
    for key in TABLES {
        let name = values.required(key)?;
        if name != key {
            return Err(failure::config(
                format!("{key} is {name}"),
                format!("write {key} = {key}; data are kept apart by dbid"),
            ));
        }
    }
    if !values.flag_or("generate_nodes", true)? {
        return Err(failure::config(
            "generate_nodes is false",
            "write true: nodes are loaded with their links",
        ));
    }
    Ok(())
}

/// Checks every key; returns those without effect.
fn known(properties: &Properties) -> Result<Vec<(String, &'static str)>, Failure> {
    let mut without_effect = Vec::new();
    for key in properties.keys() {
        match keys::use_of(key) {
            Some(Use::Run | Use::Workload) => {}
            Some(Use::None(why)) => without_effect.push((key.clone(), why)),
            None => {
                return Err(failure::config(
                    format!("unknown configuration key {key}"),
                    keys::hint(key),
                ))
            }
        }
    }
    Ok(without_effect)
}

fn address(values: &Values<'_>) -> Result<Address, Failure> {
    if let Some(socket) = values.text("socket") {
        return Ok(Address::Socket(socket.into()));
    }
    let host = values.required("host")?.to_owned();
    let port = match values.text("port") {
        Some(_) => values.within("port", 1, 65535)? as u16,
        None => 3306,
    };
    Ok(Address::Host(host, port))
}

/// As it is, including blanks: it isn't parsed.
fn password(properties: &Properties) -> Option<String> {
    let given = properties.get("password").cloned();
    let given = given.or_else(|| env::var("MYSQL_PWD").ok());
    given.filter(|password| !password.is_empty())
}

fn own(values: &Values<'_>) -> Properties {
    let keys = [
        "profile",
        "engine",
        "create_options",
        "partitions",
        "secondary_index",
    ];
    let given = keys
        .iter()
        .filter_map(|&key| Some((key.to_owned(), values.text(key)?.to_owned())));
    given.collect()
}

/// The workload's properties, with the ones that LinkBench assumes; others must be given.
fn workload(values: &Values<'_>, requests: bool) -> Result<Properties, Failure> {
    let mut found = Properties::new();
    for key in values.0.keys() {
        if keys::use_of(key) == Some(Use::Workload) {
            if let Some(value) = values.text(key) {
                found.insert(key.clone(), value.to_owned());
            }
        }
    }
    for key in ["nlinks_func", "link_type_count"] {
        values.required(key)?;
    }
    for key in PAYLOAD {
        values.required(key)?;
    }
    if requests {
        for key in MIX {
            values.required(key)?;
        }
        for key in ["read_function", "write_function"] {
            values.required(key)?;
        }
    }
    // Without a distribution, LinkBench asks for one link at a time.
    let several = found.entry("link_multiget_dist".to_owned());
    several.or_default();
    for key in ZERO {
        // If a load doesn't specify the mix, the profile's own adds up.
        let has_mix = MIX.iter().any(|key| values.text(key).is_some());
        if has_mix || !key.ends_with("node") {
            found
                .entry(key.to_owned())
                .or_insert_with(|| "0".to_owned());
        }
    }
    Ok(found)
}

fn seed(values: &Values<'_>, key: &str) -> Result<Option<i64>, Failure> {
    values.text(key).map(|_| values.number(key)).transpose()
}

fn level(values: &Values<'_>) -> Result<Level, Failure> {
    let Some(text) = values.text("debuglevel") else {
        return Ok(Level::Info);
    };
    Level::read(text).ok_or_else(|| {
        failure::config(
            format!("Invalid setting for debug level: {text}"),
            "write ERROR, WARN, INFO, DEBUG or TRACE",
        )
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::path::Path;

    /// The keys of the files that LinkBench ships, with a socket.
    pub const SHIPPED: &str = include_str!("shipped.properties");

    pub fn config(more: &str) -> Config {
        let text = format!("{SHIPPED}\n{more}");
        Config {
            properties: super::super::properties::parse(text.as_bytes()).unwrap(),
            file: "/home/config/a.properties".into(),
            workload_file: None,
            home: "/home".into(),
        }
    }

    fn failure(more: &str) -> Failure {
        Settings::of(&config(more), true, true).err().unwrap()
    }

    #[test]
    fn the_shipped_keys_are_taken() {
        let settings = Settings::of(&config("requestrate = 5"), true, true).unwrap();
        assert_eq!(
            settings.address,
            Address::Host("yourhostname.here".into(), 3306)
        );
        assert_eq!((settings.first_id, settings.ids), (1, 10_000_000));
        assert_eq!(settings.requests, 50_000_000);
        assert_eq!(settings.rate_per_s, Some(500));
        assert_eq!(settings.max_failed, Some(100));
        assert_eq!(
            settings.data_file.as_deref(),
            Some(Path::new("/home/config/Distribution.dat"))
        );
        assert_eq!(settings.workload["getlinklist"], "50.7119145");
        assert!(!settings.workload.contains_key("host"));
        let ignored: Vec<_> = settings
            .without_effect
            .iter()
            .map(|e| e.0.as_str())
            .collect();
        assert_eq!(
            ignored,
            ["loader_chunk_size", "maxsamples", "write_uncorr_config"]
        );
    }

    #[test]
    fn what_is_left_out_is_as_linkbench_has_it() {
        let mut config = config("");
        for key in [
            "getlinklist_history",
            "write_uncorr_blend",
            "port",
            "link_multiget_dist",
        ] {
            config.properties.remove(key);
        }
        let settings = Settings::of(&config, false, true).unwrap();
        assert_eq!(settings.workload["getlinklist_history"], "0");
        assert_eq!(settings.workload["write_uncorr_blend"], "0");
        assert_eq!(settings.workload["link_multiget_dist"], "");
        config.properties.remove("requests");
        assert!(Settings::of(&config, true, false).is_ok());
        let failure = Settings::of(&config, false, true).err().unwrap();
        assert_eq!(
            failure.message,
            "Expected configuration key requests to be defined"
        );
    }

    #[test]
    fn what_cant_be_done_is_refused_by_name() {
        for (more, message) in [
            (
                "linkstore=x.LinkStoreRocksDb",
                "linkstore is x.LinkStoreRocksDb",
            ),
            ("nodetable=n", "nodetable is n"),
            ("generate_nodes=false", "generate_nodes is false"),
            ("requestors=3", "unknown configuration key requestors"),
            ("maxid1=2", "maxid1 is 2, startid1 is 1"),
            ("startid1=0", "configuration key startid1 is 0"),
            ("debuglevel=LOUD", "Invalid setting for debug level: LOUD"),
            (
                "maxtime=1h",
                "Expected configuration key maxtime to be long integer, but was '1h'",
            ),
        ] {
            let failure = failure(more);
            assert_eq!(failure.message, message);
            assert!(!failure.hint.is_empty(), "{more}");
            assert_eq!(failure.code, 2);
        }
    }
}
