//! Nothing outlives a call that is dropped: no task, no connection, no file descriptor.

#[path = "support/wire.rs"]
mod wire;

use std::time::{Duration, Instant};

use api_pool::testing::CancelAt;
use api_pool::{CallPolicy, ResilientClient};
use test_support::{FaultServer, Script, answer, head};
use tokio::runtime::Handle;
use wire::{LONG, Tally, answering, ms, ok, serve, soon, watched};

const CANCELS: usize = 10_000;

/// How soon a server sees that a call was dropped, where nothing else keeps the machine.
const SOON: Duration = ms(100);

/// Calls of which one at least is not held up by other work of the machine.
const TRIES: usize = 10;

/// File descriptors that are open; the same number on systems that do not tell.
fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

fn client() -> ResilientClient {
    watched(&Tally::new()).max_parallel(1).build()
}

#[expect(clippy::disallowed_methods, reason = "how long the server really takes is the claim")]
fn now() -> Instant {
    Instant::now()
}

/// Drops a call whose request has arrived at a server that will not answer it, and returns how long
/// it takes until the server sees that.
async fn dropped_in_flight(server: &FaultServer) -> Duration {
    let (client, policy, url) = (client(), CallPolicy::essential(), server.url());
    let (alive, arrived) = (tasks(), server.seen().requests());

    let mut call = Box::pin(client.execute_read(&policy, |http| http.get(&url)));
    tokio::select! {
        _ = &mut call => unreachable!("it is not answered"),
        () = soon("the request arrives", || server.seen().requests() > arrived) => (),
    }
    let dropped = now();
    drop(call);

    // While the client lives on: the connection is the call's, and not its pool's.
    soon("the server sees the connection closed", || server.seen().open() == 0).await;
    let took = now().duration_since(dropped);
    soon("the tasks of the connection end", || tasks() == alive).await;
    took
}

async fn quickest_end(server: &FaultServer) -> Duration {
    let mut quickest = LONG;
    for _ in 0..TRIES {
        quickest = quickest.min(dropped_in_flight(server).await);
    }
    quickest
}

/// Drops so many calls at each point in turn, and from the first again once one ends before the
/// next.
async fn dropped_anywhere(server: &FaultServer, cancels: usize) {
    let (tally, policy, url) = (Tally::new(), CallPolicy::background(), server.url());
    let client = watched(&tally).max_parallel(1).build();
    let (mut dropped, mut pending) = (0, 0);
    while dropped < cancels {
        let call = client.execute_read(&policy, |http| http.get(&url));
        let ended = CancelAt::new(pending, call).await.is_some();
        assert_eq!((client.in_flight(), client.waiting()), (0, 0));
        dropped += usize::from(!ended);
        pending = if ended { 0 } else { pending + 1 };
        let (last, events) = (tally.events().pop(), tally.events().len());
        assert!(events.is_multiple_of(2), "each attempt that started has ended: {last:?}");
        tally.clear();
    }
}

/// One test: the files and tasks of another one would be counted too.
#[tokio::test]
async fn ten_thousand_calls_dropped_anywhere_leave_no_task_and_no_file_open() {
    let silent = serve(|_| Script::new().read_request().stall()).await;
    let begun = serve(|_| Script::new().read_request().send(head(200, &[], 9)).stall()).await;
    let answers = answering(ok()).await;
    let moving = answer(307, &[("location", "/moved")], "");
    let moved = Script::new().read_request().send(moving).read_request().send(ok()).forever();
    let moved = serve(move |_| moved.clone()).await;
    // A first call sets up what a process has once.
    client().execute(|http| http.get(answers.url())).await.expect("it is answered");
    soon("the first connection is closed", || answers.seen().open() == 0).await;
    let (alive, files) = (tasks(), open_files());

    assert!(quickest_end(&silent).await <= SOON);
    assert!(quickest_end(&begun).await <= SOON);
    dropped_anywhere(&answers, CANCELS).await;
    dropped_anywhere(&moved, CANCELS / 10).await;

    let open = || answers.seen().open() + moved.seen().open();
    soon("every connection is closed", || open() == 0).await;
    soon("every task ends", || tasks() == alive).await;
    assert_eq!(open_files(), files);
}
