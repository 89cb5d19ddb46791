//! The format `scipy`, guided by coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| gaussfield_fuzz_coverage::check("scipy", bytes));
