//! A call dropped at any await point leaves nothing behind.
//!
//! Every scenario is run once for each `Pending` that its call answers on the way, and dropped
//! right there. Then nothing may be in flight or waiting, every `Started` has had its terminal
//! event, and the next call is sent at the very instant at which it would be without the one that
//! was dropped: a probe slot, the lead of a refresh, a rate token or a paid retry that stayed
//! taken would show.

#[path = "../support/mod.rs"]
mod support;

mod api;
mod scenario;
mod world;

use api::Kind;
use api_pool::{BreakerMode, CallPolicy, RetryMode, RetryPolicy};
use scenario::SCENARIOS;
use support::{ms, secs};
use world::World;

/// Whether somebody listens to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watched {
    No,
    Yes,
}

fn policies() -> [CallPolicy; 3] {
    [
        CallPolicy::background(),
        CallPolicy::essential(),
        CallPolicy::new(
            RetryMode::Bounded(RetryPolicy::new(5, ms(50), secs(1))),
            BreakerMode::WaitForProbe,
        )
        .with_deadline(secs(60)),
    ]
    .map(|policy| policy.with_attempt_timeout(secs(2)))
}

/// Drops calls of this kind everywhere, and tells at how many points.
async fn at_every_point(kind: Kind, watched: Watched) -> usize {
    let mut points = 0;
    for scenario in SCENARIOS {
        for policy in policies() {
            let mut pending = 0;
            while !World::new(scenario, &policy, watched).dropped_after(pending, kind).await {
                pending += 1;
                assert!(pending < 200, "{} does not end", scenario.name);
            }
            points += pending;
        }
    }
    points
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_call_that_wants_the_head_alone() {
    let points = at_every_point(Kind::Head, Watched::Yes).await;
    assert!(points > 200, "only {points} await points were passed");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_call_that_reads_the_body() {
    let points = at_every_point(Kind::Whole, Watched::Yes).await;
    assert!(points > 200, "only {points} await points were passed");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_call_whose_body_is_judged() {
    let points = at_every_point(Kind::Judged, Watched::Yes).await;
    assert!(points > 200, "only {points} await points were passed");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_call_that_nobody_watches() {
    for kind in [Kind::Head, Kind::Whole, Kind::Judged] {
        at_every_point(kind, Watched::No).await;
    }
}
