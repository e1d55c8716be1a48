//! A paginated extract loses no row and repeats none, whatever the server does.
//!
//! The code under test is the example `extract`, against real sockets.

#[path = "../examples/extract.rs"]
#[expect(dead_code, reason = "the test drives the extract without the program round it")]
mod extract;

use std::{io, num::NonZeroU32, time::Duration};

use api_pool::{Policy, Retryable};
use demo_api::{Config, DemoServer, FaultPlan, Row, airports};
use extract::{Extract, ExtractError, PAGE_SIZE};
use retry_core::{Backoff, Jitter, RetryAfterRule, http::Class};

fn impatient() -> Policy {
    Policy::new(Backoff::constant(Duration::from_millis(1)))
        .with_jitter(Jitter::None)
        .with_max_attempts(NonZeroU32::MIN.saturating_add(2))
        .with_retry_after(RetryAfterRule::Ignore)
}

fn serve(faults: &str, seed: u64) -> DemoServer {
    let plan: FaultPlan = faults.parse().expect("a fault plan");
    DemoServer::start(Config::new().faults(plan.with_seed(seed))).expect("a free port")
}

fn extract(server: &DemoServer, path: &str) -> Extract {
    Extract::new(reqwest::Client::new(), format!("{}{path}", server.url()))
}

#[track_caller]
fn assert_every_row_once(out: &[u8]) {
    let rows: Vec<Row> =
        serde_json::Deserializer::from_slice(out).into_iter().map(Result::unwrap).collect();
    assert_eq!(rows.len(), airports().len());
    assert!(rows == airports(), "a row differs");
}

#[tokio::test]
async fn no_row_is_lost_or_repeated_under_seeded_faults() {
    let pages = airports().len() as u64 / PAGE_SIZE as u64 + 1;
    let mut resumed = 0;
    for seed in 0..20 {
        let server = serve("503@15%; 429@10%; reset@10%; truncate@10%; close@5%", seed);
        let mut extract = extract(&server, "/airports");
        let mut out = Vec::new();
        while let Err(error) = extract.run(impatient(), &mut out).await {
            assert!(error.is_transient(), "{error:?}");
            resumed += 1;
        }
        assert_every_row_once(&out);
        let stats = server.stats();
        let failed: u64 = stats
            .outcomes()
            .filter(|(outcome, _)| *outcome != demo_api::Outcome::status(200).unwrap())
            .map(|(_, count)| count)
            .sum();
        // Every page succeeded once: nothing was asked for again that had arrived.
        assert_eq!(stats.requests(), pages + failed);
    }
    // Half of the requests fail, so 1 page in 8 uses up its three attempts.
    assert!(resumed > 20, "only {resumed} pages used their attempts up");
}

#[tokio::test]
async fn an_extract_goes_on_with_the_page_that_failed() {
    // The first page is request 1; the three attempts at the second are 2 to 4.
    let server = serve("503@#2-4", 0);
    let mut extract = extract(&server, "/airports");
    let mut out = Vec::new();
    let error = extract.run(impatient(), &mut out).await.unwrap_err();
    assert!(matches!(error, ExtractError::Status { status: 503, class: Class::Network, .. }));
    assert_eq!((extract.page(), extract.rows()), (2, PAGE_SIZE));
    assert_eq!(server.stats().requests(), 4);

    extract.run(impatient(), &mut out).await.unwrap();
    assert_every_row_once(&out);
    assert_eq!(server.stats().requests(), 4 + 33);
}

#[tokio::test]
async fn what_cannot_pass_stops_the_extract_at_once() {
    for (status, class) in
        [(400, Class::Permanent), (401, Class::Auth), (403, Class::Auth), (408, Class::Permanent)]
    {
        let server = serve(&format!("{status}@#2"), 0);
        let mut extract = extract(&server, "/airports");
        let error = extract.run(impatient(), &mut Vec::new()).await.unwrap_err();
        assert!(
            matches!(error, ExtractError::Status { status: s, class: c, .. } if s == status && c == class),
            "{error:?}"
        );
        assert_eq!(server.stats().requests(), 2);
    }

    let server = serve("", 0);
    let mut broken = extract(&server, "/broken/html");
    let error = broken.run(impatient(), &mut Vec::new()).await.unwrap_err();
    assert!(matches!(error, ExtractError::Parse(_)), "{error:?}");
    assert_eq!(server.stats().requests(), 1);
}

#[tokio::test]
async fn a_servers_hint_is_read_from_the_answer() {
    let server = serve(r#"429@#1-3 retry-after="3600""#, 0);
    let mut extract = extract(&server, "/airports");
    let error = extract.run(impatient(), &mut Vec::new()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3_600)));
}

#[tokio::test]
async fn rows_are_written_as_their_page_arrives_and_a_full_disk_is_survived() {
    /// Takes so many rows, then fails once.
    struct Disk {
        rows: Vec<u8>,
        room: usize,
    }

    impl io::Write for Disk {
        fn write(&mut self, row: &[u8]) -> io::Result<usize> {
            self.room = match self.room.checked_sub(1) {
                Some(room) => room,
                None => {
                    self.room = usize::MAX;
                    return Err(io::ErrorKind::StorageFull.into());
                }
            };
            self.rows.extend_from_slice(row);
            Ok(row.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let server = serve("", 0);
    let mut extract = extract(&server, "/airports");
    let mut disk = Disk { rows: Vec::new(), room: PAGE_SIZE + 42 };
    let error = extract.run(impatient(), &mut disk).await.unwrap_err();
    assert!(matches!(error, ExtractError::Write(_)), "{error:?}");
    // The second page was not yet through, and no third one had been asked for.
    assert_eq!((extract.page(), extract.rows()), (2, PAGE_SIZE + 42));
    assert_eq!(server.stats().requests(), 2);

    extract.run(impatient(), &mut disk).await.unwrap();
    assert_every_row_once(&disk.rows);
}
