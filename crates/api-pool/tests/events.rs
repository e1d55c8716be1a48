//! The events of a call come in one order, whatever happens to it.

mod support;

use api_pool::testing::{Reply, Script};
use api_pool::{CallPolicy, ErrorKind, RetryPolicy, WaitStage};
use support::{Recorder, URL, ms, secs, statuses, watched};

#[tokio::test(start_paused = true)]
async fn an_essential_call_reports_each_failure_before_what_follows_from_it() {
    let recorder = Recorder::new();
    let script = statuses([503, 503, 200]);
    let client = watched(&script, &recorder).circuit_breaker(2, secs(5)).build();

    client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap();

    assert_eq!(
        recorder.lines(),
        [
            "started",
            "failed HTTP 503 after 1 attempt 0ms",
            "retry 1 in 250ms",
            "started",
            "failed HTTP 503 after 2 attempts 0ms",
            "opened for 5s",
            "retry 2 in 500ms",
            "started",
            "succeeded 200 0ms",
            "closed",
        ]
    );
    assert_eq!(recorder.waits(), [(WaitStage::Gate, ms(4500))]);
}

#[tokio::test(start_paused = true)]
async fn a_call_refused_by_the_breaker_reports_an_attempt_of_no_length() {
    let recorder = Recorder::new();
    let script = statuses([503]);
    let client = watched(&script, &recorder).circuit_breaker(1, secs(5)).build();
    let poll = CallPolicy::background();
    client.execute_with(&poll, |http| http.get(URL)).await.unwrap_err();

    let error = client.execute_with(&poll, |http| http.get(URL)).await.unwrap_err();

    assert_eq!((&error.kind, error.attempts), (&ErrorKind::BreakerOpen, 0));
    assert_eq!(recorder.lines()[3..], ["started", "failed circuit breaker open 0ms"]);
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_equals_the_returned_error() {
    let recorder = Recorder::new();
    let script = Script::answering(|_| Reply::status(502).with_body("bad gateway"));
    let client = watched(&script, &recorder).retry(RetryPolicy::new(2, ms(10), secs(1))).build();

    let error = client.execute(|http| http.get(URL)).await.unwrap_err();

    assert_eq!(error.attempts, 3);
    assert_eq!(error.body.as_deref(), Some("bad gateway"));
    assert_eq!(recorder.lines().last().unwrap(), &format!("failed {error} 0ms"));
    recorder.assert_paired();
}

#[tokio::test(start_paused = true)]
async fn the_measured_time_is_the_request_s_alone() {
    let recorder = Recorder::new();
    let script = Script::new([Reply::status(503).after(ms(50)), Reply::ok("late").after(ms(50))]);
    let client = watched(&script, &recorder).circuit_breaker(1, secs(10)).build();

    client.execute_with(&CallPolicy::essential(), |http| http.get(URL)).await.unwrap();

    assert_eq!(recorder.count("failed HTTP 503 after 1 attempt 50ms"), 1);
    assert_eq!(recorder.count("succeeded 200 50ms"), 1);
}

/// All of them take seconds, and so does building the request.
#[cfg(feature = "rate-limit")]
#[tokio::test(start_paused = true)]
async fn no_wait_and_nothing_that_is_done_before_sending_is_part_of_the_measured_time() {
    use futures_util::FutureExt;

    let recorder = Recorder::new();
    let script = Script::new([
        Reply::ok("slow").after(secs(9)),
        Reply::ok("fine").after(ms(50)),
        Reply::ok("fine").after(ms(50)),
    ]);
    let client = watched(&script, &recorder)
        .max_parallel(1)
        .rate_limit_with_burst(0.25, 1)
        .bearer_tokens(|| async {
            support::sleep(secs(3)).await;
            Ok::<_, std::convert::Infallible>("token")
        })
        .build();
    let call = || async {
        let build = |http: &Script| {
            // The clock goes on at the first poll.
            let _ = tokio::time::advance(secs(2)).now_or_never();
            http.get(URL)
        };
        client.execute(build).await.unwrap();
    };

    tokio::join!(call(), call(), call());

    assert_eq!(recorder.count("succeeded 200 9000ms"), 1);
    assert_eq!(recorder.count("succeeded 200 50ms"), 2);
    let waits = [
        (WaitStage::Credential, secs(3)),
        // Building the first request takes the others' time too.
        (WaitStage::Credential, secs(5)),
        (WaitStage::Credential, secs(5)),
        (WaitStage::RateToken, secs(2)),
        (WaitStage::RateToken, secs(6)),
        (WaitStage::Slot, secs(7)),
        (WaitStage::Slot, ms(5050)),
    ];
    assert_eq!(recorder.waits(), waits);
}

#[tokio::test(start_paused = true)]
async fn a_success_tells_the_length_of_its_body_where_the_head_does() {
    let announced = || Reply::ok("twelve bytes");
    let chunked = || Reply::status(200).with_chunk("twelve bytes");
    let recorder = Recorder::new();
    let script = Script::new([announced(), chunked(), announced(), chunked()]);
    let client = watched(&script, &recorder).build();

    for _ in 0..2 {
        client.execute(|http| http.get(URL)).await.unwrap();
    }
    for _ in 0..2 {
        client.execute_read(&CallPolicy::background(), |http| http.get(URL)).await.unwrap();
    }

    assert_eq!(recorder.lengths(), [Some(12), None, Some(12), None]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_attempt_is_reported_once_and_gives_its_slot_back_first() {
    let recorder = Recorder::new();
    let script = Script::new([Reply::hang()]);
    let client = watched(&script, &recorder).build();

    let call = client.execute(|http| http.get(URL));
    tokio::time::timeout(secs(1), call).await.unwrap_err();

    assert_eq!(recorder.lines(), ["started", "cancelled"]);
    assert_eq!(client.in_flight(), 0);
}
