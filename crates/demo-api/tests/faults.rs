//! Every fault reaches the client as what it says, and every request is counted.

use std::{error::Error, io, time::Duration};

use demo_api::{Config, DemoServer, Fault, FaultPlan, Outcome, Rule, Share};
use reqwest::header::HeaderValue;
use tokio::time::timeout;

fn serve(config: Config) -> DemoServer {
    DemoServer::start(config).expect("a free port")
}

/// A server that fails by this plan.
fn serve_with(faults: &str) -> DemoServer {
    serve(Config::new().faults(faults.parse().expect("a fault plan")))
}

/// The kind of I/O error at the bottom of a client error.
fn io_kind(error: &reqwest::Error) -> Option<io::ErrorKind> {
    let mut source: Option<&dyn Error> = error.source();
    while let Some(error) = source {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        source = error.source();
    }
    None
}

async fn get(server: &DemoServer) -> reqwest::Result<reqwest::Response> {
    reqwest::get(format!("{}/airports", server.url())).await
}

/// Waits for something that is bound to happen.
async fn until(happened: impl Fn() -> bool) {
    let wait = async {
        while !happened() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), wait).await.expect("it happens");
}

#[tokio::test]
async fn a_reset_is_a_reset_on_the_wire_and_counts() {
    let server = serve_with("reset@#1-2");
    for _ in 0..2 {
        let error = get(&server).await.unwrap_err();
        assert_eq!(io_kind(&error), Some(io::ErrorKind::ConnectionReset), "{error:?}");
    }
    assert_eq!(get(&server).await.unwrap().status(), 200);
    let stats = server.stats();
    assert_eq!(stats.requests(), 3);
    assert_eq!(stats.path("/airports"), 3);
    assert_eq!(stats.outcome(Outcome::Reset), 2);
    assert_eq!(stats.status(200), 1);
}

#[tokio::test]
async fn a_close_is_not_a_reset() {
    let server = serve_with("close@#1");
    let error = get(&server).await.unwrap_err();
    assert_ne!(io_kind(&error), Some(io::ErrorKind::ConnectionReset), "{error:?}");
    assert_eq!(server.stats().outcome(Outcome::Closed), 1);
}

#[tokio::test]
async fn a_refusal_carries_exactly_the_lines_it_was_given() {
    let plan = FaultPlan::new(0).with(Rule::requests(
        1..=1,
        Fault::Refuse(
            demo_api::Refusal::new(429)
                .with_retry_after("2")
                .with_retry_after(b"5;x\xff".as_slice()),
        ),
    ));
    let server = serve(Config::new().faults(plan));
    let response = get(&server).await.unwrap();
    assert_eq!(response.status(), 429);
    let lines: Vec<_> =
        response.headers().get_all("retry-after").iter().map(HeaderValue::as_bytes).collect();
    assert_eq!(lines, [b"2".as_slice(), b"5;x\xff".as_slice()]);
}

#[tokio::test]
async fn a_hanging_request_counts_and_ends_with_the_server() {
    let server = serve_with("hang@#1");
    let url = format!("{}/airports", server.url());
    let client = tokio::spawn(async move { reqwest::get(url).await });
    until(|| server.stats().outcome(Outcome::Hung) > 0).await;
    timeout(Duration::from_secs(5), server.shutdown()).await.expect("the server stops");
    assert!(client.await.unwrap().is_err());
}

#[tokio::test]
async fn a_truncated_body_announces_more_than_it_sends() {
    let server = serve_with("truncate@#1");
    let whole = get(&server).await.unwrap();
    let announced = whole.content_length().unwrap();
    let error = whole.bytes().await.unwrap_err();
    assert!(error.is_body() || error.is_decode(), "{error:?}");

    let complete = get(&server).await.unwrap().bytes().await.unwrap();
    assert_eq!(announced, complete.len() as u64);
    assert_eq!(server.stats().outcome(Outcome::Truncated), 1);
}

#[tokio::test]
async fn an_endless_body_is_cut_by_the_reader_only() {
    let server = serve_with("endless@#1 status=502");
    let mut response = get(&server).await.unwrap();
    assert_eq!(response.status(), 502);
    let mut read = 0;
    while read < 4 << 20 {
        read += response.chunk().await.unwrap().expect("no end").len();
    }
    assert_eq!(server.stats().outcome(Outcome::Endless), 1);
    timeout(Duration::from_secs(5), server.shutdown()).await.expect("the server stops");
}

