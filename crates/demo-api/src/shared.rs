//! What all requests of one server share.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::watch, time::Instant};

use crate::{
    clock,
    config::{Config, ExpiredCursor},
    connection::Connections,
    cursor::{CursorBook, CursorError},
    faults::{Fault, FaultPlan},
    routes,
    stats::Counters,
    tokens::{Denied, Issued, TokenDesk},
};

/// The state of one server: machines behind locks, and the signal that it closes.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) url: String,
    pub(crate) counters: Arc<Counters>,
    pub(crate) connections: Arc<Connections>,
    started: Instant,
    faults: Mutex<Installed>,
    tokens: Mutex<TokenDesk>,
    cursors: Mutex<CursorBook>,
    closing: watch::Sender<bool>,
}

/// A plan with the count of what it has decided.
#[derive(Debug)]
struct Installed {
    plan: FaultPlan,
    since: Instant,
    token_requests: u64,
    other_requests: u64,
}

impl Installed {
    fn new(plan: FaultPlan) -> Self {
        Self { plan, since: clock::now(), token_requests: 0, other_requests: 0 }
    }
}

impl Shared {
    pub(crate) fn new(config: Config, url: String) -> Self {
        let cursors = CursorBook::new(config.cursors, config.expired_cursor, config.seed);
        Self {
            url,
            counters: Arc::default(),
            connections: Arc::default(),
            started: clock::now(),
            faults: Mutex::new(Installed::new(config.faults.clone())),
            tokens: Mutex::new(TokenDesk::new(config.tokens, config.seed)),
            cursors: Mutex::new(cursors),
            closing: watch::Sender::new(false),
            config,
        }
    }

    /// Draws the next request's fault. `/token` is numbered apart from all other paths.
    pub(crate) fn draw(&self, path: &str) -> Option<Fault> {
        let mut installed = lock(&self.faults);
        let elapsed = installed.since.elapsed();
        let count = if path == routes::TOKEN_PATH {
            &mut installed.token_requests
        } else {
            &mut installed.other_requests
        };
        *count += 1;
        let number = *count;
        installed.plan.decide(path, number, elapsed)
    }

    pub(crate) fn install(&self, plan: FaultPlan) {
        *lock(&self.faults) = Installed::new(plan);
    }

    pub(crate) fn issue_token(&self, refresh: Option<&str>) -> Result<Issued, Denied> {
        let issued = lock(&self.tokens).issue(refresh, self.started.elapsed())?;
        self.counters.token_issued();
        Ok(issued)
    }

    pub(crate) fn accept_token(&self, token: Option<&str>) -> Result<(), Denied> {
        lock(&self.tokens).accept(token, self.started.elapsed())
    }

    pub(crate) fn revoke_tokens(&self) {
        lock(&self.tokens).revoke();
    }

    pub(crate) fn issue_cursor(&self, offset: usize, scope: u64) -> String {
        lock(&self.cursors).issue(offset, scope, self.started.elapsed())
    }

    pub(crate) fn open_cursor(&self, text: &str, scope: u64) -> Result<usize, CursorError> {
        lock(&self.cursors).open(text, scope, self.started.elapsed())
    }

    pub(crate) fn expire_cursors(&self, answer: ExpiredCursor) {
        lock(&self.cursors).expire(answer);
    }

    pub(crate) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Resolves once the server closes.
    pub(crate) fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut closing = self.closing.subscribe();
        async move {
            // An error means that the server is gone altogether.
            let _ = closing.wait_for(|closing| *closing).await;
        }
    }

    /// Waits, but not longer than the server lives.
    pub(crate) async fn pause(&self, duration: Duration) {
        tokio::select! {
            () = clock::sleep(duration) => (),
            () = self.closed() => (),
        }
    }

    pub(crate) fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_plan_counts_time_and_requests_from_its_installation() {
        let shared = Shared::new(Config::new(), String::new());
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(shared.draw("/airports"), None);

        shared.install("503@1s-2s; reset@#1".parse().unwrap());
        assert_eq!(shared.draw("/airports"), Some(Fault::Reset));
        assert_eq!(shared.draw("/airports"), None);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(shared.draw("/airports"), Some(Fault::status(503)));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(shared.draw("/airports"), None);
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_are_numbered_apart() {
        let config = Config::new().faults("503@#2; 500@#2 path=/token".parse().unwrap());
        let shared = Shared::new(config, String::new());
        assert_eq!(shared.draw(routes::TOKEN_PATH), None);
        assert_eq!(shared.draw("/airports"), None);
        assert_eq!(shared.draw(routes::TOKEN_PATH), Some(Fault::status(500)));
        assert_eq!(shared.draw("/airports"), Some(Fault::status(503)));
    }
}
