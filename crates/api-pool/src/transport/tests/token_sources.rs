//! What is kept of an error of reqwest's that a token source ends with.

use std::sync::Arc;

use crate::ErrorKind;
use crate::auth::{Credentials, Token, TokenSource};

fn bearer(source: impl TokenSource + 'static) -> Credentials {
    Credentials::new(Arc::new(source), "Authorization", "Bearer ")
}

/// What the token endpoint's refusal comes to in a source that uses `$reqwest`.
macro_rules! refusal {
    ($reqwest:ident) => {{
        use $reqwest::ResponseBuilderExt;
        let url = "https://id.example/token?secret=CANARY".parse().expect("a URL");
        let response = http::Response::builder().status(400).url(url).body("").expect("a response");
        let error = $reqwest::Response::from(response).error_for_status().expect_err("it is 400");
        assert!(error.to_string().contains("CANARY"));
        error
    }};
}

async fn assert_kept_without_url(credentials: Credentials) {
    let failure = credentials.ready().await.expect_err("it is refused");
    assert_eq!(
        failure.kind(),
        ErrorKind::Auth("HTTP status client error (400 Bad Request)".to_owned())
    );
    let source = failure.into_source().expect("it is the source's own");
    assert!(!format!("{source} {source:?}").contains("id.example"), "{source:?}");
}

#[tokio::test(start_paused = true)]
async fn an_error_of_reqwest_s_is_kept_without_its_url() {
    assert_kept_without_url(bearer(|| async { Err::<Token, _>(refusal!(reqwest)) })).await;
    #[cfg(feature = "reqwest013")]
    assert_kept_without_url(bearer(|| async { Err::<Token, _>(refusal!(reqwest013)) })).await;
}

#[cfg(feature = "anyhow")]
#[tokio::test(start_paused = true)]
async fn so_it_is_where_the_contracts_refresher_hands_it_on() {
    use crate::auth::{AuthRefresher, from_refresher};

    let refresher: AuthRefresher = Arc::new(|| Box::pin(async { Err(refusal!(reqwest).into()) }));
    let source = from_refresher(refresher);
    assert_kept_without_url(Credentials::new(source, "Authorization", "Bearer ")).await;
}
