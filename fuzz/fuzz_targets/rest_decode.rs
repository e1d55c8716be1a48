//! See `fuzz_targets::rest_decode`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_targets::rest_decode(data));
