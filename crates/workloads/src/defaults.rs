//! Defaults that several workloads share, as serde calls them. Those of only one stay with it.

pub(crate) fn number<const N: u32>() -> u32 {
    N
}

pub(crate) fn yes() -> bool {
    true
}

pub(crate) fn innodb() -> String {
    "innodb".to_owned()
}
