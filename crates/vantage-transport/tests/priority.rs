//! A priority is the task's own, and needs no runtime to be read.

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

use api_pool::CallPolicy;
use vantage_core::Priority;
use vantage_transport::current_policy;

/// Runs what does not wait.
fn run<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn without_a_scope_and_a_runtime_nobody_waits_for_the_answer() {
    assert_eq!(current_policy(), CallPolicy::background());
}

#[test]
fn the_innermost_scope_counts_and_only_inside() {
    let policies = run(Priority::Essential.scope(async {
        let inner = Priority::Background.scope(async { current_policy() }).await;
        (inner, current_policy())
    }));
    assert_eq!(policies, (CallPolicy::background(), CallPolicy::essential()));
    assert_eq!(current_policy(), CallPolicy::background());
}
