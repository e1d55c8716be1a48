//! The server's side of a world: stretches of trouble, faults of single requests, and an operator.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use api_pool::{
    Fault, ResilientClient,
    testing::{Reply, Request, Script},
};
use tokio::time::Instant;

use super::{clients::Clients, jump, now};
use crate::{
    dice::Dice,
    fault::{HINTS, STATUSES},
    ledger::CANARY,
    server::pause,
};

/// How a server does for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weather {
    /// A tenth of the requests go wrong.
    Fine,
    /// Every request is refused with 503.
    Outage,
    /// Nobody answers, ever.
    Partition,
    /// It restarts: connections are refused, or break.
    Restart,
    /// Answers take seconds.
    Slow,
}

const WEATHERS: [Weather; 7] = [
    Weather::Fine,
    Weather::Fine,
    Weather::Fine,
    Weather::Outage,
    Weather::Partition,
    Weather::Restart,
    Weather::Slow,
];

/// What all servers of a world share.
#[derive(Debug)]
pub(super) struct Nature {
    start: Instant,
    dice: Mutex<Dice>,
    /// Since when, from the start.
    weathers: Vec<(Duration, Weather)>,
    lasts: Duration,
    calm: AtomicBool,
    requests: AtomicU64,
    issued: AtomicU64,
    /// The oldest token that is accepted.
    valid_from: AtomicU64,
    /// To look at, while they send.
    pub(super) watched: Mutex<Vec<ResilientClient<Script>>>,
}

impl Nature {
    pub(super) fn draw(dice: &mut Dice, start: Instant) -> Self {
        let lasts = Duration::from_secs(dice.between(10, 300));
        let mut weathers = Vec::new();
        let mut since = Duration::ZERO;
        while since < lasts {
            weathers.push((since, dice.pick(&WEATHERS).copied().unwrap_or(Weather::Fine)));
            since += Duration::from_millis(dice.between(100, 40_000));
        }
        Self {
            start,
            dice: Mutex::new(Dice::new(dice.bits(), "nature", 0)),
            weathers,
            lasts,
            calm: AtomicBool::new(false),
            requests: AtomicU64::new(0),
            issued: AtomicU64::new(0),
            valid_from: AtomicU64::new(0),
            watched: Mutex::default(),
        }
    }

    /// From now on nothing goes wrong.
    pub(super) fn calm_down(&self) {
        self.calm.store(true, Ordering::SeqCst);
    }

    pub(super) fn is_calm(&self) -> bool {
        self.calm.load(Ordering::SeqCst)
    }

    /// How many requests arrived.
    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }

    /// A new token, after a while; now and then none.
    pub(super) async fn issue(&self) -> Result<String, &'static str> {
        let (wait, fails) = self.roll(|dice| (dice.between(0, 400), dice.permille(200)));
        pause(Duration::from_millis(wait)).await;
        // Last, so that it is accepted at first, whatever expired meanwhile.
        let number = self.issued.fetch_add(1, Ordering::SeqCst) + 1;
        if fails && !self.is_calm() {
            Err("no token today")
        } else {
            Ok(format!("{CANARY}-{number}"))
        }
    }

    /// What becomes of a request.
    pub(super) fn reply(&self, request: &Request) -> Reply {
        let (reply, arrives) = self.roll(|dice| self.draw_reply(dice, request));
        self.requests.fetch_add(u64::from(arrives), Ordering::SeqCst);
        reply
    }

    fn roll<T>(&self, draw: impl FnOnce(&mut Dice) -> T) -> T {
        draw(&mut self.dice.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn draw_reply(&self, dice: &mut Dice, request: &Request) -> (Reply, bool) {
        let millis = Duration::from_millis;
        let quick = millis(dice.between(1, 50));
        if !self.accepts(request) {
            return (Reply::status(401).after(quick), true);
        }
        let good = Reply::ok("[]").after(quick);
        if self.is_calm() {
            return (good, true);
        }
        match self.weather() {
            Weather::Outage => (Reply::status(503).after(quick), true),
            Weather::Partition => (Reply::hang(), true),
            Weather::Restart if dice.permille(500) => (Reply::fault(Fault::Unreachable), false),
            Weather::Restart => (Reply::fault(Fault::Broken).after(quick), true),
            Weather::Slow => (good.after(millis(dice.between(500, 8_000))), true),
            Weather::Fine => match dice.below(100) {
                0..5 => {
                    let status = dice.pick(&STATUSES).copied().unwrap_or(503);
                    let hint = dice.pick(&HINTS).copied().unwrap_or_default();
                    let reply = Reply::status(status).after(quick);
                    (
                        if hint.is_empty() {
                            reply
                        } else {
                            reply.with_header("retry-after", hint)
                        },
                        true,
                    )
                }
                5 => (Reply::fault(Fault::Broken).after(quick), true),
                6 => (Reply::fault(Fault::Refused).after(quick), false),
                7 => (Reply::fault(Fault::TimedOut).after(quick), true),
                8 => (Reply::status(200).with_chunk("[").with_cut().after(quick), true),
                9 => {
                    let pauses = Reply::status(200).with_chunk("[").with_pause(millis(3_000));
                    (pauses.with_chunk("]").after(quick), true)
                }
                10 => (Reply::hang(), true),
                11 => (Reply::status(503).with_endless_body("no").after(quick), true),
                _ => (good, true),
            },
        }
    }

    fn weather(&self) -> Weather {
        let age = now().duration_since(self.start);
        let past = self.weathers.iter().rev().find(|(since, _)| *since <= age);
        past.map_or(Weather::Fine, |(_, weather)| *weather)
    }

    /// Whether the request carries no token, or one that is still good.
    fn accepts(&self, request: &Request) -> bool {
        let Some(token) = request.headers().get("authorization") else { return true };
        let number = token.to_str().ok().and_then(|token| token.rsplit('-').next()?.parse().ok());
        number.is_some_and(|number: u64| self.valid_from.load(Ordering::SeqCst) <= number)
    }
}

/// Lets tokens expire, resizes queues, opens and closes breakers and lets clocks jump, for as long
/// as the faults last. Returns how often a clock jumped.
pub(super) async fn operate(mut dice: Dice, nature: &Nature, clients: &Clients) -> u64 {
    let mut jumps = 0;
    while now().duration_since(nature.start) < nature.lasts {
        pause(Duration::from_millis(dice.between(50, 10_000))).await;
        let Some(client) = clients.pick(&mut dice) else { break };
        match dice.below(8) {
            0 => {
                jumps += 1;
                let most = dice.pick(&[1, 1_000, 60_000, 4_000_000]).copied().unwrap_or(1);
                jump(Duration::from_millis(dice.below(most) + 1)).await;
            }
            1 => {
                client.http.isolate();
                pause(Duration::from_millis(dice.between(1, 2_000))).await;
                client.http.reset_breaker();
            }
            2 => client.http.reset_breaker(),
            3..6 => {
                let next = nature.issued.load(Ordering::SeqCst) + 1;
                nature.valid_from.store(next, Ordering::SeqCst);
            }
            _ => client.resize(dice.size(1, 12)),
        }
    }
    jumps
}
