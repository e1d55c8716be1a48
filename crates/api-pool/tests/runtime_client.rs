//! HTTP clients and other work share one budget of slots.

mod support;

use api_pool::{
    CallPolicy, ErrorKind, QueueClass, RequestRuntime, ResilientClient, RunOptions,
    testing::{Reply, Script},
};
use support::{
    URL, ms,
    timeline::{Timeline, sleep_ms},
};

fn runtime() -> RequestRuntime {
    RequestRuntime::builder("shop").group("api", 1).build().expect("the limit is not zero")
}

/// A client of the group whose requests take 100 ms.
fn client(runtime: &RequestRuntime) -> ResilientClient<Script> {
    ResilientClient::builder()
        .transport(Script::answering(|_| Reply::ok("fine").after(ms(100))))
        .group(runtime.group("api"))
        .build()
}

async fn get(client: &ResilientClient<Script>, policy: CallPolicy) -> Result<(), ErrorKind> {
    client.execute_with(&policy, |http| http.get(URL)).await.map(drop).map_err(|error| error.kind)
}

#[tokio::test(start_paused = true)]
async fn two_clients_and_other_work_share_the_slots_of_a_group() {
    let runtime = runtime();
    let (one, other) = (client(&runtime), client(&runtime));
    let timeline = Timeline::start();
    let call = |client: ResilientClient<Script>, name: &'static str| {
        let timeline = timeline.clone();
        async move {
            get(&client, CallPolicy::background()).await.unwrap();
            timeline.record(name);
        }
    };
    let work = async {
        let operation = || async {
            sleep_ms(100).await;
            Ok::<_, ()>(())
        };
        runtime.run(RunOptions::new().group("api"), operation).await.unwrap();
        timeline.record("work");
    };
    tokio::join!(call(one.clone(), "one"), work, call(other, "other"), async {
        sleep_ms(50).await;
        let now = runtime.diagnostics();
        let group = now.group("api").unwrap();
        assert_eq!((group.active(), group.pending()), (1, 2));
        assert_eq!((one.in_flight(), one.waiting()), (1, 2));
        assert_eq!(runtime.group("api").pending_in(QueueClass::Background), 2);
        // Calls of the client are its own: only the work is a call of the runtime.
        assert_eq!(now.calls(), 1);
    });
    timeline.assert(&[(100, "one"), (200, "work"), (300, "other")]);
}

#[tokio::test(start_paused = true)]
async fn an_essential_request_goes_before_work_that_waits() {
    let runtime = runtime();
    let client = client(&runtime);
    let timeline = Timeline::start();
    let work = |name: &'static str| {
        let timeline = timeline.clone();
        runtime.run(RunOptions::new().group("api"), move || {
            timeline.record(name);
            async {
                sleep_ms(100).await;
                Ok::<_, ()>(())
            }
        })
    };
    let screen = async {
        get(&client, CallPolicy::essential()).await.unwrap();
        timeline.record("screen is there");
    };
    let (first, second, ()) = tokio::join!(work("first"), work("second"), screen);
    assert_eq!((first, second), (Ok(()), Ok(())));
    timeline.assert(&[(0, "first"), (200, "screen is there"), (200, "second")]);
}

#[tokio::test(start_paused = true)]
async fn a_runtime_that_is_disposed_of_gives_its_clients_no_more_slots() {
    let runtime = runtime();
    let client = client(&runtime);
    let dispose = async {
        sleep_ms(50).await;
        runtime.dispose();
    };
    let (running, waiting, ()) = tokio::join!(
        get(&client, CallPolicy::background()),
        get(&client, CallPolicy::essential()),
        dispose,
    );
    // What the client sends is its own; what waits does not start.
    assert_eq!(running, Ok(()));
    assert_eq!(waiting, Err(ErrorKind::Disposed));
    assert_eq!(get(&client, CallPolicy::background()).await, Err(ErrorKind::Disposed));
    assert_eq!(client.in_flight(), 0);
}
