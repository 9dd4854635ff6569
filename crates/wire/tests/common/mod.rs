//! A scripted server: sends exactly what a test wants, right or wrong. For faults only; what a real
//! server does is tested against real servers.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use wire::codec::handshake::capability;
use wire::codec::{put_lenenc, put_lenenc_bytes};
use wire::{Address, Options};

pub const CHALLENGE: &[u8; 20] = b"abcdefghijklmnopqrst";
pub const OK: &[u8] = &[0, 0, 0, 2, 0, 0, 0];
pub const EOF: &[u8] = &[0xFE, 0, 0, 2, 0];
/// An OK that replaces an EOF.
pub const OK_EOF: &[u8] = &[0xFE, 0, 0, 2, 0, 0, 0];

/// Everything a modern server offers, except TLS.
pub const MODERN: u32 = 0x01FF_F7FF;

pub trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

/// The server's end of one connection.
pub struct Peer {
    pub stream: Box<dyn Stream>,
    pub sequence: u8,
}

impl Peer {
    /// Reads one packet; `None` at the end of the stream.
    pub fn read(&mut self) -> Option<Vec<u8>> {
        let mut header = [0; 4];
        self.stream.read_exact(&mut header).ok()?;
        let len = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
        let mut payload = vec![0; len];
        self.stream.read_exact(&mut payload).ok()?;
        self.sequence = header[3].wrapping_add(1);
        Some(payload)
    }

    /// Sends one packet with the next sequence number.
    pub fn send(&mut self, payload: &[u8]) {
        let mut bytes = (payload.len() as u32).to_le_bytes().to_vec();
        bytes[3] = self.sequence;
        bytes.extend_from_slice(payload);
        self.sequence = self.sequence.wrapping_add(1);
        self.raw(&bytes);
    }

    /// Sends bytes as they are. A client that has already gone isn't a failure.
    pub fn raw(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Greets, with this plugin, and reads the answer.
    pub fn greet(&mut self, capabilities: u32, plugin: &str) -> Vec<u8> {
        self.send(&greeting("8.0.36-fake", capabilities, plugin));
        self.read().expect("the client answers the greeting")
    }

    /// Greets and lets everyone in.
    pub fn log_in(&mut self, capabilities: u32) {
        self.greet(capabilities, "mysql_native_password");
        self.send(OK);
    }

    /// One column named `c`, and what comes between it and the rows.
    pub fn columns(&mut self, capabilities: u32) {
        self.send(&[1]);
        self.send(&column("c", 253));
        if capabilities & capability::DEPRECATE_EOF == 0 {
            self.send(EOF);
        }
    }

    /// Stays silent until the client has gone.
    pub fn wait_for_the_end(&mut self) {
        while self.read().is_some() {}
    }
}

pub fn greeting(version: &str, capabilities: u32, plugin: &str) -> Vec<u8> {
    let mut packet = vec![10];
    packet.extend_from_slice(version.as_bytes());
    packet.push(0);
    packet.extend_from_slice(&77_u32.to_le_bytes());
    packet.extend_from_slice(&CHALLENGE[..8]);
    packet.push(0);
    packet.extend_from_slice(&(capabilities as u16).to_le_bytes());
    packet.extend_from_slice(&[45, 2, 0]);
    packet.extend_from_slice(&((capabilities >> 16) as u16).to_le_bytes());
    packet.push(21);
    packet.extend_from_slice(&[0; 10]);
    packet.extend_from_slice(&CHALLENGE[8..]);
    packet.push(0);
    packet.extend_from_slice(plugin.as_bytes());
    packet.push(0);
    packet
}

pub fn column(name: &str, kind: u8) -> Vec<u8> {
    let mut packet = Vec::new();
    for text in ["def", "s", "t", "t", name, name] {
        put_lenenc_bytes(&mut packet, text.as_bytes());
    }
    put_lenenc(&mut packet, 12);
    packet.extend_from_slice(&[45, 0, 255, 0, 0, 0, kind, 0, 0, 0, 0, 0]);
    packet
}

pub fn text_row(cells: &[&str]) -> Vec<u8> {
    let mut packet = Vec::new();
    for cell in cells {
        put_lenenc_bytes(&mut packet, cell.as_bytes());
    }
    packet
}

/// A running script; joining it shows its failed assertions.
pub struct Server {
    pub options: Options,
    thread: Option<JoinHandle<()>>,
    path: Option<PathBuf>,
}

impl Server {
    /// Serves one connection on a Unix socket.
    pub fn start(script: impl FnOnce(&mut Peer) + Send + 'static) -> Server {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("dyno-wire-{}-{number}.sock", std::process::id());
        let path = std::env::temp_dir().join(name);
        let listener = UnixListener::bind(&path).expect("a socket to listen on");
        let thread = std::thread::spawn(move || {
            let (stream, _): (UnixStream, _) = listener.accept().expect("a client");
            script(&mut Peer {
                stream: Box::new(stream),
                sequence: 0,
            });
        });
        let options = options(Address::Unix(path.clone()));
        Server {
            options,
            thread: Some(thread),
            path: Some(path),
        }
    }

    /// Serves one connection on TCP.
    pub fn start_tcp(script: impl FnOnce(&mut Peer) + Send + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port to listen on");
        let port = listener.local_addr().expect("its address").port();
        let thread = std::thread::spawn(move || {
            let (stream, _): (TcpStream, _) = listener.accept().expect("a client");
            script(&mut Peer {
                stream: Box::new(stream),
                sequence: 0,
            });
        });
        let options = options(Address::Tcp {
            host: "127.0.0.1".to_owned(),
            port,
        });
        Server {
            options,
            thread: Some(thread),
            path: None,
        }
    }

    /// Waits for the script's end. Call once the client has gone.
    pub fn join(mut self) {
        let thread = self.thread.take().expect("joined once");
        assert!(
            thread.join().is_ok(),
            "the script failed; see its panic above"
        );
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn options(address: Address) -> Options {
    let mut options = Options::new(address);
    options.connect_timeout = Duration::from_secs(5);
    options.read_timeout = Some(Duration::from_secs(5));
    options
}
