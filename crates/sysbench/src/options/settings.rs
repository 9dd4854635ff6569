//! The settings made from sysbench's own options, checked. Scripts' options are kept elsewhere.

use std::env;
use std::time::Duration;

use doors::Encryption;
use workloads::oltp::Distribution;

use super::{OptionError, Options, Value};

/// When a run that exceeds its time limit is cut off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// Never.
    Off,
    /// Seconds after the start.
    At(u64),
}

/// How to reach the servers.
#[derive(Debug, Clone)]
pub struct Login {
    /// Paths of sockets; if there are any, hosts aren't used.
    pub sockets: Vec<String>,
    pub hosts: Vec<String>,
    pub ports: Vec<u16>,
    pub user: String,
    pub password: String,
    pub database: String,
    pub tls: wire::Tls,
    pub compression: wire::Compression,
    /// Error numbers after which an event is retried.
    pub ignored: Vec<u16>,
    pub ignores_all: bool,
    pub is_dry: bool,
    /// Whether statements are prepared by the server.
    pub prepares: bool,
}

/// The settings of a run.
#[derive(Debug, Clone)]
pub struct Settings {
    pub threads: usize,
    /// 0: no limit.
    pub events: u64,
    /// 0: no limit.
    pub time_s: u64,
    pub warmup_s: u64,
    pub forced: Limit,
    pub stack_bytes: usize,
    pub init_timeout_s: u64,
    /// How long a statement may take.
    pub answer: Duration,
    /// 0: as fast as possible.
    pub rate: u32,
    /// 0: no reports.
    pub report_interval_s: u64,
    pub checkpoints_s: Vec<u64>,
    pub is_debug: bool,
    pub validates: bool,
    pub is_json: bool,
    pub has_histogram: bool,
    /// Empty: none are computed.
    pub percentiles: Vec<f64>,
    pub seed: u64,
    /// The type for `sysbench.rand.default`.
    pub rand_type: String,
    pub gaussian: Distribution,
    pub special: Distribution,
    pub pareto: Distribution,
    pub zipfian: Distribution,
    pub driver: String,
    pub login: Login,
}

impl Settings {
    /// Checks the options.
    pub fn new(options: &Options) -> Result<Settings, OptionError> {
        let threads = options.get("threads").int();
        if threads < 1 {
            return Err(OptionError::Threads(threads));
        }
        let time_s = limit(options, "time");
        let percentiles = percentiles(options)?;
        let has_histogram = options.get("histogram").is_on();
        if has_histogram && percentiles.is_empty() {
            return Err(OptionError::HistogramAlone);
        }
        Ok(Settings {
            threads: threads as usize,
            events: limit(options, "events"),
            time_s,
            warmup_s: natural(options, "warmup_time")?,
            forced: forced(options.get("forced_shutdown").text(), time_s)?,
            stack_bytes: natural(options, "thread_stack_size")? as usize,
            init_timeout_s: natural(options, "thread_init_timeout")?,
            answer: Duration::from_secs(natural(options, "dyno_timeout")?.max(1)),
            rate: natural(options, "rate")? as u32,
            report_interval_s: limit(options, "report_interval"),
            checkpoints_s: checkpoints(options)?,
            is_debug: options.get("debug").is_on(),
            validates: options.get("validate").is_on(),
            is_json: options.get("json").is_on(),
            has_histogram,
            percentiles,
            seed: options.get("rand_seed").int() as u64,
            rand_type: rand_type(options)?,
            gaussian: Distribution::Gaussian {
                iter: within(options, "rand_spec_iter", 1, 1000)?,
            },
            special: Distribution::Special {
                iter: within(options, "rand_spec_iter", 1, 1000)?,
                pct: within(options, "rand_spec_pct", 0, 100)?,
                res: within(options, "rand_spec_res", 0, 100)?,
            },
            pareto: Distribution::Pareto {
                h: share(options, "rand_pareto_h")?,
            },
            zipfian: Distribution::Zipfian {
                exp: options.get("rand_zipfian_exp").double().clamp(0.0, 10.0),
            },
            driver: options.get("db_driver").text().to_owned(),
            login: Login::new(options)?,
        })
    }

    /// The percentile for reports that have room for only one.
    pub fn percentile(&self) -> f64 {
        self.percentiles.first().copied().unwrap_or_default()
    }
}

