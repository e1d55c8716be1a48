//! The bad day: an API is down for a minute and then serves less than everybody wants.
//!
//! A thousand essential callers come in the first second and want an answer whatever it takes; a
//! hundred pollers ask about once a second and take no for an answer. The server answers 503 for
//! 60 s, then serves 50 requests per second with a burst of 10, and answers 503 above that. Time
//! is Tokio's, paused, so a run is exact and takes no minute.

mod clients;
mod server;

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use tokio::task::JoinSet;

use self::{
    clients::{CLIENTS, Calls, Client},
    server::{OUTAGE, Server, now},
};

const CALLERS: u64 = 1000;
const POLLERS: u64 = 100;

/// What a run came to.
#[derive(Debug)]
struct Outcome {
    sent_in_outage: usize,
    wakes_in_outage: f64,
    wakes_after: f64,
    last_served_after: Duration,
    peak_per_second: usize,
    refused_after: usize,
}

/// Runs the day with every client and prints what came of it, as a table.
pub fn print() {
    println!(
        "| client | sent in the outage | wake-ups per caller, in it / after | last served after | \
         peak requests/s after | refused after |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for client in CLIENTS {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime starts");
        let outcome = runtime.block_on(live(client));
        println!(
            "| {} | {} | {:.1} / {:.1} | {:.1} s | {} | {} |",
            client.name,
            outcome.sent_in_outage,
            outcome.wakes_in_outage,
            outcome.wakes_after,
            outcome.last_served_after.as_secs_f64(),
            outcome.peak_per_second,
            outcome.refused_after,
        );
    }
}

async fn live(client: &Client) -> Outcome {
    let start = now();
    let server = Arc::new(Mutex::new(Server::new(start)));
    let Calls { essential, background } = (client.start)(&server);

    let mut polling = JoinSet::new();
    for poller in 0..POLLERS {
        let background = Arc::clone(&background);
        polling.spawn(async move {
            server::sleep(Duration::from_millis(poller * 10)).await;
            loop {
                background().await;
                server::sleep(Duration::from_millis(950 + poller)).await;
            }
        });
    }
    let mut calls = JoinSet::new();
    for caller in 0..CALLERS {
        let essential = Arc::clone(&essential);
        calls.spawn(async move {
            server::sleep(Duration::from_micros(caller * 1_000_000 / CALLERS)).await;
            let polls = Counted { inner: essential(), end: start + OUTAGE, polls: (0, 0) }.await;
            (now() - start, polls)
        });
    }
    let ended = calls.join_all().await;
    drop(polling);

    let requests = std::mem::take(&mut server.lock().expect("no panic").requests);
    let after: Vec<_> = requests.iter().filter(|request| OUTAGE <= request.at).collect();
    let in_second = |from: Duration| {
        let until = from + Duration::from_secs(1);
        after.iter().filter(|request| from <= request.at && request.at < until).count()
    };
    let mean = |polls: fn(&(usize, usize)) -> usize| {
        let sum: usize = ended.iter().map(|(_, counted)| polls(counted)).sum();
        sum as f64 / ended.len() as f64
    };
    let last = ended.iter().map(|(at, _)| *at).max().unwrap_or_default();
    Outcome {
        sent_in_outage: requests.len() - after.len(),
        wakes_in_outage: mean(|polls| polls.0),
        wakes_after: mean(|polls| polls.1),
        last_served_after: last.saturating_sub(OUTAGE),
        peak_per_second: after.iter().map(|request| in_second(request.at)).max().unwrap_or(0),
        refused_after: after.iter().filter(|request| !request.served).count(),
    }
}

/// Counts the polls of a call, before `end` and from it on.
struct Counted {
    inner: Pin<Box<dyn Future<Output = ()> + Send>>,
    end: tokio::time::Instant,
    polls: (usize, usize),
}

impl Future for Counted {
    type Output = (usize, usize);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if now() < self.end {
            self.polls.0 += 1;
        } else {
            self.polls.1 += 1;
        }
        self.inner.as_mut().poll(context).map(|()| self.polls)
    }
}
