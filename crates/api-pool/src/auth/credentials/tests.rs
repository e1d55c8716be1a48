//! The claims of the module, each under a paused clock.

mod nested;
mod secrets;
mod threads;

use std::{
    convert::Infallible,
    future::Future,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::atomic::AtomicUsize,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{join_all, poll_fn},
    task::{ArcWake, waker},
};

use super::*;
use crate::{
    auth::{CallAuth, TokenError},
    error::ErrorKind,
    testing::{CancelAt, pending_count},
};

const SECOND: Duration = Duration::from_secs(1);

fn bearer(source: impl TokenSource + 'static) -> Credentials {
    Credentials::new(Arc::new(source), "Authorization", "Bearer ")
}

/// A source that takes a second, with three more stops on the way, and counts its tokens.
fn numbered() -> Credentials {
    let count = Arc::new(AtomicUsize::new(0));
    bearer(move || {
        let count = Arc::clone(&count);
        async move {
            let number = 1 + count.fetch_add(1, Ordering::Relaxed);
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
            clock::sleep(SECOND).await;
            Ok::<_, Infallible>(format!("t{number}"))
        }
    })
}

/// A source that fails after a second.
fn failing() -> Credentials {
    bearer(|| async {
        clock::sleep(SECOND).await;
        Err::<String, _>("no luck")
    })
}

fn auth(text: &str) -> ErrorKind {
    ErrorKind::Auth(text.to_owned())
}

async fn token(credentials: &Credentials) -> String {
    let credential =
        credentials.ready().await.expect("the source works").expect("not in a refresh");
    credential.value.to_str().expect("tokens of these tests are text").to_owned()
}

async fn generation(credentials: &Credentials) -> Generation {
    credentials
        .ready()
        .await
        .expect("a refresh that works")
        .expect("a client with a source")
        .generation
}

fn at_rest(credentials: &Credentials) -> bool {
    credentials.shared.is_at_rest()
}

#[tokio::test(start_paused = true)]
async fn a_token_that_was_fetched_is_at_hand() {
    let credentials = numbered();
    assert!(credentials.at_hand().is_none());
    let fetched = generation(&credentials).await;
    assert_eq!(credentials.at_hand().map(|own| own.generation), Some(fetched));
}

#[tokio::test(start_paused = true)]
async fn a_thousand_first_calls_are_one_refresh() {
    let credentials = numbered();
    let start = clock::now();
    let tokens = join_all((0..1000).map(|_| token(&credentials))).await;
    assert!(tokens.iter().all(|token| token == "Bearer t1"));
    assert_eq!(credentials.refreshes(), 1);
    assert_eq!(clock::now() - start, SECOND);
    assert!(at_rest(&credentials));
}

