//! The closing table, and whether the account is right.

use std::{fmt::Write, time::Duration};

use demo_api::Stats;

use crate::{Outcome, tally::Counts};

/// Everything the run is judged by.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) airports: usize,
    pub(crate) flights: usize,
    pub(crate) flights_from: &'static str,
    pub(crate) counts: Counts,
    pub(crate) server: Stats,
    pub(crate) tokens: u64,
    pub(crate) in_flight: usize,
    /// Whether a background poll was refused while the breaker was open.
    pub(crate) refused: bool,
    pub(crate) elapsed: Duration,
}

impl Report {
    /// The closing table.
    pub(crate) fn table(&self) -> String {
        let counts = &self.counts;
        let mut text = String::new();
        let mut line = |name: &str, value: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {name:<22} {value}");
        };
        line("airports", self.airports.to_string());
        line("flights", format!("{} from {}", self.flights, self.flights_from));
        line("requests sent", format!("{} ({} succeeded)", counts.sent(), counts.succeeded));
        for (name, count) in &counts.failures {
            line("", format!("{count} × {name}"));
        }
        line("retries", counts.retries().to_string());
        for (reason, (count, wait)) in &counts.waits {
            line("", format!("{count} after {reason}, {:.1} s waited", wait.as_secs_f64()));
        }
        for (stage, wait) in &counts.stages {
            line("", format!("{:.1} s waited {stage}", wait.as_secs_f64()));
        }
        line("breaker", counts.breaker.join(", "));
        line(
            "tokens",
            format!("{} obtained, {} of them anew", self.tokens, self.tokens.max(1) - 1),
        );
        line("requests at the server", self.requests_at_server().to_string());
        line("time", format!("{:.1} s", self.elapsed.as_secs_f64()));
        text
    }

    /// Requests for data; tokens are asked for outside the client.
    fn requests_at_server(&self) -> u64 {
        self.server.requests() - self.server.path("/token")
    }

    /// Holds the account against the data and the server's own count.
    pub(crate) fn check(&self) -> Outcome<()> {
        let expected_flights = demo_api::flights()
            .iter()
            .filter(|row| row.get("origin").and_then(|v| v.as_str()) == Some(self.flights_from))
            .count();
        let counts = &self.counts;
        let (least, most) = (counts.sent() - counts.cancelled, counts.sent());
        let checks = [
            (self.airports == demo_api::airports().len(), "a row is missing"),
            (self.flights == expected_flights, "a flight is missing"),
            (
                (least..=most).contains(&self.requests_at_server()),
                "client and server count different requests",
            ),
            (self.tokens == self.server.tokens_issued(), "a token was obtained twice"),
            (self.refused, "no background poll failed fast"),
            (self.in_flight == 0, "a request is still in flight"),
            (counts.rows >= self.airports + self.flights, "rows were not reported"),
        ];
        match checks.iter().find(|(holds, _)| !holds) {
            None => Ok(()),
            Some((_, problem)) => Err(format!("self-check failed: {problem}").into()),
        }
    }
}
