//! What the options of sysbench itself come to, checked. Options of scripts are not its business.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use workloads::oltp::Distribution;

use super::{Options, Value};

/// When a run that goes on past its time limit is cut off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// Never.
    Off,
    /// So many seconds after the start.
    At(u64),
}

/// How the servers are reached.
#[derive(Debug, Clone)]
pub struct Login {
    /// Paths of sockets; if there is any, hosts are not used.
    pub sockets: Vec<String>,
    pub hosts: Vec<String>,
    pub ports: Vec<u16>,
    pub user: String,
    pub password: String,
    pub database: String,
    pub tls: wire::Tls,
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
    /// 0: as fast as it goes.
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
    /// Of `sysbench.rand.default`.
    pub rand_type: String,
    pub gaussian: Distribution,
    pub special: Distribution,
    pub pareto: Distribution,
    pub zipfian: Distribution,
    pub driver: String,
    pub login: Login,
}

impl Settings {
    /// Checks the options; an error is a line to print.
    pub fn new(options: &Options) -> Result<Settings, String> {
        let threads = options.get("threads").int();
        if threads < 1 {
            return Err(format!("Invalid value for --threads: {threads}.\n"));
        }
        let time_s = natural(options, "time")?;
        let percentiles = percentiles(options)?;
        let has_histogram = options.get("histogram").is_on();
        if has_histogram && percentiles.is_empty() {
            return Err("--histogram cannot be used with --percentile=0".to_owned());
        }
        Ok(Settings {
            threads: threads as usize,
            events: natural(options, "events")?,
            time_s,
            warmup_s: natural(options, "warmup_time")?,
            forced: forced(options.get("forced_shutdown").text(), time_s)?,
            stack_bytes: natural(options, "thread_stack_size")? as usize,
            init_timeout_s: natural(options, "thread_init_timeout")?,
            answer: Duration::from_secs(natural(options, "dyno_timeout")?.max(1)),
            rate: natural(options, "rate")? as u32,
            report_interval_s: natural(options, "report_interval")?,
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

    /// The percentile of reports that have room for one.
    pub fn percentile(&self) -> f64 {
        self.percentiles.first().copied().unwrap_or_default()
    }
}

impl Login {
    fn new(options: &Options) -> Result<Login, String> {
        if options.get("mysql_compression").is_on() {
            return Err(unsupported("mysql-compression"));
        }
        for name in ["mysql_ssl_cipher", "mysql_ssl_cert", "mysql_ssl_key"] {
            if !options.get(name).text().is_empty() {
                return Err(unsupported(&name.replace('_', "-")));
            }
        }
        let ports = options.get("mysql_port").list();
        let ports = ports.iter().map(|port| {
            port.parse()
                .map_err(|_| format!("Invalid value for --mysql-port: '{port}'"))
        });
        let ignored = options.get("mysql_ignore_errors").list();
        let password = match options.get("mysql_password").text() {
            "" => env::var("MYSQL_PWD").unwrap_or_default(),
            given => given.to_owned(),
        };
        let ps_mode = options.get("db_ps_mode").text();
        if !["auto", "disable"].contains(&ps_mode) {
            return Err(format!("Invalid value for --db-ps-mode: '{ps_mode}'"));
        }
        Ok(Login {
            sockets: options.get("mysql_socket").list().to_vec(),
            hosts: options.get("mysql_host").list().to_vec(),
            ports: ports.collect::<Result<_, _>>()?,
            user: options.get("mysql_user").text().to_owned(),
            password,
            database: options.get("mysql_db").text().to_owned(),
            tls: tls(options)?,
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

fn unsupported(option: &str) -> String {
    format!("--{option} is not supported\nhint: leave it out, or use the original sysbench for it")
}

fn tls(options: &Options) -> Result<wire::Tls, String> {
    let ca_file = options.get("mysql_ssl_ca").text();
    let verify = || match ca_file {
        "" => Err("--mysql-ssl is to verify, but --mysql-ssl-ca names no file".to_owned()),
        path => Ok(PathBuf::from(path)),
    };
    let identity = || verify().map(|ca_file| wire::Tls::VerifyIdentity { ca_file });
    match options.get("mysql_ssl") {
        Value::Bool(true) if ca_file.is_empty() => Ok(wire::Tls::Required),
        Value::Bool(true) => identity(),
        Value::Text(word) => match word.as_str() {
            "preferred" => Ok(wire::Tls::Preferred),
            "required" => Ok(wire::Tls::Required),
            "verify_ca" => verify().map(|ca_file| wire::Tls::VerifyCa { ca_file }),
            "verify_identity" => identity(),
            _ => Ok(wire::Tls::Off),
        },
        _ => Ok(wire::Tls::Off),
    }
}

fn natural(options: &Options, name: &str) -> Result<u64, String> {
    let value = options.get(name).int();
    u64::try_from(value).map_err(|_| invalid(name, &value.to_string()))
}

fn within(options: &Options, name: &str, min: i64, max: i64) -> Result<u32, String> {
    let value = options.get(name).int();
    if (min..=max).contains(&value) {
        return Ok(value as u32);
    }
    Err(invalid(name, &value.to_string()))
}

fn share(options: &Options, name: &str) -> Result<f64, String> {
    let value = options.get(name).double();
    if value > 0.0 && value < 1.0 {
        return Ok(value);
    }
    Err(invalid(name, &value.to_string()))
}

fn invalid(name: &str, value: &str) -> String {
    format!("Invalid value for --{}: {value}", name.replace('_', "-"))
}

/// Percentiles; a single 0 is none.
fn percentiles(options: &Options) -> Result<Vec<f64>, String> {
    let Value::Percents(given) = options.get("percentile") else {
        return Ok(Vec::new());
    };
    if given == &[0.0] {
        return Ok(Vec::new());
    }
    for percent in given {
        if !(*percent > 0.0 && *percent <= 100.0) {
            return Err(invalid("percentile", &percent.to_string()));
        }
    }
    Ok(given.clone())
}

/// Seconds from the start: the time limit, and so many seconds or percent of it on top.
fn forced(given: &str, time_s: u64) -> Result<Limit, String> {
    let bad = || format!("Invalid value for --forced-shutdown: '{given}'");
    let given = match given {
        "off" => return Ok(Limit::Off),
        "" => "5%",
        given => given,
    };
    let number = given.trim_end_matches('%');
    let number: u64 = number.parse().map_err(|_| bad())?;
    // As sysbench has it, a part of a second is dropped.
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

fn checkpoints(options: &Options) -> Result<Vec<u64>, String> {
    let given = options.get("report_checkpoints").list();
    let seconds = given.iter().map(|text| {
        text.trim()
            .parse()
            .map_err(|_| format!("Invalid value for --report-checkpoints: '{text}'"))
    });
    let mut seconds: Vec<u64> = seconds.collect::<Result<_, _>>()?;
    seconds.sort_unstable();
    Ok(seconds)
}

fn rand_type(options: &Options) -> Result<String, String> {
    let given = options.get("rand_type").text();
    let known = ["uniform", "gaussian", "special", "pareto", "zipfian"];
    if known.contains(&given) {
        return Ok(given.to_owned());
    }
    Err(format!("Invalid random numbers distribution: {given}."))
}
