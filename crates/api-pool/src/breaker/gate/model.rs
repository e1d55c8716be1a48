//! Every state that four callers can bring the gate into, visited by exhaustion.
//!
//! The states are those of the real machines. Two things are left out of what tells states apart,
//! since they would make them infinite: the rate of a recovery, and how far background calls have
//! aged. Both only decide who of several goes first, and when.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use super::*;
use crate::{clock, queue::QueueClass};

const TICK: Duration = Duration::from_secs(1);
const LEASE: Duration = Duration::from_secs(2);
const CALLERS: usize = 4;

#[derive(Clone, Debug)]
enum Phase {
    Away,
    Waiting { seat: Seat, woken: bool, sleeps_until: Option<Instant> },
    Passed(Grant),
    Sent(Ticket),
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Tick,
    Isolate,
    Reset,
    Enter(usize),
    Poll(usize),
    Leave(usize),
    Admit(usize),
    GiveBack(usize),
    Settle(usize, Health),
    Abandon(usize),
}

#[derive(Clone)]
struct Model {
    gate: Gate<usize>,
    now: Instant,
    callers: Vec<Phase>,
    openings: u8,
    open: bool,
    /// Who fetches the token that the others wait for.
    fetcher: Option<usize>,
    give_back: GiveBack,
}

/// How a leave to go is given back: a wrong way to do it must be found out.
type GiveBack = fn(&mut Gate<usize>, &Grant, Instant);

impl Model {
    /// Two essential callers that wait, a background one that waits, and one that does not.
    fn new(threshold: u32) -> Self {
        let threshold = threshold.try_into().unwrap();
        Self {
            gate: Gate::new(BreakerConfig::growing(threshold, TICK, TICK * 2)),
            now: clock::now(),
            callers: vec![Phase::Away; CALLERS],
            openings: 0,
            open: false,
            fetcher: None,
            give_back: Gate::give_back,
        }
    }

    fn ask(&self, caller: usize, seat: Option<Seat>) -> Ask {
        let class = if caller < 2 { QueueClass::Essential } else { QueueClass::Background };
        let mode = if caller == 3 { BreakerMode::FailFast } else { BreakerMode::WaitForProbe };
        let ask = Ask::new(mode, class, LEASE).again(seat);
        if self.fetcher == Some(caller) { ask.for_token() } else { ask }
    }

    fn actions(&self, by_hand: bool) -> Vec<Action> {
        let mut actions = vec![Action::Tick];
        if by_hand {
            actions.extend([Action::Isolate, Action::Reset]);
        }
        for (caller, phase) in self.callers.iter().enumerate() {
            match phase {
                Phase::Away => actions.push(Action::Enter(caller)),
                Phase::Waiting { .. } => {
                    actions.push(Action::Leave(caller));
                    if self.is_due(caller) {
                        actions.push(Action::Poll(caller));
                    }
                }
                Phase::Passed(_) => {
                    actions.extend([Action::Admit(caller), Action::GiveBack(caller)]);
                }
                Phase::Sent(_) => {
                    actions.push(Action::Abandon(caller));
                    actions.extend(
                        [Health::Up, Health::Reachable, Health::Unknown, Health::Down]
                            .map(|health| Action::Settle(caller, health)),
                    );
                }
            }
        }
        actions
    }

    fn is_due(&self, caller: usize) -> bool {
        matches!(&self.callers[caller], Phase::Waiting { woken, sleeps_until, .. }
            if *woken || sleeps_until.is_some_and(|until| until <= self.now))
    }

    fn take(&mut self, caller: usize) -> Phase {
        core::mem::replace(&mut self.callers[caller], Phase::Away)
    }

    fn step(&mut self, action: Action) {
        match action {
            Action::Tick => self.now += TICK,
            Action::Isolate => {
                let transition = self.gate.isolate(self.now);
                self.note(transition);
            }
            Action::Reset => {
                let transition = self.gate.reset(self.now);
                self.note(transition);
            }
            Action::Enter(caller) => self.enter(caller, None),
            Action::Poll(caller) => {
                if let Phase::Waiting { seat, .. } = self.take(caller) {
                    self.poll(caller, seat);
                }
            }
            Action::Leave(caller) => {
                if let Phase::Waiting { seat, .. } = self.take(caller) {
                    self.gate.leave(&seat, self.now);
                }
            }
            Action::Admit(caller) => {
                if let Phase::Passed(grant) = self.take(caller) {
                    self.admit(caller, grant);
                }
            }
            Action::GiveBack(caller) => {
                if let Phase::Passed(grant) = self.take(caller) {
                    (self.give_back)(&mut self.gate, &grant, self.now);
                }
            }
            Action::Settle(caller, health) => {
                if let Phase::Sent(ticket) = self.take(caller) {
                    self.settle(ticket, health);
                }
            }
            Action::Abandon(caller) => {
                if let Phase::Sent(ticket) = self.take(caller) {
                    self.gate.abandon(ticket, self.now);
                }
            }
        }
        self.deliver_wakes();
        self.check();
    }

