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
