//! See `fuzz_targets::retry_after`.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_targets::retry_after(data));
