//! A client in a scenario, and what must hold when its call is gone.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use api_pool::testing::{CancelAt, Script};
use api_pool::{
    BreakerState, CallPolicy, Ratio, ResilientClient, RetryBudget, RetryPolicy, StopReason,
};
use futures_util::FutureExt;
use tokio::task::JoinHandle;

use crate::Watched;
use crate::api::{Api, Kind, Phase};
use crate::scenario::Scenario;
use crate::support::{Recorder, ms, now, secs, sleep};

/// One run of a scenario.
pub(crate) struct World<'a> {
    scenario: &'a Scenario,
    policy: &'a CallPolicy,
    watched: Watched,
    api: Api,
    recorder: Arc<Recorder>,
    client: ResilientClient<Script>,
    calls: Cell<usize>,
}

impl<'a> World<'a> {
    pub(crate) fn new(scenario: &'a Scenario, policy: &'a CallPolicy, watched: Watched) -> Self {
        let (api, recorder) = (Api::default(), Recorder::new());
        let builder = ResilientClient::builder()
            .transport(api.transport(scenario.reply))
            .entropy(|| 0)
            .retry_budget(RetryBudget::new(Ratio::ZERO, scenario.budget));
        #[cfg(feature = "rate-limit")]
        let builder = {
            let (burst, interval) = scenario.rate;
            builder.rate_limit_with_burst(1.0 / interval.as_secs_f64(), burst as usize)
        };
        let builder = match watched {
            Watched::No => builder,
            Watched::Yes => builder.observer("test", recorder.clone()),
        };
        let client = (scenario.setup)(builder, &api).build();
        Self { scenario, policy, watched, api, recorder, client, calls: Cell::new(0) }
    }

    /// Runs the scenario with its call dropped after `pending` times `Pending`, and checks what is
    /// left; tells whether the call ended before that.
    pub(crate) async fn dropped_after(self, pending: usize, kind: Kind) -> bool {
        for _ in 0..self.scenario.before {
            let _ = kind.call(&self.client, &CallPolicy::background(), self.number()).await;
        }
        sleep(self.scenario.pause).await;
        let beside: Vec<_> = (0..self.scenario.beside).map(|_| self.spawn(kind)).collect();
        tokio::task::yield_now().await;

        let number = self.number();
        let ended = CancelAt::new(pending, self.watch(kind, number)).await.is_some();

        self.api.becomes(Phase::Recovered);
        for other in beside {
            other.await.expect("no call panics");
        }
        let context = format!("{}, {:?}, dropped at {pending}", self.scenario.name, self.policy);
        let check = tokio::time::timeout(secs(3600), self.check(kind, &context));
        check.await.unwrap_or_else(|_| panic!("{context}: a later call hangs"));
        ended
    }

    /// Makes the call, and looks at what it holds whenever it waits.
    async fn watch(&self, kind: Kind, number: usize) {
        let mut call = pin!(kind.call(&self.client, self.policy, number));
        let _ = poll_fn(|cx| {
            let poll = call.as_mut().poll(cx);
            if poll.is_pending() {
                self.assert_slots();
            }
            poll
        })
        .await;
    }

    /// A slot is for a request on the wire: not for a wait at the breaker, for a token of either
    /// kind, or for the next retry.
    fn assert_slots(&self) {
        let sent = self.recorder.count("started") - self.recorder.ended();
        if self.watched == Watched::Yes && self.scenario.beside == 0 {
            assert_eq!(self.client.in_flight(), sent, "{}", self.scenario.name);
        }
    }

    async fn check(&self, kind: Kind, context: &str) {
        self.assert_at_rest(context);
        if let Some(BreakerState::Open { until }) = self.client.breaker_state() {
            tokio::time::sleep_until(until.into()).await;
        }
        self.assert_next(kind, context).await;
        self.assert_budget(context).await;
        self.assert_tokens(context);
        self.assert_at_rest(context);
    }

    fn assert_at_rest(&self, context: &str) {
        assert_eq!((self.client.in_flight(), self.client.waiting()), (0, 0), "{context}");
        self.recorder.assert_paired();
    }

    /// The next call waits for what is due, and for nothing that the dropped one held.
    async fn assert_next(&self, kind: Kind, context: &str) {
        let (asked, due) = (now(), self.next_token_in());
        let next = kind.call(&self.client, &CallPolicy::essential(), self.number()).await;
        next.unwrap_or_else(|error| panic!("{context}: {error}"));
        let waited = now() - asked;
        assert!(due <= waited, "{context}: a rate token was spent twice");
        let most = due.max(self.scenario.next_waits);
        assert!(waited <= most, "{context}: the next call waited {waited:?}");
    }

    /// A retry that was waited for is paid back: what was paid are the retries that were made.
    async fn assert_budget(&self, context: &str) {
        let made = self.api.retries();
        self.api.becomes(Phase::Busy);
        let policy = CallPolicy::bounded(RetryPolicy::new(100, ms(1), ms(1)));
        let error = Kind::Head.call(&self.client, &policy, self.number()).await;
        let error = error.expect_err("it is busy");
        self.api.becomes(Phase::Recovered);
        assert_eq!(error.stop_reason(), Some(&StopReason::Budget), "{context}");
        let paid = self.scenario.budget as usize - (error.attempts - 1);
        // One more was paid for and begun, and dropped where it waited for leave to be sent.
        let begun = usize::from(self.may_wait_before_sending());
        assert!((made..=made + begun).contains(&paid), "{context}: {paid} paid, {made} made");
    }

    /// Every request has cost one rate token, and nothing else has: as many are left.
    fn assert_tokens(&self, context: &str) {
        while self.next_token_in().is_zero() && cfg!(feature = "rate-limit") {
            assert!(self.at_once(), "{context}: a rate token is missing");
        }
        if cfg!(feature = "rate-limit") {
            assert!(!self.at_once(), "{context}: a request has cost no rate token");
        }
    }

    /// Whether a call need not wait.
    fn at_once(&self) -> bool {
        let policy = CallPolicy::background();
        Kind::Head.call(&self.client, &policy, self.number()).now_or_never().is_some()
    }

    fn next_token_in(&self) -> Duration {
        if cfg!(not(feature = "rate-limit")) {
            return Duration::ZERO;
        }
        let (burst, interval) = self.scenario.rate;
        self.api.next_token_in(interval, burst)
    }

    fn may_wait_before_sending(&self) -> bool {
        self.client.breaker_state().is_some() || self.scenario.beside > 0
    }

    fn spawn(&self, kind: Kind) -> JoinHandle<()> {
        let (client, policy, number) = (self.client.clone(), self.policy.clone(), self.number());
        tokio::spawn(async move { drop(kind.call(&client, &policy, number).await) })
    }

    fn number(&self) -> usize {
        self.calls.set(self.calls.get() + 1);
        self.calls.get()
    }
}
