//! `tower` services are retried by our rules, and a body that can be sent only once is sent once.
#![cfg(feature = "tower")]

mod support;

use std::io;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use api_pool::tower::{Retries, RetryError, RetryLayer};
use api_pool::{BodyNotRepeatable, Policy, RetrySafety, StopReason};
use http::{Method, Request, Response};
use support::{ms, now, secs};
use tower::{Layer, Service, ServiceExt};

/// What a flaky service does with a request.
#[derive(Clone, Copy)]
enum Act {
    Answer(u16),
    Busy(u64),
    Fail,
    /// Fails when asked whether it is ready.
    Unready,
}

/// Does what it is told, and writes down the bodies that arrive. Each clone must be asked whether
/// it is ready before each call.
struct Flaky {
    acts: Arc<Mutex<Vec<Act>>>,
    bodies: Arc<Mutex<Vec<String>>>,
    ready: bool,
}

impl Clone for Flaky {
    fn clone(&self) -> Self {
        Self { acts: self.acts.clone(), bodies: self.bodies.clone(), ready: false }
    }
}

impl Flaky {
    fn new(acts: &[Act]) -> Self {
        let acts = acts.iter().rev().copied().collect();
        Self { acts: Arc::new(Mutex::new(acts)), bodies: Arc::default(), ready: false }
    }

    fn bodies(&self) -> Vec<String> {
        self.bodies.lock().expect("no test panics while writing").clone()
    }
}

impl Service<Request<String>> for Flaky {
    type Response = Response<()>;
    type Error = io::Error;
    type Future = std::future::Ready<Result<Response<()>, io::Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut acts = self.acts.lock().expect("no test panics here");
        if let Some(Act::Unready) = acts.last() {
            acts.pop();
            return Poll::Ready(Err(io::Error::other("not ready")));
        }
        self.ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<String>) -> Self::Future {
        assert!(std::mem::take(&mut self.ready), "called without being asked");
        self.bodies.lock().expect("no test panics while writing").push(request.into_body());
        let act = self.acts.lock().expect("no test panics here").pop().expect("one more act");
        let answer = |status: u16, retry_after: Option<u64>| {
            let mut response = Response::builder().status(status);
            if let Some(secs) = retry_after {
                response = response.header("retry-after", secs);
            }
            response.body(()).map_err(io::Error::other)
        };
        std::future::ready(match act {
            Act::Answer(status) => answer(status, None),
            Act::Busy(secs) => answer(429, Some(secs)),
            Act::Unready => unreachable!("it is never last when a call comes"),
            Act::Fail => Err(io::Error::other("the wire broke")),
        })
    }
}

fn request(method: Method) -> Request<String> {
    let mut request = Request::new("body".to_owned());
    *request.method_mut() = method;
    request
}

async fn through_layer(
    layer: RetryLayer,
    flaky: &Flaky,
    request: Request<String>,
) -> (Result<Response<()>, RetryError>, Duration) {
    let started = now();
    let outcome = layer.layer(flaky.clone()).oneshot(request).await;
    (outcome, started.elapsed())
}

/// 200 ms doubling, without jitter, four attempts.
fn layer() -> RetryLayer {
    RetryLayer::new(Policy::default())
}

#[tokio::test(start_paused = true)]
async fn the_layer_waits_as_the_policy_says_and_sends_the_same_body() {
    let flaky = Flaky::new(&[Act::Fail, Act::Answer(503), Act::Busy(7), Act::Answer(200)]);
    let (outcome, took) = through_layer(layer(), &flaky, request(Method::GET)).await;
    assert_eq!(outcome.unwrap().status(), 200);
    assert_eq!(took, ms(200) + ms(400) + secs(7));
    assert_eq!(flaky.bodies(), ["body"; 4]);
}

#[tokio::test(start_paused = true)]
async fn tower_s_own_layer_with_our_policy_does_the_same() {
    let flaky = Flaky::new(&[Act::Fail, Act::Answer(503), Act::Busy(7), Act::Answer(200)]);
    let retry = tower::retry::RetryLayer::new(Retries::new(Policy::default()));
    let started = now();
    let response = retry.layer(flaky.clone()).oneshot(request(Method::GET)).await.unwrap();
    assert_eq!((response.status().as_u16(), started.elapsed()), (200, ms(7_600)));
    assert_eq!(flaky.bodies(), ["body"; 4]);
}

