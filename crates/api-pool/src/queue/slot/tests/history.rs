//! Long histories of callers that wait, leave, panic and give back.

use proptest::prelude::*;

use super::*;
use crate::cases::cases;

#[derive(Clone, Copy, Debug)]
enum Step {
    Call(QueueClass),
    Poll(prop::sample::Index),
    Drop(prop::sample::Index),
    Release(prop::sample::Index),
    Panic(prop::sample::Index),
    Resize(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        3 => Just(Step::Call(Essential)),
        3 => Just(Step::Call(Background)),
        4 => at().prop_map(Step::Poll),
        2 => at().prop_map(Step::Drop),
        4 => at().prop_map(Step::Release),
        1 => at().prop_map(Step::Panic),
        1 => (0..5_usize).prop_map(Step::Resize),
    ]
}

proptest! {
    #![proptest_config(cases(5_000))]

    /// Every slot is a permit in someone's hands or a grant someone was woken for, and no caller
    /// is left asleep beside a free slot.
    #[test]
    fn every_history_conserves_slots_through_cancel_panic_and_resize(
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let slots = slots(2);
        let mut limit = 2;
        let mut callers: Vec<Caller> = Vec::new();
        let mut permits: Vec<Permit> = Vec::new();
        for step in steps {
            match step {
                Step::Call(class) => {
                    let mut caller = Caller::new(&slots, class);
                    match caller.poll() {
                        Poll::Ready(permit) => permits.push(permit.unwrap()),
                        Poll::Pending => callers.push(caller),
                    }
                }
                Step::Poll(at) if !callers.is_empty() => {
                    let at = at.index(callers.len());
                    let granted = callers[at].wakes() > 0;
                    let polled = callers[at].poll();
                    prop_assert_eq!(polled.is_ready(), granted);
                    if let Poll::Ready(permit) = polled {
                        permits.push(permit.unwrap());
                        drop(callers.remove(at));
                    }
                }
                Step::Drop(at) if !callers.is_empty() => {
                    drop(callers.remove(at.index(callers.len())));
                }
                Step::Release(at) if !permits.is_empty() => {
                    drop(permits.swap_remove(at.index(permits.len())));
                }
                Step::Panic(at) if !permits.is_empty() => {
                    let permit = permits.swap_remove(at.index(permits.len()));
                    let unwound = catch_unwind(AssertUnwindSafe(move || {
                        let _permit = permit;
                        std::panic::resume_unwind(Box::new(()));
                    }));
                    prop_assert!(unwound.is_err());
                }
                Step::Resize(to) => {
                    limit = if to == 0 { usize::MAX } else { to };
                    slots.resize(NonZeroUsize::new(to));
                }
                Step::Poll(_) | Step::Drop(_) | Step::Release(_) | Step::Panic(_) => (),
            }
            let granted = callers.iter().filter(|caller| caller.wakes() > 0).count();
            prop_assert!(callers.iter().all(|caller| caller.wakes() <= 1));
            prop_assert_eq!(slots.in_flight(), permits.len() + granted);
            prop_assert_eq!(slots.waiting(), callers.len() - granted);
            prop_assert_eq!(
                slots.waiting_in(Essential) + slots.waiting_in(Background),
                slots.waiting()
            );
            prop_assert!(slots.waiting() == 0 || slots.in_flight() >= limit);
        }
        drop(callers);
        drop(permits);
        prop_assert_eq!((slots.in_flight(), slots.waiting()), (0, 0));
    }
}
