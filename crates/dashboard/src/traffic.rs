//! Callers that go on until they are dropped.

use std::{sync::Arc, time::Duration};

use tokio::task::JoinSet;

use crate::{clock, fleet::Fleet};

/// Callers at work. Dropping it ends them, and drops what they wait for.
#[derive(Debug)]
pub struct Traffic {
    _callers: JoinSet<()>,
}

impl Traffic {
    /// Sends the fleet's callers off.
    ///
    /// # Panics
    ///
    /// Outside a Tokio runtime.
    #[must_use]
    pub fn start(fleet: Fleet) -> Self {
        let mut callers = JoinSet::new();
        for caller in fleet.into_callers().into_iter().map(Arc::new) {
            let profile = caller.profile();
            for number in 0..profile.essential {
                let caller = Arc::clone(&caller);
                callers.spawn(each(profile.pace, number, profile.essential, move || {
                    let caller = Arc::clone(&caller);
                    async move { drop(caller.essential().await) }
                }));
            }
            for number in 0..profile.background {
                let caller = Arc::clone(&caller);
                callers.spawn(each(profile.pace, number, profile.background, move || {
                    let caller = Arc::clone(&caller);
                    async move { drop(caller.background().await) }
                }));
            }
        }
        Self { _callers: callers }
    }
}

/// Calls, rests, and calls again. What the call ended with, the observer has been told.
async fn each<F: Future<Output = ()>>(pace: Duration, number: u32, of: u32, call: impl Fn() -> F) {
    // Not all at the same moment.
    clock::sleep(pace * number / of.max(1)).await;
    loop {
        call().await;
        clock::sleep(pace).await;
    }
}
