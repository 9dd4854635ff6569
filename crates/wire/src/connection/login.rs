//! From an address to a session: connect, greet, encrypt, log in.

use super::channel::Channel;
use super::compressed::Compressed;
use super::stream::{Socket, Stream};
use super::tls;
use crate::codec::handshake::{self, capability, extension, Answer, Greeting, Turn};
use crate::codec::{Auth, Transport, PAYLOAD_MAX};
use crate::error::Error;
use crate::options::{Compression, Options, Tls};

/// More turns than any login takes; a server that keeps asking is cut off.
const TURNS_MAX: usize = 10;
/// Larger than any packet of a login.
const PACKET_MAX: usize = 64 * 1024;

/// What is known after a login.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) channel: Channel,
    pub(super) greeting: Greeting,
    /// What both sides agreed on.
    pub(super) agreed: Agreed,
}

/// Capability bits, and those of MariaDB's extensions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Agreed {
    pub(super) capabilities: u32,
    pub(super) extensions: u32,
}

pub(super) fn login(options: &Options) -> Result<Session, Error> {
    check(options)?;
    let limit = options.connect_timeout;
    let socket = Socket::connect(&options.address, limit)?;
    let mut channel = Channel::new(Stream::Clear(socket), Some(limit))?;
    channel.framer.set_payload_max(PACKET_MAX);
    channel.begin("reading the server's greeting")?;
    let greeting = Greeting::read(channel.payload()?)?;
    let agreed = agree(options, &greeting);
    if encrypts(options, &greeting)? {
        channel = encrypt(channel, options, agreed)?;
    }
    channel.begin("logging in")?;
    refuse_uncompressed(options, agreed)?;
    authenticate(&mut channel, options, &greeting, agreed)?;
    if options.compression != Compression::Off {
        channel = compress(channel, options)?;
    }
    channel.framer.set_payload_max(PAYLOAD_MAX);
    channel.set_limit(options.read_timeout)?;
    Ok(Session {
        channel,
        greeting,
        agreed,
    })
}

/// The answer contains names that end with a NUL.
fn check(options: &Options) -> Result<(), Error> {
    let names = [
        Some(&options.user),
        options.database.as_ref(),
        options.password.as_ref(),
    ];
    if names.into_iter().flatten().any(|name| name.contains('\0')) {
        return Err(Error::Usage {
            what: "user, password or database holds a NUL".to_owned(),
        });
    }
    Ok(())
}

/// The capabilities that this client wants and the server supports.
fn agree(options: &Options, greeting: &Greeting) -> Agreed {
    let optional = [
        (options.database.is_some(), capability::CONNECT_WITH_DB),
        (options.local_infile, capability::LOCAL_FILES),
        (options.tls != Tls::Off, capability::TLS),
        (options.multi_statements, capability::MULTI_STATEMENTS),
        (options.deprecate_eof, capability::DEPRECATE_EOF),
        (
            options.compression == Compression::Zlib,
            capability::COMPRESS,
        ),
        (options.compression == Compression::Zstd, capability::ZSTD),
    ];
    let wanted = optional.iter().filter(|(wanted, _)| *wanted).fold(
        capability::LONG_FLAG
            | capability::PROTOCOL_41
            | capability::TRANSACTIONS
            | capability::SECURE_CONNECTION
            | capability::MULTI_RESULTS
            | capability::PS_MULTI_RESULTS
            | capability::PLUGIN_AUTH
            | capability::PLUGIN_AUTH_LENENC,
        |all, (_, bit)| all | bit,
    );
    let capabilities = wanted & greeting.capabilities;
    // MariaDB doesn't offer LONG_PASSWORD, and takes its absence as a request for its own
    // extensions: so it is sent if none of them is wanted.
    match greeting.extensions & extension::CACHE_METADATA {
        extensions if extensions != 0 && options.cache_metadata => Agreed {
            capabilities,
            extensions,
        },
        _ => Agreed {
            capabilities: capabilities | capability::LONG_PASSWORD,
            extensions: 0,
        },
    }
}

/// Whether to encrypt this connection, by what is asked for and what is offered.
fn encrypts(options: &Options, greeting: &Greeting) -> Result<bool, Error> {
    let is_offered = greeting.capabilities & capability::TLS != 0;
    match options.tls {
        Tls::Off => Ok(false),
        Tls::Preferred => Ok(is_offered),
        _ if is_offered => Ok(true),
        _ => Err(Error::Tls {
            reason: "the server offers no TLS".to_owned(),
            hint: "give the server a certificate (ssl_cert, ssl_key), or do without TLS",
        }),
    }
}

