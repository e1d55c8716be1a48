//! See `fuzz_targets::pool_config`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_targets::pool_config(data));