impl Login {
    fn new(options: &Options) -> Result<Login, OptionError> {
        for name in ["mysql_ssl_cipher", "mysql_ssl_cert", "mysql_ssl_key"] {
            if !options.get(name).text().is_empty() {
                return Err(OptionError::Unsupported(name.replace('_', "-")));
            }
        }
        let ports = options.get("mysql_port").list();
        let ports = ports.iter().map(|port| {
            port.parse()
                .map_err(|_| OptionError::text("mysql-port", port))
        });
        let ignored = options.get("mysql_ignore_errors").list();
        let password = match options.get("mysql_password").text() {
            "" => env::var("MYSQL_PWD").unwrap_or_default(),
            given => given.to_owned(),
        };
        let ps_mode = options.get("db_ps_mode").text();
        if !["auto", "disable"].contains(&ps_mode) {
            return Err(OptionError::text("db-ps-mode", ps_mode));
        }
        Ok(Login {
            sockets: options.get("mysql_socket").list().to_vec(),
            hosts: options.get("mysql_host").list().to_vec(),
            ports: ports.collect::<Result<_, _>>()?,
            user: options.get("mysql_user").text().to_owned(),
            password,
            database: options.get("mysql_db").text().to_owned(),
            tls: tls(options)?,
            compression: match options.get("mysql_compression").is_on() {
                true => wire::Compression::Zlib,
                false => wire::Compression::Off,
            },
            ignored: ignored
                .iter()
                .filter_map(|code| code.trim().parse().ok())
                .collect(),
            ignores_all: ignored.iter().any(|code| code == "all"),
            is_dry: options.get("mysql_dry_run").is_on(),
            prepares: ps_mode == "auto",
        })
    }
}

fn tls(options: &Options) -> Result<wire::Tls, OptionError> {
    let ca_file = options.get("mysql_ssl_ca").text();
    let mode = match options.get("mysql_ssl") {
        Value::Bool(true) if ca_file.is_empty() => Encryption::Required,
        Value::Bool(true) => Encryption::VerifyIdentity,
        Value::Text(word) => Encryption::named(word).unwrap_or_default(),
        _ => Encryption::Off,
    };
    match mode.verifies() && ca_file.is_empty() {
        true => Err(OptionError::NoAuthorities),
        false => Ok(mode.tls(ca_file.into())),
    }
}

/// As in sysbench, a negative value means no limit.
fn limit(options: &Options, name: &str) -> u64 {
    u64::try_from(options.get(name).int()).unwrap_or_default()
}

fn natural(options: &Options, name: &str) -> Result<u64, OptionError> {
    let value = options.get(name).int();
    u64::try_from(value).map_err(|_| OptionError::bounds(name, value))
}

fn within(options: &Options, name: &str, min: i64, max: i64) -> Result<u32, OptionError> {
    let value = options.get(name).int();
    if (min..=max).contains(&value) {
        return Ok(value as u32);
    }
    Err(OptionError::bounds(name, value))
}

fn share(options: &Options, name: &str) -> Result<f64, OptionError> {
    let value = options.get(name).double();
    if value > 0.0 && value < 1.0 {
        return Ok(value);
    }
    Err(OptionError::bounds(name, value))
}

/// Percentiles; a single 0 means none.
fn percentiles(options: &Options) -> Result<Vec<f64>, OptionError> {
    let Value::Percents(given) = options.get("percentile") else {
        return Ok(Vec::new());
    };
    if given == &[0.0] {
        return Ok(Vec::new());
    }
    for percent in given {
        if !(*percent > 0.0 && *percent <= 100.0) {
            return Err(OptionError::bounds("percentile", percent));
        }
    }
    Ok(given.clone())
}

/// Seconds from the start: the time limit, plus the given seconds or percentage of it.
fn forced(given: &str, time_s: u64) -> Result<Limit, OptionError> {
    let bad = || OptionError::text("forced-shutdown", given);
    let given = match given {
        "off" => return Ok(Limit::Off),
        "" => "5%",
        given => given,
    };
    let number = given.trim_end_matches('%');
    let number: u64 = number.parse().map_err(|_| bad())?;
    // As in sysbench, fractions of a second are dropped.
    let extra = if given.ends_with('%') {
        time_s * number / 100
    } else {
        number
    };
    Ok(if time_s == 0 {
        Limit::Off
    } else {
        Limit::At(time_s + extra)
    })
}

fn checkpoints(options: &Options) -> Result<Vec<u64>, OptionError> {
    let given = options.get("report_checkpoints").list();
    let seconds = given.iter().map(|text| {
        text.trim()
            .parse()
            .map_err(|_| OptionError::text("report-checkpoints", text))
    });
    let mut seconds: Vec<u64> = seconds.collect::<Result<_, _>>()?;
    seconds.sort_unstable();
    Ok(seconds)
}

fn rand_type(options: &Options) -> Result<String, OptionError> {
    let given = options.get("rand_type").text();
    let known = ["uniform", "gaussian", "special", "pareto", "zipfian"];
    if known.contains(&given) {
        return Ok(given.to_owned());
    }
    Err(OptionError::Distribution(given.to_owned()))
}
