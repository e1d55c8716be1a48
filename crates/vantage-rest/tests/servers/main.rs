//! Tables read from real servers: the demo server with its faults, a server of
//! hostile answers, and one nobody here wrote.

#![expect(clippy::unwrap_used, reason = "a test's helper fails the test")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

mod cancellation;
mod cursor_pages;
mod deep_windows;
mod driver_contract;
mod faults;
mod guide;
mod hostile;
mod json_server;
mod whole_sets;

use demo_api::{Config, DemoServer, Row};

/// A demo server without faults.
fn server() -> DemoServer {
    DemoServer::start(Config::new()).unwrap()
}

/// The codes of the airports that pass `keep`, in the server's order.
fn codes(keep: impl Fn(&Row) -> bool) -> Vec<String> {
    let code = |row: &Row| row.get("iata").unwrap().as_str().unwrap().to_owned();
    demo_api::airports().iter().filter(|row| keep(row)).map(code).collect()
}

/// The codes of all airports, in the server's order.
fn all_codes() -> Vec<String> {
    codes(|_| true)
}
