//! The bad day: an API is down for a minute and then serves less than everybody wants.
//!
//! A thousand essential callers come in the first second and want an answer whatever it takes; a
//! hundred pollers ask about once a second and take no for an answer. The server answers 503 for
//! 60 s, then serves 50 requests per second with a burst of 10, and answers 503 above that. Time
//! is Tokio's, paused, so a run is exact and takes no minute.

mod clients;
mod server;
mod std_clock;

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use tokio::task::JoinSet;

pub(crate) use self::server::{CAPACITY, OUTAGE, sleep};
use self::{
    clients::{CLIENTS, Calls, Client},
    server::{Request, Server, now},
};

const CALLERS: u64 = 1000;
const POLLERS: u64 = 100;

/// What a client did that day.
pub(crate) struct Day {
    pub(crate) client: &'static str,
    /// Every request that reached the server, in order.
    pub(crate) requests: Vec<Request>,
    /// When each essential caller was served, in order.
    pub(crate) served: Vec<Duration>,
    /// Polls of an essential call in the outage, and after it, in the mean.
    wakes: (f64, f64),
}

/// Runs the day with every client whose name begins so, and prints what came of it, as a table.
pub(crate) fn print(clients: &str) {
    println!(
        "| client | sent in the outage | wake-ups per caller, in it / after | last served after | \
         peak requests/s after | refused after |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for client in CLIENTS.iter().filter(|client| client.name.starts_with(clients)) {
        let day = day(client);
        println!(
            "| {} | {} | {:.1} / {:.1} | {:.1} s | {} | {} |",
            day.client,
            day.requests.len() - day.after().count(),
            day.wakes.0,
            day.wakes.1,
            day.last_served_after().as_secs_f64(),
            day.peak_per_second_after(),
            day.after().filter(|request| !request.served).count(),
        );
    }
}

/// The day of the first client whose name begins so.
pub(crate) fn day_of(client: &str) -> Option<Day> {
    CLIENTS.iter().find(|known| known.name.starts_with(client)).map(day)
}

fn day(client: &Client) -> Day {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .expect("a runtime starts");
    runtime.block_on(live(client))
}

async fn live(client: &Client) -> Day {
    let (start, origin) = (now(), std_clock::real());
    let server = Arc::new(Mutex::new(Server::new(start)));
    let Calls { essential, background } = (client.start)(&server);

    let mut polling = JoinSet::new();
    for poller in 0..POLLERS {
        let background = Arc::clone(&background);
        polling.spawn(async move {
            sleep(Duration::from_millis(poller * 10)).await;
            loop {
                Counted { inner: background(), start, origin, polls: (0, 0) }.await;
                sleep(Duration::from_millis(950 + poller)).await;
            }
        });
    }
    let mut calls = JoinSet::new();
    for caller in 0..CALLERS {
        let essential = Arc::clone(&essential);
        calls.spawn(async move {
            sleep(Duration::from_micros(caller * 1_000_000 / CALLERS)).await;
            let polls = Counted { inner: essential(), start, origin, polls: (0, 0) }.await;
            (now() - start, polls)
        });
    }
    let ended = calls.join_all().await;
    drop(polling);
    std_clock::release();

    let mean = |polls: fn(&(usize, usize)) -> usize| {
        let sum: usize = ended.iter().map(|(_, counted)| polls(counted)).sum();
        sum as f64 / ended.len() as f64
    };
    let wakes = (mean(|polls| polls.0), mean(|polls| polls.1));
    let mut served: Vec<Duration> = ended.iter().map(|(at, _)| *at).collect();
    served.sort_unstable();
    let requests = std::mem::take(&mut server.lock().expect("no panic").requests);
    Day { client: client.name, requests, served, wakes }
}

impl Day {
    /// The requests that came when the outage was over.
    fn after(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(|request| OUTAGE <= request.at)
    }

    fn last_served_after(&self) -> Duration {
        self.served.last().map_or(Duration::ZERO, |last| last.saturating_sub(OUTAGE))
    }

    /// The most requests in any second, wherever it begins.
    fn peak_per_second_after(&self) -> usize {
        let in_second = |from: Duration| {
            let until = from + Duration::from_secs(1);
            self.after().filter(|request| from <= request.at && request.at < until).count()
        };
        self.after().map(|request| in_second(request.at)).max().unwrap_or(0)
    }
}

/// Counts the polls of a call, in the outage and after it.
struct Counted {
    inner: Pin<Box<dyn Future<Output = ()> + Send>>,
    start: tokio::time::Instant,
    /// The start on the clock of `std`.
    origin: u64,
    polls: (usize, usize),
}

impl Future for Counted {
    type Output = (usize, usize);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let passed = now() - self.start;
        std_clock::set(self.origin, passed);
        if passed < OUTAGE {
            self.polls.0 += 1;
        } else {
            self.polls.1 += 1;
        }
        self.inner.as_mut().poll(context).map(|()| self.polls)
    }
}
