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
    grant::{Ask, Call, Entry, Turn},
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
                Turn::Called(Call::Go(grant)) => {
                    return Poll::Ready(Ok(this.place.circuit.pass(grant)));
                }
                Turn::Called(Call::Shut) => return Poll::Ready(Err(Rejected)),
                Turn::Wait { sleep_until: None } => {
                    this.sleep.set(None);
                    return Poll::Pending;
                }
                Turn::Wait { sleep_until: Some(deadline) } => deadline,
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
    fn poll(&mut self, cx: &Context<'_>) -> Turn {
        let seat = match core::mem::replace(&mut self.stage, Stage::Done) {
            Stage::Done => return Turn::Wait { sleep_until: None },
            Stage::Seated(seat) => seat,
            Stage::Asking(ask) => match self.circuit.with(|gate, now| gate.enter(ask, now)) {
                Entry::Called(call) => return Turn::Called(call),
                Entry::Wait(seat) => seat,
            },
        };
        let turn = self.circuit.with(|gate, now| gate.poll(&seat, cx.waker().clone(), now));
        if matches!(turn, Turn::Wait { .. }) {
            self.stage = Stage::Seated(seat);
        }
        turn
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if let Stage::Seated(seat) = &self.stage {
            self.circuit.with(|gate, now| gate.leave(seat, now));
        }
    }
}