    fn enter(&mut self, caller: usize, seat: Option<Seat>) {
        match self.gate.enter(self.ask(caller, seat), self.now) {
            Entry::Called(Call::Go(grant)) => self.callers[caller] = Phase::Passed(grant),
            Entry::Called(Call::Shut) => {
                assert_eq!(caller, 3, "those who wait are not turned away");
                assert!(!self.gate.breaker.is_closed());
            }
            Entry::Wait(seat) => self.poll(caller, seat),
        }
    }

    fn poll(&mut self, caller: usize, seat: Seat) {
        match self.gate.poll(&seat, caller, self.now) {
            Turn::Called(Call::Go(grant)) => self.callers[caller] = Phase::Passed(grant),
            Turn::Called(Call::Shut) => assert_eq!(caller, 3, "those who wait are not turned away"),
            Turn::Wait { sleep_until } => {
                assert!(sleep_until.is_none_or(|until| until > self.now), "a spin");
                self.callers[caller] =
                    Phase::Waiting { seat, woken: false, sleeps_until: sleep_until };
            }
        }
    }

    fn admit(&mut self, caller: usize, grant: Grant) {
        match self.gate.admit(grant, self.now) {
            Ok(ticket) => {
                let closed = self.gate.breaker.is_closed();
                let probes = ticket.role == Role::Probe;
                assert!(
                    probes != closed || (!probes && self.fetcher == Some(caller)),
                    "only a probe, and who fetches a token for it, passes a shut gate"
                );
                self.callers[caller] = Phase::Sent(ticket);
            }
            Err(seat) => self.enter(caller, Some(seat)),
        }
    }

    fn settle(&mut self, ticket: Ticket, health: Health) {
        let stale = ticket.epoch != self.gate.epoch();
        let mut untouched = self.gate.clone();
        untouched.advance(self.now);
        let transition = self.gate.settle(ticket, health, self.now);
        if stale {
            assert_eq!(transition, None, "a late answer decides nothing");
            assert_eq!(
                untouched.breaker.fingerprint(self.now),
                self.gate.breaker.fingerprint(self.now),
                "a late answer changes nothing"
            );
        }
        self.note(transition);
    }

    /// The grammar of what an observer hears: any number of openings, then one closing.
    fn note(&mut self, transition: Option<Transition>) {
        match transition {
            Some(Transition::Opened { .. }) => {
                self.open = true;
                self.openings += 1;
            }
            Some(Transition::Closed) => {
                assert!(self.open, "closed what was closed");
                self.open = false;
            }
            None => (),
        }
        assert_eq!(self.open, !self.gate.breaker.is_closed(), "a change nobody heard of");
    }

    fn deliver_wakes(&mut self) {
        for caller in self.gate.take_wakes() {
            match &mut self.callers[caller] {
                Phase::Waiting { woken, .. } => {
                    assert!(!*woken, "woken twice");
                    *woken = true;
                }
                phase => panic!("woken for nothing while {phase:?}"),
            }
        }
    }

    /// What holds in every state.
    fn check(&mut self) {
        let gate = &self.gate;
        let probing = self.callers.iter().filter(|phase| match phase {
            Phase::Passed(Grant::Candidate { epoch, .. }) => gate.breaker.is_probing(*epoch),
            Phase::Sent(ticket) => {
                ticket.role == Role::Probe && gate.breaker.is_probing(ticket.epoch)
            }
            Phase::Waiting { seat, .. } => match gate.called.get(seat) {
                Some(Call::Go(Grant::Candidate { epoch, .. })) => gate.breaker.is_probing(*epoch),
                _ => false,
            },
            _ => false,
        });
        let probing = probing.count();
        assert!(probing <= 1, "{probing} probes");
        let slot_is_taken = gate.breaker.is_probing(gate.breaker.epoch());
        assert_eq!(slot_is_taken, probing == 1, "the probe slot was lost");

        let seated: HashSet<_> = gate.line.seats().chain(gate.called.keys()).map(turn).collect();
        let mut waiting = HashSet::new();
        for (caller, phase) in self.callers.iter().enumerate() {
            if let Phase::Waiting { seat, woken, .. } = phase {
                waiting.insert(turn(seat));
                let called = gate.called.contains_key(seat);
                assert!(!called || *woken, "{caller} was called and not woken");
            }
        }
        assert_eq!(seated, waiting, "those who wait are those with a seat");

        if !gate.line.is_empty() {
            // Overdue is as good as due: the sleep is over, and its owner about to run.
            let due = gate.deadline().unwrap_or(self.now).max(self.now);
            let kept = gate.keeper.as_ref().is_some_and(|keeper| {
                self.callers.iter().any(|phase| match phase {
                    Phase::Waiting { seat, woken, sleeps_until } if *seat == keeper.seat => {
                        *woken || sleeps_until.is_some_and(|until| until <= due)
                    }
                    _ => false,
                })
            });
            assert!(kept || self.is_isolated(), "nobody keeps the time");
        }
    }

