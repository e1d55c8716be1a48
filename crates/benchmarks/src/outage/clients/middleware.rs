//! `reqwest-retry` over a middleware that answers in the place of the network.

use std::sync::{Arc, Mutex};

use reqwest::{Request, Response, StatusCode};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Middleware, Next};
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};

use super::{BASE, CAP, Calls, Server, call, sleep};

const URL: &str = "http://api.test/airports";

pub(super) fn with_reqwest_retry(server: &Arc<Mutex<Server>>) -> Calls {
    let policy = ExponentialBackoff::builder().retry_bounds(BASE, CAP);
    let retry = RetryTransientMiddleware::new_with_policy(policy.build_with_max_retries(u32::MAX));
    let essential = ClientBuilder::new(reqwest::Client::new())
        .with(retry)
        .with(Answers(Arc::clone(server)))
        .build();
    let once = ClientBuilder::new(reqwest::Client::new()).with(Answers(Arc::clone(server))).build();
    Calls {
        essential: call(move || {
            let client = essential.clone();
            async move {
                assert!(get(&client).await.is_success(), "it does not give up");
            }
        }),
        background: call(move || {
            let client = once.clone();
            async move {
                let _ = get(&client).await;
            }
        }),
    }
}

async fn get(client: &ClientWithMiddleware) -> StatusCode {
    client.get(URL).send().await.expect("the server answers").status()
}

/// The server, as the innermost middleware.
struct Answers(Arc<Mutex<Server>>);

#[async_trait::async_trait]
impl Middleware for Answers {
    async fn handle(
        &self,
        _request: Request,
        _extensions: &mut http::Extensions,
        _next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let answer = self.0.lock().expect("no panic").answer();
        sleep(answer.latency).await;
        let status = if answer.served { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
        let response = http::Response::builder().status(status).body("");
        Ok(response.expect("a status is a response").into())
    }
}
