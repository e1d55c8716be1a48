//! Bodies are part of the attempt where the call reads them, and bounded everywhere.

mod support;

use api_pool::testing::{Reply, Script};
use api_pool::{BreakerState, CallPolicy, ErrorKind, Fate, RetryPolicy};
use support::{Recorder, URL, ms, now, secs, watched};

fn once() -> CallPolicy {
    CallPolicy::background()
}

#[tokio::test(start_paused = true)]
async fn a_body_cut_off_fails_the_attempt_and_is_retried() {
    let script = Script::new([
        Reply::status(200).with_chunk("[1, 2").with_cut(),
        Reply::status(200).with_chunk("[1, ").with_chunk("2").with_chunk("]"),
    ]);
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).build();

    let response =
        client.execute_read(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap();

    assert_eq!(response.body(), "[1, 2]");
    assert_eq!(recorder.count("failed body cut off after 1 attempt"), 1);
    assert_eq!(recorder.count("succeeded"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_body_cut_off_counts_against_the_server() {
    let script = Script::new([Reply::status(200).with_chunk("[1, 2").with_cut()]);
    let client = watched(&script, &Recorder::new()).circuit_breaker(1, secs(5)).build();

    let error = client.execute_read(&once(), |http| http.get(URL)).await.unwrap_err();

    assert_eq!((error.kind_name(), error.fate()), ("transport", Fate::Processed));
    assert!(matches!(client.breaker_state(), Some(BreakerState::Open { .. })));
}

#[tokio::test(start_paused = true)]
async fn the_slot_is_held_until_the_body_ended_and_the_time_ends_at_the_head() {
    let reply =
        || Reply::status(200).after(ms(20)).with_chunk("a").with_pause(ms(80)).with_chunk("b");
    let script = Script::new([reply(), reply()]);
    let recorder = Recorder::new();
    let client = watched(&script, &recorder).max_parallel(1).build();
    let started = now();

    let call = || async { client.execute_read(&once(), |http| http.get(URL)).await.unwrap() };
    tokio::join!(call(), call());

    assert_eq!(started.elapsed(), ms(200));
    assert_eq!(recorder.count("succeeded 200 20ms"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_wants_the_head_gets_its_slot_back_with_it() {
    let script = Script::new([Reply::status(200).with_pause(secs(9)).with_chunk("late")]);
    let client = watched(&script, &Recorder::new()).build();

    let response = client.execute(|http| http.get(URL)).await.unwrap();

    assert_eq!(client.in_flight(), 0);
    assert_eq!(response.bytes().await.unwrap(), "late");
}

#[tokio::test(start_paused = true)]
async fn a_body_over_the_limit_is_refused_for_good() {
    let long = || Reply::status(200).with_chunk("12345").with_chunk("67890");
    let announced = || Reply::ok("1234567890");
    let exact = || Reply::status(200).with_chunk("12345").with_chunk("6789");
    let script = Script::new([long(), announced(), exact()]);
    let client = watched(&script, &Recorder::new()).max_body_bytes(9).build();
    let essential = CallPolicy::essential();

    for _ in 0..2 {
        let error = client.execute_read(&essential, |http| http.get(URL)).await.unwrap_err();
        assert_eq!((error.kind, error.attempts), (ErrorKind::BodyTooLarge(9), 1));
    }
    let response = client.execute_read(&essential, |http| http.get(URL)).await.unwrap();
    assert_eq!(response.body(), "123456789");
}

#[tokio::test(start_paused = true)]
async fn an_endless_error_body_is_read_to_its_cap_and_no_further() {
    let script = Script::new([Reply::status(500).with_endless_body("0123456789")]);
    let client = watched(&script, &Recorder::new()).build();

    let error = client.execute_with(&once(), |http| http.get(URL)).await.unwrap_err();

    assert_eq!(error.body.unwrap().len(), 2048);
    assert_eq!(client.in_flight(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_error_body_is_cut_between_characters() {
    for lead in 0..4 {
        let body = format!("{}{}", "x".repeat(2044 + lead), "é🦀".repeat(40));
        let script = Script::new([Reply::status(404).with_body(body.clone())]);
        let client = watched(&script, &Recorder::new()).build();

        let error = client.execute(|http| http.get(URL)).await.unwrap_err();

        let kept = error.body.unwrap();
        assert!(body.starts_with(&kept), "{lead}");
        assert!((2045..=2048).contains(&kept.len()), "{lead}: {}", kept.len());
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_body_that_is_no_text_is_decoded_lossily_within_the_cap() {
    let script = Script::new([Reply::status(404).with_body(vec![0xff; 4000])]);
    let client = watched(&script, &Recorder::new()).build();

    let error = client.execute(|http| http.get(URL)).await.unwrap_err();

    let kept = error.body.unwrap();
    assert!(kept.len() <= 2048 && kept.chars().all(|c| c == char::REPLACEMENT_CHARACTER));
}

/// Three bytes of the last character, where the cap is: as long as what stands for them.
#[tokio::test(start_paused = true)]
async fn an_error_body_is_cut_between_characters_after_bytes_that_are_no_text_too() {
    let body = [b"\xf0\x9f\x98ab".as_slice(), "\u{1f600}".repeat(600).as_bytes()].concat();
    let script = Script::new([Reply::status(404).with_body(body)]);
    let client = watched(&script, &Recorder::new()).build();
    let error = client.execute_with(&once(), |http| http.get(URL)).await.unwrap_err();
    assert_eq!(error.body, Some(format!("\u{fffd}ab{}", "\u{1f600}".repeat(510))));
}

#[tokio::test(start_paused = true)]
async fn an_empty_or_unreadable_error_body_is_none() {
    let script = Script::new([Reply::status(404), Reply::status(404).with_chunk("cut").with_cut()]);
    let client = watched(&script, &Recorder::new()).build();

    for _ in 0..2 {
        assert_eq!(client.execute(|http| http.get(URL)).await.unwrap_err().body, None);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stalled_error_body_frees_its_slot_and_keeps_the_status() {
    let script = Script::new([
        Reply::status(500).with_chunk("oh").with_pause(secs(3600)).with_chunk("no"),
        Reply::ok("fine"),
    ]);
    let client =
        watched(&script, &Recorder::new()).retry(RetryPolicy::new(1, ms(10), secs(1))).build();
    let started = now();

    client.execute(|http| http.get(URL)).await.unwrap();

    assert_eq!(started.elapsed(), secs(30) + ms(10));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_outlasts_the_attempt_leaves_what_the_head_says() {
    // A 404 is final, a 429 repeated when the server says so, a success at the policy's pace.
    let cases = [
        (404, "failed HTTP 404", None),
        (429, "failed HTTP 429", Some(secs(7))),
        (200, "failed attempt timed out", Some(ms(250))),
    ];
    for (status, failure, wait) in cases {
        let reply = Reply::status(status).with_header("retry-after", "7").with_chunk("so");
        let stalled = reply.with_pause(secs(3600)).with_chunk("late");
        let script = Script::new([stalled, Reply::ok("fine")]);
        let recorder = Recorder::new();
        let client = watched(&script, &recorder).build();
        let started = now();

        let policy = CallPolicy::essential().with_attempt_timeout(ms(50));
        let result = client.execute_read(&policy, |http| http.get(URL)).await;

        assert_eq!(result.is_ok(), wait.is_some(), "{status}");
        assert_eq!(recorder.count(failure), 1, "{status}: {:?}", recorder.lines());
        assert_eq!(started.elapsed(), ms(50) + wait.unwrap_or_default(), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_answer_had_begun_was_processed() {
    let stalled = Reply::status(200).with_pause(secs(3600)).with_chunk("late");
    let client = watched(&Script::new([stalled]), &Recorder::new()).build();

    let policy = once().with_attempt_timeout(ms(50));
    let error = client.execute_read(&policy, |http| http.get(URL)).await.unwrap_err();

    assert_eq!((error.kind_name(), error.fate()), ("transport", Fate::Processed));
}

#[tokio::test(start_paused = true)]
async fn an_endless_body_of_nothing_is_ended_by_the_time_of_the_attempt() {
    for (status, kind) in [(200, "transport"), (500, "status")] {
        let script = Script::new([Reply::status(status).with_endless_body("")]);
        let client = watched(&script, &Recorder::new()).build();
        let policy = once().with_attempt_timeout(secs(2));
        let started = now();

        let error = client.execute_read(&policy, |http| http.get(URL)).await.unwrap_err();

        assert_eq!((error.kind_name(), started.elapsed()), (kind, secs(2)));
    }
}
