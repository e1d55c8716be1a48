//! Operations with an effect under the fate-aware rule, cut at every offset.

mod book;
mod servers;

use std::{
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use api_pool::{
    BreakerMode, CallPolicy, ClientError, ResilientClient, RetryMode, RetrySafety, StopReason,
};
use tokio::task::JoinSet;

use self::book::Book;
use crate::{dice::Dice, ledger::Ledger, options::Options, report::Report, server::Server};

/// What an operation goes through, and what must come of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// No key, and a server that cuts: done at most once.
    Plain,
    /// A key, and a server that cuts: succeeds, done once.
    Keyed,
    /// No key, and at first nobody listens: succeeds, done once.
    Unsent,
}

struct Run {
    seed: u64,
    calls: u64,
    next: AtomicU64,
    book: Arc<Book>,
    client: ResilientClient,
    cutting: String,
    steady: String,
    nobody: SocketAddr,
}

/// How many calls succeeded, failed as they may, and failed as they must not.
#[derive(Default)]
struct Tally {
    succeeded: u64,
    stopped: u64,
    wrong: Vec<String>,
}

pub(crate) async fn run(options: &Options) -> io::Result<Report> {
    let book = Arc::<Book>::default();
    let cutting = servers::cutting(Arc::clone(&book)).await?;
    let steady = servers::steady(Arc::clone(&book)).await?;
    let (_refusing, nobody) = servers::nobody()?;
    let ledger = Arc::new(Ledger::default());
    let client =
        ResilientClient::builder().max_parallel(32).observer("writes", ledger.clone()).build();
    let run = Arc::new(Run {
        seed: options.seed(),
        calls: options.calls(),
        next: AtomicU64::new(0),
        book: Arc::clone(&book),
        client,
        cutting: cutting.url(),
        steady: steady.url(),
        nobody,
    });
    let mut callers = JoinSet::new();
    for _ in 0..options.callers() {
        callers.spawn(Arc::clone(&run).make_calls());
    }
    let mut sum = Tally::default();
    while let Some(caller) = callers.join_next().await {
        let Ok(tally) = caller else { continue };
        sum.succeeded += tally.succeeded;
        sum.stopped += tally.stopped;
        sum.wrong.extend(tally.wrong);
    }
    drop(run);
    let idle = cutting.until_idle().await && steady.until_idle().await;
    let mut report = Report::new(options);
    report.check(idle, || "a connection was left open".to_owned());
    Ok(judge(report, options, sum, &book, &ledger, [&cutting, &steady]))
}

fn judge(
    mut report: Report,
    options: &Options,
    sum: Tally,
    book: &Book,
    ledger: &Ledger,
    servers: [&Server; 2],
) -> Report {
    let entries = book.entries();
    let count = |test: fn(&book::Entry) -> bool| {
        u64::try_from(entries.iter().filter(|entry| test(entry)).count()).unwrap_or(u64::MAX)
    };
    let wrong = u64::try_from(sum.wrong.len()).unwrap_or(u64::MAX);
    let ended = sum.succeeded + sum.stopped + wrong;
    report.check(ended == options.calls(), || format!("{ended} calls ended"));
    report.check_all(sum.wrong.into_iter().take(20));
    report.figure("calls succeeded", sum.succeeded);
    report.figure("calls stopped as unsafe to repeat", sum.stopped);
    report.figure("operations executed once", count(|entry| entry.executed == 1));
    report.figure("operations arrived more than once", count(|entry| 1 < entry.arrived));
    for (name, broken) in [
        ("operations executed more than once", count(|entry| 1 < entry.executed)),
        ("repetitions with another body or key", count(|entry| entry.altered)),
        ("keys of more than one operation", u64::try_from(book.shared_keys()).unwrap_or(u64::MAX)),
    ] {
        report.figure(name, broken);
        report.check(broken == 0, || format!("{broken} {name}"));
    }
    let counts = ledger.counts();
    let (requests, dropped) = counts.requests();
    let seen = servers.iter().map(|server| server.requests()).sum::<u64>();
    report.figure("attempts started", counts.started);
    report.figure("attempts failed unsent", counts.unsent);
    report.figure("requests by the events", requests);
    report.figure("requests at the servers", seen);
    report.check((requests, dropped) == (seen, 0), || {
        format!("{seen} requests at the servers, {requests} by the events, {dropped} dropped")
    });
    report
}

impl Run {
    async fn make_calls(self: Arc<Self>) -> Tally {
        let mut tally = Tally::default();
        loop {
            let operation = self.next.fetch_add(1, Ordering::Relaxed);
            if self.calls <= operation {
                return tally;
            }
            let kind = match operation % 4 {
                0 | 1 => Kind::Plain,
                2 => Kind::Keyed,
                _ => Kind::Unsent,
            };
            let outcome = self.call(operation, kind).await;
            let executed = self.book.entry(operation).executed;
            match outcome {
                Ok(()) if executed == 1 => tally.succeeded += 1,
                Err(error) if kind == Kind::Plain && may_stop(&error) && executed <= 1 => {
                    tally.stopped += 1;
                }
                outcome => tally.wrong.push(format!(
                    "operation {operation}, {kind:?}: {outcome:?}, executed {executed} times"
                )),
            }
        }
    }

    async fn call(&self, operation: u64, kind: Kind) -> Result<(), ClientError> {
        let mut dice = Dice::new(self.seed, "operation", operation);
        let body = format!("{{\"op\":{operation},\"pad\":\"{}\"}}", "x".repeat(dice.size(0, 60)));
        let in_vain = dice.between(0, 3);
        let attempts = AtomicU64::new(0);
        let send = |http: &reqwest::Client| {
            let attempt = attempts.fetch_add(1, Ordering::Relaxed);
            let url = match kind {
                Kind::Unsent if attempt < in_vain => format!("http://{}", self.nobody),
                Kind::Unsent => self.steady.clone(),
                Kind::Keyed | Kind::Plain => self.cutting.clone(),
            };
            let request = http.post(format!("{url}/operations")).body(body.clone());
            match kind {
                Kind::Keyed => request.header("Idempotency-Key", format!("key-{operation}")),
                Kind::Plain | Kind::Unsent => request,
            }
        };
        self.client.execute_read(&policy(), send).await.map(drop)
    }
}

fn policy() -> CallPolicy {
    let retry = RetryMode::until_cancelled(Duration::from_millis(1), Duration::from_millis(4));
    CallPolicy::new(retry, BreakerMode::FailFast)
        .with_safety(RetrySafety::FateAware)
        .with_deadline(Duration::from_secs(60))
}

/// A plain operation may stop only where repeating it could do it twice.
fn may_stop(error: &ClientError) -> bool {
    error.stop_reason() == Some(&StopReason::Unsafe)
}
