//! A secret is found wherever it is written.

use test_support::Capture;
use tracing::field::Empty;

const CANARY: &str = "c4n\"ary";

#[test]
fn every_place_a_secret_can_be_written_to_is_captured() {
    let places: [(&str, fn()); 6] = [
        ("a message", || tracing::trace!("token {CANARY}")),
        ("a field", || tracing::info!(token = CANARY)),
        ("a displayed field", || tracing::debug!(token = %CANARY)),
        ("a span", || drop(tracing::trace_span!("call", token = CANARY))),
        ("a recorded field", || {
            let span = tracing::trace_span!("call", token = Empty);
            span.record("token", CANARY);
        }),
        ("log", || log::trace!("token {CANARY}")),
    ];
    for (place, write) in places {
        let capture = Capture::start();
        write();
        assert!(capture.text().contains(CANARY), "{place}: {}", capture.text());
    }
}

#[test]
#[should_panic(expected = "was written")]
fn a_leak_fails_the_test() {
    let capture = Capture::start();
    tracing::warn!("first line\nsecond line with {CANARY}");
    capture.assert_free_of(&["harmless", CANARY]);
}

#[test]
fn only_the_capture_started_last_hears_until_it_ends() {
    let outer = Capture::start();
    let inner = Capture::start();
    tracing::warn!("for the inner");
    assert!(inner.text().contains("for the inner"));
    drop(inner);
    tracing::warn!("for the outer");
    assert!(outer.text().contains("for the outer"));
    outer.assert_free_of(&["for the inner"]);
}

#[test]
fn the_global_capture_hears_other_threads() {
    let capture = Capture::global();
    std::thread::spawn(|| tracing::trace!("from a thread: {CANARY}")).join().unwrap();
    assert!(capture.text().contains(CANARY));
}
