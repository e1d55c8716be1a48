//! A request that is sent again with a newer token is the same attempt, and is not forgotten.

mod support;

use api_pool::RetryPolicy;
use api_pool::testing::{Reply, Script};
use support::issuer::{Issuer, carried};
use support::{Recorder, URL, ms, secs, sleep, statuses, watched};

#[tokio::test(start_paused = true)]
async fn a_replay_is_no_second_attempt_and_the_error_remembers_both() {
    for status in [404, 401] {
        let script = statuses([401, status]);
        let client = watched(&script, &Recorder::new()).bearer_tokens(Issuer::default()).build();

        let error = client.execute(|http| http.get(URL)).await.unwrap_err();

        assert_eq!((error.status(), error.attempts), (Some(status), 1));
        let history: Vec<_> = error
            .history()
            .iter()
            .map(|record| (record.number, record.kind, record.status, record.wait))
            .collect();
        assert_eq!(history, [(1, "status", Some(401), None), (2, "status", Some(status), None)]);
        script.assert_finished();
    }
}

#[tokio::test(start_paused = true)]
async fn a_replay_takes_none_of_the_retries() {
    let script = statuses([401, 503, 401, 503]);
    let recorder = Recorder::new();
    let client = watched(&script, &recorder)
        .retry(RetryPolicy::new(1, ms(10), secs(1)))
        .bearer_tokens(Issuer::default())
        .build();

    let error = client.execute(|http| http.get(URL)).await.unwrap_err();

    assert_eq!((error.status(), error.attempts, error.history().len()), (Some(503), 2, 4));
    assert_eq!(recorder.count("retry 1 in 10ms"), 1);
    assert_eq!(recorder.count("retry"), 1);
    script.assert_finished();
}

/// The token that the call got for the first one it was refused with works elsewhere: that it is
/// refused too, a second later, means that it has expired.
#[tokio::test(start_paused = true)]
async fn a_second_401_is_replayed_once_another_call_was_served_with_the_token() {
    let issuer = Issuer::default();
    let script = Script::answering(|request| match (request.uri().path(), carried(request)) {
        ("/slow", Some(1)) => Reply::status(401),
        ("/slow", Some(2)) => Reply::status(401).after(secs(1)),
        _ => Reply::status(200),
    });
    let client = watched(&script, &Recorder::new()).bearer_tokens(issuer).build();

    let (slow, other) = tokio::join!(
        client.execute(|http| http.get("http://api.test/slow")),
        // Once the slow one has been sent with the second token, and before it is answered.
        async {
            sleep(ms(500)).await;
            client.execute(|http| http.get(URL)).await
        },
    );

    assert!(slow.is_ok() && other.is_ok(), "{slow:?} {other:?}");
    let sent: Vec<_> = script
        .requests()
        .iter()
        .map(|request| (request.uri().path().to_owned(), carried(request)))
        .collect();
    let expected = [("/slow", 1), ("/slow", 2), ("/airports", 2), ("/slow", 3)];
    assert_eq!(sent, expected.map(|(path, token)| (path.to_owned(), Some(token))));
}
