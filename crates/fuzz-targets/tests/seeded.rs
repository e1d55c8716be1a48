//! Each target, with inputs from a seed.

use std::{env, path::Path};

use fuzz_targets::{
    config, decide, drive, error_body, pool_config, render, retry_after, samples, specs, token,
};

/// `runs` inputs grown from the samples of `fuzz/seeds/NAME`, or as many as `FUZZ_RUNS` says.
fn drive_seeded(name: &str, runs: u64, target: fn(&[u8])) {
    let number = |variable: &str| env::var(variable).ok()?.parse().ok();
    let seed = number("FUZZ_SEED").unwrap_or(1);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
    let samples = samples(&folder).expect("the folder of samples is there");
    let samples: Vec<&[u8]> = samples.iter().map(Vec::as_slice).collect();
    assert!(!samples.is_empty(), "no samples in fuzz/seeds/{name}");
    drive(name, &samples, seed, number("FUZZ_RUNS").unwrap_or(runs), target);
}

#[test]
fn no_header_value_means_what_it_must_not() {
    drive_seeded("retry_after", 40_000, retry_after);
}

#[test]
fn no_header_and_no_policy_leave_the_limits_of_a_wait() {
    drive_seeded("decide", 40_000, decide);
}

#[test]
fn a_policy_that_is_read_is_the_one_that_is_written() {
    drive_seeded("config", 10_000, config);
}

#[test]
fn no_text_becomes_structure_of_a_document() {
    drive_seeded("render", 5_000, render);
}

#[test]
fn no_spec_makes_building_panic() {
    drive_seeded("specs", 5_000, specs);
}

#[test]
fn what_is_kept_of_a_body_is_short_and_whole_characters() {
    drive_seeded("error_body", 10_000, error_body);
}

#[test]
fn no_text_adds_a_header_field_and_no_error_tells_a_token() {
    drive_seeded("token", 10_000, token);
}

#[test]
fn settings_that_are_read_are_those_that_are_written() {
    drive_seeded("pool_config", 10_000, pool_config);
}
