//! The statements of a run, built before anybody connects: those that create the tables, those that
//! are run, and those before and after.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use workloads::bounded;
use workloads::slap::{LoadType, Primary, Statement};

use crate::failure::Failure;
use crate::options::{Engine, Limit, Settings};
use crate::report::Progress;
use crate::split::{split, Split};

/// Where the constants of generated statements are drawn from.
const SEED: u64 = 42;

/// All statements.
#[derive(Debug, Clone, Default)]
pub struct Lists {
    /// These create and fill the tables.
    pub create: Vec<Statement>,
    /// These are run.
    pub query: Vec<Statement>,
    /// Before and after the timed part.
    pub pre: Vec<Statement>,
    pub post: Vec<Statement>,
    /// How many statements a client runs if no number is given; 0 means the list once.
    counted: u64,
    /// True if this run creates the tables.
    pub makes_schema: bool,
    /// True if table `t1` has keys to choose from.
    pub has_keys: bool,
}

/// How much one client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The number shown in reports: mysqlslap's, which is 0 if the list is run once.
    pub shown: u64,
    /// The actual number; `None` with a time limit.
    pub done: Option<u64>,
}

impl Lists {
    /// Reads files, and splits and generates statements.
    pub fn build(settings: &Settings, progress: Progress) -> Result<Lists, Failure> {
        let mut lists = Lists {
            makes_schema: settings.generate.is_some() || settings.create.is_some(),
            ..Lists::default()
        };
        if let Some(generate) = &settings.generate {
            progress.step("Building Create Statements for Auto")?;
            progress.step("Building Query Statements for Auto")?;
            match generate.load_type {
                LoadType::Read => progress.step("Generating SELECT Statements for Auto")?,
                LoadType::Key => progress.step("Generating SELECT for keys Statements for Auto")?,
                LoadType::Write => progress.step("Generating INSERT Statements for Auto")?,
                LoadType::Mixed | LoadType::Update => {}
            }
            (lists.create, lists.query) = generate.statements(SEED);
            lists.has_keys = generate.primary != Primary::None;
        }
        let read = |name: &str, given: &Option<OsString>| match given {
            Some(given) => cut(settings, name, given).map(Some),
            None => Ok(None),
        };
        if let Some(split) = read("create", &settings.create)? {
            lists.create = plain(split);
        }
        if let Some(split) = read("query", &settings.query)? {
            lists.counted = split.counted as u64;
            lists.query = plain(split);
        }
        lists.pre = read("pre-query", &settings.pre_query)?.map_or_else(Vec::new, plain);
        lists.post = read("post-query", &settings.post_query)?.map_or_else(Vec::new, plain);
        progress.step("Parsing engines to use.")?;
        Ok(lists)
    }

    /// Statement `nth` for creating the tables: the engine is appended to the first one.
    pub fn create_sql(&self, nth: usize, engine: Option<&Engine>) -> Vec<u8> {
        let mut sql = self.create[nth].sql.clone();
        if let (0, Some(engine)) = (nth, engine) {
            sql.extend_from_slice(b" Engine = ");
            sql.extend_from_slice(engine.name.as_bytes());
            if !engine.options.is_empty() {
                sql.push(b' ');
                sql.extend_from_slice(engine.options.as_bytes());
            }
        }
        sql
    }

    /// How much each of this many clients does.
    pub fn share(&self, limit: Limit, clients: usize) -> Share {
        let once = self.query.len() as u64;
        let of = |shown: u64| Share {
            shown,
            // An empty list has nothing to repeat.
            done: Some(if shown == 0 || once == 0 { once } else { shown }),
        };
        match limit {
            Limit::List => of(self.counted),
            Limit::Each(each) => of(each),
            Limit::Total(total) => of(total / clients.max(1) as u64),
            Limit::Time(_) => Share {
                shown: 0,
                done: (once == 0).then_some(0),
            },
        }
    }
}

fn plain(split: Split) -> Vec<Statement> {
    split.statements.into_iter().map(Statement::plain).collect()
}

/// More SQL than mysqlslap could hold as its list of statements.
const SQL_BYTES: u64 = 256 << 20;

/// The statements of an option whose value is SQL or the name of a file with SQL.
fn cut(settings: &Settings, name: &str, given: &OsStr) -> Result<Split, Failure> {
    let path = Path::new(given);
    let text = match fs::metadata(path) {
        Err(_) => given.as_bytes().to_vec(),
        Ok(meta) if !meta.is_file() => {
            return Err(Failure::refused(
                format!("--{name}={}: not a regular file", path.display()),
                "name a file of SQL, or give SQL that isn't the name of something",
            ))
        }
        Ok(_) => bounded::file(path, SQL_BYTES).map_err(|error| {
            Failure::refused(
                format!("Could not open --{name} file {}: {error}", path.display()),
                "make it readable for this user",
            )
        })?,
    };
    Ok(split(&text, &settings.delimiter, settings.split))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn lists(query: usize, counted: u64) -> Lists {
        Lists {
            query: vec![Statement::plain("SELECT 1"); query],
            create: vec![Statement::plain("CREATE TABLE x(a int)"); 2],
            counted,
            ..Lists::default()
        }
    }

    fn share(lists: &Lists, limit: Limit, clients: usize) -> (u64, Option<u64>) {
        let share = lists.share(limit, clients);
        (share.shown, share.done)
    }

    #[test]
    fn shares_are_whole_and_none_means_the_list_once() {
        let generated = lists(11, 0);
        assert_eq!(share(&generated, Limit::List, 3), (0, Some(11)));
        assert_eq!(share(&generated, Limit::Total(100), 3), (33, Some(33)));
        assert_eq!(share(&generated, Limit::Total(5), 8), (0, Some(11)));
        assert_eq!(share(&generated, Limit::Each(7), 8), (7, Some(7)));
        let time = Limit::Time(Duration::from_secs(1));
        assert_eq!(share(&generated, time, 8), (0, None));
    }

    #[test]
    fn hidden_statements_are_counted_as_mysqlslap_counts_them() {
        assert_eq!(share(&lists(2, 4), Limit::List, 1), (4, Some(4)));
    }

    #[test]
    fn an_empty_list_ends() {
        for limit in [
            Limit::List,
            Limit::Total(9),
            Limit::Time(Duration::from_secs(1)),
        ] {
            assert_eq!(lists(0, 0).share(limit, 2).done, Some(0), "{limit:?}");
        }
        assert_eq!(share(&lists(0, 0), Limit::Total(9), 2), (4, Some(0)));
    }

    #[test]
    fn an_engine_stands_behind_the_first_statement_only() {
        let engine = |options: &str| Engine {
            name: "memory".into(),
            options: options.into(),
        };
        let sql = |nth, engine: Option<Engine>| {
            let text = lists(1, 1).create_sql(nth, engine.as_ref());
            String::from_utf8(text).unwrap()
        };
        let first = "CREATE TABLE x(a int)";
        assert_eq!(sql(0, None), first);
        assert_eq!(sql(0, Some(engine(""))), format!("{first} Engine = memory"));
        let wanted = format!("{first} Engine = memory max_rows=5");
        assert_eq!(sql(0, Some(engine("max_rows=5"))), wanted);
        assert_eq!(sql(1, Some(engine("max_rows=5"))), first);
    }
}
