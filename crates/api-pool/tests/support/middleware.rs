//! What holds for a stack over either line of reqwest: `line` and `stack` are the test's.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use api_pool::{
    BodyNotRepeatable, CallPolicy, ClientError, ErrorKind, PoolMiddleware, ResilientClient,
    ResilientClientBuilder, RetryPolicy,
};
use http::Extensions;

use crate::line;
use crate::stack::{self, ClientBuilder, ClientWithMiddleware, Error, Middleware, Next};
use crate::support::{Recorder, URL, ms, now, secs, sleep};

/// What the rest of the stack does with a request.
#[derive(Clone, Copy)]
enum Act {
    Answer(u16),
    Fail,
    Hang,
}

/// The rest of the stack: does what it is told, and writes down what arrives.
#[derive(Clone)]
struct Rest {
    acts: Arc<Mutex<Vec<Act>>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Rest {
    fn new(acts: &[Act]) -> Self {
        let acts = acts.iter().rev().copied().collect();
        Self { acts: Arc::new(Mutex::new(acts)), seen: Arc::default() }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no test panics while writing").clone()
    }
}

#[async_trait::async_trait]
impl Middleware for Rest {
    async fn handle(
        &self,
        request: line::Request,
        _: &mut Extensions,
        _: Next<'_>,
    ) -> stack::Result<line::Response> {
        let token = request.headers().get("authorization").and_then(|value| value.to_str().ok());
        let line = format!("{} {}", request.method(), token.unwrap_or("-"));
        self.seen.lock().expect("no test panics while writing").push(line);
        let act = self.acts.lock().expect("no test panics here").pop().expect("one more act");
        match act {
            Act::Answer(status) => {
                let response = http::Response::builder().status(status).header("x-from", "server");
                Ok(response.body(format!("body of {status}")).expect("a status").into())
            }
            Act::Fail => Err(Error::Middleware(anyhow::anyhow!("key=s3cret"))),
            Act::Hang => {
                sleep(secs(1_000_000)).await;
                Err(Error::Middleware(anyhow::anyhow!("too late")))
            }
        }
    }
}

fn builder() -> ResilientClientBuilder<line::Client> {
    ResilientClient::builder().entropy(|| 0).default_transport()
}

fn over(pool: PoolMiddleware<line::Client>, rest: &Rest) -> ClientWithMiddleware {
    ClientBuilder::new(line::Client::new()).with(pool).with(rest.clone()).build()
}

fn client_error(error: &Error) -> &ClientError {
    match error {
        Error::Middleware(error) => error.downcast_ref().expect("the cause is ours"),
        Error::Reqwest(error) => panic!("{error}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_is_retried_and_the_answer_is_the_server_s() {
    let rest = Rest::new(&[Act::Answer(503), Act::Fail, Act::Answer(200)]);
    let client = over(PoolMiddleware::new(builder()), &rest);
    let started = now();

    let response = client.get(URL).send().await.unwrap();

    assert_eq!(response.headers()["x-from"], "server");
    assert_eq!(response.text().await.unwrap(), "body of 200");
    assert_eq!(started.elapsed(), ms(50) + ms(100));
    assert_eq!(rest.seen(), ["GET -"; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_a_response_with_its_body() {
    for (acts, status) in [(vec![Act::Answer(404)], 404), (vec![Act::Answer(503); 5], 503)] {
        let client = over(PoolMiddleware::new(builder()), &Rest::new(&acts));
        let response = client.get(URL).send().await.unwrap();
        assert_eq!(response.status(), status);
        assert_eq!(response.text().await.unwrap(), format!("body of {status}"));
    }
}

#[tokio::test(start_paused = true)]
async fn breaker_observer_and_credentials_are_the_client_s() {
    let recorder = Recorder::new();
    let builder = builder()
        .circuit_breaker(1, secs(5))
        .observer("airports", recorder.clone())
        .bearer_tokens(|| async { Ok::<_, std::io::Error>("token".to_owned()) });
    let pool = PoolMiddleware::new(builder).with_policy(CallPolicy::background());
    let rest = Rest::new(&[Act::Answer(503)]);
    let client = over(pool, &rest);

    assert_eq!(client.get(URL).send().await.unwrap().status(), 503);
    let error = client.get(URL).send().await.unwrap_err();

    assert_eq!(client_error(&error).kind, ErrorKind::BreakerOpen);
    assert_eq!(rest.seen(), ["GET Bearer token"]);
    assert_eq!(recorder.count("opened for 5s"), 1);
    recorder.assert_paired();
}

#[tokio::test(start_paused = true)]
async fn a_request_may_bring_its_own_policy() {
    let rest = Rest::new(&[Act::Answer(503); 9]);
    let client = over(PoolMiddleware::new(builder()), &rest);
    let once = CallPolicy::background();
    assert_eq!(client.get(URL).with_extension(once).send().await.unwrap().status(), 503);
    assert_eq!(rest.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_hangs_is_dropped_and_the_next_one_sent() {
    let rest = Rest::new(&[Act::Hang, Act::Answer(200)]);
    let policy = CallPolicy::bounded(RetryPolicy::new(1, ms(10), secs(1)));
    let pool = PoolMiddleware::new(builder()).with_policy(policy.with_attempt_timeout(secs(2)));
    let started = now();

    let response = over(pool, &rest).get(URL).send().await.unwrap();

    assert_eq!((response.status().as_u16(), started.elapsed()), (200, secs(2) + ms(10)));
}

#[tokio::test(start_paused = true)]
async fn a_call_past_its_deadline_ends_while_the_stack_hangs() {
    let rest = Rest::new(&[Act::Hang]);
    let pool =
        PoolMiddleware::new(builder()).with_policy(CallPolicy::essential().with_deadline(secs(3)));
    let started = now();

    let error = over(pool, &rest).get(URL).send().await.unwrap_err();

    assert_eq!(client_error(&error).kind, ErrorKind::Deadline);
    assert_eq!(started.elapsed(), secs(3));
}

#[tokio::test(start_paused = true)]
async fn a_write_is_not_repeated_without_a_key() {
    let rest = Rest::new(&[Act::Fail, Act::Fail, Act::Answer(200)]);
    let client = over(PoolMiddleware::new(builder()), &rest);

    let error = client.post(URL).body("x").send().await.unwrap_err();
    assert_eq!(client_error(&error).kind_name(), "transport");
    assert!(!error.to_string().contains("s3cret"));
    assert_eq!(rest.seen().len(), 1);

    client.post(URL).header("idempotency-key", "7").body("x").send().await.unwrap();
    assert_eq!(rest.seen().len(), 3);
}

/// A body that comes off a wire, as far as reqwest knows.
fn stream() -> line::Body {
    line::Response::from(http::Response::new("chunk")).into()
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_sent_once_and_the_caller_is_told() {
    let rest = Rest::new(&[Act::Fail, Act::Answer(503), Act::Answer(404)]);
    let client = over(PoolMiddleware::new(builder()), &rest);

    let error = client.put(URL).body(stream()).send().await.unwrap_err();
    assert_eq!(error.to_string(), "the request's body cannot be sent again");
    assert_eq!(client_error(&error).kind_name(), "transport");

    let response = client.put(URL).body(stream()).send().await.unwrap();
    assert_eq!(response.status(), 503);
    assert_eq!(response.extensions().get(), Some(&BodyNotRepeatable));

    let response = client.put(URL).body(stream()).send().await.unwrap();
    assert_eq!(
        (response.status().as_u16(), response.extensions().get::<BodyNotRepeatable>()),
        (404, None)
    );
    assert_eq!(rest.seen().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_a_new_token_came_too_late_for_ends_with_the_401() {
    for next in [Ok("new"), Err("no more tokens")] {
        let asked = AtomicUsize::new(0);
        let source = move || {
            let first = asked.fetch_add(1, Ordering::Relaxed) == 0;
            async move { if first { Ok("old") } else { next } }
        };
        let rest = Rest::new(&[Act::Answer(401)]);
        let client = over(PoolMiddleware::new(builder().bearer_tokens(source)), &rest);

        let response = client.put(URL).body(stream()).send().await.unwrap();

        assert_eq!(response.status(), 401);
        assert_eq!(response.extensions().get(), Some(&BodyNotRepeatable));
        assert_eq!(response.text().await.unwrap(), "body of 401");
        assert_eq!(rest.seen(), ["PUT Bearer old"]);
    }
}