/// What was asked for would change what is measured if it were left out.
fn refuse_uncompressed(options: &Options, agreed: Agreed) -> Result<(), Error> {
    let offered = agreed.capabilities & (capability::COMPRESS | capability::ZSTD) != 0;
    match options.compression {
        Compression::Zlib if !offered => Err(Error::Compression { by: "zlib" }),
        Compression::Zstd if !offered => Err(Error::Compression { by: "zstd" }),
        Compression::Off | Compression::Zlib | Compression::Zstd => Ok(()),
    }
}

/// From the end of the login on both sides compress.
fn compress(channel: Channel, options: &Options) -> Result<Channel, Error> {
    let stream = Compressed::new(channel.into_stream(), options.compression);
    let limit = Some(options.connect_timeout);
    let mut channel = Channel::new(Stream::Compressed(Box::new(stream)), limit)?;
    // Servers number packets by those around them: what is inside isn't consecutive any more.
    channel.framer.ignore_sequence();
    Ok(channel)
}

fn encrypt(mut channel: Channel, options: &Options, agreed: Agreed) -> Result<Channel, Error> {
    // Bytes sent before the encryption must not be taken as bytes sent under it.
    if channel.framer.pending() > 0 {
        return Err(Error::protocol(
            "the server spoke before the TLS handshake",
            &[],
        ));
    }
    channel.out.clear();
    let sequence = channel.framer.sequence();
    let Agreed {
        capabilities,
        extensions,
    } = agreed;
    handshake::put_tls_request(&mut channel.out, capabilities, extensions, sequence);
    channel.send()?;
    let Stream::Clear(socket) = channel.into_stream() else {
        return Err(Error::Usage {
            what: "TLS inside TLS".to_owned(),
        });
    };
    let stream = tls::wrap(socket, &options.tls, &options.address)?;
    let mut channel = Channel::new(stream, Some(options.connect_timeout))?;
    channel.framer.set_payload_max(PACKET_MAX);
    channel.framer.expect(sequence.wrapping_add(1));
    Ok(channel)
}

fn authenticate(
    channel: &mut Channel,
    options: &Options,
    greeting: &Greeting,
    agreed: Agreed,
) -> Result<(), Error> {
    let password = options.password.as_deref().unwrap_or("");
    let transport = match channel.stream().transport() {
        // Under TLS a server wants the password itself.
        Transport::Open if options.get_server_public_key && channel.stream().is_clear() => {
            Transport::Trusted
        }
        found => found,
    };
    // The proposed plugin is the server's default, not the account's. A plugin that isn't known, or
    // that would send a password in clear unasked, gets an empty answer: the server then names the
    // account's own.
    let proposed = match greeting.plugin.as_str() {
        "mysql_clear_password" => "mysql_native_password",
        known if Auth::knows(known) => known,
        _ => "mysql_native_password",
    };
    let mut auth = Auth::new(proposed, password, transport)?;
    let first = match proposed == greeting.plugin {
        true => auth.first(&greeting.challenge)?,
        false => Vec::new(),
    };
    let answer = Answer {
        capabilities: agreed.capabilities,
        extensions: agreed.extensions,
        user: &options.user,
        auth: &first,
        database: options.database.as_deref().unwrap_or(""),
        plugin: proposed,
    };
    channel.out.clear();
    handshake::put_answer(&mut channel.out, &answer, channel.framer.sequence());
    send(channel)?;
    dialogue(channel, &mut auth, password, transport)
}

fn dialogue<'p>(
    channel: &mut Channel,
    auth: &mut Auth<'p>,
    password: &'p str,
    transport: Transport,
) -> Result<(), Error> {
    for _ in 0..TURNS_MAX {
        let answer = match Turn::read(channel.payload()?)? {
            Turn::Welcome => return Ok(()),
            Turn::Switch { plugin, challenge } => {
                *auth = Auth::new(plugin, password, transport)?;
                Some(auth.first(challenge)?)
            }
            Turn::Data(data) => auth.more(data)?,
        };
        if let Some(data) = answer {
            channel.out.clear();
            handshake::put_data(&mut channel.out, &data, channel.framer.sequence());
            send(channel)?;
        }
    }
    Err(Error::protocol("the server never ends the login", &[]))
}

/// Sends the current packet and counts it in the sequence.
fn send(channel: &mut Channel) -> Result<(), Error> {
    channel
        .framer
        .expect(channel.framer.sequence().wrapping_add(1));
    channel.send()
}
