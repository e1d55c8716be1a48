//! Bodies on the wire: cut, stalled, longer or shorter than announced, packed.

#[path = "support/wire.rs"]
mod wire;

use api_pool::{CallPolicy, ErrorKind, Fate, TransportEvent};
use test_support::{FaultServer, Script, answer, head};
use wire::{PATIENCE, Tally, answering, faulty, repeats, watched};

/// A body of five bytes in the two ways of not announcing its length.
const CHUNKED: &[u8] =
    b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfine!\r\n0\r\n\r\n";
const UNTIL_CLOSE: &[u8] = b"HTTP/1.1 200 X\r\n\r\nfine!";

fn read() -> Script {
    Script::new().read_request()
}

#[tokio::test]
async fn a_length_that_lies_is_noticed_and_the_attempt_repeated() {
    let short = Script::lying_length(b"fi", 4);
    let (server, tally) = (faulty([short]).await, Tally::new());
    let client = watched(&tally).build();

    let response = client.execute_read(&repeats(1), |http| http.get(server.url())).await.unwrap();

    assert_eq!(response.body(), "fine");
    assert_eq!(tally.failures()[0].fate(), Fate::Processed);
    assert_eq!((server.seen().requests(), tally.sent()), (2, 2));
}

#[tokio::test]
async fn what_follows_the_announced_length_is_no_answer_to_the_next_request() {
    let longer = read().send([answer(200, &[], "fine"), answer(200, &[], "poison")].concat());
    let server = faulty([longer.stall()]).await;
    let client = watched(&Tally::new()).build();

    for _ in 0..3 {
        let response =
            client.execute_read(&repeats(1), |http| http.get(server.url())).await.unwrap();
        assert_eq!(response.body(), "fine");
    }
}

#[tokio::test]
async fn a_stalled_body_ends_with_the_attempt_s_timeout_and_is_repeated() {
    let stalled = read().send(head(200, &[], 4)).send("fi").stall();
    let (server, tally) = (faulty([stalled]).await, Tally::new());
    let client = watched(&tally).max_parallel(1).build();
    let policy = repeats(9).with_attempt_timeout(PATIENCE);

    let response = client.execute_read(&policy, |http| http.get(server.url())).await.unwrap();

    assert_eq!(response.body(), "fine");
    assert_eq!(tally.failures()[0].kind_name(), "transport");
    assert_eq!(client.in_flight(), 0);
}

#[tokio::test]
async fn a_stalled_error_body_is_left_with_the_attempt_s_timeout() {
    let stalled = || read().send(head(500, &[], 4)).send("no").stall();
    let (server, tally) = (faulty([stalled()]).await, Tally::new());
    let client = watched(&tally).max_parallel(1).build();
    let policy = repeats(9).with_attempt_timeout(PATIENCE);

    client.execute_read(&policy, |http| http.get(server.url())).await.unwrap();

    // The status is kept.
    assert_eq!(tally.failures()[0].status(), Some(500));
    assert_eq!(client.in_flight(), 0);
}

#[tokio::test]
async fn an_error_body_shorter_than_announced_is_none() {
    let server = faulty([read().send(head(404, &[], 400)).send("gone").close()]).await;
    let client = watched(&Tally::new()).build();

    let error = client.execute_read(&repeats(0), |http| http.get(server.url())).await.unwrap_err();

    assert_eq!((error.kind, error.body), (ErrorKind::Status(404), None));
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_announced_or_not() {
    let announced = answer(200, &[], "fine!");
    for bytes in [announced, CHUNKED.to_vec(), UNTIL_CLOSE.to_vec()] {
        let server: FaultServer = faulty([read().send(bytes)]).await;
        let client = watched(&Tally::new()).max_body_bytes(4).build();

        let error =
            client.execute_read(&repeats(9), |http| http.get(server.url())).await.unwrap_err();

        assert_eq!((error.kind, error.attempts), (ErrorKind::BodyTooLarge(4), 1));
    }
}

#[tokio::test]
async fn a_success_tells_the_length_that_was_announced_and_no_other() {
    let announced = answer(200, &[], "fine!");
    let cases = [(announced, Some(5)), (CHUNKED.to_vec(), None), (UNTIL_CLOSE.to_vec(), None)];
    for (answer, expected) in cases {
        let end = read().send(answer).close();
        let (server, tally) = (faulty([end.clone(), end]).await, Tally::new());
        let client = watched(&tally).build();

        client.execute_with(&repeats(0), |http| http.get(server.url())).await.unwrap();
        client.execute_read(&repeats(0), |http| http.get(server.url())).await.unwrap();

        let told = tally.events().into_iter().filter_map(|event| match event {
            TransportEvent::Succeeded { bytes, .. } => Some(bytes),
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>(), [expected; 2]);
    }
}

#[tokio::test]
async fn a_packed_body_is_not_unpacked() {
    // A bomb would be: the client asks for no coding and undoes none.
    let packed = "\x1f\u{8b} a gzip member begins so";
    for status in [200, 500] {
        let server = answering(answer(status, &[("content-encoding", "gzip")], packed)).await;
        let client = watched(&Tally::new()).build();

        let result =
            client.execute_read(&CallPolicy::background(), |http| http.get(server.url())).await;

        match result {
            Ok(response) => assert_eq!(response.body(), packed),
            Err(error) => assert_eq!(error.body.as_deref(), Some(packed)),
        }
        let seen = server.seen();
        let request = String::from_utf8_lossy(&seen.recorded()[0]).to_ascii_lowercase();
        assert!(!request.contains("accept-encoding"), "{request}");
    }
}

#[tokio::test]
async fn a_success_without_a_body_is_empty() {
    let server = answering(b"HTTP/1.1 204 X\r\n\r\n".to_vec()).await;
    let client = watched(&Tally::new()).build();

    let response =
        client.execute_read(&repeats(0), |http| http.delete(server.url())).await.unwrap();

    assert_eq!((response.status(), response.body().len()), (204, 0));
}
