//! A redirect is followed to where the request went, and nowhere else.

#[path = "support/wire.rs"]
mod wire;

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use api_pool::{AuthRefresher, ClientError, Fate, ReadResponse, ResilientClient};
use test_support::{FaultServer, Script, answer};
use wire::{Tally, answering, careful, ok, serve, watched};

const STATUSES: [u16; 5] = [301, 302, 303, 307, 308];

/// What must not reach another origin, one text for each way out.
const SECRETS: [&str; 5] = ["c-token", "c-key", "c-idempotency", "c-cookie", "c-body"];

/// A client with a token, over the default HTTP client.
fn authenticated(tally: &Arc<Tally>) -> ResilientClient {
    watched(tally).bearer_tokens(|| async { Ok::<_, Infallible>(SECRETS[0]) }).build()
}

async fn order(client: &ResilientClient, url: &str) -> Result<ReadResponse, ClientError> {
    let build = |http: &reqwest::Client| {
        http.post(url)
            .header("X-Api-Key", SECRETS[1])
            .header("Idempotency-Key", SECRETS[2])
            .header("Cookie", SECRETS[3])
            .body(SECRETS[4])
    };
    client.execute_read(&careful(0), build).await
}

/// Redirects the first request on each connection to `target`, and answers the others.
async fn redirecting(status: u16, target: &str) -> FaultServer {
    let redirect = answer(status, &[("location", target)], "elsewhere");
    serve(move |_| Script::new().read_request().send(redirect.clone()).read_request().send(ok()))
        .await
}

fn text(request: &[u8]) -> String {
    String::from_utf8_lossy(request).into_owned()
}

#[tokio::test]
async fn nothing_goes_to_another_port() {
    for status in STATUSES {
        let other = answering(ok()).await;
        let server = redirecting(status, &other.url()).await;
        let tally = Tally::new();

        let error = order(&authenticated(&tally), &server.url()).await.unwrap_err();

        assert_eq!((error.status(), error.fate()), (Some(status), Fate::Processed));
        assert_eq!(error.body.as_deref(), Some("elsewhere"));
        assert_eq!(other.seen().connections(), 0, "{status}");
        assert_eq!((server.seen().requests(), tally.sent()), (1, 1));
    }
}

