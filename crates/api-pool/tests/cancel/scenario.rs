//! How a call gets into the trouble in which it is dropped.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use api_pool::testing::{Reply, Request, Script};
use api_pool::{ResilientClientBuilder, Token, TokenError};

use crate::api::{Api, BUSY, Phase};
use crate::support::{ms, secs, sleep};

pub(crate) type Builder = ResilientClientBuilder<Script>;

/// One kind of trouble.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// The reply to the request with this number, counting from 0.
    pub(crate) reply: fn(usize, &Request) -> Reply,
    pub(crate) setup: fn(Builder, &Api) -> Builder,
    /// The client's own rate: how many tokens, and the time in which one comes back.
    pub(crate) rate: (u32, Duration),
    /// The retries that all calls together can pay for.
    pub(crate) budget: u32,
    /// Calls made to their end before the one that is dropped.
    pub(crate) before: usize,
    /// The pause after those.
    pub(crate) pause: Duration,
    /// Calls in progress while the one that is dropped runs.
    pub(crate) beside: usize,
    /// The longest that a later call may wait for a credential.
    pub(crate) next_waits: Duration,
}

const PLAIN: Scenario = Scenario {
    name: "plain",
    reply: |_, _| Reply::ok("fine").after(ms(10)),
    setup: |builder, _| builder,
    rate: (24, secs(1000)),
    budget: 6,
    before: 0,
    pause: Duration::ZERO,
    beside: 0,
    next_waits: Duration::ZERO,
};

pub(crate) const SCENARIOS: &[Scenario] = &[
    PLAIN,
    Scenario {
        name: "three outages",
        reply: |n, _| match n {
            0..3 => Reply::status(503).after(ms(10)),
            _ => Reply::ok("fine").after(ms(10)),
        },
        ..PLAIN
    },
    Scenario {
        name: "rate limited by the server",
        reply: |n, _| match n {
            0 => Reply::status(429).with_header("retry-after", "3").after(ms(10)),
            _ => Reply::ok("fine"),
        },
        ..PLAIN
    },
    Scenario {
        name: "redirected elsewhere",
        reply: |_, _| {
            Reply::status(302)
                .with_header("location", "http://elsewhere.test/")
                .with_chunk("moved")
                .with_pause(ms(5))
                .after(ms(10))
        },
        ..PLAIN
    },
    Scenario {
        name: "the body tells a failure",
        reply: |n, _| match n {
            0 => Reply::ok(BUSY).after(ms(10)),
            _ => Reply::ok("fine").after(ms(10)),
        },
        ..PLAIN
    },
    Scenario {
        name: "token refused",
        reply: first_token_refused,
        setup: tokens,
        next_waits: ms(20),
        ..PLAIN
    },
    Scenario {
        name: "no token to be had",
        setup: |builder, api| failing_after(builder, api, 0),
        next_waits: ms(120),
        ..PLAIN
    },
    Scenario {
        name: "token refused, and no other to be had",
        reply: first_token_refused,
        setup: |builder, api| failing_after(builder, api, 1),
        next_waits: ms(120),
        ..PLAIN
    },
    Scenario {
        name: "breaker open",
        reply: |n, _| match n {
            0..2 => Reply::status(503),
            _ => Reply::ok("fine").after(ms(10)),
        },
        setup: |builder, _| builder.circuit_breaker(1, secs(1)),
        before: 1,
        ..PLAIN
    },
    Scenario {
        name: "a probe",
        reply: |n, _| match n {
            0..2 => Reply::status(503).after(ms(10)),
            _ => Reply::ok("fine").after(ms(10)),
        },
        setup: |builder, _| builder.circuit_breaker(1, secs(1)),
        before: 1,
        pause: secs(1),
        ..PLAIN
    },
    Scenario {
        name: "a probe whose token is refused",
        reply: |n, request| match n {
            0 => Reply::status(503),
            _ => first_token_refused(n, request),
        },
        setup: |builder, api| tokens(builder.circuit_breaker(1, secs(1)), api),
        before: 1,
        pause: secs(1),
        next_waits: ms(20),
        ..PLAIN
    },
    Scenario {
        name: "a probe without a token",
        reply: |n, request| match n {
            0 => Reply::status(503),
            _ => first_token_refused(n, request),
        },
        setup: |builder, api| failing_after(builder.circuit_breaker(1, secs(1)), api, 1),
        before: 1,
        pause: secs(1),
        next_waits: ms(120),
        ..PLAIN
    },
    Scenario {
        name: "a probe that waits for a token",
        reply: first_request_fails,
        setup: |builder, api| expiring(builder.circuit_breaker(1, secs(1)), api),
        before: 1,
        pause: secs(1),
        next_waits: ms(20),
        ..PLAIN
    },
    #[cfg(feature = "rate-limit")]
    Scenario {
        name: "a probe that waits for a rate token",
        reply: first_request_fails,
        setup: |builder, _| builder.circuit_breaker(1, secs(1)),
        rate: (1, secs(3)),
        budget: 1,
        before: 1,
        pause: secs(1),
        ..PLAIN
    },
    Scenario {
        name: "behind another probe",
        reply: |n, _| match n {
            0 => Reply::status(503),
            1 => Reply::status(503).after(ms(300)),
            _ => Reply::ok("fine").after(ms(10)),
        },
        setup: |builder, _| builder.circuit_breaker(1, secs(1)),
        before: 1,
        beside: 2,
        ..PLAIN
    },
    Scenario {
        name: "behind a taken slot",
        reply: |_, _| Reply::ok("fine").after(ms(30)),
        setup: |builder, _| builder.max_parallel(1),
        beside: 3,
        ..PLAIN
    },
    Scenario {
        name: "queue full",
        reply: |_, _| Reply::ok("fine").after(ms(30)),
        setup: |builder, _| builder.max_parallel(1).max_waiting(1),
        beside: 2,
        ..PLAIN
    },
    Scenario {
        name: "too long in the queue",
        reply: |_, _| Reply::ok("fine").after(ms(30)),
        setup: |builder, _| builder.max_parallel(1).max_wait(ms(20)),
        beside: 1,
        ..PLAIN
    },
    #[cfg(feature = "rate-limit")]
    Scenario {
        name: "rate limited by the client",
        reply: |_, _| Reply::ok("fine").after(ms(5)),
        rate: (1, ms(100)),
        before: 1,
        beside: 2,
        ..PLAIN
    },
    #[cfg(feature = "rate-limit")]
    Scenario {
        name: "rate limited by the client, with one slot",
        reply: |_, _| Reply::ok("fine").after(ms(250)),
        setup: |builder, _| builder.max_parallel(1),
        rate: (2, ms(100)),
        beside: 2,
        ..PLAIN
    },
    Scenario {
        name: "retry budget spent",
        reply: |_, _| Reply::status(503).after(ms(10)),
        budget: 1,
        ..PLAIN
    },
    Scenario {
        name: "slow body",
        reply: |n, _| match n {
            0 => Reply::status(200).with_chunk("he").with_pause(ms(5)).with_cut(),
            _ => Reply::status(200).with_chunk("he").with_pause(ms(5)).with_chunk("llo"),
        },
        ..PLAIN
    },
    Scenario {
        name: "slow error body",
        reply: |n, _| match n {
            0 => Reply::status(500).with_chunk("he").with_pause(ms(5)).with_chunk("llo"),
            _ => Reply::ok("fine"),
        },
        ..PLAIN
    },
    Scenario {
        name: "hangs until its attempt times out",
        reply: |n, _| if n == 0 { Reply::hang() } else { Reply::ok("fine").after(ms(5)) },
        ..PLAIN
    },
];

