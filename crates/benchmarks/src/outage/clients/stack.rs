//! The retry of `tower`, with its budget and its backoff.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tower::{
    Service, ServiceExt,
    retry::{
        Policy, Retry,
        backoff::{Backoff, ExponentialBackoff, ExponentialBackoffMaker, MakeBackoff},
        budget::{Budget, TpsBudget},
    },
    util::rng::HasherRng,
};

use super::{BASE, CAP, Calls, Server, call, send, sleep};

/// How long a caller whose retry the budget refused waits until it calls again.
const AGAIN: Duration = Duration::from_secs(10);

pub(super) fn with_tower(server: &Arc<Mutex<Server>>) -> Calls {
    let budget = Arc::new(TpsBudget::default());
    let (essential, once) = (Arc::clone(server), Arc::clone(server));
    Calls {
        essential: call(move || {
            let (server, budget) = (Arc::clone(&essential), Arc::clone(&budget));
            async move {
                let send = tower::service_fn(move |()| send(Arc::clone(&server)));
                let mut waits = ExponentialBackoffMaker::new(BASE, CAP, 0.99, HasherRng::new())
                    .expect("the least wait is below the most");
                let policy = Budgeted { budget, waits: waits.make_backoff() };
                let mut client = Retry::new(policy, send);
                while client.ready().await.expect("it is always").call(()).await.is_err() {
                    sleep(AGAIN).await;
                }
            }
        }),
        background: call(move || {
            let server = Arc::clone(&once);
            async move {
                let _ = send(server).await;
            }
        }),
    }
}

#[derive(Clone)]
struct Budgeted {
    budget: Arc<TpsBudget>,
    waits: ExponentialBackoff,
}

impl Policy<(), (), ()> for Budgeted {
    type Future = tokio::time::Sleep;

    fn retry(&mut self, _request: &mut (), result: &mut Result<(), ()>) -> Option<Self::Future> {
        if result.is_ok() {
            self.budget.deposit();
            return None;
        }
        self.budget.withdraw().then(|| self.waits.next_backoff())
    }

    fn clone_request(&mut self, _request: &()) -> Option<()> {
        Some(())
    }
}
