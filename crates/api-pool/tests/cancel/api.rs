//! The API that is called, and what it has seen.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use api_pool::testing::{Reply, Request, Script};
use api_pool::{CallPolicy, ClientError, ReadResponse, ResilientClient};
use http::HeaderValue;
use tokio::time::Instant;

use crate::support::{URL, now};

/// What the body says of an answer that `judge` takes for a 503.
pub(crate) const BUSY: &str = "busy";

/// How a call is made.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Head,
    Judged,
    Whole,
}

impl Kind {
    /// Makes call number `call`.
    pub(crate) async fn call(
        self,
        client: &ResilientClient<Script>,
        policy: &CallPolicy,
        call: usize,
    ) -> Result<(), ClientError> {
        let call = call.to_string();
        let build = |http: &Script| http.get(URL).header("x-call", &call);
        match self {
            Self::Head => client.execute_with(policy, build).await.map(drop),
            Self::Judged => client.execute_judged(policy, build, judge).await.map(drop),
            Self::Whole => client.execute_read(policy, build).await.map(drop),
        }
    }
}

fn judge(answer: &ReadResponse) -> Option<u16> {
    (answer.body() == BUSY).then_some(503)
}

/// What the API is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    /// What the scenario says.
    #[default]
    Scenario,
    /// It works, and answers at once.
    Recovered,
    /// It asks everybody to come later, at once.
    Busy,
}

/// A scripted API; clones are the same one.
#[derive(Clone, Default)]
pub(crate) struct Api(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    phase: Phase,
    /// When each request came.
    arrivals: Vec<Instant>,
    /// What each call has sent, by its number.
    calls: BTreeMap<Option<HeaderValue>, Sent>,
}

#[derive(Default)]
struct Sent {
    requests: usize,
    /// Those that had another token than the one before.
    replays: usize,
    token: Option<HeaderValue>,
}

impl Sent {
    fn add(&mut self, request: &Request) {
        let token = request.headers().get("authorization").cloned();
        self.replays += usize::from(self.requests > 0 && token != self.token);
        self.requests += 1;
        self.token = token;
    }
}

impl Api {
    /// A transport to it. `reply` answers the request with this number, counting from 0.
    pub(crate) fn transport(&self, reply: fn(usize, &Request) -> Reply) -> Script {
        let api = self.clone();
        Script::answering(move |request| {
            let mut state = api.state();
            let number = state.arrivals.len();
            state.arrivals.push(now());
            let call = request.headers().get("x-call").cloned();
            state.calls.entry(call).or_default().add(request);
            match state.phase {
                Phase::Scenario => reply(number, request),
                Phase::Recovered => Reply::ok("fine"),
                Phase::Busy => Reply::status(429),
            }
        })
    }

    pub(crate) fn is(&self, phase: Phase) -> bool {
        self.state().phase == phase
    }

    pub(crate) fn becomes(&self, phase: Phase) {
        self.state().phase = phase;
    }

    /// The requests that were retries: neither the first of their call, nor sent again because of
    /// their token.
    pub(crate) fn retries(&self) -> usize {
        self.state().calls.values().map(|sent| sent.requests - 1 - sent.replays).sum()
    }

    /// How long a bucket of `burst` tokens, one of which comes back in each `interval`, has none,
    /// if every request so far has taken one and nothing else has.
    pub(crate) fn next_token_in(&self, interval: Duration, burst: u32) -> Duration {
        let arrivals = self.state().arrivals.clone();
        let full_at = arrivals.into_iter().fold(None, |full_at: Option<Instant>, arrival| {
            Some(full_at.map_or(arrival, |full_at| full_at.max(arrival)) + interval)
        });
        let since = now() + interval * (burst - 1);
        full_at.map_or(Duration::ZERO, |full_at| full_at.saturating_duration_since(since))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panics while answering")
    }
}
