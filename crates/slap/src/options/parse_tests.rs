//! Parsing of command lines; the reference is what mariadb-slap did with the same words.

use super::*;

fn read(words: &[&str]) -> Result<Parsed, Failure> {
    parse(Vec::new(), words.iter().map(OsString::from).collect())
}

fn found(words: &[&str]) -> Vec<(&'static str, Value)> {
    let options = read(words).unwrap().options;
    options
        .into_iter()
        .map(|given| (given.spec.name.as_ref(), given.value))
        .collect()
}

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

fn code(words: &[&str]) -> u8 {
    read(words).unwrap_err().code
}

#[test]
fn values_stand_behind_a_blank_or_an_equals_sign() {
    let wanted = [("concurrency", text("1,2")), ("query", text("-x"))];
    assert_eq!(found(&["--concurrency=1,2", "--query", "-x"]), wanted);
    assert_eq!(found(&["-c1,2", "-q", "-x"]), wanted);
    assert_eq!(
        found(&["--create_schema=a_b"]),
        [("create-schema", text("a_b"))]
    );
}

#[test]
fn short_flags_stand_in_a_row() {
    let on = Value::Switch(true);
    let wanted = [
        ("auto-generate-sql", on.clone()),
        ("verbose", on.clone()),
        ("verbose", on),
    ];
    assert_eq!(found(&["-avv"]), wanted);
    assert_eq!(found(&["-aF;"])[1], ("delimiter", text(";")));
}

#[test]
fn an_optional_value_never_takes_the_next_word() {
    let parsed = read(&["--csv", "file", "-p", "word", "-pword"]).unwrap();
    assert_eq!(parsed.positionals, ["file", "word"]);
    assert_eq!(parsed.options[0].value, Value::Switch(true));
    assert_eq!(parsed.options[1].value, Value::Switch(true));
    assert_eq!(parsed.options[2].value, text("word"));
}

#[test]
fn flags_can_be_turned_off() {
    for word in [
        "--skip-silent",
        "--disable-silent",
        "--silent=0",
        "--silent=off",
    ] {
        assert_eq!(found(&[word]), [("silent", Value::Switch(false))], "{word}");
    }
    for word in [
        "--silent",
        "--enable-silent",
        "--silent=1",
        "--loose-silent",
        "-s",
    ] {
        assert_eq!(found(&[word]), [("silent", Value::Switch(true))], "{word}");
    }
    assert_eq!(found(&["--skip-csv"]), [("csv", Value::Switch(false))]);
}

#[test]
fn a_flag_that_is_neither_on_nor_off_is_off() {
    let parsed = read(&["--silent=maybe"]).unwrap();
    assert_eq!(parsed.options[0].value, Value::Switch(false));
    assert_eq!(parsed.notes.len(), 1);
}

#[test]
fn a_name_may_be_cut_short_while_it_is_one_option_of_mysqlslap() {
    assert_eq!(found(&["--iter=3"]), [("iterations", text("3"))]);
    assert_eq!(read(&["--iter=3"]).unwrap().notes.len(), 1);
    assert_eq!(code(&["--i=3"]), exit::AMBIGUOUS_OPTION);
    assert_eq!(code(&["--auto"]), exit::AMBIGUOUS_OPTION);
    // A whole name isn't taken as the prefix of another.
    assert_eq!(found(&["--create=x"]), [("create", text("x"))]);
}

#[test]
fn a_new_option_makes_no_old_prefix_ambiguous_and_has_none() {
    assert_eq!(found(&["--verb"]), [("verbose", Value::Switch(true))]);
    assert_eq!(found(&["--pre-q=x"]), [("pre-query", text("x"))]);
    assert_eq!(code(&["--interl"]), exit::UNKNOWN_OPTION);
    assert!(table::NEW.options.len() > 5);
}

#[test]
fn what_is_unknown_has_the_codes_of_mysqlslap() {
    assert_eq!(code(&["--bogus"]), exit::UNKNOWN_OPTION);
    assert_eq!(code(&["--bogus=1"]), exit::UNKNOWN_VARIABLE);
    assert_eq!(code(&["-Z"]), exit::UNKNOWN_OPTION);
    assert_eq!(code(&["-s=1"]), exit::UNKNOWN_OPTION);
    assert_eq!(code(&["--help=3"]), exit::NO_VALUE_ALLOWED);
    assert_eq!(code(&["--concurrency"]), exit::VALUE_NEEDED);
    assert_eq!(read(&["--loose-bogus"]).unwrap().notes.len(), 1);
}

#[test]
fn a_misspelt_name_is_named() {
    let hint = |word: &str| read(&[word]).unwrap_err().hint;
    assert_eq!(hint("--concurency=3"), "did you mean --concurrency?");
    assert_eq!(hint("--interations"), "did you mean --iterations?");
    assert_eq!(hint("--no_dorp"), "did you mean --no-drop?");
    assert_eq!(hint("--bogus"), "--help lists the options");
}

#[test]
fn two_dashes_end_the_options() {
    let parsed = read(&["-a", "--", "-b", "--c"]).unwrap();
    assert_eq!(parsed.options.len(), 1);
    assert_eq!(parsed.positionals, ["-b", "--c"]);
}

#[test]
fn no_two_options_share_a_name() {
    for (nth, spec) in table::all().enumerate() {
        for other in table::all().skip(nth + 1) {
            assert_ne!(spec.name, other.name);
            assert!(
                spec.short.is_none() || spec.short != other.short,
                "{}",
                spec.name
            );
        }
    }
}