    /// Open by hand: no time changes that.
    fn is_isolated(&mut self) -> bool {
        self.gate.breaker.fingerprint(self.now)[0] == 3
    }

    /// What tells this state from others, as a hash: of some millions, two that are equal by
    /// chance are not to be expected.
    fn key(&mut self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.describe().hash(&mut hasher);
        hasher.finish()
    }

    fn describe(&mut self) -> Vec<u128> {
        let mut key = self.gate.breaker.fingerprint(self.now).to_vec();
        let left = |until: Option<Instant>| {
            until.map_or(u128::MAX, |until| until.saturating_duration_since(self.now).as_millis())
        };
        let current = self.gate.breaker.epoch();
        let pacing = self.gate.pacing.as_ref();
        key.push(u128::from(self.openings));
        key.push(pacing.map_or(9, |pacing| u128::from(pacing.next_release() <= self.now)));
        key.extend(self.gate.keeper.as_ref().map(|keeper| {
            self.gate.line.seats().position(|seat| *seat == keeper.seat).unwrap_or(9) as u128
        }));
        let grant = |grant: &Grant| match grant {
            Grant::Free { epoch } => u128::from(*epoch == current),
            Grant::Released { epoch, .. } => 2 + u128::from(*epoch == current),
            Grant::Candidate { epoch, .. } => 4 + u128::from(*epoch == current),
            Grant::Token { epoch, .. } => 6 + u128::from(*epoch == current),
        };
        for phase in &self.callers {
            match phase {
                Phase::Away => key.push(100),
                Phase::Waiting { seat, woken, sleeps_until } => {
                    key.extend([200 + u128::from(*woken), left(*sleeps_until)]);
                    key.push(match self.gate.called.get(seat) {
                        Some(Call::Go(go)) => 30 + grant(go),
                        Some(_) => 20,
                        None => {
                            self.gate.line.seats().position(|s| s == seat).unwrap_or(19) as u128
                        }
                    });
                }
                Phase::Passed(go) => {
                    // The seat matters if it is refused: who of several goes first then.
                    let seat = match go {
                        Grant::Free { .. } => 0,
                        Grant::Released { seat, .. }
                        | Grant::Candidate { seat, .. }
                        | Grant::Token { seat, .. } => self.rank(seat),
                    };
                    key.extend([300 + grant(go), seat]);
                }
                Phase::Sent(ticket) => {
                    let role = match ticket.role {
                        Role::Plain => 0,
                        Role::Paced(generation) => {
                            1 + u128::from(pacing.is_some_and(|p| p.generation() == generation))
                        }
                        Role::Probe => 3,
                    };
                    key.extend([400 + role, u128::from(ticket.epoch == current)]);
                }
            }
        }
        key
    }

    /// How many of the others hold an older seat.
    fn rank(&self, seat: &Seat) -> u128 {
        let others = self.callers.iter().filter(|phase| match phase {
            Phase::Waiting { seat: other, .. }
            | Phase::Passed(
                Grant::Released { seat: other, .. }
                | Grant::Candidate { seat: other, .. }
                | Grant::Token { seat: other, .. },
            ) => other < seat,
            _ => false,
        });
        others.count() as u128
    }

    /// Whatever state this is: once those under way hang for ever, whoever waits, and one more
    /// who comes now, gets through within a bounded time, and the breaker closes.
    fn check_liveness(mut self) {
        if self.is_isolated() {
            self.gate.reset(self.now);
            self.deliver_wakes();
        }
        for phase in &mut self.callers {
            if !matches!(phase, Phase::Waiting { .. }) {
                *phase = Phase::Away;
            }
        }
        let newcomer = CALLERS;
        self.callers.resize(newcomer + 1, Phase::Away);
        self.enter(newcomer, None);
        self.deliver_wakes();
        for _ in 0..100 {
            while let Some(caller) = (0..self.callers.len())
                .find(|&caller| self.is_due(caller) || self.has_passed(caller))
            {
                match self.take(caller) {
                    Phase::Waiting { seat, .. } => self.poll(caller, seat),
                    Phase::Passed(grant) => {
                        self.admit(caller, grant);
                        if let Phase::Sent(ticket) = self.take_sent(caller) {
                            self.gate.settle(ticket, Health::Up, self.now);
                        }
                    }
                    Phase::Away | Phase::Sent(_) => (),
                }
                self.deliver_wakes();
            }
            self.now += TICK;
        }
        let waiting = self.callers.iter().any(|phase| !matches!(phase, Phase::Away));
        assert!(!waiting, "somebody never goes: {:?}", self.callers);
        assert!(self.gate.is_open_wide(), "it never closes");
    }

    fn has_passed(&self, caller: usize) -> bool {
        matches!(self.callers[caller], Phase::Passed(_))
    }

    fn take_sent(&mut self, caller: usize) -> Phase {
        match self.callers[caller] {
            Phase::Sent(_) => self.take(caller),
            _ => Phase::Away,
        }
    }
}

fn turn(seat: &Seat) -> u64 {
    seat.turn
}

mod explore;
