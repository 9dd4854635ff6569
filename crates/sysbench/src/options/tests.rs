//! Command lines and what they mean.

use super::*;

fn read(arguments: &[&str]) -> Result<Options, OptionError> {
    let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
    Options::read(&arguments)
}

fn declared(name: &str, kind: Kind, default: &str) -> Spec {
    Spec {
        name: name.to_owned().into(),
        short: None,
        takes: kind,
        default: Some(default.to_owned().into()),
        help: "".into(),
    }
}

#[test]
fn dashes_are_underscores_and_the_last_one_wins() {
    let options = read(&["--report-interval=1", "x.lua", "--report_interval=5", "run"]).unwrap();
    assert_eq!(options.get("report_interval"), &Value::Int(5));
    assert_eq!(options.words, ["x.lua", "run"]);
    assert_eq!(options.get("threads"), &Value::Int(1));
}

#[test]
fn wrong_values_are_refused_as_sysbench_does() {
    let line = |arguments: &[&str]| read(arguments).unwrap_err().to_string();
    assert_eq!(
        line(&["--threads=x"]),
        "Invalid value for the 'threads' option: 'x'"
    );
    assert_eq!(
        line(&["--threads=7x"]),
        "Invalid value for the 'threads' option: '7x'"
    );
    assert_eq!(line(&["--debug=7"]), "invalid option: --debug=7");
    assert_eq!(
        line(&["a", "b", "c"]),
        "Unrecognized command line argument: c"
    );
    assert_eq!(
        line(&["--percentile=a"]),
        "Invalid value for the 'percentile' option: 'a'"
    );
}

#[test]
fn deprecated_names_are_their_options() {
    let options = read(&["--num-threads=4", "--max-time=3", "--test=x.lua", "run"]).unwrap();
    assert_eq!(options.get("threads"), &Value::Int(4));
    assert_eq!(options.get("time"), &Value::Int(3));
    assert_eq!(options.words, ["x.lua", "run"]);
    assert_eq!(options.warnings.len(), 1);
}

#[test]
fn sizes_lists_floats_and_flags() {
    let options = read(&[
        "--thread-stack-size=2M",
        "--mysql-port=1,2",
        "--rand-pareto-h=0.5x",
        "--validate",
        "--mysql-ssl=required",
    ])
    .unwrap();
    assert_eq!(options.get("thread_stack_size"), &Value::Int(2 << 20));
    assert_eq!(options.get("mysql_port").list(), ["1", "2"]);
    assert_eq!(options.get("rand_pareto_h"), &Value::Double(0.5));
    assert!(options.get("validate").is_on());
    assert_eq!(options.get("mysql_ssl").text(), "required");
}

#[test]
fn options_of_the_script_wait_for_its_declaration() {
    let known = [
        declared("table-size", Kind::Double, "10"),
        declared("skip", Kind::Bool, "off"),
    ];
    let mut options = read(&["--table_size=1M", "--skip"]).unwrap();
    options.declare(&known).unwrap();
    // A number is a float, which accepts no suffix: as in the original, 1M is 1.
    assert_eq!(options.get("table_size"), &Value::Double(1.0));
    assert!(options.get("skip").is_on());

    let mut options = read(&["--tabel-size=5"]).unwrap();
    let error = options.declare(&known).unwrap_err();
    assert_eq!(error.to_string(), "invalid option: --tabel-size=5");
    assert_eq!(error.hint(), "did you mean --table-size?");

    let mut options = read(&["--anything=5"]).unwrap();
    options.declare(&[]).unwrap();
    assert_eq!(options.get("anything"), &Value::Text("5".to_owned()));
}

#[test]
fn what_is_wrong_is_said_as_it_was_typed() {
    let line = |argument: &str| read(&[argument]).unwrap_err().to_string();
    assert_eq!(
        line("--mysql_dry-run=7"),
        "invalid option: --mysql_dry-run=7"
    );
    assert_eq!(
        line("--report-interval=x"),
        "Invalid value for the 'report_interval' option: 'x'"
    );
}

#[test]
fn deprecated_options_win_unless_they_are_as_good_as_not_given() {
    let options = read(&[
        "--max-requests=7",
        "--events=9",
        "--num-threads=1",
        "--threads=3",
        "--max-time=0",
    ])
    .unwrap();
    assert_eq!(options.get("events"), &Value::Int(7));
    assert_eq!(options.get("threads"), &Value::Int(3));
    assert_eq!(options.get("time"), &Value::Int(10));
    assert_eq!(options.deprecated, [("max-requests", "events")]);
}

