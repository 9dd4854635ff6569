//! Options together: what they mean, and which ones exclude each other.

use super::*;
use crate::options::parse::parse;

fn read(words: &[&str]) -> Result<Settings, Failure> {
    let parsed = parse(Vec::new(), words.iter().map(OsString::from).collect())?;
    let mut settings = Settings::new()?;
    settings.apply(&parsed.options)?;
    settings.check()?;
    Ok(settings)
}

#[test]
fn defaults_are_mysqlslaps() {
    let settings = read(&["-a"]).unwrap();
    assert_eq!(settings.schema, "mysqlslap");
    assert_eq!(settings.delimiter, b"\n");
    assert_eq!(
        (settings.concurrency.as_slice(), settings.iterations),
        (&[1][..], 1)
    );
    assert_eq!(settings.limit, Limit::List);
    let generate = settings.generate.unwrap();
    assert_eq!((generate.unique_queries, generate.writes), (10, 100));
    assert!(!settings.silent && settings.csv.is_none());
}

#[test]
fn the_published_command_line_is_understood() {
    let settings = read(&[
        "--concurrency=1,25,50,100,300",
        "--create=FILE",
        "--query=FILE",
        "--engine=archive,myisam,blackhole",
        "--number-of-queries=10000",
        "--csv=FILE",
        "--iterations=10",
    ])
    .unwrap();
    assert_eq!(settings.concurrency, [1, 25, 50, 100, 300]);
    assert_eq!(settings.engines.len(), 3);
    assert_eq!(settings.limit, Limit::Total(10_000));
    assert!(
        settings.silent,
        "a file of results needs no report beside it"
    );
}

#[test]
fn what_makes_no_sense_together_is_refused_in_mysqlslaps_words() {
    let cases: [(&[&str], &str); 6] = [
        (&["-a", "--create=x"], "Can't use --auto-generate-sql when"),
        (&["-a", "-q", "x"], "Can't use --auto-generate-sql when"),
        (
            &[
                "-a",
                "--auto-generate-sql-guid-primary",
                "--auto-generate-sql-add-autoincrement",
            ],
            "Either auto-generate-sql-guid-primary or",
        ),
        (
            &["-a", "--auto-generate-sql-load-type=key"],
            "Can't perform key test",
        ),
        (
            &[
                "-a",
                "--number-of-queries=3",
                "--auto-generate-sql-execute-number=3",
            ],
            "Either auto-generate-sql-execute-number or",
        ),
        (&["--protocol=foo"], "Unknown option to protocol: foo"),
    ];
    for (words, message) in cases {
        let failure = read(words).unwrap_err();
        assert_eq!(failure.code, 1);
        assert!(failure.message.starts_with(message), "{}", failure.message);
    }
}

#[test]
fn the_dangers_are_refused() {
    for word in [
        "--iterations=0",
        "--concurrency=0",
        "--delimiter=",
        "--time=0",
        "--compression-algorithms=lz4",
        "--ssl-cert=x",
        "--split=x",
        "--ssl-verify-server-cert=1",
    ] {
        let words: &[&str] = if word.starts_with("--ssl-v") {
            &["--ssl", word]
        } else {
            &[word]
        };
        let failure = read(words).unwrap_err();
        assert_eq!(failure.code, 1, "{word}");
        assert!(!failure.hint.is_empty(), "{word}");
    }
    assert!(read(&["--time=1", "--number-of-queries=1"]).is_err());
}

#[test]
fn engines_carry_their_options() {
    let engines = read(&["-a", "-e", "innodb, memory:max_rows=5,a:b:c"])
        .unwrap()
        .engines;
    let pairs: Vec<(&str, &str)> = engines
        .iter()
        .map(|engine| (engine.name.as_str(), engine.options.as_str()))
        .collect();
    assert_eq!(
        pairs,
        [("innodb", ""), ("memory", "max_rows=5"), ("a", "b:c")]
    );
}

#[test]
fn a_typed_port_means_tcp_and_a_typed_socket_means_a_socket() {
    let address = |words: &[&str]| read(words).unwrap().login.address();
    let unix = |path: &str| wire::Address::Unix(path.into());
    assert_eq!(address(&["-S", "/a"]), unix("/a"));
    assert_eq!(address(&["-h", "localhost", "-S", "/a"]), unix("/a"));
    let tcp = |host: &str, port| wire::Address::Tcp {
        host: host.to_owned(),
        port,
    };
    assert_eq!(address(&["-P", "3307"]), tcp("127.0.0.1", 3307));
    assert_eq!(
        address(&["-P", "3307", "-hlocalhost"]),
        tcp("localhost", 3307)
    );
    assert_eq!(address(&["-h", "db"]), tcp("db", 3306));
    assert_eq!(
        address(&["--protocol=TCP", "-h", "db", "-P0"]),
        tcp("db", 3306)
    );
    assert_eq!(address(&["-P", "3307", "-S", "/a"]), unix("/a"));
}

#[test]
fn a_later_option_outdoes_an_earlier_one() {
    let settings = read(&["--csv=x", "--skip-csv", "-i2", "-i3", "-vvv"]).unwrap();
    assert_eq!(
        (settings.csv, settings.iterations, settings.verbose),
        (None, 3, 3)
    );
}

#[test]
fn encryption_is_off_unless_it_is_asked_for() {
    let of = |words: &[&str]| read(words).unwrap().login.encryption;
    assert_eq!(of(&[]), Encryption::Off);
    assert_eq!(of(&["--ssl"]), Encryption::Required);
    assert_eq!(of(&["--ssl", "--skip-ssl"]), Encryption::Off);
    assert_eq!(of(&["--ssl-ca=x"]), Encryption::VerifyIdentity);
    assert_eq!(
        of(&["--ssl-ca=x", "--ssl-mode=verify_ca"]),
        Encryption::VerifyCa
    );
    assert_eq!(of(&["--ssl-mode=PREFERRED"]), Encryption::Preferred);
}

#[test]
fn a_password_is_never_shown() {
    let settings = read(&["-psecret"]).unwrap();
    assert_eq!(settings.login.password.as_deref(), Some("secret"));
    assert!(!format!("{settings:?}").contains("secret"));
}
