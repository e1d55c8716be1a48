//! Reads under every policy, with every fault.

mod call;
mod fleet;
mod http2;
mod world;

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use api_pool::ResilientClient;
use tokio::task::JoinSet;

use self::{call::End, world::World};
use crate::{
    ledger::Ledger,
    options::Options,
    process::{Memory, open_files},
    report::Report,
    server::{Server, pause},
};

/// The most memory that may ever be in use, in KiB.
const PEAK: u64 = 64 * 1024;

/// How much more memory may be in use at the end than halfway, in KiB.
const GROWTH: u64 = 4 * 1024;

/// What server and clients speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    Http1,
    Http2,
}

pub(crate) async fn run(options: &Options, wire: Wire) -> io::Result<Report> {
    let world = Arc::new(World::new(options.seed()));
    let shared = Arc::clone(&world);
    let server = match wire {
        Wire::Http1 => Server::start(move |own| Arc::clone(&shared).serve(own)).await?,
        Wire::Http2 => {
            Server::start_frames(move |own| http2::serve(Arc::clone(&shared), own)).await?
        }
    };
    let files = open_files();
    let tasks = alive_tasks();
    let ledger = Arc::new(Ledger::default());
    let fleet = fleet::build(wire, &world, &ledger)?;

    let (ends, halfway) = make_calls(options, &server.url(), &world, &fleet).await;
    world.calm.store(true, Ordering::SeqCst);
    let mut report = Report::new(options);
    let made = ends.iter().map(|(_, count)| count).sum::<u64>();
    report.check(made == options.calls(), || format!("{made} calls ended"));
    for (end, count) in ends {
        report.figure(end.name(), count);
        report.check(end != End::Hung || count == 0, || format!("{count} calls hung"));
    }
    report.check_all(at_rest(&fleet));
    report.check_all(still_serve(&fleet, &server.url()).await);
    drop(fleet);
    let idle = server.until_idle().await;
    report.check(idle, || "a connection was left open".to_owned());

    events(&mut report, &ledger, server.requests());
    resources(&mut report, halfway, files, tasks).await;
    Ok(report)
}

/// Makes all calls; returns how they ended, and the memory in use halfway.
async fn make_calls(
    options: &Options,
    url: &str,
    world: &Arc<World>,
    fleet: &[ResilientClient],
) -> (Vec<(End, u64)>, Option<Memory>) {
    let next = Arc::new(AtomicU64::new(0));
    let over = Arc::new(AtomicBool::new(false));
    let operator = tokio::spawn(world::operate(
        options.seed(),
        Arc::clone(world),
        fleet.to_vec(),
        Arc::clone(&over),
    ));
    let mut callers = JoinSet::new();
    for _ in 0..options.callers() {
        let (next, fleet, url) = (Arc::clone(&next), fleet.to_vec(), url.to_owned());
        let (calls, seed) = (options.calls(), options.seed());
        callers.spawn(async move {
            let (mut ends, mut halfway) = (End::ALL.map(|end| (end, 0)), None);
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if calls <= number {
                    return (ends, halfway);
                }
                if number == calls / 2 {
                    halfway = Memory::now();
                }
                let end = call::make(seed, number, &url, &fleet).await;
                for (own, count) in &mut ends {
                    *count += u64::from(*own == end);
                }
            }
        });
    }
    let (mut ends, mut halfway) = (End::ALL.map(|end| (end, 0)), None);
    while let Some(caller) = callers.join_next().await {
        // A caller that panicked leaves its calls out of the sum, which is checked.
        let Ok((own, memory)) = caller else { continue };
        halfway = halfway.or(memory);
        ends.iter_mut().zip(own).for_each(|((_, sum), (_, count))| *sum += count);
    }
    over.store(true, Ordering::SeqCst);
    let _ = operator.await;
    (ends.to_vec(), halfway)
}

fn at_rest(fleet: &[ResilientClient]) -> Vec<String> {
    let busy = |client: &&ResilientClient| client.in_flight() + client.waiting() > 0;
    fleet.iter().filter(busy).map(|client| format!("{client:?} is not at rest")).collect()
}

/// Each client serves a call that needs a probe, a token and a slot.
async fn still_serve(fleet: &[ResilientClient], url: &str) -> Vec<String> {
    let mut broken = Vec::new();
    for client in fleet {
        let policy = call::patient(Duration::from_secs(30));
        let url = format!("{url}/last/answer-2");
        if let Err(error) = client.execute_read(&policy, |http| http.get(&url)).await {
            broken.push(format!("{client:?} serves no more: {error:?}"));
        }
    }
    broken
}

fn events(report: &mut Report, ledger: &Ledger, seen: u64) {
    let counts = ledger.counts();
    let (requests, dropped) = counts.requests();
    report.figure("attempts started", counts.started);
    report.figure("attempts succeeded", counts.succeeded);
    report.figure("attempts failed", counts.failed);
    report.figure("attempts failed unsent", counts.unsent);
    report.figure("attempts ended by a limit in time", counts.late);
    report.figure("attempts cancelled", counts.cancelled);
    report.figure("retries", counts.retries);
    report.figure("breaker openings", counts.opened);
    report.figure("breaker closings", counts.closed);
    report.figure("requests by the events", requests);
    report.figure("requests at the server", seen);
    report.figure("bytes searched for tokens", counts.searched);
    for (name, waited) in ledger.waits() {
        report.figure(name, waited);
    }
    report.check(counts.started == counts.succeeded + counts.failed + counts.cancelled, || {
        format!("events do not pair up: {counts:?}")
    });
    report.check(requests <= seen && seen <= requests + dropped, || {
        format!("{seen} requests at the server, {requests} to {} by the events", requests + dropped)
    });
    report.check_all(ledger.leaks());
}

async fn resources(
    report: &mut Report,
    halfway: Option<Memory>,
    files: Option<usize>,
    tasks: usize,
) {
    for _ in 0..250 {
        if alive_tasks() <= tasks && open_files() <= files {
            break;
        }
        pause(Duration::from_millis(20)).await;
    }
    let (now_alive, now_open) = (alive_tasks(), open_files());
    report.check(now_alive <= tasks, || format!("{now_alive} tasks, {tasks} at the beginning"));
    report.check(now_open <= files, || format!("{now_open:?} files, {files:?} at the beginning"));
    let (Some(halfway), Some(end)) = (halfway, Memory::now()) else { return };
    report.figure("KiB resident halfway", halfway.resident);
    report.figure("KiB resident at the end", end.resident);
    report.figure("KiB resident at most", end.peak);
    report.check(end.peak <= PEAK, || format!("{} KiB of memory at most", end.peak));
    report.check(end.resident <= halfway.resident + GROWTH, || {
        format!("memory grew from {} to {} KiB", halfway.resident, end.resident)
    });
}

fn alive_tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}
