//! See `fuzz_targets::graphql_decode`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_targets::graphql_decode(data));
