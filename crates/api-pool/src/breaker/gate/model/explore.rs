//! From state to state, until there is none left that was not seen.

use std::{
    collections::{HashSet, VecDeque},
    panic::catch_unwind,
};

use super::*;

/// Prints the way into a state in which something does not hold.
struct Explain<'a> {
    /// For each step, the state it starts from, as the step that led there.
    steps: &'a [(usize, Action)],
    last: usize,
}

impl Drop for Explain<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let (mut at, mut way) = (self.last, Vec::new());
            while let Some((before, action)) = self.steps.get(at) {
                way.push(action);
                at = *before;
            }
            way.reverse();
            println!("the way there: {way:?}");
        }
    }
}

/// What is explored.
#[derive(Clone, Copy)]
struct Bounds {
    threshold: u32,
    callers: usize,
    /// Whether the breaker is also opened and closed by hand.
    by_hand: bool,
    /// How often it may open before a path is followed no further.
    openings: u8,
    /// Who fetches the token that the others wait for.
    fetcher: Option<usize>,
}

/// Visits all states, those nearest first, and returns how many there are.
fn explore(bounds: Bounds) -> usize {
    explore_with(bounds, Gate::give_back)
}

fn explore_with(bounds: Bounds, give_back: GiveBack) -> usize {
    let fetcher = bounds.fetcher;
    let mut first = Model { give_back, fetcher, ..Model::new(bounds.threshold) };
    first.callers.truncate(bounds.callers);
    let mut seen = HashSet::from([first.key()]);
    let mut steps = Vec::new();
    let mut open = VecDeque::from([(usize::MAX, first)]);
    while let Some((led_here, model)) = open.pop_front() {
        for action in model.actions(bounds.by_hand) {
            steps.push((led_here, action));
            let _explain = Explain { last: steps.len() - 1, steps: &steps };
            let mut next = model.clone();
            next.step(action);
            if seen.insert(next.key()) {
                next.clone().check_liveness();
                // A second lease that passed is as the first.
                if next.openings < bounds.openings && next.gate.breaker.overdue() < 2 {
                    open.push_back((steps.len() - 1, next));
                }
            }
        }
    }
    seen.len()
}

#[test]
fn two_callers_and_a_hand_reach_no_state_in_which_anything_is_lost() {
    let bounds = Bounds { threshold: 1, callers: 2, by_hand: true, openings: 3, fetcher: None };
    assert!(explore(bounds) > 5_000);
    assert!(explore(Bounds { threshold: 3, by_hand: false, ..bounds }) > 3_000);
}

#[test]
fn three_callers_reach_no_state_in_which_anything_is_lost() {
    let bounds = Bounds { threshold: 2, callers: 3, by_hand: false, openings: 2, fetcher: None };
    assert!(explore(bounds) > 20_000);
}

#[test]
fn who_fetches_the_token_of_two_others_waits_for_neither_and_loses_nothing() {
    let bounds = Bounds { threshold: 1, callers: 3, by_hand: false, openings: 2, fetcher: Some(0) };
    assert!(explore(bounds) > 10_000);
}

/// Millions of states: only where the compiler optimises.
#[cfg(not(debug_assertions))]
#[test]
fn four_callers_reach_no_state_in_which_anything_is_lost() {
    let bounds = Bounds { threshold: 3, callers: 4, by_hand: false, openings: 3, fetcher: None };
    let states = explore(bounds);
    println!("{states}");
    assert!(states > 1_000_000);
}

#[test]
fn a_slot_that_is_lost_or_a_turn_that_is_not_passed_on_is_found() {
    let bounds = Bounds { threshold: 1, callers: 2, by_hand: false, openings: 3, fetcher: None };
    let forgets: GiveBack = |_, _, _| ();
    let frees_and_calls_nobody: GiveBack = |gate, grant, _| {
        if let Grant::Candidate { epoch, .. } = grant {
            gate.breaker.abandon(*epoch);
        }
    };
    for wrong in [forgets, frees_and_calls_nobody] {
        assert!(catch_unwind(|| explore_with(bounds, wrong)).is_err());
    }
}
