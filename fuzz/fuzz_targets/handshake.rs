//! Fuzzes the harness' `handshake`.
#![no_main]

#[path = "../../crates/wire/tests/harness/mod.rs"]
#[allow(dead_code, reason = "each target uses its own part of the harness")]
mod harness;

libfuzzer_sys::fuzz_target!(|input: &[u8]| harness::handshake(input));
