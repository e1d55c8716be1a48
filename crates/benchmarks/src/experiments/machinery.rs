//! One call over a transport that answers at once: what the client itself does.

use std::sync::Arc;

use api_pool::{
    CallPolicy, ResilientClient, ResilientClientBuilder, Transport,
    testing::{Reply, Script},
};

use super::{block_on, wire::Counter};
use crate::experiment::{Experiment, Subject};

pub(crate) const CALL: Experiment = Experiment {
    id: "machinery",
    title: "a call over a scripted transport succeeds",
    floor: "the script alone",
    features: "",
    repeats: (10_000, 60_000),
    subjects: &[
        Subject::new("the script alone", script_alone),
        Subject::new("api-pool: retry", retry),
        Subject::new("api-pool: retry, breaker", breaker),
        Subject::new("api-pool: retry, breaker, rate", rate),
        Subject::new("api-pool: retry, breaker, observer", observer),
        Subject::new("api-pool: retry, breaker, rate, observer", everything),
    ],
};

const URL: &str = "http://api.test/airports";

fn script() -> Script {
    Script::answering(|_| Reply::status(200))
}

fn script_alone(calls: u64) {
    let script = script();
    block_on(async {
        for _ in 0..calls {
            let request = script.prepare(script.get(URL)).expect("the URL is one");
            let response = script.send(request).await.expect("the script answers");
            assert_eq!(Script::status(&response), 200);
        }
    });
}

fn through(
    calls: u64,
    build: impl FnOnce(ResilientClientBuilder<Script>) -> ResilientClientBuilder<Script>,
) {
    let client = build(ResilientClient::builder().transport(script())).build();
    let policy = CallPolicy::essential();
    block_on(async {
        for _ in 0..calls {
            let response = client.execute_with(&policy, |http| http.get(URL)).await;
            assert_eq!(Script::status(&response.expect("the script answers")), 200);
        }
    });
}

fn retry(calls: u64) {
    through(calls, |builder| builder);
}

fn breaker(calls: u64) {
    through(calls, ResilientClientBuilder::default_breaker);
}

fn rate(calls: u64) {
    through(calls, |builder| builder.default_breaker().rate_limit_with_burst(1e6, 1_000_000));
}

fn observer(calls: u64) {
    through(calls, |builder| {
        builder.default_breaker().observer("airports", Arc::new(Counter::default()))
    });
}

fn everything(calls: u64) {
    through(calls, |builder| {
        builder
            .default_breaker()
            .rate_limit_with_burst(1e6, 1_000_000)
            .observer("airports", Arc::new(Counter::default()))
    });
}
