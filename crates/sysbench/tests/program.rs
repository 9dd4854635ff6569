//! The program without a database: lifecycle, commands, errors, exit codes, limits, hooks.

#![allow(clippy::unwrap_used)]

mod support;

use support::Scripts;

#[test]
fn functions_are_called_in_order_with_their_arguments() {
    let script = r#"
        print("body", sysbench.tid, sysbench.opt, sysbench.cmdline.command)
        function init(...) print("init", ...) end
        function thread_init(...) print("thread_init", ...) end
        function event(...) print("event", ...) end
        function thread_done(...) print("thread_done", ...) end
        function done(...) print("done", ...) end
    "#;
    let out = Scripts::new().run(script, &["--events=2", "run"]).well();
    let lines: Vec<&str> = out.lines().filter(|line| !line.is_empty()).collect();
    let said = |line: &&&str| line.starts_with(char::is_lowercase) && !line.starts_with("sysb");
    let called: Vec<&str> = lines.iter().filter(said).copied().collect();
    let expected = [
        "body\t0\tnil\trun",
        "init",
        "body\t0\tnil\trun",
        "thread_init\t0",
        "event\t0",
        "event\t0",
        "thread_done\t0",
        "done",
    ];
    assert_eq!(called, expected);
    assert!(
        lines[0].starts_with("sysbench 1.0.20 (Dyno "),
        "{}",
        lines[0]
    );
    assert!(
        out.contains("    total number of events:              2\n"),
        "{out}"
    );
}

#[test]
fn an_event_that_returns_something_ends_its_worker_and_does_not_count() {
    let script = "n = 0 function event() n = n + 1 return n > 3 end";
    let ran = Scripts::new().run(script, &["--time=5", "run"]);
    assert_eq!(ran.figure("total number of events:"), 3.0);
    assert!(ran.figure("total time:") < 2.0);
}

#[test]
fn errors_of_scripts_are_said_as_sysbench_does() {
    let scripts = Scripts::new();
    let fails = |script: &str, command: &str, line: &str| {
        let ran = scripts.run(script, &["--time=5", command]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let said = ran
            .out
            .lines()
            .chain(ran.err.lines())
            .any(|seen| seen == line);
        assert!(said, "no {line:?} in {ran:?}");
    };
    fails("error('x')", "run", "FATAL: script.lua:1: x");
    fails("x x", "run", "FATAL: script.lua:1: '=' expected near 'x'");
    let line = "FATAL: `thread_run' function failed: script.lua:1: bad";
    fails("function event() error('bad') end", "run", line);
    let line = "FATAL: `thread_run' function failed: (not a string)";
    fails("function event() error({}) end", "run", line);
    let line = "FATAL: `init' function failed: script.lua:1: q";
    fails(
        "function event() end function init() error('q') end",
        "run",
        line,
    );
    let line = "FATAL: cannot find the event() function in script.lua";
    fails("", "run", line);
    let line = "'script.lua' test does not implement the 'prepare' command.";
    fails("", "prepare", line);
    fails("", "nosuch", "Unknown command: nosuch");
    let script = "function event() end function thread_init() error('t') end";
    fails(script, "run", "FATAL: Thread initialization failed!");
}

#[test]
fn an_unknown_test_is_said_to_be_one() {
    let scripts = Scripts::new();
    let ran = scripts.program(&["nosuch", "run"]);
    assert_eq!(ran.code, 1);
    let line = "FATAL: Cannot find benchmark 'nosuch': no such built-in test, file or module";
    assert!(ran.out.contains(line), "{ran:?}");
    assert_eq!(scripts.program(&["cpu", "run"]).code, 1);
    assert!(scripts
        .program(&["--version"])
        .well()
        .starts_with("sysbench 1.0.20"));
    assert!(scripts
        .program(&["--help"])
        .well()
        .contains("oltp_read_write"));
}

#[test]
fn commands_run_once_or_in_every_thread() {
    let script = r#"
        sysbench.cmdline.options = { a = {"a thing", 5} }
        sysbench.cmdline.commands = {
            all = { function() print("all", sysbench.tid, sysbench.opt.a) end,
                sysbench.cmdline.PARALLEL_COMMAND },
            once = { function() print("once", sysbench.tid) end },
            refuses = { function() return false end },
        }
    "#;
    let scripts = Scripts::new();
    let out = scripts.run(script, &["--threads=3", "--a=7", "all"]).well();
    let mut lines: Vec<&str> = out.lines().filter(|line| line.starts_with("all")).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["all\t0\t7", "all\t1\t7", "all\t2\t7"]);
    assert!(out.contains("Initializing worker threads...\n"), "{out}");
    let out = scripts.run(script, &["--threads=3", "once"]).well();
    assert_eq!(out.matches("once\t0").count(), 1);
    assert_eq!(scripts.run(script, &["refuses"]).code, 1);
    let out = scripts.run(script, &["help"]).well();
    assert!(
        out.ends_with("script.lua options:\n  --a=N a thing [5]\n\n"),
        "{out}"
    );
    let ran = scripts.run(script, &["--b=7", "once"]);
    assert_eq!((ran.code, ran.err.as_str()), (1, "invalid option: --b=7\n"));
}

#[test]
fn restarted_events_count_once() {
    let script = r#"
        tries = 0
        function sysbench.hooks.before_restart_event(e) print("again", e.why) end
        function event()
            tries = tries + 1
            if tries % 3 ~= 0 then
                error({ errcode = sysbench.error.RESTART_EVENT, why = "so" })
            end
        end
    "#;
    let ran = Scripts::new().run(script, &["--events=4", "run"]);
    assert_eq!(ran.figure("total number of events:"), 4.0);
    assert_eq!(ran.out.matches("again\tso").count(), 8);
}

