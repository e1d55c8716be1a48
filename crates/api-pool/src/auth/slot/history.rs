//! Long histories against a reference that remembers every token and every failure, and looks at
//! them anew each time it is asked.

use proptest::prelude::*;

use super::*;
use crate::{cases::cases, clock};

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A caller needs a token.
    Ask,
    /// The refresh under way ends with a token of so many milliseconds, or without an end.
    Succeed(Option<u64>),
    Fail,
    Abandon,
    /// The server refuses the token of one of the generations so far.
    Refuse(prop::sample::Index),
    /// So many milliseconds pass.
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let life = prop_oneof![Just(0), Just(1_000), Just(60_000), Just(3_600_000)];
    let wait = prop_oneof![
        0..200_u64,
        Just(100),
        Just(900),
        Just(6_400),
        Just(10_000),
        Just(54_000),
        Just(60_000),
        Just(3_540_000),
    ];
    prop_oneof![
        8 => Just(Step::Ask),
        3 => prop::option::weighted(0.8, life).prop_map(Step::Succeed),
        4 => Just(Step::Fail),
        1 => Just(Step::Abandon),
        2 => any::<prop::sample::Index>().prop_map(Step::Refuse),
        5 => wait.prop_map(Step::Wait),
    ]
}

struct Fetched {
    at: u64,
    life: Option<u64>,
    refused: bool,
}

/// What happened, in milliseconds.
#[derive(Default)]
struct Reference {
    tokens: Vec<Fetched>,
    /// When each refresh since the last token failed.
    failures: Vec<u64>,
    refreshing: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Use(usize),
    Wait,
    Refresh { not_before: Option<u64> },
}

impl Reference {
    /// The number of the newest token, if it was not refused and is younger than it may be at
    /// most: its life, less what is given up to replace it in time.
    fn young(&self, given_up: fn(u64) -> u64, now: u64) -> Option<usize> {
        let newest = self.tokens.last().filter(|token| !token.refused)?;
        let young = newest.life.is_none_or(|life| now - newest.at < life - given_up(life));
        young.then_some(self.tokens.len())
    }

    fn good(&self, now: u64) -> Option<usize> {
        self.young(|_| 0, now)
    }

    fn pause_until(&self, now: u64) -> Option<u64> {
        let last = self.failures.last()?;
        let doubled = (1..self.failures.len()).fold(100, |pause, _| 10_000.min(pause * 2));
        Some(last + doubled).filter(|&until| now < until)
    }

    fn ask(&mut self, now: u64) -> Answer {
        let pause = self.pause_until(now);
        if let Some(number) = self.young(|life| 60_000.min(life / 10), now) {
            return Answer::Use(number);
        }
        if let Some(number) = self.good(now)
            && (self.refreshing || pause.is_some())
        {
            return Answer::Use(number);
        }
        if self.refreshing {
            return Answer::Wait;
        }
        self.refreshing = true;
        Answer::Refresh { not_before: pause }
    }
}

fn number(generation: Generation) -> usize {
    generation.number().try_into().unwrap()
}

proptest! {
    #![proptest_config(cases(20_000))]

    #[test]
    fn every_history_of_200_steps_is_that_of_the_reference(
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let mut slot = TokenSlot::new();
        let mut reference = Reference::default();
        let zero = clock::now();
        let mut millis = 0;
        for step in steps {
            let now = zero + Duration::from_millis(millis);
            match step {
                Step::Ask => {
                    let at_hand = slot.at_hand(now).map(|(token, _)| *token);
                    let expected = reference.ask(millis);
                    let answer = match slot.current(now) {
                        Current::Use(token, generation) => {
                            prop_assert_eq!(*token, number(generation));
                            Answer::Use(*token)
                        }
                        Current::Wait { .. } => Answer::Wait,
                        Current::Refresh { not_before } => Answer::Refresh {
                            not_before: not_before
                                .map(|at| u64::try_from((at - zero).as_millis()).unwrap()),
                        },
                    };
                    let used = if let Answer::Use(number) = answer { Some(number) } else { None };
                    prop_assert_eq!(at_hand, used);
                    prop_assert_eq!(answer, expected);
                }
                Step::Succeed(life) if reference.refreshing => {
                    reference.tokens.push(Fetched { at: millis, life, refused: false });
                    reference.failures.clear();
                    reference.refreshing = false;
                    let own = reference.tokens.len();
                    let life = life.map(Duration::from_millis);
                    prop_assert_eq!(number(slot.refreshed(own, life, now)), own);
                }
                Step::Fail if reference.refreshing => {
                    reference.failures.push(millis);
                    reference.refreshing = false;
                    let in_use = slot.failed(now).map(|(token, _)| *token);
                    prop_assert_eq!(in_use, reference.good(millis));
                }
                Step::Abandon if reference.refreshing => {
                    reference.refreshing = false;
                    slot.abandoned();
                }
                Step::Refuse(which) if !reference.tokens.is_empty() => {
                    let which = which.index(reference.tokens.len());
                    reference.tokens[which].refused = true;
                    slot.refused(Generation::from_number(u64::try_from(which).unwrap() + 1));
                }
                Step::Wait(wait) => millis += wait,
                Step::Succeed(_) | Step::Fail | Step::Abandon | Step::Refuse(_) => (),
            }
            prop_assert_eq!(slot.is_refreshing(), reference.refreshing);
        }
    }
}
