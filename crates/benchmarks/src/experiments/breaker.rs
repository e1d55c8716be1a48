//! A closed breaker: asked, and told of a success.

use std::{
    future::ready,
    hint::black_box,
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use failsafe::CircuitBreaker;
use retry_core::http::Health;
use tower::{Layer, Service, ServiceExt};
use tower_resilience::circuitbreaker::CircuitBreakerLayer;

use super::block_on;
use crate::{
    breaker::{BreakerConfig, Circuit},
    experiment::{Experiment, Subject},
};

pub(crate) const SUCCESS: Experiment = Experiment {
    id: "breaker",
    title: "a closed breaker is asked and told of a success",
    floor: "nothing",
    features: "",
    repeats: (10_000, 110_000),
    subjects: &[
        Subject::new("nothing", nothing),
        Subject::new("one atomic word, read", word),
        Subject::new("api-pool", api_pool),
        Subject::new("api-pool: asked before the slot as well", api_pool_twice),
        Subject::new("failsafe", failsafe),
        Subject::new("recloser", recloser),
        Subject::new("tower-resilience", tower_resilience),
    ],
};

fn nothing(times: u64) {
    for turn in 0..times {
        black_box(turn);
    }
}

fn word(times: u64) {
    let word = AtomicU64::new(0);
    for turn in 0..times {
        black_box(turn);
        black_box(black_box(&word).load(Ordering::Acquire) == 0);
    }
}

fn closed() -> Circuit {
    let base = Duration::from_secs(5);
    let five = NonZeroU32::new(5).expect("five is not zero");
    Circuit::new(BreakerConfig::growing(five, base, base))
}

fn api_pool(times: u64) {
    let circuit = closed();
    for turn in 0..times {
        black_box(turn);
        let admission = black_box(&circuit).try_admit().expect("it is closed");
        let transition = admission.settle(Health::Up);
        black_box(transition.is_some());
    }
}

/// As a call that had to wait for its slot.
fn api_pool_twice(times: u64) {
    let circuit = closed();
    for turn in 0..times {
        black_box(turn);
        let circuit = black_box(&circuit);
        let pass = circuit.try_enter().expect("it is closed");
        let admission = circuit.admit(pass).expect("it is closed");
        let transition = admission.settle(Health::Up);
        black_box(transition.is_some());
    }
}

fn failsafe(times: u64) {
    let breaker = failsafe::Config::new().build();
    for turn in 0..times {
        let outcome = black_box(&breaker).call(|| Ok::<_, ()>(black_box(turn)));
        black_box(outcome.is_ok());
    }
}

fn recloser(times: u64) {
    let breaker = recloser::Recloser::default();
    for turn in 0..times {
        let outcome = black_box(&breaker).call(|| Ok::<_, ()>(black_box(turn)));
        black_box(outcome.is_ok());
    }
}

fn tower_resilience(times: u64) {
    let layer = CircuitBreakerLayer::builder().build().expect("it is valid");
    let service = tower::service_fn(|turn: u64| ready(Ok::<_, ()>(black_box(turn))));
    let mut breaker = layer.layer(service);
    block_on(async {
        for turn in 0..times {
            let outcome = black_box(&mut breaker).ready().await.expect("it is").call(turn).await;
            black_box(outcome.is_ok());
        }
    });
}
