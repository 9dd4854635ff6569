//! Texts that are repeated in a log, each derived only from its number: paths, sites, clients.
//!
//! Plain ASCII without tabs, quotes or backslashes, as `fill` requires. Names are invented;
//! addresses are from the ranges that RFC 5737 and RFC 1918 reserve for such use.

/// What a path ends in, and so what is sent: page, picture, style sheet or feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// HTML, generated for each visitor.
    Page,
    /// A picture, the same for all.
    Picture,
    /// A style sheet or a script.
    Style,
    /// A feed, mostly requested by programs.
    Feed,
}

const SECTIONS: [&str; 12] = [
    "articles",
    "askus",
    "books",
    "comments",
    "developers",
    "features",
    "games",
    "hardware",
    "journal",
    "polls",
    "science",
    "yro",
];
const WORDS: [&str; 16] = [
    "apache", "archive", "bench", "cluster", "database", "engine", "filter", "kernel", "license",
    "memory", "network", "parser", "release", "storage", "thread", "widget",
];
const SITES: [&str; 10] = [
    "search.example",
    "news.example",
    "weblog.example",
    "forum.example",
    "wiki.example",
    "mail.example",
    "portal.example",
    "planet.example",
    "digest.example",
    "lists.example",
];
const HOSTS: [&str; 4] = [
    "www.tangent.example",
    "images.tangent.example",
    "journal.tangent.example",
    "m.tangent.example",
];

fn push(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

fn number(out: &mut Vec<u8>, value: u64) {
    push(out, itoa::Buffer::new().format(value));
}

fn nth<'a>(list: &[&'a str], value: u64) -> &'a str {
    list[(value % list.len() as u64) as usize]
}

/// The kind of path `path`. One in two is a page, since pages of that time had few pictures.
pub fn kind(path: u64) -> Kind {
    match path % 8 {
        0 | 2 | 5 | 7 => Kind::Page,
        1 | 4 => Kind::Picture,
        3 => Kind::Style,
        _ => Kind::Feed,
    }
}

/// A path such as `/articles/04/17/2140213.shtml`.
pub fn path(path: u64, out: &mut Vec<u8>) {
    let word = nth(&WORDS, path / 8);
    match kind(path) {
        Kind::Page if path == 0 => push(out, "/"),
        Kind::Page => {
            push(out, "/");
            push(out, nth(&SECTIONS, path / 3));
            push(out, "/0");
            number(out, path % 9 + 1);
            push(out, "/");
            number(out, path % 28 + 1);
            push(out, "/");
            number(out, 1_000_000 + path * 37);
            push(out, ".shtml");
        }
        Kind::Picture => {
            push(out, "/images/topics/");
            push(out, word);
            number(out, path);
            push(out, ".gif");
        }
        Kind::Style => {
            push(out, "/styles/");
            push(out, word);
            number(out, path);
            push(out, ".css");
        }
        Kind::Feed => {
            push(out, "/");
            push(out, nth(&SECTIONS, path));
            number(out, path);
            push(out, ".rss");
        }
    }
}

/// Arguments of a page, such as `sid=04/17/2140213&threshold=3&mode=thread`.
pub fn arguments(path: u64, draw: u64, out: &mut Vec<u8>) {
    push(out, "sid=0");
    number(out, path % 9 + 1);
    push(out, "/");
    number(out, path % 28 + 1);
    push(out, "/");
    number(out, 1_000_000 + path * 37);
    push(out, "&threshold=");
    number(out, draw % 6);
    if draw % 3 == 0 {
        push(out, "&mode=thread&cid=");
        number(out, 10_000_000 + draw % 900_000);
    }
}

/// Where somebody came from, such as `http://search.example/find?q=kernel+archive`.
pub fn site(site: u64, out: &mut Vec<u8>) {
    push(out, "http://");
    push(out, nth(&SITES, site));
    if site % 10 == 0 {
        push(out, "/find?q=");
        push(out, nth(&WORDS, site / 10));
        push(out, "+");
        push(out, nth(&WORDS, site / 160));
    } else {
        push(out, "/");
        push(out, nth(&WORDS, site / 10));
        push(out, "/");
        number(out, site);
    }
}

/// The name of the requested host.
pub fn host(draw: u64, out: &mut Vec<u8>) {
    // Nine in ten requests go to the first one.
    push(
        out,
        HOSTS[if draw % 10 < 9 {
            0
        } else {
            1 + (draw / 10 % 3) as usize
        }],
    );
}

/// The site's own name, as it appears in a referer.
pub fn own_site(out: &mut Vec<u8>) {
    push(out, "http://www.tangent.example");
}

/// An address.
pub fn client(client: u64, out: &mut Vec<u8>) {
    let (a, b) = match client % 5 {
        0 => (192, 168),
        1 => (172, 16 + client / 5 % 16),
        _ => (10, client / 5 % 256),
    };
    for part in [a, b, client / 1280 % 256] {
        number(out, part);
        push(out, ".");
    }
    number(out, client * 7 % 254 + 1);
}

/// The name of a signed-in reader.
pub fn reader(reader: u64, out: &mut Vec<u8>) {
    push(out, nth(&WORDS, reader));
    push(out, "_");
    push(out, nth(&WORDS, reader / 16));
    number(out, reader / 256);
}
