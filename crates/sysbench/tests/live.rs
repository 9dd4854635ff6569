//! The program against real servers: the bundled scripts, results, errors, restarts, reconnects.

#![allow(clippy::unwrap_used)]

mod support;

use support::{with, Database, Scripts};

const SCRIPTS: [&str; 11] = [
    "oltp_read_write",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_point_select",
    "oltp_insert",
    "oltp_delete",
    "oltp_update_index",
    "oltp_update_non_index",
    "select_random_points",
    "select_random_ranges",
    "bulk_insert",
];

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn every_bundled_script_goes_through_its_life() {
    let scripts = Scripts::new();
    for mut database in Database::on_each("life") {
        let options = database.options();
        for script in SCRIPTS {
            for mode in ["--db-ps-mode=auto", "--db-ps-mode=disable"] {
                let sizes = ["--threads=2", "--table-size=500", "--tables=2", mode];
                // It has no such options, and accepts none.
                let sizes = if script == "bulk_insert" {
                    &sizes[..1]
                } else {
                    &sizes[..]
                };
                let run = |command: &[&str]| {
                    let mut all = vec![script];
                    all.extend(sizes);
                    all.extend(command);
                    scripts.program(&with(&all, &options))
                };
                run(&["prepare"]).well();
                let tables = "SELECT COUNT(*) FROM information_schema.tables \
                              WHERE table_schema = DATABASE()";
                assert_eq!(database.value(tables), "2", "{script}");
                let ran = run(&["--events=30", "run"]);
                assert_eq!(ran.code, 0, "{script}: {ran:?}");
                assert_eq!(ran.figure("total number of events:"), 30.0, "{script}");
                run(&["cleanup"]).well();
                assert_eq!(database.value(tables), "0", "{script}");
            }
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn read_write_says_twenty_queries() {
    let scripts = Scripts::new();
    for database in Database::on_each("queries") {
        let options = database.options();
        let run = |command: &[&str]| scripts.program(&with(command, &options));
        run(&["oltp_read_write", "--table-size=1000", "prepare"]).well();
        let ran = run(&["oltp_read_write", "--table-size=1000", "--events=50", "run"]);
        assert_eq!(ran.figure("read:"), 700.0);
        assert_eq!(ran.figure("write:"), 200.0);
        assert_eq!(ran.figure("other:"), 100.0);
        assert_eq!(ran.figure("transactions:"), 50.0);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn results_are_what_scripts_expect() {
    let script = r###"
        function cleanup()
            local con = sysbench.sql.driver():connect()
            local rs = con:query("SELECT 1 a, NULL b, 'x' c UNION ALL SELECT 2, 3, 'y'")
            assert(rs.nrows == 2 and rs.nfields == 3)
            local row = rs:fetch_row()
            assert(row[1] == "1" and row[2] == nil and row[3] == "x")
            assert(rs:fetch_row()[2] == "3" and rs:fetch_row() == nil)
            assert(rs:free() and not pcall(rs.free, rs))
            local a, b, c = con:query_row("SELECT 1, NULL, 3")
            assert(a == "1" and b == nil and c == "3")
            assert(con:query_row("SELECT 1 FROM dual WHERE 1 = 0") == nil)
            local none = con:query("SET @a = 1")
            assert(none == nil and not not none, "no result is nil, and yet true")
            rs = con:query("SELECT 1; SELECT 2, 3")
            assert(rs.nfields == 1 and con:more_results())
            assert(con:next_result():fetch_row()[2] == "3" and not con:more_results())

            con:query("CREATE TABLE t (i BIGINT, d DOUBLE, s VARCHAR(20))")
            local T = sysbench.sql.type
            local insert = con:prepare("INSERT INTO t VALUES (?, ?, ?)")
            local i = insert:bind_create(T.INT)
            local d = insert:bind_create(T.DOUBLE)
            local s = insert:bind_create(T.VARCHAR, 10)
            assert(insert:bind_param(i) == 1 and insert:bind_param(i, d, s) == 0)
            i:set(3.7) d:set(2.5) s:set("it's 'a' longer one")
            assert(insert:execute() == nil)
            i:set(nil) d:set(nil) s:set_rand_str("##@")
            insert:execute()
            insert:close()
            assert(con:query_row("SELECT CONCAT_WS(',', i, d, s) FROM t WHERE i = 3")
                == "3,2.5,it's 'a' l")
            assert(con:query_row("SELECT s REGEXP '^[0-9]{2}[a-z]$' FROM t WHERE i IS NULL") == "1")

            con:bulk_insert_init("INSERT INTO t (i) VALUES")
            for n = 1, 100000 do con:bulk_insert_next("(" .. n + 1000 .. ")") end
            con:bulk_insert_done()
            assert(con:query_row("SELECT COUNT(*) FROM t WHERE i > 1000") == "100000")

            local is_well, problem = pcall(con.query, con, "SELECT nosuch")
            assert(not is_well and problem:find("errno = 1054, state = '42S22': ", 1, true))
            assert(con.sql_errno == 1054 and con.sql_state == "42S22")
            if sysbench.opt.db_ps_mode == "auto" then
                is_well, problem = pcall(con.prepare, con, "SELECT nosuch")
                assert(not is_well and problem:find("SQL API error", 1, true))
            end
            con:disconnect()
            assert(not pcall(con.query, con, "SELECT 1"))
        end
    "###;
    for mode in ["--db-ps-mode=auto", "--db-ps-mode=disable"] {
        for database in Database::on_each("results") {
            let options = database.options();
            Scripts::new()
                .run(script, &with(&[mode, "cleanup"], &options))
                .well();
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn ignored_errors_begin_the_event_anew_and_others_end_the_run() {
    let script = r###"
        function thread_init()
            con = sysbench.sql.driver():connect()
            tries = 0
        end
        function sysbench.hooks.before_restart_event(e) print("again", e.sql_errno) end
        if os.getenv("DYNO_HOOK") then
            function sysbench.hooks.sql_error_ignorable(e) return e.sql_errno == 1062 end
        end
        function event()
            tries = tries + 1
            if tries % 2 == 1 then
                con:query("SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = " .. sysbench.opt.code)
            end
            con:query("SELECT 1")
        end
        sysbench.cmdline.options = { code = {"error to raise", "1213"} }
    "###;
    for database in Database::on_each("restarts") {
        let options = database.options();
        let ran = Scripts::new().run(script, &with(&["--events=5", "run"], &options));
        assert_eq!(ran.figure("transactions:"), 5.0);
        assert_eq!(ran.figure("ignored errors:"), 5.0);
        assert_eq!(ran.out.matches("again\t1213").count(), 5);
        let arguments = ["--events=5", "--code=1062", "run"];
        let ran = Scripts::new().run(script, &with(&arguments, &options));
        assert_eq!(ran.code, 1);
        let line = "FATAL: mysql_drv_query() returned error 1062";
        assert!(ran.out.contains(line), "{ran:?}");
        let line = "FATAL: `thread_run' function failed: script.lua:";
        assert!(ran.out.contains(line), "{ran:?}");
        assert!(!ran.out.contains("General statistics"), "{ran:?}");
        let hooked = script.replace("os.getenv(\"DYNO_HOOK\")", "true");
        let ran = Scripts::new().run(&hooked, &with(&arguments, &options));
        assert_eq!((ran.code, ran.figure("ignored errors:")), (0, 5.0));
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn lost_connections_are_made_anew_where_that_is_ignored() {
    let script = r###"
        function thread_init()
            con = sysbench.sql.driver():connect()
            statement = con:prepare("SELECT ? + 1")
            number = statement:bind_create(sysbench.sql.type.INT)
            statement:bind_param(number)
            tries = 0
        end
        function event()
            tries = tries + 1
            if tries % 4 == 0 then
                con:query("KILL CONNECTION_ID()")
            end
            number:set(tries)
            statement:execute()
        end
    "###;
    for database in Database::on_each("lost") {
        let options = database.options();
        let ignoring = ["--mysql-ignore-errors=all", "--events=30", "run"];
        let ran = Scripts::new().run(script, &with(&ignoring, &options));
        assert_eq!(ran.figure("transactions:"), 30.0, "{ran:?}");
        assert!(ran.figure("reconnects:") >= 5.0, "{ran:?}");
        let ran = Scripts::new().run(script, &with(&["--events=30", "run"], &options));
        assert_eq!(ran.code, 1, "{ran:?}");
        let script = r###"
            function cleanup()
                local con = sysbench.sql.driver():connect()
                local first = con:query_row("SELECT CONNECTION_ID()")
                con:reconnect()
                assert(first ~= con:query_row("SELECT CONNECTION_ID()"))
            end
        "###;
        Scripts::new()
            .run(script, &with(&["cleanup"], &options))
            .well();
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn scripts_of_old_find_their_functions_and_globals() {
    let script = r###"
        function thread_init()
            assert(thread_id == sysbench.tid and test == "script.lua")
            size = tonumber(oltp_table_size) or 10
            db_connect()
            statement = db_prepare("SELECT ? + ?")
            values = { 1, "7" }
            db_bind_param(statement, values)
        end
        function event()
            db_query("SELECT " .. sb_rand(1, size) .. sb_rand_uniform(1, 2) .. sb_rand_uniq(1, 9e9))
            values[1] = values[1] + 1
            local rs = db_execute(statement)
            db_store_results(rs)
            db_free_results(rs)
            db_query("SELECT '" .. sb_rand_str("##@@") .. "'")
        end
        function thread_done()
            assert(size == 25 and db_driver == "mysql")
            assert(not pcall(db_query, "SELECT nosuch"))
            db_close(statement)
            db_disconnect()
        end
    "###;
    for database in Database::on_each("legacy") {
        let options = database.options();
        let arguments = ["--oltp-table-size=25", "--events=10", "run"];
        let ran = Scripts::new().run(script, &with(&arguments, &options));
        assert_eq!((ran.code, ran.figure("read:")), (0, 30.0), "{ran:?}");
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn a_dry_run_sends_nothing() {
    for mut database in Database::on_each("dry") {
        let options = database.options();
        let arguments = ["oltp_read_write", "--mysql-dry-run", "--events=9", "run"];
        let ran = Scripts::new().program(&with(&arguments, &options));
        assert_eq!(ran.figure("other:"), 180.0, "{ran:?}");
        assert_eq!(database.value("SELECT 1"), "1");
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn a_password_comes_from_the_environment_too() {
    for mut database in Database::on_each("password") {
        let user = "CREATE USER dyno_secret@localhost IDENTIFIED BY 'pass word'";
        let _ = database
            .connection
            .execute_sql("DROP USER dyno_secret@localhost");
        database.connection.execute_sql(user).unwrap();
        let [socket, ..] = database.options();
        let script = "function cleanup() sysbench.sql.driver():connect() end";
        let scripts = Scripts::new();
        std::fs::write(scripts.folder.path().join("script.lua"), script).unwrap();
        let run = |password: &str| {
            let mut command = std::process::Command::new(support::program());
            command
                .current_dir(scripts.folder.path())
                .env("MYSQL_PWD", password);
            command.args(["script.lua", "cleanup", &socket, "--mysql-user=dyno_secret"]);
            command.arg("--mysql-db=").output().unwrap()
        };
        let refused = run("wrong");
        assert_eq!(refused.status.code(), Some(1));
        let said = String::from_utf8_lossy(&refused.stdout);
        assert!(said.contains("FATAL: error 1045: Access denied"), "{said}");
        assert!(run("pass word").status.success());
        database
            .connection
            .execute_sql("DROP USER dyno_secret@localhost")
            .unwrap();
    }
}
