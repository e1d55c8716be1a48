//! The program of the guide to moving over compiles against the pool that it comes from and
//! against ours, word for word.

use std::sync::Arc;

macro_rules! program {
    ($pool:ident) => {
        mod $pool {
            use ::$pool::{
                AuthRefresher, CallPolicy, ClientError, ResilientClient, TransportEvent,
                TransportObserver,
            };

            use super::Arc;

            pub(crate) struct Log;

            impl TransportObserver for Log {
                fn on_event(&self, key: &str, event: TransportEvent) {
                    if let TransportEvent::BreakerOpened { cooldown, .. } = event {
                        println!("{key}: down for {cooldown:?}");
                    }
                }
            }

            pub(crate) fn client(refresher: AuthRefresher) -> ResilientClient {
                ResilientClient::builder()
                    .max_parallel(4)
                    .default_breaker()
                    .bearer_auth(refresher)
                    .observer("airports", Arc::new(Log))
                    .build()
            }

            pub(crate) async fn airports(
                client: &ResilientClient,
                url: &str,
            ) -> Result<reqwest::Response, ClientError> {
                client.execute_with(&CallPolicy::essential(), |http| http.get(url)).await
            }
        }
    };
}

program!(api_pool);
program!(vantage_api_pool);

/// Answers one request with `200`, and returns it.
fn serve() -> (String, std::thread::JoinHandle<String>) {
    use std::io::{Read as _, Write as _};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/airports", listener.local_addr().expect("bound"));
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let (mut request, mut part) = (Vec::new(), [0; 1024]);
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            let length = stream.read(&mut part).expect("a request");
            request.extend_from_slice(&part[..length]);
        }
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n[]";
        stream.write_all(answer).expect("the client listens");
        String::from_utf8(request).expect("a request is text")
    });
    (url, served)
}

#[test]
fn the_same_program_sends_the_same_request_through_both_pools() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let (url, served) = serve();
    let token: ::api_pool::AuthRefresher = Arc::new(|| Box::pin(async { Ok("token".to_owned()) }));
    let client = api_pool::client(token);
    runtime.block_on(api_pool::airports(&client, &url)).expect("it is up");
    let ours = served.join().expect("it served");

    let (url, served) = serve();
    let token: ::vantage_api_pool::AuthRefresher =
        Arc::new(|| Box::pin(async { Ok("token".to_owned()) }));
    let client = vantage_api_pool::client(token);
    runtime.block_on(vantage_api_pool::airports(&client, &url)).expect("it is up");
    let theirs = served.join().expect("it served");

    assert!(ours.to_lowercase().contains("authorization: bearer token"));
    let lines = |request: &str| {
        let own = |line: &&str| !line.to_lowercase().starts_with("host:");
        let mut lines: Vec<_> = request.lines().filter(own).map(str::to_lowercase).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(lines(&ours), lines(&theirs));
}
