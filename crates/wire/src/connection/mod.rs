//! A blocking connection: login and commands, around the codec.

mod channel;
mod compressed;
mod login;
mod polled;
mod statement;
mod stream;
mod tls;

use std::io;

use crate::codec::handshake::{capability, extension, Greeting};
use crate::codec::{command, packet, put_packets, Bound, Reply, Step, FULL, HEADER};
use crate::error::Error;
use crate::options::Options;
use crate::rows::{Discard, Done, Encoding, Row, Rows};
use channel::Channel;

pub use channel::Wait;
pub use statement::Statement;

/// Rows of LOAD DATA LOCAL are sent in packets of this size: below max_allowed_packet (1 MiB by
/// default on old servers), and large enough to cost nothing.
const LOAD_PACKET_BYTES: usize = 64 * 1024;

/// What [`Connection::query_strings`] copies at most.
const ADMINISTRATIVE_BYTES: usize = 8 << 20;

/// One session with a server. Not shared between threads; `Send`.
///
/// After an error for which [`Error::is_fatal`] is true, every further command fails with
/// [`Error::Lost`]: make a new connection.
#[derive(Debug)]
pub struct Connection {
    channel: Channel,
    reply: Reply,
    bound: Bound,
    greeting: Greeting,
    deprecate_eof: bool,
    /// A piece of LOAD DATA rows; its memory is kept.
    piece: Vec<u8>,
    /// True from sending a command until the end of its reply, so that a connection that was left
    /// in between, by an error or a panic, isn't used again.
    broken: bool,
}

/// What LOAD DATA LOCAL is served from; see [`Connection::load_data`].
type Source<'a> = &'a mut dyn FnMut(&mut Vec<u8>) -> io::Result<bool>;

impl Connection {
    /// Connects and logs in.
    pub fn connect(options: &Options) -> Result<Connection, Error> {
        let login::Session {
            channel,
            greeting,
            agreed,
        } = login::login(options)?;
        let deprecate_eof = agreed.capabilities & capability::DEPRECATE_EOF != 0;
        let mut reply = Reply::new(deprecate_eof);
        if agreed.extensions & extension::CACHE_METADATA != 0 {
            reply.cache_columns();
        }
        Ok(Connection {
            channel,
            reply,
            bound: Bound::default(),
            greeting,
            deprecate_eof,
            piece: Vec::new(),
            broken: false,
        })
    }

    /// Runs SQL, shows all rows of all its result sets to `rows`. LOAD DATA LOCAL closes the
    /// connection ([`Error::Infile`]): see [`Connection::load_data`].
    pub fn query<R: Rows>(&mut self, sql: &[u8], rows: &mut R) -> Result<Done, Error> {
        self.begin("running a query")?;
        command::query(&mut self.channel.out, sql);
        self.run(Encoding::Text, rows, &mut refuse)
    }

    /// Runs SQL; rows are counted and discarded.
    pub fn execute_sql(&mut self, sql: &str) -> Result<Done, Error> {
        self.query(sql.as_bytes(), &mut Discard)
    }

    /// Runs SQL and copies its rows. For small, administrative results: more than 8 MiB is an
    /// error. Bytes that aren't UTF-8 are replaced.
    pub fn query_strings(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Error> {
        let mut copied = Vec::new();
        let mut bytes = 0;
        let mut copy = |row: Row<'_>| {
            // A row costs memory, however short its cells are.
            bytes += 64 + row.iter().flatten().map(<[u8]>::len).sum::<usize>();
            if bytes <= ADMINISTRATIVE_BYTES {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                copied.push(row.iter().map(|cell| cell.map(text)).collect());
            }
        };
        self.query(sql.as_bytes(), &mut copy)?;
        if bytes > ADMINISTRATIVE_BYTES {
            return Err(Error::protocol("more rows than were asked for", &[]));
        }
        Ok(copied)
    }

    /// Runs LOAD DATA LOCAL INFILE; the rows come from `source`, whatever file the SQL names.
    ///
    /// `source` gets an empty buffer, appends the next piece (64 KiB to 1 MiB works well) and
    /// returns whether more may follow; what it appended along with `false` is still sent. Its
    /// error closes the connection ([`Error::Source`]).
    pub fn load_data(&mut self, sql: &str, source: Source<'_>) -> Result<Done, Error> {
        self.begin("loading data")?;
        command::query(&mut self.channel.out, sql.as_bytes());
        self.run(Encoding::Text, &mut Discard, source)
    }

    /// Room for a command that the caller writes in place with [`crate::codec::command`], for
    /// [`Connection::exchange`]. The next command discards what was written but not sent.
    pub fn compose(&mut self) -> Result<&mut Vec<u8>, Error> {
        if self.broken {
            return Err(Error::Lost {
                during: "composing a command",
            });
        }
        self.channel.out.clear();
        Ok(&mut self.channel.out)
    }

    /// Sends the composed command and reads its whole reply, whose rows are in `encoding`.
    pub fn exchange<R: Rows>(&mut self, encoding: Encoding, rows: &mut R) -> Result<Done, Error> {
        self.channel.begin("running a command")?;
        self.run(encoding, rows, &mut refuse)
    }

    /// Checks that the server is there.
    pub fn ping(&mut self) -> Result<(), Error> {
        self.begin("pinging the server")?;
        command::ping(&mut self.channel.out);
        self.run_plain()
    }

    /// Drops the connection in the middle of a command; the next one is refused.
    pub fn hang_up(&mut self) {
        self.broken = true;
        self.channel.shut_down();
    }

