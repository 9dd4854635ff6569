//! The options that are known without a script, in the groups shown by help.
//!
//! Those of 1.0.20 with their defaults, and the later ones that scripts ask for.

use std::borrow::Cow;

use super::{Group, Kind, Spec};

/// Deprecated names, the options they stand for, and the highest value that counts as unset.
pub const ALIASES: &[(&str, &str, i64)] = &[
    ("num-threads", "threads", 1),
    ("max-requests", "events", 0),
    ("max-time", "time", 0),
    ("tx-rate", "rate", 0),
];

const fn option(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Spec {
    Spec {
        name: Cow::Borrowed(name),
        short: None,
        takes: kind,
        default: Some(Cow::Borrowed(default)),
        help: Cow::Borrowed(help),
    }
}

const fn bare(name: &'static str, kind: Kind, help: &'static str) -> Spec {
    Spec {
        name: Cow::Borrowed(name),
        short: None,
        takes: kind,
        default: None,
        help: Cow::Borrowed(help),
    }
}

use Kind::{Bool, Double, File, Int, List, Percents, Size, Text, Tls};

/// All groups, in the order of help.
pub const GROUPS: &[Group] = &[
    Group {
        title: "General options:",
        options: GENERAL,
    },
    Group {
        title: "Pseudo-Random Numbers Generator options:",
        options: RANDOM,
    },
    Group {
        title: "Log options:",
        options: &[option(
            "verbosity",
            Int,
            "3",
            "verbosity level {5 - debug, 0 - only critical messages}",
        )],
    },
    Group {
        title: "",
        options: LATENCY,
    },
    Group {
        title: "General database options:\n",
        options: DATABASE,
    },
    Group {
        title: "mysql options:",
        options: MYSQL,
    },
    Group {
        title: "Options that sysbench 1.0 doesn't have:",
        options: NEWER,
    },
];

const GENERAL: &[Spec] = &[
    option("threads", Int, "1", "number of threads to use"),
    option("events", Int, "0", "limit for total number of events"),
    option(
        "time",
        Int,
        "10",
        "limit for total execution time in seconds",
    ),
    option(
        "forced-shutdown",
        Text,
        "off",
        "number of seconds to wait after the --time limit before forcing shutdown, or 'off' to \
         disable",
    ),
    option("thread-stack-size", Size, "64K", "size of stack per thread"),
    option(
        "rate",
        Int,
        "0",
        "average transactions rate. 0 for unlimited rate",
    ),
    option(
        "report-interval",
        Int,
        "0",
        "periodically report intermediate statistics with a specified interval in seconds. 0 \
         disables intermediate reports",
    ),
    option(
        "report-checkpoints",
        List,
        "",
        "dump full statistics and reset all counters at specified points in time. The argument is \
         a list of comma-separated values representing the amount of time in seconds elapsed from \
         start of test when report checkpoint(s) must be performed. Report checkpoints are off by \
         default.",
    ),
    option("debug", Bool, "off", "print more debugging info"),
    option(
        "validate",
        Bool,
        "off",
        "perform validation checks where possible",
    ),
    option("help", Bool, "off", "print help and exit"),
    option("version", Bool, "off", "print version and exit"),
    bare("config-file", File, "File containing command line options"),
    option("tx-rate", Int, "0", "deprecated alias for --rate"),
    option("max-requests", Int, "0", "deprecated alias for --events"),
    option("max-time", Int, "0", "deprecated alias for --time"),
    option("num-threads", Int, "1", "deprecated alias for --threads"),
];

const RANDOM: &[Spec] = &[
    option(
        "rand-type",
        Text,
        "special",
        "random numbers distribution {uniform,gaussian,special,pareto}",
    ),
    option(
        "rand-spec-iter",
        Int,
        "12",
        "number of iterations used for numbers generation",
    ),
    option(
        "rand-spec-pct",
        Int,
        "1",
        "percentage of values to be treated as 'special' (for special distribution)",
    ),
    option(
        "rand-spec-res",
        Int,
        "75",
        "percentage of 'special' values to use (for special distribution)",
    ),
    option(
        "rand-seed",
        Int,
        "0",
        "seed for random number generator. When 0, the current time is used as a RNG seed.",
    ),
    option(
        "rand-pareto-h",
        Double,
        "0.2",
        "parameter h for pareto distribution",
    ),
];

const LATENCY: &[Spec] = &[
    option(
        "percentile",
        Percents,
        "95",
        "percentile to calculate in latency statistics (1-100). Use the special value of 0 to \
         disable percentile calculations",
    ),
    option(
        "histogram",
        Bool,
        "off",
        "print latency histogram in report",
    ),
];

const DATABASE: &[Spec] = &[
    option(
        "db-driver",
        Text,
        "mysql",
        "specifies database driver to use ('help' to get list of available drivers)",
    ),
    option(
        "db-ps-mode",
        Text,
        "auto",
        "prepared statements usage mode {auto, disable}",
    ),
    option(
        "db-debug",
        Bool,
        "off",
        "print database-specific debug information",
    ),
];

const MYSQL: &[Spec] = &[
    option("mysql-host", List, "localhost", "MySQL server host"),
    option("mysql-port", List, "3306", "MySQL server port"),
    bare("mysql-socket", List, "MySQL socket"),
    option("mysql-user", Text, "sbtest", "MySQL user"),
    option("mysql-password", Text, "", "MySQL password"),
    option("mysql-db", Text, "sbtest", "MySQL database name"),
    option(
        "mysql-ssl",
        Tls,
        "off",
        "use SSL connections, if available in the client library",
    ),
    option(
        "mysql-ssl-cipher",
        Text,
        "",
        "use specific cipher for SSL connections",
    ),
    option(
        "mysql-compression",
        Bool,
        "off",
        "use compression, if available in the client library",
    ),
    option("mysql-debug", Bool, "off", "trace all client library calls"),
    option(
        "mysql-ignore-errors",
        List,
        "1213,1020,1205",
        "list of errors to ignore, or \"all\"",
    ),
    option(
        "mysql-dry-run",
        Bool,
        "off",
        "Dry run, pretend that all MySQL client API calls are successful without executing them",
    ),
];

/// Options of sysbench 1.1, or Dyno's own. They have their own group, so that the others read as in
/// sysbench 1.0.
const NEWER: &[Spec] = &[
    option(
        "warmup-time",
        Int,
        "0",
        "seconds of load before statistics begin; --time begins after them",
    ),
    option(
        "thread-init-timeout",
        Int,
        "30",
        "seconds in which all threads must be ready",
    ),
    option(
        "rand-zipfian-exp",
        Double,
        "0.8",
        "exponent for zipfian distribution",
    ),
    bare("mysql-ssl-ca", Text, "file with the certificates to trust"),
    bare("mysql-ssl-cert", Text, "client certificate; not supported"),
    bare("mysql-ssl-key", Text, "client key; not supported"),
    option("json", Bool, "off", "print the final report as JSON"),
    option(
        "dyno-events",
        Text,
        "",
        "write the run's intervals and summary to this file, as Dyno's own runs do",
    ),
    option(
        "dyno-timeout",
        Int,
        "86400",
        "seconds that a statement may take before its server is given up",
    ),
];

/// What a sysbench option does here, if its line of help says less or more.
pub const NOTES: &[(&str, &str)] = &[
    ("--percentile=N,N", "several percentiles, with fractions"),
    ("--rand-type=zipfian", "one more distribution"),
    (
        "--mysql-ssl=MODE",
        "also disabled, preferred, required, verify_ca, verify_identity",
    ),
    (
        "--mysql-password",
        "unless given, that of the environment variable MYSQL_PWD",
    ),
    ("--mysql-debug", "prints what --debug prints"),
    ("--mysql-ssl-cipher", "not supported: it is refused"),
];
