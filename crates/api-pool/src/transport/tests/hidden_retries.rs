//! Every attempt is one that the executor made.

use std::time::Duration;

use super::frames::{Act, FrameServer, REFUSED_STREAM, Request};
use super::like_the_default;
use crate::{CallPolicy, RetryPolicy};

#[tokio::test]
async fn the_default_settings_hide_no_retry() {
    let server = FrameServer::start(|Request { stream, .. }| {
        vec![Act::Reset { stream, code: REFUSED_STREAM }]
    })
    .await;
    let client = like_the_default(reqwest::ClientBuilder::http2_prior_knowledge);
    let policy = CallPolicy::bounded(RetryPolicy::new(2, Duration::ZERO, Duration::ZERO));

    let error = client.execute_read(&policy, |http| http.post(server.url())).await.unwrap_err();

    assert_eq!((error.attempts, server.requests()), (3, 3));
}
