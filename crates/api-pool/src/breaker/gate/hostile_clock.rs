//! A clock that freezes, jumps and steps back.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::{cases::cases, clock, queue::QueueClass};

const MAX: Duration = Duration::from_secs(60);
const LEASE: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug)]
enum Step {
    Forward(Duration),
    Back(Duration),
    Call(Health),
    Poll,
}

fn step() -> impl Strategy<Value = Step> {
    let jump = prop_oneof![
        Just(Duration::from_nanos(1)),
        (0..120_u64).prop_map(Duration::from_secs),
        Just(Duration::from_secs(8 * 60 * 60)),
        Just(Duration::from_secs(365 * 24 * 60 * 60)),
    ];
    prop_oneof![
        2 => jump.clone().prop_map(Step::Forward),
        2 => jump.prop_map(Step::Back),
        4 => prop_oneof![Just(Health::Down), Just(Health::Up), Just(Health::Unknown)]
            .prop_map(Step::Call),
        2 => Just(Step::Poll),
    ]
}

fn ask(mode: BreakerMode) -> Ask {
    Ask::new(mode, QueueClass::Background, LEASE)
}

proptest! {
    #![proptest_config(cases(5_000))]

    #[test]
    fn no_step_of_the_clock_panics_spins_or_prolongs_a_wait_beyond_its_maximum(
        steps in prop::collection::vec(step(), 1..100),
    ) {
        let config = BreakerConfig::growing(2.try_into().unwrap(), MAX / 12, MAX);
        let mut gate = Gate::<()>::new(config);
        let mut now = clock::now();
        let mut waiting = Vec::new();
        for step in steps {
            match step {
                Step::Forward(jump) => now = now.checked_add(jump).unwrap_or(now),
                Step::Back(jump) => now = now.checked_sub(jump).unwrap_or(now),
                Step::Call(health) => {
                    if let Entry::Called(Call::Go(grant)) = gate.enter(ask(BreakerMode::FailFast), now)
                        && let Ok(ticket) = gate.admit(grant, now)
                    {
                        gate.settle(ticket, health, now);
                    } else if let Entry::Wait(seat) = gate.enter(ask(BreakerMode::WaitForProbe), now)
                    {
                        waiting.push(seat);
                    }
                }
                Step::Poll => waiting.retain(|seat| match gate.poll(seat, (), now) {
                    Turn::Called(Call::Go(grant)) => {
                        gate.give_back(&grant, now);
                        false
                    }
                    Turn::Called(Call::Shut) => false,
                    Turn::Wait { sleep_until } => {
                        assert!(sleep_until.is_none_or(|until| until > now && until <= now + MAX));
                        true
                    }
                }),
            }
            if let BreakerState::Open { until } = gate.state(now) {
                prop_assert!(until > now && until <= now + MAX);
            }
        }
    }

    #[test]
    fn after_any_steps_of_the_clock_a_waiter_goes_within_the_longest_cooldown(
        jumps in prop::collection::vec((any::<bool>(), 0..100_000_u64), 1..20),
    ) {
        let config = BreakerConfig::growing(1.try_into().unwrap(), MAX, MAX);
        let mut gate = Gate::<()>::new(config);
        let mut now = clock::now();
        let Entry::Called(Call::Go(grant)) = gate.enter(ask(BreakerMode::FailFast), now) else {
            panic!("it is closed")
        };
        let ticket = gate.admit(grant, now).unwrap();
        prop_assert!(gate.settle(ticket, Health::Down, now).is_some());
        let Entry::Wait(seat) = gate.enter(ask(BreakerMode::WaitForProbe), now) else {
            panic!("it is open")
        };
        let mut went = false;
        for (back, seconds) in jumps {
            let jump = Duration::from_secs(seconds);
            let then = if back { now.checked_sub(jump) } else { now.checked_add(jump) };
            now = then.unwrap_or(now);
            went |= matches!(gate.poll(&seat, (), now), Turn::Called(Call::Go(_)));
        }
        now += MAX;
        prop_assert!(went || matches!(gate.poll(&seat, (), now), Turn::Called(Call::Go(_))));
    }
}
