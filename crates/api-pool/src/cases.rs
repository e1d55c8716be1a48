//! How many histories a random test makes up.

use std::env;

use proptest::test_runner::Config;

/// `optimised` of them, and a tenth of that in a build without optimisation; or what
/// `PROPTEST_CASES` says: `cargo xtask histories` makes up a million.
pub(crate) fn cases(optimised: u32) -> Config {
    if env::var_os("PROPTEST_CASES").is_some() {
        Config::default()
    } else if cfg!(debug_assertions) {
        Config::with_cases(optimised / 10)
    } else {
        Config::with_cases(optimised)
    }
}
