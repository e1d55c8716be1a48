//! A span for each request, as a subscriber writes it down when the span ends.
//!
//! ```sh
//! cargo run -p api-pool --example spans --features spans
//! ```
//!
//! The server answers the first request with 503 and resets the connection of the third, so each
//! of the two calls has two spans, the second of which counts as sent again. To send them to a
//! collector, put `tracing-opentelemetry` in this subscriber's place: the names are its.

use std::{error::Error, io, sync::Arc};

use api_pool::{CallPolicy, ResilientClient, Spans};
use demo_api::{Config, DemoServer};
use tracing::{Instrument as _, Subscriber, info_span, instrument::WithSubscriber as _};
use tracing_subscriber::fmt::{MakeWriter, format::FmtSpan};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    run().with_subscriber(subscriber(io::stdout)).await
}

/// Writes a line for each span that ends.
fn subscriber(
    writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static,
) -> impl Subscriber + Send + Sync {
    let builder = tracing_subscriber::fmt().with_span_events(FmtSpan::CLOSE).with_writer(writer);
    builder.without_time().with_target(false).with_ansi(false).finish()
}

async fn run() -> Outcome<()> {
    let server = DemoServer::start(Config::new().faults("503@#1; reset@#3".parse()?))?;
    let url = server.url();
    let client = ResilientClient::builder().observer("airports", Arc::new(Spans)).build();

    // Neither the path nor the query is in a span, so nor is the key.
    for (name, path) in [("list", "/airports?_limit=3&api_key=s3cret"), ("show", "/airports/ORD")] {
        client
            .execute_read(&CallPolicy::essential(), |http| http.get(format!("{url}{path}")))
            .instrument(info_span!("screen", name))
            .await?;
    }
    server.shutdown().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn each_request_has_a_span_inside_the_caller_s() {
        let lines = Lines::default();
        let writer = lines.clone();
        run().with_subscriber(subscriber(move || writer.clone())).await.unwrap();

        let bytes = lines.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let text = String::from_utf8(bytes).unwrap();
        let requests: Vec<&str> =
            text.lines().filter(|line| line.contains("http_client_request{")).collect();
        assert_eq!(requests.len(), 4, "{text}");
        let expected = [
            ["name=\"list\"", "http.response.status_code=503 error.type=503"],
            ["name=\"list\"", "http.request.resend_count=1 http.response.status_code=200"],
            ["name=\"show\"", "error.type=\"transport\" otel.status_code=\"ERROR\""],
            ["name=\"show\"", "http.request.resend_count=1 http.response.status_code=200"],
        ];
        for (line, texts) in requests.iter().zip(expected) {
            assert!(texts.iter().all(|text| line.contains(text)), "{line}");
        }
        assert!(!text.contains("s3cret") && !text.contains("ORD"), "{text}");
    }
}
