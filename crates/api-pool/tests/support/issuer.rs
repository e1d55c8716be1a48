//! A token source that counts, and the count that a request carries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_pool::testing::Request;
use api_pool::{Token, TokenError, TokenSource};

use super::{ms, sleep};

/// Issues `t1`, `t2`, …, each after 100 ms; every clone counts on.
#[derive(Clone, Default)]
pub(crate) struct Issuer {
    pub(crate) issued: Arc<AtomicUsize>,
}

impl Issuer {
    pub(crate) fn issued(&self) -> usize {
        self.issued.load(Ordering::Relaxed)
    }
}

#[async_trait::async_trait]
impl TokenSource for Issuer {
    async fn token(&self) -> Result<Token, TokenError> {
        let number = 1 + self.issued.fetch_add(1, Ordering::Relaxed);
        sleep(ms(100)).await;
        Ok(Token::new(format!("t{number}")))
    }
}

/// The number of the token that the request carries.
pub(crate) fn carried(request: &Request) -> Option<usize> {
    let value = request.headers().get("authorization")?.to_str().ok()?;
    value.strip_prefix("Bearer t")?.parse().ok()
}
