//! The bad day: an outage, a thousand callers who wait it out, and a service that comes back with
//! a capacity nobody tells. Virtual time, the real machines, a seed for all randomness.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    num::NonZeroU32,
    time::Duration,
};

use super::*;
use crate::{clock, queue::QueueClass};

const SECOND: u64 = 1_000_000_000;
const MILLI: u64 = 1_000_000;

/// What is to happen, in nanoseconds since the start.
#[derive(Clone, Copy)]
struct Scenario {
    callers: usize,
    pollers: usize,
    slots: usize,
    max_cooldown: Duration,
    /// The service answers 503 until then.
    outage: u64,
    /// Capacity per second, and from when on.
    capacity: &'static [(u64, u64)],
    /// How many requests above its capacity the service takes at once.
    burst: u64,
    /// What it answers to those above.
    refusal: Health,
}

impl Scenario {
    /// The one of which the figures are known: 50 requests per second after a minute.
    const REFERENCE: Self = Self {
        callers: 1_000,
        pollers: 100,
        slots: 8,
        max_cooldown: Duration::from_secs(60),
        outage: 60 * SECOND,
        capacity: &[(0, 50)],
        burst: 10,
        refusal: Health::Down,
    };

    /// The same with a cooldown of 10 s at most.
    const CAPPED: Self = Self { max_cooldown: Duration::from_secs(10), ..Self::REFERENCE };

    fn run(self, seed: u64) -> Report {
        World::new(self, seed).run()
    }
}

/// What came of it.
#[derive(Debug, Default)]
struct Report {
    essential_sent_in_outage: usize,
    background_sent_in_outage: usize,
    wakes_in_outage: usize,
    wakes_after: usize,
    most_wakes_in_outage: usize,
    most_wakes_after: usize,
    /// Seconds from the end of the outage until the last caller was served.
    last_served: f64,
    /// The most requests in any one second after the outage.
    peak: usize,
    refused_after: usize,
    background_served: usize,
    openings_after: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A call begins, or its delay is over.
    Ask(usize),
    /// The gate woke somebody.
    Wake(usize),
    /// The sleep of somebody at the gate is over, if it is still that sleep.
    Slept(usize, u64),
    Answer(usize),
}

struct Caller {
    class: QueueClass,
    seat: Option<Seat>,
    sleep: u64,
    asleep_until: Option<u64>,
    failures: u32,
    ticket: Option<Ticket>,
    answer: Health,
    wakes: [usize; 2],
}

struct World {
    scenario: Scenario,
    gate: Gate<usize>,
    zero: Instant,
    now: u64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    order: u64,
    callers: Vec<Caller>,
    busy: usize,
    line: [VecDeque<(usize, Grant)>; 2],
    random: u64,
    tokens: f64,
    filled: u64,
    sent_after: VecDeque<u64>,
    left: usize,
    report: Report,
}

impl World {
    fn new(scenario: Scenario, seed: u64) -> Self {
        let config = BreakerConfig::growing(
            NonZeroU32::new(5).unwrap(),
            Duration::from_secs(5),
            scenario.max_cooldown,
        );
        let mut world = Self {
            scenario,
            gate: Gate::new(config),
            zero: clock::now(),
            now: 0,
            events: BinaryHeap::new(),
            order: 0,
            callers: Vec::new(),
            busy: 0,
            line: [VecDeque::new(), VecDeque::new()],
            random: seed,
            tokens: scenario.burst as f64,
            filled: 0,
            sent_after: VecDeque::new(),
            left: scenario.callers,
            report: Report::default(),
        };
        for caller in 0..scenario.callers + scenario.pollers {
            let (class, begin) = if caller < scenario.callers {
                (QueueClass::Essential, world.below(SECOND))
            } else {
                (QueueClass::Background, SECOND / 2 + world.below(SECOND))
            };
            world.callers.push(Caller {
                class,
                seat: None,
                sleep: 0,
                asleep_until: None,
                failures: 0,
                ticket: None,
                answer: Health::Unknown,
                wakes: [0, 0],
            });
            world.at(begin, Event::Ask(caller));
        }
        world
    }

