//! A thousand calls whose token was revoked are one refresh at a server that forgives none.
//!
//! Its refresh tokens are good for one use, and each refresh ends every older token: whoever
//! refreshed a second time, or replaced a newer token by an older one, would be signed out.

#[path = "support/wire.rs"]
mod wire;

use std::sync::Mutex;
use std::time::Duration;

use api_pool::{ResilientClient, Token, TokenError, TokenSource};
use demo_api::{Config, DemoServer, Lifetime, Rotation, TokenRules};
use futures_util::future::join_all;
use wire::{Tally, repeats, watched};

const CALLS: usize = 1_000;

/// Obtains tokens as a program signed in once does: each for the refresh token that came with the
/// one before.
struct SignedIn {
    url: String,
    http: reqwest::Client,
    refresh: Mutex<Option<String>>,
}

impl SignedIn {
    fn to(server: &DemoServer) -> Self {
        let url = format!("{}/token", server.url());
        Self { url, http: reqwest::Client::new(), refresh: Mutex::new(None) }
    }
}

#[async_trait::async_trait]
impl TokenSource for SignedIn {
    async fn token(&self) -> Result<Token, TokenError> {
        let refresh = self.refresh.lock().expect("no panic here").take();
        let body = refresh.map(|token| format!(r#"{{"refresh_token":"{token}"}}"#));
        let request = self.http.post(&self.url).body(body.unwrap_or_default());
        let answer = request.send().await.map_err(TokenError::new)?;
        let answer = answer.error_for_status().map_err(TokenError::new)?;
        let answer = answer.bytes().await.map_err(TokenError::new)?;
        let answer: serde_json::Value = serde_json::from_slice(&answer).map_err(TokenError::new)?;
        let text =
            |name: &str| answer.get(name).and_then(|value| value.as_str()).map(str::to_owned);
        *self.refresh.lock().expect("no panic here") = text("refresh_token");
        Ok(Token::new(text("access_token").unwrap_or_default()))
    }
}

fn strict_server() -> DemoServer {
    let rules = TokenRules::required(Lifetime::requests(1_000_000));
    let rules = rules.with_rotation(Rotation::Revoke);
    DemoServer::start(Config::new().tokens(rules)).expect("a port of this machine")
}

async fn call_often(client: &ResilientClient, url: &str) -> usize {
    let policy = repeats(0).with_deadline(Duration::from_secs(60));
    let calls = (0..CALLS).map(|_| client.execute_read(&policy, |http| http.get(url)));
    join_all(calls).await.into_iter().filter(Result::is_ok).count()
}

#[tokio::test]
async fn a_thousand_401s_are_one_refresh_and_a_thousand_replays() {
    let server = strict_server();
    let (url, tally) = (format!("{}/airports/ATL", server.url()), Tally::new());
    let client = watched(&tally).max_parallel(64).bearer_tokens(SignedIn::to(&server)).build();

    assert_eq!(call_often(&client, &url).await, CALLS);
    let stats = server.stats();
    assert_eq!((stats.tokens_issued(), stats.status(401)), (1, 0), "one for the first use");

    // Every call has its token by the time the first one learns that it is worth nothing.
    server.revoke_tokens();
    assert_eq!(call_often(&client, &url).await, CALLS);

    let (stats, calls) = (server.stats(), CALLS as u64);
    assert_eq!((stats.tokens_issued(), stats.status(401)), (2, calls));
    assert_eq!(stats.requests() - stats.path("/token"), 3 * calls);
    assert_eq!(tally.sent(), 3 * calls);
}
