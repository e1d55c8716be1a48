//! See `fuzz_targets::error_body`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_targets::error_body(data));