#[tokio::test(start_paused = true)]
async fn a_thousand_refusals_of_one_token_are_one_refresh_and_so_is_a_late_one() {
    let credentials = numbered();
    let first = generation(&credentials).await;
    let tokens = join_all((0..1000).map(|_| {
        credentials.refused(first);
        token(&credentials)
    }))
    .await;
    assert!(tokens.iter().all(|token| token == "Bearer t2"));
    credentials.refused(first);
    assert_eq!(token(&credentials).now_or_never().as_deref(), Some("Bearer t2"));
    assert_eq!(credentials.refreshes(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_token_at_hand_is_handed_out_without_a_wait() {
    let credentials = numbered();
    token(&credentials).await;
    let (credential, stops) = pending_count(credentials.ready()).await;
    let credential = credential.unwrap().unwrap();
    assert_eq!((credential.header, stops), (&http::header::AUTHORIZATION, 0));
    assert!(credential.value.is_sensitive());
}

#[tokio::test(start_paused = true)]
async fn whenever_the_leader_is_dropped_a_successor_goes_on_with_the_same_refresh() {
    let (_, stops) = pending_count(token(&numbered())).await;
    assert!(stops >= 4, "the source has four stops");
    // At the leader's first stop nobody else has come yet.
    for stop in 2..=stops + 1 {
        let credentials = numbered();
        let start = clock::now();
        let leader = CancelAt::new(stop, token(&credentials));
        let others = join_all((0..9).map(|_| token(&credentials)));
        let (_, tokens) = tokio::join!(leader, others);
        assert_eq!(tokens, ["Bearer t1"; 9], "leader dropped at stop {stop}");
        assert_eq!(credentials.refreshes(), 1);
        assert_eq!(clock::now() - start, SECOND);
        assert!(at_rest(&credentials));
    }
}

#[tokio::test(start_paused = true)]
async fn one_waiter_after_the_other_may_be_dropped() {
    let credentials = numbered();
    let chain = join_all((2..8).map(|stop| CancelAt::new(stop, token(&credentials))));
    let (_, last) = tokio::join!(chain, token(&credentials));
    assert_eq!((last.as_str(), credentials.refreshes()), ("Bearer t1", 1));
    assert!(at_rest(&credentials));
}

#[tokio::test(start_paused = true)]
async fn the_last_waiter_dropped_cancels_the_refresh() {
    struct Alive(Arc<AtomicUsize>);
    impl Drop for Alive {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let alive = Arc::new(AtomicUsize::new(0));
    let credentials = bearer({
        let alive = Arc::clone(&alive);
        move || {
            alive.fetch_add(1, Ordering::Relaxed);
            let alive = Alive(Arc::clone(&alive));
            async move {
                clock::sleep(SECOND).await;
                drop(alive);
                Ok::<_, Infallible>("t")
            }
        }
    });
    let mut waiters: Vec<_> = (0..3).map(|_| Box::pin(token(&credentials))).collect();
    for waiter in &mut waiters {
        assert!(waiter.as_mut().now_or_never().is_none());
    }
    for _ in 0..3 {
        assert_eq!(alive.load(Ordering::Relaxed), 1);
        waiters.pop();
    }
    assert_eq!(alive.load(Ordering::Relaxed), 0);
    assert!(at_rest(&credentials));
    assert_eq!((token(&credentials).await.as_str(), credentials.refreshes()), ("Bearer t", 2));
}

#[derive(Default)]
struct Wakes(AtomicUsize);

impl ArcWake for Wakes {
    fn wake_by_ref(wakes: &Arc<Self>) {
        wakes.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_refresh_wakes_every_waiter_once_with_the_error() {
    let credentials = failing();
    let wakes: Vec<Arc<Wakes>> = (0..100).map(|_| Arc::default()).collect();
    let mut waiters: Vec<_> = wakes.iter().map(|_| Box::pin(credentials.ready())).collect();
    for (waiter, wakes) in waiters.iter_mut().zip(&wakes) {
        let waker = waker(Arc::clone(wakes));
        assert!(waiter.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    clock::sleep(SECOND).await;
    for waiter in &mut waiters {
        let failure = waiter.as_mut().now_or_never().unwrap().unwrap_err();
        assert_eq!((failure.kind(), failure.took()), (auth("no luck"), SECOND));
        assert_eq!(failure.into_source().unwrap().to_string(), "no luck");
    }
    assert!(wakes.iter().all(|wakes| wakes.0.load(Ordering::Relaxed) == 1));
    assert!(at_rest(&credentials));
}

#[tokio::test(start_paused = true)]
async fn a_failing_source_is_asked_after_a_pause_that_doubles_and_does_not_count_as_its_time() {
    let credentials = failing();
    let mut waits = Vec::new();
    for _ in 0..4 {
        let start = clock::now();
        let failures = join_all((0..10).map(|_| credentials.ready())).await;
        waits.push((clock::now() - start).as_millis());
        assert!(failures.into_iter().all(|failed| failed.unwrap_err().took() == SECOND));
    }
    assert_eq!(waits, [1000, 1100, 1200, 1400]);
    assert_eq!(credentials.refreshes(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_token_near_its_end_is_replaced_by_one_call_while_the_others_use_it() {
    let count = AtomicUsize::new(0);
    let credentials = bearer(move || {
        let number = 1 + count.fetch_add(1, Ordering::Relaxed);
        async move {
            clock::sleep(SECOND).await;
            Ok::<_, Infallible>(Token::new(format!("t{number}")).expires_in(100 * SECOND))
        }
    });
    assert_eq!(token(&credentials).await, "Bearer t1");
    clock::sleep(90 * SECOND).await;
    let (replaced, meanwhile) = tokio::join!(token(&credentials), async {
        tokio::task::yield_now().await;
        token(&credentials).now_or_never()
    });
    assert_eq!(replaced, "Bearer t2");
    assert_eq!(meanwhile.as_deref(), Some("Bearer t1"));
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_still_good_outlives_a_failed_replacement() {
    let count = AtomicUsize::new(0);
    let credentials = bearer(move || {
        let first = count.fetch_add(1, Ordering::Relaxed) == 0;
        async move { if first { Ok(Token::new("t1").expires_in(100 * SECOND)) } else { Err("no luck") } }
    });
    assert_eq!(token(&credentials).await, "Bearer t1");
    clock::sleep(90 * SECOND).await;
    assert_eq!(token(&credentials).await, "Bearer t1");
    assert_eq!(credentials.refreshes(), 2);
    clock::sleep(10 * SECOND).await;
    assert_eq!(credentials.ready().await.unwrap_err().kind(), auth("no luck"));
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_over_on_arrival_still_serves_those_who_waited_for_it() {
    let credentials =
        bearer(|| async { Ok::<_, Infallible>(Token::new("t").expires_in(Duration::ZERO)) });
    let tokens = join_all((0..10).map(|_| token(&credentials))).await;
    assert!(tokens.iter().all(|token| token == "Bearer t"));
}

#[tokio::test(start_paused = true)]
async fn a_source_that_panics_fails_the_call_that_polled_it_and_wedges_nobody() {
    let count = AtomicUsize::new(0);
    let credentials = bearer(move || {
        let first = count.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            clock::sleep(SECOND).await;
            assert!(!first, "the source's own panic");
            Ok::<_, Infallible>("t")
        }
    });
    let calls = (0..9).map(|_| AssertUnwindSafe(credentials.ready()).catch_unwind());
    let (told, panicked): (Vec<_>, Vec<_>) =
        join_all(calls).await.into_iter().partition(Result::is_ok);
    assert_eq!((told.len(), panicked.len()), (8, 1));
    for failure in told {
        assert_eq!(failure.unwrap().unwrap_err().kind(), auth("the token source panicked"));
    }
    assert!(at_rest(&credentials));
    let start = clock::now();
    assert_eq!(token(&credentials).await, "Bearer t");
    assert_eq!(clock::now() - start, SECOND + SECOND / 10, "after the pause of a failure");
}

#[tokio::test(start_paused = true)]
async fn a_header_that_cannot_be_sent_fails_without_asking_the_source() {
    let source = || async { Ok::<_, Infallible>("CANARY") };
    for (name, scheme) in [("", "Bearer "), ("A uthorization", ""), ("Authorization", "Bear\ner ")]
    {
        let credentials = Credentials::new(Arc::new(source), name, scheme);
        let failure = credentials.ready().await.unwrap_err();
        assert!(matches!(failure.kind(), ErrorKind::Request(_)));
        assert_eq!(credentials.refreshes(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn any_header_and_no_scheme_will_do() {
    let source = || async { Ok::<_, TokenError>("k") };
    let credentials = Credentials::new(Arc::new(source), "X-Api-Key", "");
    let credential = credentials.ready().await.unwrap().unwrap();
    assert_eq!((credential.header.as_str(), credential.value.as_bytes()), ("x-api-key", &b"k"[..]));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_every_token_gets_two_requests_of_a_call_and_one_refresh() {
    let credentials = numbered();
    for refreshes in [2, 3, 4] {
        let mut call = CallAuth::default();
        let mut sent = 0;
        loop {
            let generation = generation(&credentials).await;
            sent += 1;
            if !call.answered(&credentials, generation, 401) {
                break;
            }
        }
        // The first call also fetched the first token.
        assert_eq!((sent, credentials.refreshes()), (2, refreshes));
    }
}

#[test]
fn the_newest_accepted_generation_never_goes_back() {
    let credentials = numbered();
    assert_eq!(credentials.newest_accepted(), None);
    for (accepted, newest) in [(2, 2), (1, 2), (3, 3)] {
        credentials.accepted(Generation::from_number(accepted));
        assert_eq!(credentials.newest_accepted(), Some(Generation::from_number(newest)));
    }
}

#[cfg(feature = "anyhow")]
#[tokio::test(start_paused = true)]
async fn the_contracts_refresher_is_a_source_and_its_error_keeps_its_text() {
    use crate::auth::{AuthRefresher, from_refresher};

    let refresher: AuthRefresher =
        Arc::new(|| Box::pin(async { Err(anyhow::anyhow!("cause").context("no session")) }));
    let credentials = Credentials::new(from_refresher(refresher), "Authorization", "Bearer ");
    let failure = credentials.ready().await.unwrap_err();
    assert_eq!(failure.kind(), auth("no session"));
    assert_eq!(failure.into_source().unwrap().source().unwrap().to_string(), "cause");
}

#[tokio::test(start_paused = true)]
async fn a_waiter_that_is_never_polled_again_holds_up_nobody_who_is() {
    let credentials = numbered();
    let mut asleep = pin!(token(&credentials));
    assert!(asleep.as_mut().now_or_never().is_none());
    assert_eq!(token(&credentials).await, "Bearer t1");
    assert_eq!(asleep.now_or_never().as_deref(), Some("Bearer t1"));
}