    fn run(mut self) -> Report {
        while self.left > 0 {
            let Reverse((time, _, event)) = self.events.pop().expect("somebody is always due");
            assert!(time < 3_600 * SECOND, "nobody is served any more: {:?}", self.report);
            self.now = time;
            match event {
                Event::Ask(caller) => self.ask(caller, None),
                Event::Wake(caller) => {
                    self.count_wake(caller);
                    self.poll(caller);
                }
                Event::Slept(caller, sleep) => {
                    if self.callers[caller].sleep == sleep && self.callers[caller].seat.is_some() {
                        self.count_wake(caller);
                        self.callers[caller].asleep_until = None;
                        self.poll(caller);
                    }
                }
                Event::Answer(caller) => self.answer(caller),
            }
        }
        for caller in &self.callers[..self.scenario.callers] {
            let [outage, after] = caller.wakes;
            self.report.wakes_in_outage += outage;
            self.report.wakes_after += after;
            self.report.most_wakes_in_outage = self.report.most_wakes_in_outage.max(outage);
            self.report.most_wakes_after = self.report.most_wakes_after.max(after);
        }
        self.report
    }

    fn ask(&mut self, caller: usize, seat: Option<Seat>) {
        let class = self.callers[caller].class;
        let mode = match class {
            QueueClass::Essential => BreakerMode::WaitForProbe,
            QueueClass::Background => BreakerMode::FailFast,
        };
        let ask = Ask::new(mode, class, Duration::from_secs(30)).again(seat);
        let now = self.instant();
        let entry = self.gate.enter(ask, now);
        match entry {
            Entry::Called(Call::Go(grant)) => self.go(caller, grant),
            Entry::Called(Call::Shut) => self.poll_again_later(caller),
            Entry::Wait(seat) => {
                self.callers[caller].seat = Some(seat);
                self.poll(caller);
            }
        }
        self.wake();
    }

    fn poll(&mut self, caller: usize) {
        let Some(seat) = self.callers[caller].seat.take() else { return };
        let now = self.instant();
        match self.gate.poll(&seat, caller, now) {
            Turn::Called(Call::Go(grant)) => self.go(caller, grant),
            Turn::Called(Call::Shut) => self.poll_again_later(caller),
            Turn::Wait { sleep_until } => {
                let until = sleep_until.map(|until| {
                    // Timers are as coarse as Tokio's.
                    let nanos = (until - self.zero).as_nanos() as u64;
                    nanos.div_ceil(MILLI) * MILLI
                });
                let waiting = &mut self.callers[caller];
                waiting.seat = Some(seat);
                if waiting.asleep_until != until {
                    waiting.asleep_until = until;
                    waiting.sleep += 1;
                    let event = Event::Slept(caller, waiting.sleep);
                    if let Some(until) = until {
                        self.at(until, event);
                    }
                }
            }
        }
        self.wake();
    }

    fn go(&mut self, caller: usize, grant: Grant) {
        let line = &mut self.line[self.callers[caller].class as usize];
        line.push_back((caller, grant));
        self.fill_slots();
    }

    fn fill_slots(&mut self) {
        while self.busy < self.scenario.slots {
            let [essential, background] = &mut self.line;
            let Some((caller, grant)) = essential.pop_front().or_else(|| background.pop_front())
            else {
                return;
            };
            match self.gate.admit(grant, self.zero + Duration::from_nanos(self.now)) {
                Ok(ticket) => {
                    self.busy += 1;
                    self.send(caller, ticket);
                }
                Err(seat) => self.ask(caller, Some(seat)),
            }
        }
    }

    fn send(&mut self, caller: usize, ticket: Ticket) {
        let latency = 5 * MILLI + self.below(10 * MILLI);
        let healthy = self.now >= self.scenario.outage;
        if healthy {
            self.sent_after.push_back(self.now);
            while self.sent_after.front().is_some_and(|sent| sent + SECOND <= self.now) {
                self.sent_after.pop_front();
            }
            self.report.peak = self.report.peak.max(self.sent_after.len());
        } else if self.callers[caller].class == QueueClass::Essential {
            self.report.essential_sent_in_outage += 1;
        } else {
            self.report.background_sent_in_outage += 1;
        }
        let answer = if !healthy {
            Health::Down
        } else if self.take_token() {
            Health::Up
        } else {
            self.report.refused_after += 1;
            self.scenario.refusal
        };
        self.callers[caller].ticket = Some(ticket);
        self.callers[caller].answer = answer;
        self.at(self.now + latency, Event::Answer(caller));
    }