#[tokio::test]
async fn nothing_goes_to_another_name_of_the_same_machine() {
    for status in STATUSES {
        // The server's own port, under the other name; known once the server is there.
        let target = Arc::new(OnceLock::<String>::new());
        let location = Arc::clone(&target);
        let server = serve(move |_| {
            let location = location.get().map_or("/", String::as_str);
            let redirect = answer(status, &[("location", location)], "");
            Script::new().read_request().send(redirect).forever()
        })
        .await;
        target.set(format!("http://localhost:{}/", server.address().port())).unwrap();

        let error = order(&authenticated(&Tally::new()), &server.url()).await.unwrap_err();

        assert_eq!(error.status(), Some(status));
        assert_eq!(server.seen().requests(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_way_round_over_the_own_origin_ends_there_too() {
    let other = answering(ok()).await;
    let away = answer(307, &[("location", &other.url())], "");
    let near = answer(307, &[("location", "/near")], "");
    let server = serve(move |_| {
        Script::new().read_request().send(near.clone()).read_request().send(away.clone())
    })
    .await;

    let error = order(&authenticated(&Tally::new()), &server.url()).await.unwrap_err();

    assert_eq!(error.status(), Some(307));
    assert_eq!((server.seen().requests(), other.seen().connections()), (2, 0));
}

#[tokio::test]
async fn the_own_origin_is_followed_with_everything_that_belongs_there() {
    for status in STATUSES {
        let server = redirecting(status, "/moved").await;

        let response = order(&authenticated(&Tally::new()), &server.url()).await.unwrap();

        assert_eq!(response.body(), "fine");
        let seen = server.seen();
        let [_, second] = seen.recorded() else { panic!("{status}: {seen:?}") };
        let second = text(second);
        let keeps_method = matches!(status, 307 | 308);
        let start = if keeps_method { "POST /moved " } else { "GET /moved " };
        assert!(second.starts_with(start), "{status}: {second}");
        for secret in &SECRETS[..4] {
            assert!(second.contains(secret), "{status}: {second}");
        }
        assert_eq!(second.contains(SECRETS[4]), keeps_method, "{status}: {second}");
    }
}

#[tokio::test]
async fn a_user_in_the_target_neither_replaces_the_token_nor_leads_elsewhere() {
    let other = answering(ok()).await;
    for status in STATUSES {
        // To the server's own port, known once the server is there, as somebody else.
        let target = Arc::new(OnceLock::<String>::new());
        let location = Arc::clone(&target);
        let server = serve(move |connection| match (connection, location.get()) {
            (0, Some(location)) => Script::answering(answer(status, &[("location", location)], "")),
            _ => Script::answering(ok()),
        })
        .await;
        target.set(server.url().replace("http://", "http://somebody:else@")).unwrap();

        order(&authenticated(&Tally::new()), &server.url()).await.unwrap();

        let seen = server.seen();
        let [_, second] = seen.recorded() else { panic!("{status}: {seen:?}") };
        let second = text(second).to_lowercase();
        assert!(second.contains("authorization: bearer c-token\r\n"), "{status}: {second}");
        assert_eq!(second.matches("authorization").count(), 1, "{status}: {second}");

        // Its own origin as a user of another one.
        let target = other.url().replace("http://", &format!("http://{}@", server.address()));
        let server = redirecting(status, &target).await;
        let error = order(&authenticated(&Tally::new()), &server.url()).await.unwrap_err();
        assert_eq!((error.status(), other.seen().connections()), (Some(status), 0));
    }
}

#[tokio::test]
async fn a_token_in_a_header_of_its_own_stays_with_the_own_origin_too() {
    let refresher: AuthRefresher = Arc::new(|| Box::pin(async { Ok(SECRETS[0].to_owned()) }));
    let client = || watched(&Tally::new()).auth(refresher.clone(), "X-Token", "Key=").build();
    for status in STATUSES {
        let other = answering(ok()).await;
        let server = redirecting(status, &other.url()).await;
        assert_eq!(order(&client(), &server.url()).await.unwrap_err().status(), Some(status));
        assert_eq!(other.seen().connections(), 0, "{status}");

        let server = redirecting(status, "/moved").await;
        order(&client(), &server.url()).await.unwrap();
        let seen = server.seen();
        let [_, second] = seen.recorded() else { panic!("{status}: {seen:?}") };
        assert!(text(second).to_lowercase().contains("x-token: key=c-token\r\n"), "{status}");
    }
}

/// As the documentation of `http_client` warns.
#[tokio::test]
async fn a_given_client_that_follows_redirects_takes_what_it_does_not_know_along() {
    let refresher: AuthRefresher = Arc::new(|| Box::pin(async { Ok(SECRETS[0].to_owned()) }));
    let given = || reqwest::Client::builder().no_proxy();
    let follows = watched(&Tally::new()).http_client(given().build().unwrap());
    let none = given().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let none = watched(&Tally::new()).http_client_without_redirects(none);
    for (builder, requests) in [(follows, 1), (none, 0)] {
        let other = answering(ok()).await;
        let server = redirecting(307, &other.url()).await;

        let client = builder.auth(refresher.clone(), "X-Token", "").build();
        let _ = order(&client, &server.url()).await;

        let seen = other.seen();
        assert_eq!(seen.requests(), requests);
        for request in seen.recorded().iter().map(|request| text(request)) {
            for (index, secret) in SECRETS.iter().enumerate() {
                // reqwest knows cookies.
                assert_eq!(request.contains(secret), index != 3, "{request}");
            }
        }
    }
}

#[tokio::test]
async fn a_target_that_is_no_http_is_not_followed() {
    for target in ["ftp://127.0.0.1/", "file:///etc/passwd", "javascript:alert(1)", "http://"] {
        let server = redirecting(302, target).await;

        let error = order(&authenticated(&Tally::new()), &server.url()).await.unwrap_err();

        assert_eq!(error.status(), Some(302), "{target}: {error:?}");
        assert_eq!(server.seen().requests(), 1, "{target}");
    }
}
