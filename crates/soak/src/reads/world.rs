//! The server's side: tokens that expire, outages, and an operator who interferes.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use api_pool::ResilientClient;

use crate::{
    dice::Dice,
    fault::Fault,
    ledger::CANARY,
    server::{Connection, Served, pause},
};

/// What all connections of the server share.
#[derive(Debug)]
pub(super) struct World {
    pub(super) seed: u64,
    /// How many connections there were over HTTP/2.
    connections: AtomicU64,
    /// The newest token.
    issued: AtomicU64,
    /// The oldest token that is accepted.
    valid_from: AtomicU64,
    /// Whether every request is refused with 503.
    pub(super) outage: AtomicBool,
    /// Whether nothing goes wrong any longer.
    pub(super) calm: AtomicBool,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            seed,
            connections: AtomicU64::new(0),
            issued: AtomicU64::new(0),
            valid_from: AtomicU64::new(0),
            outage: AtomicBool::new(false),
            calm: AtomicBool::new(false),
        }
    }

    pub(super) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::SeqCst)
    }

    /// A new token, after a while; now and then none.
    pub(super) async fn issue(&self) -> io::Result<String> {
        let number = self.issued.fetch_add(1, Ordering::SeqCst) + 1;
        let mut dice = Dice::new(self.seed, "token", number);
        pause(Duration::from_millis(dice.between(0, 3))).await;
        if dice.permille(20) && !self.calm.load(Ordering::SeqCst) {
            return Err(io::Error::other("no token today"));
        }
        Ok(format!("{CANARY}-{number}"))
    }

    /// Serves requests as their paths say.
    pub(super) async fn serve(self: Arc<Self>, mut connection: Connection) -> Served {
        loop {
            let path = connection.path().await?;
            let mut fault = Fault::of_path(&path);
            if self.outage.load(Ordering::SeqCst) {
                fault = Fault::Status(503, 0);
            }
            if matches!(fault, Fault::Answer(_)) && !self.accepts(connection.head().await?) {
                fault = Fault::Status(401, 0);
            }
            connection = match fault.act(connection).await {
                Ok(connection) => connection,
                Err(served) => return served,
            };
        }
    }

    /// Whether the request carries no token, or one that is still good.
    fn accepts(&self, head: &str) -> bool {
        let Some((_, rest)) = head.split_once(CANARY) else { return true };
        let digits: String = rest.chars().skip(1).take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().is_ok_and(|token| self.valid_from.load(Ordering::SeqCst) <= token)
    }
}

/// Lets tokens expire, resizes queues, opens and closes breakers and has outages, until `over`.
pub(super) async fn operate(
    seed: u64,
    world: Arc<World>,
    fleet: Vec<ResilientClient>,
    over: Arc<AtomicBool>,
) {
    for step in 0.. {
        let mut dice = Dice::new(seed, "operator", step);
        pause(Duration::from_millis(dice.between(1, 10))).await;
        if over.load(Ordering::SeqCst) {
            break;
        }
        let Some(client) = dice.pick(&fleet) else { break };
        // An outage now and then. A server that goes on failing a tenth of its requests recovers
        // slowly, so after a while somebody closes the breakers by hand.
        match (step % 800, dice.below(8)) {
            (20, _) => {
                world.outage.store(true, Ordering::SeqCst);
                pause(Duration::from_millis(dice.between(60, 150))).await;
                world.outage.store(false, Ordering::SeqCst);
            }
            (100, _) => fleet.iter().for_each(ResilientClient::reset_breaker),
            (420, _) => {
                client.isolate();
                pause(Duration::from_millis(5)).await;
                client.reset_breaker();
            }
            (_, 0) => {
                let next = world.issued.load(Ordering::SeqCst) + 1;
                world.valid_from.store(next, Ordering::SeqCst);
            }
            _ => client.set_max_parallel(dice.size(1, 16)),
        }
    }
}
