//! One call, with retry and breaker.

use api_pool::{CallPolicy, ClientError, ResilientClient};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ClientError> {
    let client = ResilientClient::builder().default_breaker().build();
    let policy = CallPolicy::background();
    let response = client.execute_with(&policy, |http| http.get("http://127.0.0.1:1/")).await?;
    println!("{}", response.status());
    Ok(())
}