#[tokio::test(start_paused = true)]
async fn a_response_that_another_attempt_would_get_again_is_the_caller_s() {
    for status in [200, 301, 404] {
        let flaky = Flaky::new(&[Act::Answer(status)]);
        let (outcome, took) = through_layer(layer(), &flaky, request(Method::GET)).await;
        assert_eq!((outcome.unwrap().status().as_u16(), took), (status, Duration::ZERO));
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_response_and_the_last_error_are_the_caller_s() {
    let flaky = Flaky::new(&[Act::Answer(503); 4]);
    let (outcome, _) = through_layer(layer(), &flaky, request(Method::GET)).await;
    assert_eq!(outcome.unwrap().status(), 503);

    let flaky = Flaky::new(&[Act::Fail; 4]);
    let (outcome, _) = through_layer(layer(), &flaky, request(Method::GET)).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.stop_reason(), Some(&StopReason::Attempts { made: 4 }));
    assert_eq!(error.to_string(), "request failed after 4 attempts");
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "the wire broke");
}

#[tokio::test(start_paused = true)]
async fn a_write_is_repeated_only_with_a_key_or_if_the_caller_vouches() {
    let acts = [Act::Fail, Act::Answer(200)];
    let (outcome, _) = through_layer(layer(), &Flaky::new(&acts), request(Method::POST)).await;
    assert_eq!(outcome.unwrap_err().stop_reason(), Some(&StopReason::Unsafe));

    let mut keyed = request(Method::POST);
    keyed.headers_mut().insert("idempotency-key", "7".parse().unwrap());
    let (outcome, _) = through_layer(layer(), &Flaky::new(&acts), keyed).await;
    assert_eq!(outcome.unwrap().status(), 200);

    let vouched = layer().with_safety(RetrySafety::Default);
    let (outcome, _) = through_layer(vouched, &Flaky::new(&acts), request(Method::POST)).await;
    assert_eq!(outcome.unwrap().status(), 200);

    let policy = Retries::new(Policy::default());
    let retry = tower::retry::RetryLayer::new(policy);
    let flaky = Flaky::new(&acts);
    retry.layer(flaky.clone()).oneshot(request(Method::POST)).await.unwrap_err();
    assert_eq!(flaky.bodies().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_can_be_sent_only_once_is_sent_once_and_the_caller_is_told() {
    let once = || layer().with_replay(|_: &Request<String>| None);

    let flaky = Flaky::new(&[Act::Fail]);
    let error = once().layer(flaky.clone()).oneshot(request(Method::GET)).await.unwrap_err();
    assert!(error.was_not_repeatable());
    assert_eq!(
        error.to_string(),
        "request failed after 1 attempt, the request's body cannot be sent again"
    );

    let flaky = Flaky::new(&[Act::Answer(503)]);
    let response = once().layer(flaky.clone()).oneshot(request(Method::GET)).await.unwrap();
    assert_eq!(response.status(), 503);
    assert_eq!(response.extensions().get(), Some(&BodyNotRepeatable));
    assert_eq!(flaky.bodies(), ["body"]);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_not_ready_costs_an_attempt_and_no_body() {
    let flaky = Flaky::new(&[Act::Fail, Act::Unready, Act::Answer(200)]);
    let (outcome, took) = through_layer(layer(), &flaky, request(Method::GET)).await;
    assert_eq!((outcome.unwrap().status().as_u16(), took), (200, ms(600)));
    assert_eq!(flaky.bodies(), ["body"; 2]);

    let flaky = Flaky::new(&[Act::Unready]);
    let (outcome, _) = through_layer(layer(), &flaky, request(Method::GET)).await;
    assert_eq!(outcome.unwrap_err().attempts(), 0);
}

#[tokio::test(start_paused = true)]
async fn no_attempt_starts_after_the_policy_s_time() {
    let flaky = Flaky::new(&[Act::Fail; 2]);
    let limited = RetryLayer::new(Policy::default().with_max_elapsed(ms(500)));
    let (outcome, took) = through_layer(limited, &flaky, request(Method::GET)).await;
    assert!(matches!(outcome.unwrap_err().stop_reason(), Some(StopReason::Elapsed { .. })));
    assert_eq!(took, ms(200));
}

#[tokio::test]
async fn reqwest_is_a_service_too() {
    // Nothing listens on port 1: each attempt fails at once.
    let policy = Policy::default().try_with_max_attempts(2).unwrap();
    let service = RetryLayer::new(policy).layer(reqwest::Client::new());
    let send = |method, url: &str| {
        let request = reqwest::Request::new(method, url.parse().unwrap());
        service.clone().oneshot(request)
    };

    let error = send(Method::GET, "http://127.0.0.1:1/").await.unwrap_err();
    assert_eq!(error.attempts(), 2);
    // What never left may be sent again, whatever it is.
    let error = send(Method::POST, "http://127.0.0.1:1/").await.unwrap_err();
    assert_eq!(error.attempts(), 2);
    // What can never be sent may not.
    let error = send(Method::GET, "gopher://127.0.0.1/").await.unwrap_err();
    assert_eq!(error.stop_reason(), Some(&StopReason::NotRetryable));
}
