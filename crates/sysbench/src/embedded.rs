//! The scripts that come with the program: the OLTP scripts by their well-known names.

use include_dir::{include_dir, Dir};

static SCRIPTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/lua");

/// The source of the script of this name, without `.lua`.
pub fn source(name: &str) -> Option<&'static [u8]> {
    SCRIPTS
        .get_file(format!("{name}.lua"))
        .map(include_dir::File::contents)
}

/// The names of those that can be run; one that is only included by others can't.
pub fn names() -> Vec<&'static str> {
    let stem = |file: &'static include_dir::File<'_>| file.path().file_stem()?.to_str();
    let mut names: Vec<&str> = SCRIPTS.files().filter_map(stem).collect();
    names.retain(|name| !name.ends_with("_common"));
    names.sort_unstable();
    names
}