fn first_request_fails(number: usize, _: &Request) -> Reply {
    Reply::status(if number == 0 { 503 } else { 200 }).after(ms(10))
}

fn first_token_refused(_: usize, request: &Request) -> Reply {
    let refused = request.headers().get("authorization").is_some_and(|token| token == "Bearer 0");
    Reply::status(if refused { 401 } else { 200 }).after(ms(10))
}

/// Tokens `0`, `1`, …, each after 20 ms.
fn tokens(builder: Builder, api: &Api) -> Builder {
    failing_after(builder, api, usize::MAX)
}

/// As [`tokens`], but the source fails after so many until the API has recovered.
fn failing_after(builder: Builder, api: &Api, good: usize) -> Builder {
    source(builder, api, good, Duration::MAX)
}

/// As [`tokens`], and each is good for half a second.
fn expiring(builder: Builder, api: &Api) -> Builder {
    source(builder, api, usize::MAX, ms(500))
}

fn source(builder: Builder, api: &Api, good: usize, lifetime: Duration) -> Builder {
    let (api, issued) = (api.clone(), AtomicUsize::new(0));
    builder.bearer_tokens(move || {
        let token = issued.fetch_add(1, Ordering::Relaxed);
        let fails = good <= token && api.is(Phase::Scenario);
        async move {
            sleep(ms(20)).await;
            let token = Token::new(token.to_string()).expires_in(lifetime);
            if fails { Err(TokenError::new("signed out")) } else { Ok(token) }
        }
    })
}