#[test]
fn less_than_nothing_is_no_limit() {
    let settings = settings(&["--time=-1", "--events=-1", "--report-interval=-1"]).unwrap();
    let limits = [settings.time_s, settings.events, settings.report_interval_s];
    assert_eq!(limits, [0, 0, 0]);
}

#[test]
fn help_lists_what_is_not_of_sysbench_behind_its_options() {
    let help = general_help(&["oltp_read_write"]);
    let (theirs, ours) = help
        .split_once("Options that sysbench 1.0 doesn't have:")
        .unwrap();
    assert!(theirs.contains("\nmysql options:\n  --mysql-host=[LIST,...] "));
    for newer in ["--json", "--dyno-events", "--warmup-time", "--mysql-ssl-ca"] {
        assert!(!theirs.contains(newer) && ours.contains(newer), "{newer}");
    }
    let (scripts, tests) = ours.split_once("\nCompiled-in tests:").unwrap();
    assert!(scripts.ends_with("  oltp_read_write\n"));
    assert!(!tests.contains("oltp"));
}

#[test]
fn a_file_gives_options() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("options");
    let text = "# all of them\nthreads=3 # not four\nmysql-user=\"me\"\n\nvalidate\n";
    std::fs::write(&path, text).unwrap();
    let options = read(&[&format!("--config-file={}", path.display())]).unwrap();
    assert_eq!(options.get("threads"), &Value::Int(3));
    assert_eq!(options.get("mysql_user").text(), "me");
    assert!(options.get("validate").is_on());
    assert!(read(&["--config-file=/nowhere/at/all"]).is_err());
}

fn settings(arguments: &[&str]) -> Result<Settings, OptionError> {
    Settings::new(&read(arguments).unwrap())
}

#[test]
fn forced_shutdown_is_counted_from_the_start() {
    let forced = |value: &str| {
        let argument = format!("--forced-shutdown{value}");
        let settings = settings(&["--time=100", &argument]);
        settings
            .map(|settings| settings.forced)
            .map_err(|error| error.to_string())
    };
    assert_eq!(forced("=off"), Ok(Limit::Off));
    assert_eq!(forced("=3"), Ok(Limit::At(103)));
    assert_eq!(forced("=10%"), Ok(Limit::At(110)));
    assert_eq!(forced(""), Ok(Limit::At(105)));
    assert_eq!(
        forced("=x"),
        Err("Invalid value for --forced-shutdown: 'x'".to_owned())
    );
}

#[test]
fn percentiles_are_none_one_or_several() {
    let percentiles = |value: &str| {
        let argument = format!("--percentile={value}");
        let settings = settings(&[&argument]);
        settings
            .map(|settings| settings.percentiles)
            .map_err(|error| error.to_string())
    };
    assert_eq!(percentiles("0"), Ok(vec![]));
    assert_eq!(percentiles("50,99.9"), Ok(vec![50.0, 99.9]));
    assert_eq!(
        percentiles("101"),
        Err("Invalid value for --percentile: 101".to_owned())
    );
    let line = settings(&["--percentile=0", "--histogram"])
        .unwrap_err()
        .to_string();
    assert_eq!(line, "--histogram cannot be used with --percentile=0");
}

#[test]
fn what_can_not_be_done_is_refused() {
    assert!(settings(&["--mysql-ssl-cipher=X"]).is_err());
    assert!(settings(&["--db-ps-mode=never"]).is_err());
    assert!(settings(&["--rand-type=foo"]).is_err());
    assert!(settings(&["--threads=0"]).is_err());
    assert!(settings(&["--mysql-ssl=verify_ca"]).is_err());
    assert!(settings(&["--mysql-ssl=verify_ca", "--mysql-ssl-ca=ca.pem"]).is_ok());
}

#[test]
fn help_is_padded_to_the_widest_name() {
    let options = [
        declared("a", Kind::Bool, "on"),
        declared("list", Kind::List, "x,y"),
    ];
    assert_eq!(
        help_lines(&options),
        "  --a[=on|off]       [on]\n  --list=[LIST,...]  [x,y]\n"
    );
    let help = general_help(&["oltp_read_only"]);
    assert!(help.contains("  --threads=N "), "{help}");
    assert!(help.contains("mysql options:\n"), "{help}");
}
