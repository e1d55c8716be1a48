//! Clients of every kind, over one server.

use std::{io, sync::Arc, time::Duration};

use api_pool::{ResilientClient, RetryPolicy, Token};

use super::{Wire, world::World};
use crate::{dice::Dice, ledger::Ledger};

/// How many clients there are.
const CLIENTS: u64 = 8;

pub(super) fn build(
    wire: Wire,
    world: &Arc<World>,
    ledger: &Arc<Ledger>,
) -> io::Result<Vec<ResilientClient>> {
    (0..CLIENTS).map(|number| client(wire, number, world, ledger)).collect()
}

fn client(
    wire: Wire,
    number: u64,
    world: &Arc<World>,
    ledger: &Arc<Ledger>,
) -> io::Result<ResilientClient> {
    let seed = world.seed;
    let mut dice = Dice::new(seed, "client", number);
    let ms = Duration::from_millis;
    let mut entropy = Dice::new(seed, "jitter", number);
    let mut builder = ResilientClient::builder()
        .max_parallel(dice.size(1, 16))
        .max_body_bytes(64 * 1024)
        .retry(RetryPolicy::new(dice.size(0, 3), ms(1), ms(8)))
        .observer(format!("client {number}"), ledger.clone())
        .entropy(move || entropy.bits());
    if number.is_multiple_of(2) {
        let (first, longest) = (dice.between(2, 10), dice.between(10, 40));
        builder = builder.circuit_breaker_growing(dice.size(5, 10), ms(first), ms(longest));
    }
    if number % 4 == 1 {
        builder = builder.rate_limit_with_burst(4_000.0, 50);
    }
    if number % 4 == 2 {
        builder = builder.max_waiting(dice.size(2, 10)).max_wait(ms(50));
    }
    if number < CLIENTS / 2 {
        let world = Arc::clone(world);
        builder = builder.bearer_tokens(move || {
            let world = Arc::clone(&world);
            async move { world.issue().await.map(Token::from) }
        });
    }
    if wire == Wire::Http2 {
        builder = builder.http_client_without_redirects(http2().map_err(io::Error::other)?);
    }
    Ok(builder.build())
}

/// Speaks HTTP/2 from the first byte, with the default client's other settings.
fn http2() -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .http2_prior_knowledge()
        .retry(reqwest::retry::never())
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
}
