//! The clients of a world.

use std::{
    sync::{
        Arc, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use api_pool::{Ratio, ResilientClient, RetryBudget, RetryPolicy, Token, testing::Script};

use super::{nature::Nature, now, trace::Trace};
use crate::dice::Dice;

/// One client, and what it was told.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) number: usize,
    pub(super) http: ResilientClient<Script>,
    longest_cooldown: Duration,
    /// The highest limit of requests at a time that it ever had.
    widest: AtomicUsize,
    over: Arc<AtomicU64>,
}

/// All clients of a world.
#[derive(Debug)]
pub(super) struct Clients(Vec<Client>);

impl Clients {
    pub(super) fn draw(
        dice: &mut Dice,
        seed: u64,
        nature: &Arc<Nature>,
        trace: &Arc<Trace>,
    ) -> Self {
        let count = dice.size(1, 3);
        Self((0..count).map(|number| Client::draw(number, seed, nature, trace)).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Client> {
        self.0.iter()
    }

    pub(super) fn get(&self, number: usize) -> Option<&Client> {
        self.0.get(number)
    }

    pub(super) fn pick(&self, dice: &mut Dice) -> Option<&Client> {
        dice.pick(&self.0)
    }

    /// Ends the circle of clients and servers that know each other.
    pub(super) fn forget(&self, nature: &Nature) {
        nature.watched.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Client {
    fn draw(number: usize, seed: u64, nature: &Arc<Nature>, trace: &Arc<Trace>) -> Self {
        let index = u64::try_from(number).unwrap_or_default();
        let mut dice = Dice::new(seed, "client", index);
        let mut entropy = Dice::new(seed, "jitter", index);
        let ms = Duration::from_millis;
        let over = Arc::<AtomicU64>::default();
        let (rate, burst) = (dice.between(5, 50), dice.size(1, 20));
        let limits = dice.permille(400).then_some((rate as f64, burst));
        let script = Script::answering({
            let (nature, over) = (Arc::clone(nature), Arc::clone(&over));
            let (start, mut sent) = (now(), 0.0);
            move |request| {
                if let Some((rate, burst)) = limits {
                    sent += 1.0;
                    let age = now().duration_since(start).as_secs_f64();
                    let allowed = rate.mul_add(age, burst as f64) + 1e-6;
                    over.fetch_add(u64::from(allowed < sent), Ordering::SeqCst);
                }
                nature.reply(request)
            }
        });
        let widest = dice.size(1, 12);
        let first = ms(dice.between(500, 10_000));
        let longest = first * u32::try_from(dice.between(1, 6)).unwrap_or(1);
        let mut builder = ResilientClient::builder()
            .transport(script)
            .max_parallel(widest)
            .retry(RetryPolicy::new(dice.size(0, 4), ms(dice.between(1, 500)), ms(4_000)))
            .observer(format!("client {number}"), trace.clone())
            .entropy(move || entropy.bits());
        if dice.permille(800) {
            builder = builder.circuit_breaker_growing(dice.size(1, 8), first, longest);
        }
        if let Some((rate, burst)) = limits {
            builder = builder.rate_limit_with_burst(rate, burst);
        }
        if dice.permille(200) {
            builder = builder.max_waiting(dice.size(1, 10)).max_wait(ms(dice.between(10, 5_000)));
        }
        if dice.permille(300) {
            let reserve = u32::try_from(dice.between(1, 10)).unwrap_or(1);
            builder = builder.retry_budget(RetryBudget::new(Ratio::percent(20), reserve));
        }
        if dice.permille(500) {
            let lifetime = dice.permille(500).then(|| ms(dice.between(1_000, 60_000)));
            let nature = Arc::clone(nature);
            builder = builder.bearer_tokens(move || {
                let nature = Arc::clone(&nature);
                async move {
                    let token = nature.issue().await.map(Token::from)?;
                    Ok::<_, &str>(match lifetime {
                        Some(lifetime) => token.expires_in(lifetime),
                        None => token,
                    })
                }
            });
        }
        let http = builder.build();
        let widest = AtomicUsize::new(widest);
        Self { number, http, longest_cooldown: longest, widest, over }
    }

    pub(super) fn resize(&self, limit: usize) {
        self.widest.fetch_max(limit, Ordering::SeqCst);
        self.http.set_max_parallel(limit);
    }

    /// How long a call may take once nothing goes wrong: what is under way has ten seconds left, a
    /// pause after a token that could not be had as many, and a wait that was begun four; then
    /// twice the longest cooldown. A line before it is let go at its own pace.
    pub(super) fn recovers_within(&self) -> Duration {
        self.longest_cooldown * 2 + Duration::from_secs(24)
    }

    /// What does not hold of it at the end.
    pub(super) fn is_wrong(&self) -> Option<String> {
        let (http, widest) = (&self.http, self.widest.load(Ordering::SeqCst));
        if http.in_flight() + http.waiting() > 0 {
            return Some(format!("{http:?} is not at rest"));
        }
        let over = self.over.load(Ordering::SeqCst);
        if over > 0 {
            return Some(format!("{over} requests above the rate of {http:?}"));
        }
        let peak = http.peak_in_flight();
        (widest < peak).then(|| format!("{peak} of {widest} requests at a time by {http:?}"))
    }
}
