//! One call, with retry.

use reqwest_middleware::{ClientBuilder, Error};
use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let policy = ExponentialBackoff::builder().build_with_max_retries(4);
    let client = ClientBuilder::new(reqwest::Client::new())
        .with(RetryTransientMiddleware::new_with_policy(policy))
        .build();
    let response = client.get("http://127.0.0.1:1/").send().await?;
    println!("{}", response.status());
    Ok(())
}
