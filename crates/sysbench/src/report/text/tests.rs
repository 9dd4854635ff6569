//! The layout, against what sysbench 1.0.20 printed for the same figures.

use super::*;
use crate::options::Options;
use crate::stats::Part;

fn settings(arguments: &[&str]) -> Settings {
    let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
    Settings::new(&Options::read(&arguments).unwrap()).unwrap()
}

fn stat() -> Stat {
    Stat {
        threads_running: 2,
        time_interval_s: 2.107_47,
        time_total_s: 2.107,
        percentiles_s: vec![0.297_917, 0.302_6],
        events: 42,
        reads: 42,
        other: 14,
        errors: 4,
        latency_min_s: 0.000_02,
        latency_max_s: 0.303_34,
        latency_avg_s: 0.100_28,
        latency_sum_s: 4.211_65,
        ..Stat::default()
    }
}

fn fairness() -> Fairness {
    let part = |events, sum_s| Part {
        events,
        sum_s,
        min_s: 0.422,
        max_s: 0.4384,
    };
    Fairness {
        workers: vec![part(20, 2.1), part(22, 2.1116)],
    }
}

#[test]
fn the_final_report_is_laid_out_as_sysbench_does() {
    let report = Final {
        settings: &settings(&[]),
        stat: &stat(),
        fairness: &fairness(),
        buckets: &[],
        uses_sql: true,
    };
    let expected = "\
SQL statistics:
    queries performed:
        read:                            42
        write:                           0
        other:                           14
        total:                           56
    transactions:                        42     (19.93 per sec.)
    queries:                             56     (26.57 per sec.)
    ignored errors:                      4      (1.90 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          2.1070s
    total number of events:              42

Latency (ms):
         min:                                    0.02
         avg:                                  100.28
         max:                                  303.34
         95th percentile:                      297.92
         sum:                                 4211.65

Threads fairness:
    events (avg/stddev):           21.0000/1.00
    execution time (avg/stddev):   2.1058/0.01

";
    assert_eq!(report.text(), expected);
}

#[test]
fn percentiles_are_disabled_or_several() {
    let text = |arguments: &[&str]| {
        Final {
            settings: &settings(arguments),
            stat: &stat(),
            fairness: &fairness(),
            buckets: &[],
            uses_sql: false,
        }
        .text()
    };
    let disabled = text(&["--percentile=0"]);
    assert!(
        disabled.starts_with("\nGeneral statistics:\n"),
        "{disabled}"
    );
    let line = "\n         percentile stats:               disabled\n";
    assert!(disabled.contains(line), "{disabled}");
    let several = text(&["--percentile=95,99.9"]);
    let lines = "\n         95th percentile:                      297.92\
                 \n       99.9th percentile:                      302.60\n";
    assert!(several.contains(lines), "{several}");
    let debug = text(&["--debug"]);
    let lines = "DEBUG: Verbose per-thread statistics:\n\nDEBUG:     thread #  0: min: 0.4220s  \
                 avg: 0.1050s  max: 0.4384s  events: 20\nDEBUG:                  total time taken \
                 by event execution: 2.1000s\n";
    assert!(debug.contains(lines), "{debug}");
}

#[test]
fn intervals_have_a_line_with_or_without_a_database() {
    let stat = Stat {
        time_total_s: 1.0002,
        time_interval_s: 1.0,
        ..stat()
    };
    assert_eq!(
        interval(&stat, 95.0, true),
        "[ 1s ] thds: 2 tps: 42.00 qps: 56.00 (r/w/o: 42.00/0.00/14.00) lat (ms,95%): 297.92 \
         err/s: 4.00 reconn/s: 0.00\n"
    );
    assert_eq!(
        interval(&stat, 99.9, false),
        "[ 1s ] thds: 2 eps: 42.00 lat (ms,99.9%): 297.92\n"
    );
    assert_eq!(
        queue(&stat, true),
        "[ 1s ] queue length: 0, concurrency: 0\n"
    );
    assert_eq!(
        queue(&stat, false),
        "[ 1s ] queue length: 0 concurrency: 0\n"
    );
}

#[test]
fn the_banner_says_what_was_asked_for() {
    let arguments = [
        "--threads=2",
        "--rate=300",
        "--report-interval=1",
        "--rand-seed=5",
    ];
    let mut arguments = arguments.to_vec();
    arguments.extend([
        "--report-checkpoints=1,2",
        "--forced-shutdown=3",
        "--time=1",
    ]);
    assert_eq!(
        banner(&settings(&arguments)),
        "Running the test with following options:\nNumber of threads: 2\nTarget transaction \
         rate: 300/sec\nReport intermediate results every 1 second(s)\nReport checkpoint(s) at \
         1, 2 seconds\nInitializing random number generator from seed (5).\n\nForcing shutdown \
         in 4 seconds\n\n"
    );
    assert_eq!(
        banner(&settings(&[])),
        "Running the test with following options:\nNumber of threads: 1\nInitializing random \
         number generator from current time\n\n\n"
    );
}