#[test]
fn helpers_are_found_beside_the_script_from_anywhere() {
    let scripts = Scripts::new();
    let folder = scripts.folder.path().join("deep");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("helper.lua"), "return { word = 'found' }").unwrap();
    let text = "#!/usr/bin/env sysbench\nprint(require('helper').word)\nfunction event() end";
    std::fs::write(folder.join("main.lua"), text).unwrap();
    let out = scripts.program(&["deep/main.lua"]).well();
    assert!(out.contains("\nfound\n"), "{out}");
}

#[test]
fn symbols_of_the_executable_are_found_by_the_ffi() {
    let script = r#"
        ffi.cdef[[
            void sb_counter_inc(int thread_id, sb_counter_type type);
            bool sb_more_events(int thread_id);
            void sb_event_start(int thread_id);
            void sb_event_stop(int thread_id);
            double sb_rand_uniform_double(void);
            void sb_rand_str(const char *format, char *buffer);
            int usleep(unsigned int microseconds);
        ]]
        local C = require("ffi").C
        function event() end
        function thread_run(id)
            while C.sb_more_events(id) do
                C.sb_event_start(id)
                C.usleep(1000)
                C.sb_counter_inc(id, C.SB_CNT_ERROR)
                C.sb_event_stop(id)
            end
            local buffer = ffi.new("char[4]")
            C.sb_rand_str("a##", buffer)
            print("drawn", ffi.string(buffer, 3):match("^a%d%d$") ~= nil,
                C.sb_rand_uniform_double() < 1)
        end
        function sysbench.hooks.report_cumulative(stat) print("errors", stat.errors) end
    "#;
    let out = Scripts::new().run(script, &["--events=5", "run"]).well();
    assert!(out.contains("drawn\ttrue\ttrue\n"), "{out}");
    assert!(out.contains("errors\t5\n"), "{out}");
}

#[test]
fn hooks_report_as_the_script_wants() {
    let script = r#"
        ffi.cdef[[ int usleep(unsigned int microseconds); ]]
        function event() ffi.C.usleep(5000) end
        local report = os.getenv("DYNO_REPORT")
        sysbench.hooks.report_intermediate = sysbench.report_json
    "#;
    let arguments = ["--time=2", "--report-interval=1", "--threads=2", "run"];
    let out = Scripts::new().run(script, &arguments).well();
    let list = &out[out.find("[\n").unwrap()..out.find("]\n").unwrap() + 1];
    let list: serde_json::Value = serde_json::from_str(list).unwrap();
    assert!(!list.as_array().unwrap().is_empty());
    assert_eq!(list[0]["threads"], 2);
    assert!(list[0]["tps"].as_f64().unwrap() > 10.0);
    let csv = script.replace("report_json", "report_csv");
    let out = Scripts::new().run(&csv, &arguments).well();
    let line = out.lines().find(|line| line.starts_with("1,2,")).unwrap();
    assert_eq!(line.split(',').count(), 10, "{line}");
}

#[test]
fn a_rate_is_kept_and_waiting_counts() {
    // Two events a second, and each takes a second: the queue grows, and with it the latency.
    let script = r#"
        ffi.cdef[[ int usleep(unsigned int microseconds); ]]
        function event() ffi.C.usleep(50000) end
    "#;
    let scripts = Scripts::new();
    let slow = scripts.run(script, &["--time=2", "--rate=100", "--rand-seed=3", "run"]);
    assert!(slow.figure("max:") > 500.0, "{slow:?}");
    let quick = "function event() end";
    let ran = scripts.run(quick, &["--time=2", "--rate=200", "--rand-seed=3", "run"]);
    let events = ran.figure("total number of events:");
    assert!((300.0..500.0).contains(&events), "{events}");
}

#[test]
fn a_run_past_its_time_is_cut_off() {
    let script = "function event() os.execute('sleep 4') end";
    let ran = Scripts::new().run(script, &["--time=1", "--forced-shutdown=1", "run"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran
        .out
        .contains("FATAL: The --max-time limit has expired, forcing shutdown...\n\n"));
    let line = "Number of unfinished transactions on forced shutdown: 1\n\n";
    assert!(ran.out.contains(line), "{ran:?}");
    let script = "function event() end function thread_init() os.execute('sleep 3') end";
    let ran = Scripts::new().run(script, &["--thread-init-timeout=1", "run"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn a_report_as_json_is_alone_on_standard_output() {
    let script = "function event() end";
    let arguments = ["--events=7", "--percentile=50,99.9", "--json", "run"];
    let out = Scripts::new().run(script, &arguments).well();
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["events"], 7);
    assert!(
        report["latency_ms"]["percentiles"]["99.9"].is_number(),
        "{report}"
    );
}

#[test]
fn warm_up_is_not_counted() {
    let script = "function event() os.execute('sleep 0.1') end";
    let ran = Scripts::new().run(script, &["--warmup-time=1", "--time=1", "run"]);
    let events = ran.figure("total number of events:");
    assert!((2.0..12.0).contains(&events), "{ran:?}");
    assert!(ran.figure("total time:") < 1.9, "{ran:?}");
}

#[test]
fn a_script_from_standard_input_is_only_its_body() {
    let scripts = Scripts::new();
    std::fs::write(scripts.folder.path().join("in"), "print('body', test)").unwrap();
    let input = std::fs::File::open(scripts.folder.path().join("in")).unwrap();
    let mut command = std::process::Command::new(support::program());
    let output = command.args(["-", "run"]).stdin(input).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("\nbody\tnil\n"));
}
