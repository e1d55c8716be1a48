//! Every status is retried, and held against the server, as the table says.

mod support;

use api_pool::testing::{Reply, Script};
use api_pool::{BreakerState, CallPolicy, ErrorKind, Fate, Fault, RetryPolicy};
use serde_json::Value;
use support::{Recorder, URL, ms, secs, statuses, watched};

fn cases() -> Vec<(u16, bool, String)> {
    let table: Value =
        serde_json::from_str(include_str!("vectors/status_classes.json")).expect("valid JSON");
    let cases = table["cases"].as_array().expect("an array of cases");
    let cases: Vec<_> = cases
        .iter()
        .map(|case| {
            (
                u16::try_from(case["status"].as_u64().expect("a number")).expect("a status"),
                case["retried"].as_bool().expect("a verdict"),
                case["breaker"].as_str().expect("an effect").to_owned(),
            )
        })
        .collect();
    assert!(cases.len() > 40, "the table was cut short");
    cases
}

#[tokio::test(start_paused = true)]
async fn a_status_is_retried_exactly_if_the_table_says_so() {
    for (status, retried, _) in cases() {
        let script = Script::answering(move |_| Reply::status(status));
        let client =
            watched(&script, &Recorder::new()).retry(RetryPolicy::new(1, ms(1), ms(1))).build();

        let result = client.execute(|http| http.get(URL)).await;

        assert_eq!(result.is_ok(), (200..300).contains(&status), "{status}");
        assert_eq!(script.requests().len(), if retried { 2 } else { 1 }, "{status}");
        if let Err(error) = result {
            assert_eq!((error.status(), error.is_final()), (Some(status), !retried), "{status}");
            assert_eq!(error.fate(), Fate::Processed, "{status}");
        }
    }
}

/// Opens a breaker of threshold 1 by a 503 and lets the status answer its probe.
#[tokio::test(start_paused = true)]
async fn a_probe_s_status_closes_the_breaker_keeps_it_shut_or_proves_nothing() {
    for (status, _, breaker) in cases() {
        let client =
            watched(&statuses([503, status]), &Recorder::new()).circuit_breaker(1, secs(5)).build();
        let poll = CallPolicy::background();
        client.execute_with(&poll, |http| http.get(URL)).await.unwrap_err();
        tokio::time::advance(secs(5)).await;

        let _ = client.execute_with(&poll, |http| http.get(URL)).await;

        let state = client.breaker_state().unwrap();
        match breaker.as_str() {
            "success" | "reachable" => assert_eq!(state, BreakerState::Closed, "{status}"),
            "failure" => assert!(matches!(state, BreakerState::Open { .. }), "{status}: {state:?}"),
            "untouched" => assert_ne!(state, BreakerState::Closed, "{status}"),
            other => panic!("unknown effect {other}"),
        }
    }
}

/// `503, between, 503` at a threshold of 2.
#[tokio::test(start_paused = true)]
async fn a_status_between_two_failures_resets_the_run_exactly_if_it_is_a_success() {
    for (status, _, breaker) in cases() {
        let client = watched(&statuses([503, status, 503]), &Recorder::new())
            .circuit_breaker(2, secs(5))
            .build();
        for _ in 0..3 {
            let _ = client.execute_with(&CallPolicy::background(), |http| http.get(URL)).await;
        }

        let closed = client.breaker_state() == Some(BreakerState::Closed);
        assert_eq!(closed, breaker == "success", "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_can_never_be_sent_is_tried_once_and_held_against_nobody() {
    let recorder = Recorder::new();
    let script = Script::answering(|_| Reply::fault(Fault::Local));
    let client = watched(&script, &recorder).circuit_breaker(1, secs(5)).build();

    let error =
        client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap_err();

    assert_eq!((error.kind_name(), error.attempts, error.is_final()), ("request", 1, true));
    assert_eq!(error.fate(), Fate::NotSent);
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
    assert_eq!(recorder.count("retry"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_malformed_url_or_header_never_reaches_the_transport() {
    let script = statuses([]);
    let client = watched(&script, &Recorder::new()).circuit_breaker(1, secs(5)).build();
    let essential = CallPolicy::essential();

    let url = client.execute_with(&essential, |http| http.get("http://[")).await.unwrap_err();
    let header = client
        .execute_with(&essential, |http| http.get(URL).header("x-key", "canary\n"))
        .await
        .unwrap_err();

    for error in [url, header] {
        assert!(matches!(error.kind, ErrorKind::Request(_)), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
    }
    assert_eq!(script.requests().len(), 0);
    assert_eq!(client.breaker_state(), Some(BreakerState::Closed));
}

#[tokio::test(start_paused = true)]
async fn each_fault_of_the_wire_has_its_fate_and_is_retried() {
    let fates = [
        (Fault::Unreachable, Fate::NotSent),
        (Fault::Refused, Fate::NotSent),
        (Fault::Broken, Fate::MaybeProcessed),
        (Fault::TimedOut, Fate::MaybeProcessed),
    ];
    for (fault, fate) in fates {
        let script = Script::answering(move |_| Reply::fault(fault));
        let client = watched(&script, &Recorder::new())
            .retry(RetryPolicy::new(2, ms(1), ms(1)))
            .circuit_breaker(3, secs(5))
            .build();

        let error = client.execute(|http| http.get(URL)).await.unwrap_err();

        assert_eq!((error.kind_name(), error.fate(), error.attempts), ("transport", fate, 3));
        assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })), "{fault:?}");
    }
}
