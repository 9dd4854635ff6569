//! The connection that creates and drops the schema, and runs what isn't timed.

use wire::{Connection, Discard, Options, Row};

use crate::clients::refusal;
use crate::connecting;
use crate::failure::{exit, Failure};
use crate::lists::Lists;
use crate::options::{Engine, Settings};
use crate::report::Progress;

/// ER_DB_CREATE_EXISTS
const EXISTS: u16 = 1007;
/// The key for a table that has none to choose from: mysqlslap's.
const NO_KEY: &[u8] = b"796c4422-1d94-102a-9d6d-00e0812d";

/// The server, with what this run created there.
pub struct Server {
    /// How clients connect: with the schema.
    pub options: Options,
    connection: Connection,
    schema: String,
    /// True if the user accepts the loss of an existing schema.
    may_drop: bool,
    /// True once this run has created the schema.
    is_ours: bool,
    progress: Progress,
}

impl Server {
    /// Connects.
    pub fn connect(settings: &Settings, progress: Progress) -> Result<Server, Failure> {
        let mut options = connecting::options(&settings.login)?;
        options.read_timeout = Some(settings.answer);
        let connection = connecting::first(&options)?;
        options.database = Some(settings.schema.clone());
        let mut server = Server {
            options,
            connection,
            schema: settings.schema.clone(),
            may_drop: settings.may_drop,
            is_ours: false,
            progress,
        };
        if let Some(mode) = &settings.sql_mode {
            let mode = mode.replace('\\', "\\\\").replace('\'', "''");
            server.run(format!("SET SESSION sql_mode='{mode}'").as_bytes())?;
        }
        Ok(server)
    }

    /// Runs one statement; its rows are read and discarded.
    pub fn run(&mut self, sql: &[u8]) -> Result<(), Failure> {
        if self.progress.shows_statements() {
            self.progress.statement(&[sql, b";"].concat());
        }
        let done = self.connection.query(sql, &mut Discard);
        done.map(|_| ())
            .map_err(|error| refusal(exit::REFUSED, sql, &error))
    }

    /// Drops the schema, if this run created it or it may be lost.
    pub fn drop_schema(&mut self) -> Result<(), Failure> {
        if !self.is_ours && !self.may_drop {
            return Ok(());
        }
        let schema = quoted(&self.schema);
        self.run(format!("DROP SCHEMA IF EXISTS {schema}").as_bytes())
    }

    /// Creates the schema, its tables and their rows.
    ///
    /// An existing schema belongs to somebody else. CREATE itself detects it, so that none can
    /// appear between a check and a DROP.
    pub fn create_schema(&mut self, lists: &Lists, engine: Option<&Engine>) -> Result<(), Failure> {
        self.progress.step("Loading Pre-data")?;
        let sql = format!("CREATE SCHEMA {}", quoted(&self.schema));
        if self.progress.shows_statements() {
            self.progress.statement(format!("{sql};").as_bytes());
        }
        let made = self.connection.query(sql.as_bytes(), &mut Discard);
        made.map_err(|error| {
            let text = connecting::text(&error);
            let message = format!("Cannot create schema {} : {text}", self.schema);
            match error.code() {
                Some(EXISTS) if !self.is_ours => Failure::refused(
                    message,
                    "this run didn't make that schema, so it isn't dropped: name another one by \
                     --create-schema, or add --i-know-what-i-drop",
                ),
                _ => Failure::refused(message, error.hint()),
            }
        })?;
        self.is_ours = true;
        let used = self.connection.use_database(&self.schema);
        used.map_err(|error| {
            let message = format!("Cannot select schema {} : {error}", self.schema);
            Failure::refused(message, error.hint())
        })?;
        (0..lists.create.len()).try_for_each(|nth| self.run(&lists.create_sql(nth, engine)))
    }

    /// The keys of table `t1`, if it has any and its engine stores rows at all.
    pub fn keys(
        &mut self,
        has_keys: bool,
        engine: Option<&Engine>,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        self.progress.step("Generating primary key list")?;
        let keeps = engine.is_none_or(|engine| !engine.name.eq_ignore_ascii_case("blackhole"));
        let mut keys = Vec::new();
        if has_keys && keeps {
            let sql = b"SELECT id from t1";
            let mut keep = |row: Row<'_>| keys.push(row.get(0).unwrap_or_default().to_vec());
            if let Err(error) = self.connection.query(sql, &mut keep) {
                return Err(Failure::refused(
                    format!("Cannot run query SELECT id from t1 ERROR : {error}"),
                    error.hint(),
                ));
            }
        }
        if keys.is_empty() {
            keys.push(NO_KEY.to_vec());
        }
        Ok(keys)
    }

    /// Drops what this run created, after a failure, as far as possible. This connection may itself
    /// be the failure.
    pub fn clean_up(mut self) {
        if !self.is_ours {
            return;
        }
        if self.connection.is_broken() {
            self.options.database = None;
            match Connection::connect(&self.options) {
                Ok(connection) => self.connection = connection,
                Err(_) => return,
            }
        }
        // Only the first failure is reported.
        let _ = self.drop_schema();
    }
}

/// The key that --only-print shows.
pub fn shown_key() -> &'static [u8] {
    NO_KEY
}

/// A name quoted for SQL.
pub fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