#[tokio::test]
async fn a_slow_body_arrives_whole() {
    let server = serve_with("slow@#1 pause=1ms");
    let slow = get(&server).await.unwrap().bytes().await.unwrap();
    let fast = get(&server).await.unwrap().bytes().await.unwrap();
    assert_eq!(slow, fast);
    assert_eq!(server.stats().outcome(Outcome::Slow), 1);
}

#[tokio::test]
async fn a_stalled_body_stops_half_way_without_an_end() {
    let server = serve_with("stall@#1");
    let mut response = get(&server).await.unwrap();
    let announced = response.content_length().unwrap();
    let mut read = 0;
    while read < announced / 2 {
        read += response.chunk().await.unwrap().expect("the first half").len() as u64;
    }
    assert_eq!(read, announced / 2);
    let rest = tokio::spawn(async move { response.chunk().await });
    timeout(Duration::from_secs(5), server.shutdown()).await.expect("the server stops");
    assert!(rest.await.unwrap().is_err());
}

#[tokio::test]
async fn a_late_answer_is_a_proper_one_after_its_pause() {
    let server = serve_with("late@#1 pause=10s; late@#2 pause=1ms");
    let url = format!("{}/airports", server.url());
    let waiting = tokio::spawn(reqwest::get(url));
    until(|| server.stats().in_progress() > 0).await;
    assert_eq!(get(&server).await.unwrap().status(), 200);
    assert_eq!(server.stats().status(200), 1);
    waiting.abort();
    until(|| server.stats().in_progress() == 0).await;
    assert_eq!(server.stats().outcome(Outcome::Abandoned), 1);
}

#[tokio::test]
async fn reset_after_processes_the_write_and_reset_does_not() {
    let server = serve_with("reset@#1; reset-after@#2");
    let client = reqwest::Client::new();
    for writes in [0, 1, 2] {
        let request = client.post(format!("{}/echo", server.url())).header("idempotency-key", "k");
        assert_eq!(request.send().await.is_ok(), writes == 2);
        assert_eq!(server.stats().writes(), writes);
    }
    assert_eq!(server.stats().repeated_writes(), 1);
}

#[tokio::test]
async fn a_new_plan_starts_its_own_count() {
    let server = serve_with("503@#1");
    assert_eq!(get(&server).await.unwrap().status(), 503);
    assert_eq!(get(&server).await.unwrap().status(), 200);
    server.set_faults("500@#1".parse().unwrap());
    assert_eq!(get(&server).await.unwrap().status(), 500);
    assert_eq!(get(&server).await.unwrap().status(), 200);
}

#[tokio::test]
async fn the_same_seed_fails_the_same_requests() {
    let plan =
        |seed| FaultPlan::new(seed).with(Rule::share(Share::percent(30), Fault::ServerError));
    let mut runs = Vec::new();
    for seed in [1, 1, 2] {
        let server = serve(Config::new().faults(plan(seed)));
        let mut statuses = Vec::new();
        for _ in 0..40 {
            statuses.push(get(&server).await.unwrap().status().as_u16());
        }
        assert_eq!(
            server.stats().status(200),
            statuses.iter().filter(|s| **s == 200).count() as u64
        );
        runs.push(statuses);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[tokio::test]
async fn an_abandoned_request_has_an_outcome_too() {
    let server = serve_with("slow@#1 pause=10s; hang@#2");
    let url = format!("{}/airports", server.url());
    drop(reqwest::get(&url).await.unwrap());
    let hanging = tokio::spawn(reqwest::get(url));
    until(|| server.stats().outcome(Outcome::Hung) > 0).await;
    hanging.abort();
    let stats = server.stats();
    assert_eq!((stats.requests(), stats.in_progress()), (2, 0));
    assert_eq!(stats.outcomes().map(|(_, count)| count).sum::<u64>(), 2);
}

#[tokio::test]
async fn a_reset_ends_an_http2_connection() {
    let server = serve_with("reset@#2");
    let client = reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    let url = format!("{}/airports", server.url());
    assert_eq!(client.get(&url).send().await.unwrap().version(), reqwest::Version::HTTP_2);
    assert!(client.get(&url).send().await.is_err());
    assert_eq!(client.get(&url).send().await.unwrap().status(), 200);
    assert_eq!(server.stats().requests(), 3);
    assert_eq!(server.stats().connections(), 2);
    assert_eq!(server.recent_requests(), ["GET /airports"; 3]);
}
