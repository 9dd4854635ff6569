//! The options that mysqlslap doesn't have, in the order of --help.

use super::Takes::{Flag, Optional, Text};
use super::{field, option, set, with_default, Spec};

/// Ours.
pub const OURS: &[Spec] = &[
    option(
        "i-know-what-i-drop",
        None,
        Flag(field!(may_drop)),
        "Drop the schema even if this run didn't make it",
    ),
    with_default(
        "split",
        None,
        Text(set::split),
        "slap",
        "slap, legacy (half delimiters) or sql (quotes and comments)",
    ),
    option(
        "time",
        None,
        Text(set::time),
        "Seconds to run, instead of a number of statements",
    ),
    option(
        "prepared",
        None,
        Flag(field!(prepared)),
        "Prepare the statements on the server",
    ),
    option(
        "interleave",
        None,
        Flag(field!(interleave)),
        "Engines in turn within each iteration",
    ),
    option(
        "json",
        None,
        Optional(set::json),
        "A JSON object for each result, to standard output or a file",
    ),
    with_default(
        "dyno-timeout",
        None,
        Text(set::answer),
        "86400",
        "Seconds that a statement may take",
    ),
    option(
        "verbose-report",
        None,
        Flag(field!(verbose_report)),
        "Rates, spread and latencies in the report",
    ),
];
