//! One call, with retry and a limit on the rate.

use std::{
    future::{Ready, ready},
    time::Duration,
};

use tower::{Service, ServiceBuilder, ServiceExt, retry::Policy};

#[derive(Clone)]
struct Attempts(u32);

impl<Q: Clone, A, E> Policy<Q, A, E> for Attempts {
    type Future = Ready<()>;

    fn retry(&mut self, _request: &mut Q, result: &mut Result<A, E>) -> Option<Ready<()>> {
        if result.is_ok() {
            return None;
        }
        self.0 = self.0.checked_sub(1)?;
        Some(ready(()))
    }

    fn clone_request(&mut self, request: &Q) -> Option<Q> {
        Some(request.clone())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), reqwest::Error> {
    let http = reqwest::Client::new();
    let mut client = ServiceBuilder::new()
        .rate_limit(50, Duration::from_secs(1))
        .retry(Attempts(4))
        .service(tower::service_fn(move |url: &'static str| http.get(url).send()));
    let response = client.ready().await?.call("http://127.0.0.1:1/").await?;
    println!("{}", response.status());
    Ok(())
}