    fn answer(&mut self, caller: usize) {
        self.count_wake(caller);
        self.busy -= 1;
        let answer = self.callers[caller].answer;
        let ticket = self.callers[caller].ticket.take().expect("it was sent");
        let now = self.instant();
        let transition = self.gate.settle(ticket, answer, now);
        if matches!(transition, Some(Transition::Opened { .. })) && self.now > self.scenario.outage
        {
            self.report.openings_after += 1;
        }
        self.wake();
        match (self.callers[caller].class, answer) {
            (QueueClass::Background, answer) => {
                if answer == Health::Up {
                    self.report.background_served += 1;
                }
                self.poll_again_later(caller);
            }
            (QueueClass::Essential, Health::Up) => {
                self.left -= 1;
                self.report.last_served =
                    self.now.saturating_sub(self.scenario.outage) as f64 / SECOND as f64;
            }
            (QueueClass::Essential, _) => {
                let failures = self.callers[caller].failures;
                self.callers[caller].failures += 1;
                let delay = ((250 * MILLI) << failures.min(20)).min(10 * SECOND);
                let delay = delay + self.below(delay / 4);
                self.count_wake(caller);
                self.at(self.now + delay, Event::Ask(caller));
            }
        }
        self.fill_slots();
    }

    fn poll_again_later(&mut self, caller: usize) {
        let pause = SECOND * 9 / 10 + self.below(SECOND / 5);
        self.at(self.now + pause, Event::Ask(caller));
    }

    fn take_token(&mut self) -> bool {
        let capacity = self.scenario.capacity.iter().rev().find(|(from, _)| *from <= self.now);
        let capacity = capacity.map_or(0, |(_, capacity)| *capacity);
        let refill = (self.now - self.filled) as f64 / SECOND as f64 * capacity as f64;
        self.tokens = (self.tokens + refill).min(self.scenario.burst as f64);
        self.filled = self.now;
        let taken = self.tokens >= 1.0;
        if taken {
            self.tokens -= 1.0;
        }
        taken
    }

    fn wake(&mut self) {
        for caller in self.gate.take_wakes() {
            self.at(self.now, Event::Wake(caller));
        }
    }

    fn count_wake(&mut self, caller: usize) {
        let after = usize::from(self.now >= self.scenario.outage);
        self.callers[caller].wakes[after] += 1;
    }

    fn at(&mut self, time: u64, event: Event) {
        self.order += 1;
        self.events.push(Reverse((time, self.order, event)));
    }

    fn instant(&self) -> Instant {
        self.zero + Duration::from_nanos(self.now)
    }

    /// A random number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound.max(1)
    }
}

/// What holds for every service: nobody is sent to it in the outage but the first few and the
/// probes, and hardly anybody is woken for nothing.
fn assert_quiet(scenario: Scenario, report: &Report) {
    assert!(report.essential_sent_in_outage <= 20, "{report:?}");
    assert_eq!(report.background_sent_in_outage, 0, "{report:?}");
    assert!(report.wakes_in_outage <= 3 * scenario.callers, "{report:?}");
    assert!(report.wakes_after <= 5 * scenario.callers, "{report:?}");
    assert!(report.most_wakes_in_outage <= 6, "{report:?}");
}

#[test]
fn a_thousand_callers_are_served_40_s_after_an_outage_of_a_minute() {
    for seed in 0..20 {
        let report = Scenario::REFERENCE.run(seed);
        assert_quiet(Scenario::REFERENCE, &report);
        assert!(report.last_served <= 40.0, "{report:?}");
        assert!(report.peak <= 70, "{report:?}");
        assert!(report.refused_after <= 30, "{report:?}");
        assert!(report.background_served >= 50, "{report:?}");
    }
}

