//! Futures that have nothing to wait for.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use tokio::runtime::{Builder, Runtime};

thread_local! {
    /// For the timers of a call, which are begun and never run out.
    static RUNTIME: Runtime =
        Builder::new_current_thread().enable_time().build().expect("a runtime without sockets");
}

/// Polls once.
///
/// # Panics
///
/// If the future waits for something.
pub(crate) fn at_once<T>(future: impl Future<Output = T>) -> T {
    RUNTIME.with(|runtime| {
        let _within = runtime.enter();
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(output) => output,
            Poll::Pending => panic!("it waits for something"),
        }
    })
}
