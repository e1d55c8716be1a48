//! Settings of a rate that make no sense are repaired, and the log says so.

#![cfg(feature = "rate-limit")]

mod support;

use api_pool::{ResilientClient, TokenBucket};
use support::{URL, now, secs, statuses};
use test_support::Capture;

#[tokio::test(start_paused = true)]
async fn a_rate_that_makes_no_sense_is_one_request_in_a_thousand_seconds_and_is_logged() {
    for (rate, shown) in [(0.0, "is 0,"), (f64::NAN, "is NaN,"), (-1.0, "is -1,")] {
        let capture = Capture::start();
        let client =
            ResilientClient::builder().transport(statuses([200, 200])).rate_limit(rate).build();
        assert!(capture.text().contains(shown), "{}", capture.text());
        let started = now();

        for _ in 0..2 {
            client.execute(|http| http.get(URL)).await.unwrap();
        }

        assert_eq!(started.elapsed(), secs(1000));
    }
}

#[test]
fn a_sensible_rate_is_not_logged_and_a_repaired_burst_is() {
    let capture = Capture::start();
    let _ = TokenBucket::new(10.0, 1);
    assert_eq!(capture.text(), "");
    let _ = TokenBucket::new(10.0, 0);
    assert!(capture.text().contains("`burst` is 0"), "{}", capture.text());
}
