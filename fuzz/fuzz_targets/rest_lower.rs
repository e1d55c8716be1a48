//! See `fuzz_targets::rest_lower`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_targets::rest_lower(data));
