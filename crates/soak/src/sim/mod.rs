//! Simulated worlds: no sockets, a clock that only moves when nobody has anything to do, and faults
//! that stop at some time, after which everything must recover.

mod caller;
mod clients;
mod nature;
mod trace;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use tokio::{
    task::JoinSet,
    time::{Instant, timeout},
};

use self::{
    caller::{Ended, Wish},
    clients::{Client, Clients},
    nature::Nature,
    trace::Trace,
};
use crate::{dice::Dice, ledger::Counts, options::Options, report::Report, server::pause};

/// One of so many worlds is made twice, and must go the same way.
const TWICE: u64 = 20;

/// What no call takes once nothing goes wrong.
const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

/// How many calls to each client are begun when the faults stop.
const NEWCOMERS: usize = 4;

/// How long a line as long as these takes to be let go, however low the pace of the recovery was.
/// `breaker/pacing/tests.rs` shows it.
const LINE: Duration = Duration::from_secs(60);

/// What came of one world.
#[derive(Debug, Default)]
struct Outcome {
    broken: Vec<String>,
    calls: u64,
    succeeded: u64,
    requests: u64,
    counts: Option<Counts>,
    jumps: u64,
    /// The calls that were waited for after the faults had stopped, for each the time it took and
    /// the time it may take without a line before it.
    recoveries: Vec<(Duration, Duration)>,
    /// How long the world lasted, on its clock.
    lasted: Duration,
    /// What was seen, in order, as a hash.
    trace: u64,
}

pub(crate) fn run(options: &Options) -> io::Result<Report> {
    let mut report = Report::new(options);
    let (mut sum, mut openings, mut unsent, mut dropped) = (Outcome::default(), 0, 0, 0);
    let (mut events, mut lasted, mut recovery) = (0, Duration::ZERO, Duration::ZERO);
    let (mut recoveries, mut late, mut latest) = (0, 0, Duration::ZERO);
    for seed in options.seed()..options.seed().saturating_add(options.worlds()) {
        let outcome = world(seed)?;
        let again = if seed % TWICE == 0 { Some(world(seed)?) } else { None };
        let differs = again.is_some_and(|again| again.trace != outcome.trace);
        report.check(!differs, || format!("seed {seed}: the world went another way"));
        report.check_all(outcome.broken.iter().map(|broken| format!("seed {seed}: {broken}")));
        sum.calls += outcome.calls;
        sum.succeeded += outcome.succeeded;
        sum.requests += outcome.requests;
        sum.jumps += outcome.jumps;
        for (took, bound) in outcome.recoveries {
            recovery = recovery.max(took);
            recoveries += 1;
            late += u64::from(bound < took);
            latest = latest.max(took.saturating_sub(bound));
        }
        lasted += outcome.lasted;
        if let Some(counts) = outcome.counts {
            openings += counts.opened;
            unsent += counts.unsent;
            dropped += counts.cancelled + counts.late;
            events += counts.started;
        }
        if report.broken().len() > 20 {
            break;
        }
    }
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    report.figure("worlds", options.worlds());
    report.figure("hours of their clocks", lasted.as_secs() / 3_600);
    report.figure("steps of a clock", sum.jumps);
    report.figure("calls", sum.calls);
    report.figure("calls succeeded", sum.succeeded);
    report.figure("attempts started", events);
    report.figure("attempts failed unsent", unsent);
    report.figure("attempts dropped", dropped);
    report.figure("breaker openings", openings);
    report.figure("requests at the servers", sum.requests);
    report.figure("calls waited for after the faults", recoveries);
    report.figure("of these behind a slow line", late);
    report.figure("ms of the slowest", millis(recovery));
    report.figure("ms of the longest behind a slow line", millis(latest));
    Ok(report)
}

/// Makes a world of a seed.
fn world(seed: u64) -> io::Result<Outcome> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let lived = catch_unwind(AssertUnwindSafe(|| runtime.block_on(live(seed))));
    Ok(lived
        .unwrap_or_else(|_| Outcome { broken: vec!["a panic".to_owned()], ..Outcome::default() }))
}

async fn live(seed: u64) -> Outcome {
    let mut dice = Dice::new(seed, "world", 0);
    let start = now();
    let trace = Arc::new(Trace::new(start));
    let nature = Arc::new(Nature::draw(&mut dice, start));
    let clients = Arc::new(Clients::draw(&mut dice, seed, &nature, &trace));
    let mut outcome = Outcome::default();

    let mut callers = JoinSet::new();
    for number in 0..dice.between(2, 40) {
        let dice = Dice::new(seed, "caller", number);
        callers.spawn(caller::live(dice, Arc::clone(&clients), Arc::clone(&nature)));
    }
    outcome.jumps = nature::operate(Dice::new(seed, "operator", 0), &nature, &clients).await;
    nature.calm_down();
    let calm = now();

    // Those who came before and those who come now.
    for client in clients.iter().flat_map(|client| std::iter::repeat_n(client, NEWCOMERS)) {
        let wish = Wish::patient(client.number);
        callers.spawn(wish.make(Arc::clone(&clients), Arc::clone(&nature)));
    }
    loop {
        match timeout(FOREVER, callers.join_next()).await {
            Ok(None) => break,
            Ok(Some(Ok(ended))) => settle(&mut outcome, &clients, ended, calm),
            Ok(Some(Err(_))) => outcome.broken.push("a caller panicked".to_owned()),
            Err(_) => {
                outcome.broken.push(format!("{} callers never end", callers.len()));
                callers.shutdown().await;
            }
        }
    }
    outcome.lasted = now().duration_since(start);
    outcome.requests = nature.requests();
    outcome.trace = trace.hash();
    judge(&mut outcome, &clients, &trace);
    clients.forget(&nature);
    outcome
}

/// Adds up what one caller did, and what it found broken.
fn settle(outcome: &mut Outcome, clients: &Clients, ended: Ended, calm: Instant) {
    outcome.calls += ended.calls;
    outcome.succeeded += ended.succeeded;
    outcome.broken.extend(ended.broken);
    if let Some((number, at)) = ended.patient {
        let bound = clients.get(number).map_or(Duration::ZERO, Client::recovers_within);
        if calm <= at {
            outcome.recoveries.push((at.duration_since(calm), bound));
        }
    }
}

/// What must hold at the end of a world.
fn judge(outcome: &mut Outcome, clients: &Clients, trace: &Trace) {
    let counts = trace.counts();
    if counts.started != counts.succeeded + counts.failed + counts.cancelled {
        outcome.broken.push(format!("events do not pair up: {counts:?}"));
    }
    for (took, bound) in &outcome.recoveries {
        if *bound + LINE < *took {
            outcome.broken.push(format!("a call took {took:?} of {bound:?} and {LINE:?}"));
        }
    }
    let (requests, dropped) = counts.requests();
    if outcome.requests < requests || requests + dropped < outcome.requests {
        let seen = outcome.requests;
        outcome.broken.push(format!("{seen} requests, {requests} and {dropped} by the events"));
    }
    outcome.broken.extend(trace.leaks());
    outcome.broken.extend(clients.iter().filter_map(Client::is_wrong));
    outcome.counts = Some(counts);
}

#[expect(clippy::disallowed_methods, reason = "the paused clock is the world's")]
fn now() -> Instant {
    Instant::now()
}

/// The clock stands still for everybody and goes on later, as after a suspension.
async fn jump(duration: Duration) {
    tokio::time::advance(duration).await;
    pause(Duration::ZERO).await;
}
