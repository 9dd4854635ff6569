//! The configuration: files and `-D` together, and the settings made from them.
//!
//! `properties` reads a file, `keys` knows every key, `settings` interprets their values.

mod keys;
mod properties;
mod settings;
mod values;

use std::env;
use std::path::{Path, PathBuf};

use workloads::bounded;

pub use properties::Properties;
pub use settings::{Address, Settings};

use crate::failure::{self, Failure};

/// The key that names the workload file.
const WORKLOAD_FILE: &str = "workload_file";
/// Names a folder that contains `config/`.
const HOME: &str = "LINKBENCH_HOME";
/// The file that is read if none is named.
const USUAL: &str = "config/LinkConfigMysql.properties";

/// All properties, and where they come from.
pub struct Config {
    /// By key.
    pub properties: Properties,
    /// The file of `-c`.
    pub file: PathBuf,
    /// The file of `workload_file`.
    pub workload_file: Option<PathBuf>,
    home: PathBuf,
}

impl Config {
    /// Reads the files; `given` overrides the first one, which overrides the second one.
    pub fn read(file: Option<&Path>, given: Properties) -> Result<Config, Failure> {
        let home = env::var_os(HOME).map(PathBuf::from);
        let home = home.filter(|home| home.is_dir());
        let file = match (file, &home) {
            (Some(file), _) => file.to_owned(),
            (None, Some(home)) => home.join(USUAL),
            (None, None) => {
                return Err(failure::arguments(
                    format!("no -c is given, and {HOME} names no folder"),
                    "give -c FILE",
                ))
            }
        };
        let home = home.unwrap_or_else(|| above(&file));
        let mut properties = read_file(&file)?;
        properties.extend(given);
        let mut config = Config {
            properties,
            file,
            workload_file: None,
            home,
        };
        if let Some(named) = config.properties.get(WORKLOAD_FILE) {
            let path = config.path(named);
            for (key, value) in read_file(&path)? {
                config.properties.entry(key).or_insert(value);
            }
            config.workload_file = Some(path);
        }
        Ok(config)
    }

    /// A path named by a key.
    fn path(&self, named: &str) -> PathBuf {
        self.home.join(named.trim())
    }
}

/// The folder that contains `config/`, in which the file is.
fn above(file: &Path) -> PathBuf {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let above = file.parent().and_then(Path::parent);
    above.unwrap_or(Path::new(".")).to_owned()
}

/// Larger than any settings file.
const CONFIG_BYTES: u64 = 1 << 20;

fn read_file(path: &Path) -> Result<Properties, Failure> {
    let bytes = bounded::file(path, CONFIG_BYTES).map_err(|error| {
        failure::config(
            format!("{} can't be read: {error}", path.display()),
            format!("relative paths begin at {HOME}, or at the folder that holds config/"),
        )
    })?;
    properties::parse(&bytes).map_err(|error| {
        failure::config(
            format!("{}: {error}", path.display()),
            "write \\\\ for a backslash",
        )
    })
}

/// The settings of LinkBench's own files with more lines after them.
#[cfg(test)]
pub fn settings_of(more: &str) -> Settings {
    let config = settings::tests::config(more);
    let settings = Settings::of(&config, true, true);
    settings.unwrap_or_else(|failure| panic!("{}", failure.message))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_lie_over_one_another() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("config")).unwrap();
        let first = folder.path().join("config/a.properties");
        fs::write(&first, "workload_file = config/b.properties\nx = 1\ny = 1").unwrap();
        fs::write(folder.path().join("config/b.properties"), "y=2\nz=2\nx=2").unwrap();
        let given = Properties::from([("x".to_owned(), "0".to_owned())]);
        let read = Config::read(Some(&first), given).unwrap();
        let of = |key: &str| read.properties[key].as_str();
        assert_eq!((of("x"), of("y"), of("z")), ("0", "1", "2"));
        assert!(read.workload_file.unwrap().ends_with("config/b.properties"));
    }

    #[test]
    fn a_file_that_is_missing_is_named() {
        let failure = Config::read(Some(Path::new("/nowhere/c")), Properties::new());
        let failure = failure.err().unwrap();
        assert!(failure.message.starts_with("/nowhere/c can't be read"));
        assert_eq!(failure.code, 2);
    }
}
