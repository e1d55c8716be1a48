//! See `fuzz_targets::decide`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_targets::decide(data));
