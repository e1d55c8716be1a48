//! One call, with retry, breaker and a limit on the rate.

use vantage_api_pool::{CallPolicy, ResilientClient};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = ResilientClient::builder().default_breaker().rate_limit(50.0).build();
    let policy = CallPolicy::background();
    match client.execute_with(&policy, |http| http.get("http://127.0.0.1:1/")).await {
        Ok(response) => println!("{}", response.status()),
        Err(error) => println!("{error}"),
    }
}
