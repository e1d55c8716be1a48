use std::{sync::Arc, task::Wake};

use super::*;

/// Wakes nobody; each is told from the others.
struct Task;

impl Wake for Task {
    fn wake(self: Arc<Self>) {}
}

fn task() -> Waker {
    Waker::from(Arc::new(Task))
}

#[test]
fn a_member_that_moved_to_another_task_is_woken_there() {
    let (before, after) = (task(), task());
    let mut party = Party::<u8>::new();
    let member = party.join();
    party.begin();
    assert!(matches!(party.turn(member, &before), Turn::Drive { replaced: None }));
    assert!(party.pending().is_empty());
    let turn = party.turn(member, &after);
    assert!(matches!(turn, Turn::Park { replaced: Some(old) } if old.will_wake(&before)));
    let woken = party.wake();
    assert_eq!(woken.len(), 1);
    assert!(woken.iter().all(|waker| waker.will_wake(&after)));
}

#[test]
fn a_place_is_free_for_the_next_whom_the_one_before_cannot_take_away() {
    let mut party = Party::<u8>::new();
    let (first, stays) = (party.join(), party.join());
    assert!(!party.leave(first).deserted);
    let next = party.join();
    assert_eq!(party.places.len(), 2);
    assert!(!party.leave(first).deserted, "it has left");
    assert!(!party.leave(stays).deserted);
    assert!(party.leave(next).deserted);
    assert!(party.is_empty(), "and nothing is kept of them");
}

#[test]
fn who_has_the_answer_does_not_wait() {
    let mut party = Party::new();
    let (early, asked) = (party.join(), party.join());
    assert!(party.answer(&7).is_empty());
    assert!(matches!(party.turn(early, &task()), Turn::Answered(7)));
    let late = party.join();
    assert!(!party.leave(asked).deserted, "an answer is nobody's wait");
    assert!(party.leave(late).deserted);
}