    /// Changes the default schema.
    pub fn use_database(&mut self, name: &str) -> Result<(), Error> {
        self.begin("changing the schema")?;
        command::init_db(&mut self.channel.out, name.as_bytes());
        self.run_plain()
    }

    /// Restores the session's initial state (COM_RESET_CONNECTION; MySQL 5.7.3, MariaDB 10.2.4).
    pub fn reset(&mut self) -> Result<(), Error> {
        self.begin("resetting the session")?;
        command::reset_connection(&mut self.channel.out);
        self.run_plain()?;
        self.reply.forget_columns(None);
        self.bound.all_closed();
        Ok(())
    }

    /// Ends the session and closes. Dropping a connection closes it without notice.
    pub fn quit(mut self) -> Result<(), Error> {
        self.begin("closing the connection")?;
        command::quit(&mut self.channel.out);
        self.channel.send()
    }

    /// The server's number for this connection, for `KILL QUERY n` from another one.
    pub fn connection_id(&self) -> u32 {
        self.greeting.connection_id
    }

    /// The server's version as it reports it, such as `10.11.5-MariaDB`.
    pub fn server_version(&self) -> &str {
        &self.greeting.version
    }

    /// True if the server is MariaDB.
    pub fn is_mariadb(&self) -> bool {
        self.greeting.is_mariadb()
    }

    /// Text of the last OK reply, such as `Rows matched: 1  Changed: 1  Warnings: 0`; often empty.
    pub fn info(&self) -> &str {
        self.reply.info()
    }

    /// Whether result sets end without EOF packets on this connection.
    pub fn deprecates_eof(&self) -> bool {
        self.deprecate_eof
    }

    /// Bytes handed to the operating system so far (before encryption).
    pub fn bytes_sent(&self) -> u64 {
        self.channel.sent()
    }

    /// Bytes received so far (after decryption).
    pub fn bytes_received(&self) -> u64 {
        self.channel.framer.received()
    }

    /// True after a fatal error.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Prepares for building a command in `channel.out`.
    fn begin(&mut self, during: &'static str) -> Result<(), Error> {
        if self.broken {
            return Err(Error::Lost { during });
        }
        self.channel.begin(during)?;
        self.channel.out.clear();
        Ok(())
    }

    fn run_plain(&mut self) -> Result<(), Error> {
        self.run(Encoding::Text, &mut Discard, &mut refuse)
            .map(|_| ())
    }

    /// Sends the command in `channel.out` and reads its whole reply.
    fn run<R: Rows>(
        &mut self,
        encoding: Encoding,
        rows: &mut R,
        source: Source<'_>,
    ) -> Result<Done, Error> {
        self.start_reply(encoding);
        self.send()?;
        let taken = self.take_reply(rows, source);
        self.settle(taken)
    }

    /// Prepares for the reply to the command in `channel.out`.
    fn start_reply(&mut self, encoding: Encoding) {
        let statement = self.bound.omit(&mut self.channel.out);
        self.reply.start(encoding, statement);
    }

    /// Sends the command in `channel.out`; until [`Connection::settle`] nothing else can be sent.
    fn send(&mut self) -> Result<(), Error> {
        self.broken = true;
        self.expect_reply();
        let mut sent = self.channel.send();
        if let Err(Error::Lost { .. }) = sent {
            // A server that closes in mid-command may have sent the reason: packet too big, killed.
            if let Ok(last_words @ [packet::ERR, ..]) = self.channel.payload() {
                sent = Err(packet::err(last_words));
            }
        }
        if sent.is_err() {
            self.channel.shut_down();
        }
        sent
    }

    /// Every command starts at number 0, and the further packets of long ones count on from there.
    fn expect_reply(&mut self) {
        let packets = self.channel.out.len() / (FULL + HEADER) + 1;
        self.channel.framer.expect(packets as u8);
    }

    /// A reply that ended, successfully or with the server's error, leaves the connection usable.
    /// Any other end closes it, so that the server doesn't wait for a client that gave up.
    fn settle<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        self.broken = matches!(&result, Err(error) if error.is_fatal());
        if result.is_err() {
            self.bound.failed();
        }
        if self.broken {
            self.channel.shut_down();
        }
        result
    }

    fn take_reply<R: Rows>(&mut self, rows: &mut R, source: Source<'_>) -> Result<Done, Error> {
        loop {
            while self.channel.framer.advance()? {
                match self.reply.payload(self.channel.framer.payload(), rows)? {
                    Step::More => {}
                    Step::LocalInfile => self.send_rows(source)?,
                    Step::Finished => return Ok(self.reply.done()),
                }
            }
            self.channel.receive()?;
        }
    }

    /// Serves LOAD DATA LOCAL: the source's pieces, then an empty packet.
    fn send_rows(&mut self, source: Source<'_>) -> Result<(), Error> {
        let mut sequence = self.channel.framer.sequence();
        let mut more = true;
        while more {
            self.piece.clear();
            more = match source(&mut self.piece) {
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                    return Err(Error::Infile);
                }
                served => served.map_err(Error::Source)?,
            };
            self.channel.out.clear();
            if !self.piece.is_empty() {
                let out = &mut self.channel.out;
                sequence = put_packets(out, &self.piece, LOAD_PACKET_BYTES, sequence);
            }
            if !more {
                sequence = put_packets(&mut self.channel.out, &[], LOAD_PACKET_BYTES, sequence);
            }
            self.channel.send()?;
        }
        self.channel.framer.expect(sequence);
        Ok(())
    }
}

/// The source of a query that isn't LOAD DATA: there is no file for it.
fn refuse(_piece: &mut Vec<u8>) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}
