//! However a probe ends, the next call is sent within a cooldown and a lease, to the instant.

mod support;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use api_pool::testing::{Reply, Script};
use api_pool::{
    CallPolicy, Fault, ResilientClient, ResilientClientBuilder, Token, TokenError, TransportEvent,
    TransportObserver,
};
use support::{URL, ms, now, secs, sleep};

type Builder = ResilientClientBuilder<Script>;

const COOLDOWN: Duration = secs(5);

/// The lease of a probe whose attempt has no timeout: 30 s, and 1 s for its timeout to come first.
const LEASE: Duration = secs(31);

/// One way for a probe to end.
struct Exit {
    name: &'static str,
    /// What the probe is answered.
    reply: fn() -> Reply,
    setup: fn(Builder) -> Builder,
    policy: fn() -> CallPolicy,
    /// What happens where the probe is built, and how long its caller waits for it.
    build: fn(),
    patience: Duration,
    /// How long after the probe became due the next call is sent.
    next_after: Duration,
}

const EXIT: Exit = Exit {
    name: "",
    reply: || Reply::ok("fine"),
    setup: |builder| builder,
    policy: CallPolicy::background,
    build: || (),
    patience: Duration::MAX,
    next_after: Duration::ZERO,
};

const EXITS: &[Exit] = &[
    // What the server answered well enough closes the breaker.
    Exit { name: "success", ..EXIT },
    Exit { name: "not found", reply: || Reply::status(404), ..EXIT },
    Exit { name: "unauthorized", reply: || Reply::status(401), ..EXIT },
    Exit { name: "a redirect", reply: || Reply::status(302), ..EXIT },
    Exit {
        name: "refused token, and no other to be had",
        reply: || Reply::status(401),
        setup: |builder| signed_out(builder, Duration::MAX),
        // The token source is not asked again sooner.
        next_after: ms(100),
        ..EXIT
    },
    Exit {
        name: "a hostile observer",
        setup: |builder| builder.observer("test", hostile()),
        ..EXIT
    },
    // What proves nothing leaves the place to the next.
    Exit {
        name: "no token to be had",
        setup: |builder| signed_out(builder, secs(4)),
        next_after: ms(100),
        ..EXIT
    },
    Exit { name: "a panic where it is built", build: || panic!("in `build`"), ..EXIT },
    Exit { name: "a request that cannot be sent", reply: || Reply::fault(Fault::Local), ..EXIT },
    Exit { name: "dropped", reply: Reply::hang, patience: secs(1), next_after: secs(1), ..EXIT },
    Exit {
        name: "past its deadline",
        reply: Reply::hang,
        policy: || CallPolicy::background().with_deadline(secs(3)),
        next_after: secs(3),
        ..EXIT
    },
    Exit { name: "come later", reply: || Reply::status(429), ..EXIT },
    Exit { name: "too slow a request", reply: || Reply::status(408), ..EXIT },
    // What failed opens the breaker again.
    Exit { name: "a failure", reply: || Reply::status(500), next_after: COOLDOWN, ..EXIT },
    Exit {
        name: "a reset connection",
        reply: || Reply::fault(Fault::Broken).after(ms(7)),
        next_after: COOLDOWN.saturating_add(ms(7)),
        ..EXIT
    },
    Exit {
        name: "nobody there",
        reply: || Reply::fault(Fault::Unreachable),
        next_after: COOLDOWN,
        ..EXIT
    },
    Exit {
        name: "a body cut off",
        reply: || Reply::status(200).with_chunk("he").with_pause(ms(5)).with_cut(),
        next_after: COOLDOWN.saturating_add(ms(5)),
        ..EXIT
    },
    Exit {
        name: "a timeout",
        reply: Reply::hang,
        policy: || CallPolicy::background().with_attempt_timeout(secs(2)),
        next_after: COOLDOWN.saturating_add(secs(2)),
        ..EXIT
    },
    // A timeout of its own makes for a lease of its own.
    Exit {
        name: "an answer that is slow, and in time",
        reply: || Reply::ok("fine").after(secs(45)),
        policy: || CallPolicy::background().with_attempt_timeout(secs(60)),
        next_after: secs(45),
        ..EXIT
    },
    // And one that does not end is replaced.
    Exit { name: "a hang", reply: Reply::hang, next_after: LEASE, ..EXIT },
    Exit {
        name: "a body that never ends",
        reply: || Reply::status(200).with_chunk("he").with_pause(secs(1_000_000)),
        next_after: LEASE,
        ..EXIT
    },
];

/// A source whose first token is good for so long, which then fails once, and works again.
fn signed_out(builder: Builder, lifetime: Duration) -> Builder {
    let asked = AtomicUsize::new(0);
    builder.bearer_tokens(move || {
        let asked = asked.fetch_add(1, Ordering::Relaxed);
        async move {
            match asked {
                0 => Ok(Token::new("first").expires_in(lifetime)),
                1 => Err(TokenError::new("signed out")),
                _ => Ok(Token::new("second")),
            }
        }
    })
}

/// Panics at whatever it is told.
fn hostile() -> Arc<dyn TransportObserver> {
    struct Hostile;
    impl TransportObserver for Hostile {
        fn on_event(&self, _: &str, _: TransportEvent) {
            panic!("a hostile observer");
        }
    }
    Arc::new(Hostile)
}

/// How long after the probe became due the next call was sent.
async fn run(exit: &'static Exit) -> Duration {
    let (down, next) = (Arc::new(AtomicBool::new(true)), Arc::new(OnceLock::new()));
    let script = {
        let (down, next) = (Arc::clone(&down), Arc::clone(&next));
        Script::answering(move |request| match request.uri().path() {
            _ if down.load(Ordering::Relaxed) => Reply::status(503),
            "/probe" => (exit.reply)(),
            _ => {
                let _ = next.set(now());
                Reply::ok("fine")
            }
        })
    };
    let builder = ResilientClient::builder().transport(script).entropy(|| 0);
    let client = (exit.setup)(builder.circuit_breaker(1, COOLDOWN)).build();
    let policy = CallPolicy::background();
    client.execute_with(&policy, |http| http.get(URL)).await.expect_err("it is down");
    down.store(false, Ordering::Relaxed);
    sleep(COOLDOWN).await;
    let due = now();

    let probing = client.clone();
    let probe = tokio::spawn(async move {
        let policy = (exit.policy)();
        let build = |http: &Script| {
            (exit.build)();
            http.get("http://api.test/probe")
        };
        let probe = probing.execute_read(&policy, build);
        let _ = tokio::time::timeout(exit.patience, probe).await;
    });
    tokio::task::yield_now().await;
    let essential = CallPolicy::essential();
    let call = client.execute_with(&essential, |http| http.get(URL));
    let timeout = (exit.policy)().attempt_timeout();
    let lease = timeout.map_or(LEASE, |timeout| timeout + secs(1));
    let served = tokio::time::timeout(COOLDOWN + lease, call).await;
    assert!(matches!(served, Ok(Ok(_))), "{}: {served:?}", exit.name);
    probe.abort();
    *next.get().expect("it was served") - due
}

#[tokio::test(start_paused = true)]
async fn the_next_call_is_sent_within_a_cooldown_and_a_lease() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut waits = Vec::new();
    for exit in EXITS {
        waits.push((exit.name, run(exit).await));
    }
    let _ = std::panic::take_hook();
    let expected: Vec<_> = EXITS.iter().map(|exit| (exit.name, exit.next_after)).collect();
    assert_eq!(waits, expected);
}
