//! One call, by reqwest alone.

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), reqwest::Error> {
    let response = reqwest::Client::new().get("http://127.0.0.1:1/").send().await?;
    println!("{}", response.status());
    Ok(())
}
