//! Many calls share one token: it is fetched once, replaced once, and never fought over.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_pool::testing::{CancelAt, Reply, Script};
use api_pool::{AuthRefresher, CallPolicy, ErrorKind, ResilientClient, TokenError, TokenSource};
use futures_util::FutureExt;
use futures_util::future::join_all;
use support::issuer::{Issuer, carried};
use support::{Recorder, URL, ms, now, secs, sleep, statuses, watched};

/// A server that accepts only the token issued last, as one that rotates tokens does.
fn rotating(issuer: &Issuer) -> Script {
    let issuer = issuer.clone();
    Script::answering(move |request| match carried(request) {
        Some(number) if number == issuer.issued() => Reply::status(200).after(ms(10)),
        _ => Reply::status(401).after(ms(10)),
    })
}

#[tokio::test(start_paused = true)]
async fn the_first_use_and_one_401_are_two_fetches_and_one_unhurried_replay() {
    let issuer = Issuer::default();
    let script = statuses([200, 401, 200]);
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).bearer_tokens(issuer.clone()).build();

    for _ in 0..2 {
        client.execute(|http| http.get(URL)).await.unwrap();
    }

    assert_eq!(issuer.issued(), 2);
    let tokens: Vec<_> = script.requests().iter().filter_map(carried).collect();
    assert_eq!(tokens, [1, 1, 2]);
    assert_eq!(
        recorder.lines(),
        [
            "started",
            "succeeded 200 0ms",
            "started",
            "failed HTTP 401 after 1 attempt 0ms",
            "started",
            "succeeded 200 0ms",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_thousand_concurrent_401s_are_one_fetch_and_a_thousand_replays() {
    let issuer = Issuer::default();
    let script = rotating(&issuer);
    let client = ResilientClient::builder()
        .transport(script.clone())
        .max_parallel(1000)
        .bearer_tokens(issuer.clone())
        .build();
    client.execute(|http| http.get(URL)).await.unwrap();
    // The server forgets the token: it counts as an older one now.
    issuer.issued.fetch_add(1, Ordering::Relaxed);

    let calls = join_all((0..1000).map(|_| client.execute(|http| http.get(URL)))).await;

    assert!(calls.iter().all(Result::is_ok));
    assert_eq!(issuer.issued(), 3);
    let tokens: Vec<_> = script.requests().iter().filter_map(carried).collect();
    assert_eq!(tokens.iter().filter(|&&token| token == 1).count(), 1 + 1000);
    assert_eq!(tokens.iter().filter(|&&token| token == 3).count(), 1000);
}

#[tokio::test(start_paused = true)]
async fn a_late_401_for_an_older_token_replays_with_the_newer_one_and_fetches_nothing() {
    let issuer = Issuer::default();
    let script = Script::answering(|request| match (carried(request), request.uri().path()) {
        (Some(1), "/slow") => Reply::status(401).after(secs(5)),
        (Some(1), _) => Reply::status(401),
        _ => Reply::status(200),
    });
    let client = ResilientClient::builder().transport(script).bearer_tokens(issuer.clone()).build();

    let (slow, fast) = tokio::join!(
        client.execute(|http| http.get("http://api.test/slow")),
        client.execute(|http| http.get(URL)),
    );

    assert!(slow.is_ok() && fast.is_ok());
    assert_eq!(issuer.issued(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_fresh_token_refused_too_is_two_requests_one_fetch_and_a_final_401() {
    let issuer = Issuer::default();
    let script = Script::answering(|_| Reply::status(401));
    let client =
        ResilientClient::builder().transport(script.clone()).bearer_tokens(issuer.clone()).build();
    client.execute(|http| http.get(URL)).await.unwrap_err();
    let (sent, issued) = (script.requests().len(), issuer.issued());

    let policy = CallPolicy::essential();
    let error = client.execute_with(&policy, |http| http.get(URL)).await.unwrap_err();

    assert_eq!(error.kind, ErrorKind::Status(401));
    assert_eq!((script.requests().len() - sent, issuer.issued() - issued), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_outlives_its_tokens_fetches_one_for_each_that_had_worked() {
    let issuer = Issuer::default();
    // Token 1 is refused at once; 2 and 3 work until they are refused; 4 is never refused.
    let script = statuses([401, 503, 503, 401, 503, 401, 200]);
    let client =
        ResilientClient::builder().transport(script.clone()).bearer_tokens(issuer.clone()).build();

    let policy = CallPolicy::essential();
    client.execute_with(&policy, |http| http.get(URL)).await.unwrap();

    let tokens: Vec<_> = script.requests().iter().filter_map(carried).collect();
    assert_eq!(tokens, [1, 2, 2, 2, 3, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn a_first_fetch_that_fails_sends_nothing_and_its_time_is_the_sources_own() {
    let script = statuses([]);
    let recorder = Recorder::new();
    let client = watched(&script, &recorder)
        .default_breaker()
        .bearer_tokens(|| async {
            sleep(ms(30)).await;
            Err::<String, _>("signed out")
        })
        .build();

    let policy = CallPolicy::essential();
    for _ in 0..2 {
        let error = client.execute_with(&policy, |http| http.get(URL)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Auth("signed out".to_owned()));
        assert_eq!(error.to_string(), "auth refresh failed: signed out");
    }

    assert!(script.requests().is_empty());
    // The second fetch waited out a pause first.
    let pair = ["started", "failed auth refresh failed: signed out 30ms"];
    assert_eq!(recorder.lines(), [pair, pair].concat());
    assert_eq!(client.breaker_state(), Some(api_pool::BreakerState::Closed));
}

#[tokio::test(start_paused = true)]
async fn a_replacement_that_fails_ends_the_call_with_the_sources_error() {
    let script = statuses([401]);
    let recorder = Recorder::new();
    let first = AtomicUsize::new(0);
    let client = watched(&script, &recorder)
        .bearer_tokens(move || {
            let first = first.fetch_add(1, Ordering::Relaxed) == 0;
            async move { if first { Ok("t1") } else { Err("signed out") } }
        })
        .build();

    let error = client.execute(|http| http.get(URL)).await.unwrap_err();

    assert_eq!(error.kind, ErrorKind::Auth("signed out".to_owned()));
    assert_eq!(
        recorder.lines(),
        [
            "started",
            "failed HTTP 401 after 1 attempt 0ms",
            "started",
            "failed auth refresh failed: signed out 0ms",
        ]
    );
    script.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn fetching_holds_no_slot_and_is_not_in_flight() {
    let client = ResilientClient::builder()
        .transport(statuses([200]))
        .max_parallel(1)
        .bearer_tokens(Issuer::default())
        .build();

    let (call, ()) = tokio::join!(client.execute(|http| http.get(URL)), async {
        sleep(ms(50)).await;
        assert_eq!(client.in_flight(), 0);
    });

    call.unwrap();
    assert_eq!(client.peak_in_flight(), 1);
}

/// Fetches its token through the client that it is for, which has a single slot.
struct Circular {
    client: std::sync::OnceLock<ResilientClient<Script>>,
}

#[tokio::test(start_paused = true)]
async fn a_source_may_fetch_through_the_client_it_is_for_even_with_one_slot() {
    let circular = Arc::new(Circular { client: std::sync::OnceLock::new() });
    let script = Script::answering(|request| match (request.uri().path(), carried(request)) {
        ("/token", None) => Reply::ok("t1").after(ms(10)),
        ("/airports", Some(1)) => Reply::status(200),
        _ => Reply::status(500),
    });
    let source = Arc::downgrade(&circular);
    let client = ResilientClient::builder()
        .transport(script)
        .max_parallel(1)
        .bearer_tokens(move || {
            let source = source.clone();
            async move {
                let circular = source.upgrade().ok_or_else(|| TokenError::new("gone"))?;
                let client = circular.client.get().ok_or_else(|| TokenError::new("not built"))?;
                let token = client
                    .execute_read(&CallPolicy::background(), |http| {
                        http.get("http://api.test/token")
                    })
                    .await;
                let token = token.map_err(TokenError::new)?;
                Ok::<_, TokenError>(String::from_utf8_lossy(token.body()).into_owned())
            }
        })
        .build();
    circular.client.set(client.clone()).unwrap();

    let calls = join_all((0..5).map(|_| client.execute(|http| http.get(URL)))).await;

    assert!(calls.iter().all(Result::is_ok), "{calls:?}");
}

#[tokio::test(start_paused = true)]
async fn whichever_caller_is_dropped_the_others_get_the_token_it_was_fetching() {
    for victim in 0..4 {
        for stop in 1..6 {
            let issuer = Issuer::default();
            let client = ResilientClient::builder()
                .transport(rotating(&issuer))
                .bearer_tokens(issuer.clone())
                .build();
            // Everybody waits before anybody is dropped.
            let mut calls: Vec<_> =
                (0..4).map(|_| Box::pin(client.execute(|http| http.get(URL)))).collect();
            for call in &mut calls {
                assert!(call.as_mut().now_or_never().is_none());
            }
            let dropped = calls.remove(victim);

            let (_, others) = tokio::join!(CancelAt::new(stop, dropped), join_all(calls));

            assert!(others.iter().all(Result::is_ok), "caller {victim} dropped at stop {stop}");
            assert_eq!((issuer.issued(), client.in_flight()), (1, 0));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_source_is_asked_once_for_all_that_wait_and_not_hammered_by_those_who_come() {
    let asked = Arc::new(AtomicUsize::new(0));
    let client = ResilientClient::builder()
        .transport(statuses([]))
        .bearer_tokens({
            let asked = Arc::clone(&asked);
            move || {
                asked.fetch_add(1, Ordering::Relaxed);
                async { Err::<String, _>("down") }
            }
        })
        .build();
    let started = now();

    // A hundred pollers that never give up, for ten seconds.
    let poller = async || {
        loop {
            client.execute(|http| http.get(URL)).await.unwrap_err();
        }
    };
    let pollers = join_all((0..100).map(|_| poller()));
    assert!(tokio::time::timeout(secs(10), pollers).await.is_err());

    // At 0, 0.1, 0.3, 0.7, 1.5, 3.1 and 6.3 s.
    assert_eq!((asked.load(Ordering::Relaxed), started.elapsed()), (7, secs(10)));
}

#[tokio::test(start_paused = true)]
async fn a_token_near_its_known_end_is_replaced_before_the_server_refuses_it() {
    let issuer = Issuer::default();
    let script = Script::answering(|_| Reply::status(200));
    let source = {
        let issuer = issuer.clone();
        move || {
            let issuer = issuer.clone();
            async move { issuer.token().await.map(|token| token.expires_in(secs(3600))) }
        }
    };
    let client = ResilientClient::builder().transport(script.clone()).bearer_tokens(source).build();

    for _ in 0..3 {
        client.execute(|http| http.get(URL)).await.unwrap();
        sleep(secs(1775)).await;
    }

    let tokens: Vec<_> = script.requests().iter().filter_map(carried).collect();
    assert_eq!(tokens, [1, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_no_header_value_is_a_local_error_that_does_not_show_it() {
    let script = statuses([]);
    let client = ResilientClient::builder()
        .transport(script.clone())
        .bearer_tokens(|| async { Ok::<_, TokenError>("CAN\nARY") })
        .build();

    let policy = CallPolicy::essential();
    let error = client.execute_with(&policy, |http| http.get(URL)).await.unwrap_err();

    assert_eq!(error.kind_name(), "request");
    assert!(!format!("{error} {error:?}").contains("ARY"));
    assert!(script.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_refresher_works_with_any_header_and_scheme() {
    let script = statuses([200]);
    let refresher: AuthRefresher = Arc::new(|| Box::pin(async { Ok("s3cret".to_owned()) }));
    let client = ResilientClient::builder()
        .transport(script.clone())
        .auth(refresher, "X-Api-Key", "Key=")
        .build();

    client.execute(|http| http.get(URL)).await.unwrap();

    let request = script.requests().remove(0);
    assert_eq!(request.headers()["x-api-key"], "Key=s3cret");
    assert!(!format!("{request:?} {client:?}").contains("s3cret"));
}

#[tokio::test(start_paused = true)]
async fn a_field_of_the_callers_own_gives_way_to_the_token() {
    let script = statuses([200]);
    let client = ResilientClient::builder()
        .transport(script.clone())
        .bearer_tokens(Issuer::default())
        .build();

    client.execute(|http| http.get(URL).header("AUTHORIZATION", "Basic mine")).await.unwrap();

    let request = script.requests().remove(0);
    let sent: Vec<_> = request.headers().get_all("authorization").iter().collect();
    assert_eq!(sent, ["Bearer t1"]);
}