#[test]
fn and_30_s_after_it_where_the_cooldown_is_10_s_at_most() {
    for seed in 0..20 {
        let report = Scenario::CAPPED.run(seed);
        assert_quiet(Scenario::CAPPED, &report);
        assert!(report.last_served <= 30.0, "{report:?}");
        assert!(report.peak <= 70, "{report:?}");
        assert!(report.refused_after <= 30, "{report:?}");
        assert!(report.background_served >= 50, "{report:?}");
    }
}

#[test]
fn a_service_that_refuses_with_429_is_found_out_in_the_same_way() {
    for seed in 0..5 {
        let scenario = Scenario { refusal: Health::Unknown, ..Scenario::CAPPED };
        let report = scenario.run(seed);
        assert_quiet(scenario, &report);
        assert!(report.last_served <= 30.0, "{report:?}");
        assert!(report.peak <= 70, "{report:?}");
        assert!(report.refused_after <= 30, "{report:?}");
    }
}

#[test]
fn without_a_limit_on_slots_the_pace_alone_protects_the_service() {
    for seed in 0..5 {
        let report = Scenario { slots: usize::MAX, ..Scenario::CAPPED }.run(seed);
        assert!(report.last_served <= 30.0, "{report:?}");
        assert!(report.peak <= 70, "{report:?}");
        assert!(report.refused_after <= 30, "{report:?}");
    }
}

#[test]
fn a_service_of_5_per_second_is_not_asked_for_much_more() {
    for burst in [1, 10] {
        let scenario = Scenario { capacity: &[(0, 5)], burst, ..Scenario::CAPPED };
        let report = scenario.run(1);
        assert_quiet(scenario, &report);
        // The best there is are 200 s for the callers alone.
        assert!(report.last_served <= 250.0, "{report:?}");
        assert!(report.peak <= 15, "{report:?}");
        assert!(report.refused_after <= 30, "{report:?}");
    }
}

#[test]
fn a_service_of_5000_per_second_is_used() {
    let scenario = Scenario { capacity: &[(0, 5_000)], slots: 1_000, ..Scenario::CAPPED };
    let report = scenario.run(1);
    assert!(report.last_served <= 12.0, "{report:?}");
    assert_eq!(report.refused_after, 0, "{report:?}");

    let crowd = Scenario { callers: 20_000, ..scenario };
    let report = crowd.run(1);
    assert!(report.last_served <= 18.0, "{report:?}");
    assert!(report.peak <= 5_000, "{report:?}");
    assert!(report.refused_after <= 30, "{report:?}");
    assert!(report.wakes_after <= 5 * crowd.callers, "{report:?}");
}

#[test]
fn a_capacity_that_falls_on_the_way_is_noticed() {
    for (capacity, last_served) in
        [(&[(0, 50), (75 * SECOND, 10)], 90.0), (&[(0, 50), (75 * SECOND, 5)], 160.0)]
    {
        let report = Scenario { capacity, ..Scenario::CAPPED }.run(1);
        assert!(report.last_served <= last_served, "{report:?}");
        assert!(report.peak <= 70, "{report:?}");
        assert!(report.refused_after <= 30, "{report:?}");
    }
}

#[test]
fn a_capacity_that_rises_on_the_way_is_found() {
    // At 10 per second throughout it would take more than 100 s.
    let capacity = &[(0, 10), (75 * SECOND, 100)];
    let report = Scenario { capacity, ..Scenario::CAPPED }.run(1);
    assert!(report.last_served <= 50.0, "{report:?}");
    assert!(report.refused_after <= 30, "{report:?}");
}

#[test]
fn a_recovery_that_fails_opens_the_breaker_again_and_is_tried_again() {
    let capacity = &[(0, 50), (70 * SECOND, 0), (90 * SECOND, 50)];
    let report = Scenario { capacity, ..Scenario::CAPPED }.run(1);
    assert!(report.openings_after >= 1, "{report:?}");
    assert!(report.last_served <= 65.0, "{report:?}");
    assert!(report.peak <= 70, "{report:?}");
    assert!(report.refused_after <= 40, "{report:?}");
}
