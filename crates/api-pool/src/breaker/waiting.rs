//! The future of somebody who waits at the gate.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use tokio::time::Sleep;

use super::{
    circuit::{Circuit, Pass, Rejected},
    grant::{Ask, Call, Entry},
    line::Seat,
};
use crate::clock;

pin_project! {
    /// Waits until the gate calls. Sleeps only while it keeps the time for all.
    pub(super) struct Waiting<'a> {
        place: Place<'a>,
        #[pin]
        sleep: Option<Sleep>,
    }
}

impl<'a> Waiting<'a> {
    pub(super) fn new(circuit: &'a Circuit, ask: Ask) -> Self {
        Self { place: Place { circuit, stage: Stage::Asking(ask) }, sleep: None }
    }
}

impl<'a> Future for Waiting<'a> {
    type Output = Result<Pass<'a>, Rejected>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let deadline = match this.place.poll(cx) {
                Call::Go(grant) => return Poll::Ready(Ok(this.place.circuit.pass(grant))),
                Call::Shut => return Poll::Ready(Err(Rejected)),
                Call::Wait { sleep_until: None } => {
                    this.sleep.set(None);
                    return Poll::Pending;
                }
                Call::Wait { sleep_until: Some(deadline) } => deadline,
            };
            match this.sleep.as_mut().as_pin_mut() {
                Some(sleep) => sleep.reset(deadline.into()),
                None => this.sleep.set(Some(clock::sleep_until(deadline))),
            }
            if let Some(sleep) = this.sleep.as_mut().as_pin_mut() {
                ready!(sleep.poll(cx));
            }
        }
    }
}

/// A place at the gate, given up when dropped.
struct Place<'a> {
    circuit: &'a Circuit,
    stage: Stage,
}

enum Stage {
    Asking(Ask),
    Seated(Seat),
    Done,
}

impl Place<'_> {
    fn poll(&mut self, cx: &Context<'_>) -> Call {
        let seat = match core::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Done => return Call::Wait { sleep_until: None },
            Stage::Seated(seat) => seat,
            Stage::Asking(ask) => match self.circuit.with(|gate, now| gate.enter(ask, now)) {
                Entry::Go(grant) => return Call::Go(grant),
                Entry::Shut => return Call::Shut,
                Entry::Wait(seat) => seat,
            },
        };
        let call = self.circuit.with(|gate, now| gate.poll(&seat, cx.waker().clone(), now));
        if matches!(call, Call::Wait { .. }) {
            self.stage = Stage::Seated(seat);
        }
        call
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Stage::Seated(seat) = &self.stage {
            self.circuit.with(|gate, now| gate.leave(seat, now));
        }
    }
}
