//! Nothing outlives a call that is dropped: no task, no connection, no file descriptor.

#[path = "support/wire.rs"]
mod wire;

use std::time::Duration;

use api_pool::testing::CancelAt;
use api_pool::{CallPolicy, ResilientClient};
use test_support::{FaultServer, Script, answer, head};
use tokio::runtime::Handle;
use wire::{Tally, answering, ok, serve, until, watched};

const CANCELS: usize = 10_000;

/// How long a busy machine may take over what needs no timer.
const LONG: Duration = Duration::from_secs(20);

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

/// Lets the other tasks run until this holds, or says that it never does.
async fn soon(what: &str, condition: impl Fn() -> bool) {
    let ended = tokio::time::timeout(LONG, until(condition)).await;
    assert!(ended.is_ok(), "{what}");
}

/// Drops a call whose request has arrived at a server that will not answer it.
async fn dropped_in_flight(server: &FaultServer) {
    let (client, policy, url) = (client(), CallPolicy::essential(), server.url());
    let alive = tasks();

    let mut call = Box::pin(client.execute_read(&policy, |http| http.get(&url)));
    tokio::select! {
        _ = &mut call => unreachable!("it is not answered"),
        () = soon("the request arrives", || server.seen().requests() == 1) => (),
    }
    drop(call);

    // While the client lives on: the connection is the call's, and not its pool's.
    soon("the server sees the connection closed", || server.seen().open() == 0).await;
    soon("the tasks of the connection end", || tasks() == alive).await;
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

    dropped_in_flight(&silent).await;
    dropped_in_flight(&begun).await;
    dropped_anywhere(&answers, CANCELS).await;
    dropped_anywhere(&moved, CANCELS / 10).await;

    let open = || answers.seen().open() + moved.seen().open();
    soon("every connection is closed", || open() == 0).await;
    soon("every task ends", || tasks() == alive).await;
    assert_eq!(open_files(), files);
}
