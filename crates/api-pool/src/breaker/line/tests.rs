//! Who goes next.

use super::*;
use crate::clock;

const ESSENTIAL: QueueClass = QueueClass::Essential;
const BACKGROUND: QueueClass = QueueClass::Background;

struct World {
    line: Line<()>,
    now: Instant,
    turns: u64,
}

impl World {
    fn new() -> Self {
        Self { line: Line::new(), now: clock::now(), turns: 0 }
    }

    /// Somebody joins at the end of its class.
    fn join(&mut self, class: QueueClass) -> Seat {
        self.turns += 1;
        let seat = Seat { rank: Rank::Caller, era: Epoch::from_bits(1), turn: self.turns };
        self.sit(seat.again(), class, BreakerMode::WaitForProbe);
        seat
    }

    fn sit(&mut self, seat: Seat, class: QueueClass, mode: BreakerMode) {
        let waiter = Waiter { mode, class, lease: Duration::ZERO, waker: None };
        self.line.insert(seat, waiter, self.now);
    }

    fn pop(&mut self) -> Option<Seat> {
        let head = self.line.head(self.now).map(|(seat, _)| seat.again());
        let popped = self.line.pop(self.now).map(|(seat, _)| seat);
        assert_eq!(head, popped, "the head is who goes");
        popped
    }
}

#[test]
fn essential_before_background_and_in_order_of_arrival_inside_each() {
    let mut world = World::new();
    let order = [BACKGROUND, ESSENTIAL, BACKGROUND, ESSENTIAL].map(|class| world.join(class));
    let [first_background, first, second_background, second] = order;
    assert_eq!(world.pop(), Some(first));
    assert_eq!(world.pop(), Some(second));
    assert_eq!(world.pop(), Some(first_background));
    assert_eq!(world.pop(), Some(second_background));
    assert_eq!(world.pop(), None);
}

#[test]
fn one_background_call_goes_after_16_essential_ones_have_passed() {
    let mut world = World::new();
    let essential: Vec<_> = (0..40).map(|_| world.join(ESSENTIAL)).collect();
    let background: Vec<_> = (0..3).map(|_| world.join(BACKGROUND)).collect();
    let order: Vec<_> = core::iter::from_fn(|| world.pop()).collect();
    let places: Vec<_> =
        background.iter().map(|seat| order.iter().position(|other| other == seat)).collect();
    assert_eq!(places, [Some(16), Some(33), Some(42)]);
    assert_eq!(order.len(), essential.len() + background.len());
}

#[test]
fn essential_calls_that_went_with_no_background_call_waiting_passed_nobody() {
    let mut world = World::new();
    for _ in 0..16 {
        let seat = world.join(ESSENTIAL);
        assert_eq!(world.pop(), Some(seat));
    }
    let background = world.join(BACKGROUND);
    let seat = world.join(ESSENTIAL);
    assert_eq!(world.pop(), Some(seat));
    assert_eq!(world.pop(), Some(background));
}

#[test]
fn a_background_call_goes_next_after_10_s_at_the_head_of_its_class() {
    let mut world = World::new();
    let [first, second] = [BACKGROUND, BACKGROUND].map(|class| world.join(class));
    let [one, two, three] = [ESSENTIAL; 3].map(|class| world.join(class));
    world.now += LONGEST_PASSED - Duration::from_nanos(1);
    assert_eq!(world.pop(), Some(one));
    world.now += Duration::from_nanos(1);
    assert_eq!(world.pop(), Some(first));
    assert_eq!(world.pop(), Some(two), "the second has only now become the head");
    world.now += LONGEST_PASSED;
    assert_eq!(world.pop(), Some(second));
    assert_eq!(world.pop(), Some(three));
}

#[test]
fn ageing_begins_anew_when_the_last_background_call_gives_up() {
    let mut world = World::new();
    let gone = world.join(BACKGROUND);
    for _ in 0..15 {
        world.join(ESSENTIAL);
        assert!(world.pop().is_some());
    }
    world.now += LONGEST_PASSED;
    world.line.remove(&gone);
    let background = world.join(BACKGROUND);
    let [one, two] = [ESSENTIAL; 2].map(|class| world.join(class));
    assert_eq!(world.pop(), Some(one));
    assert_eq!(world.pop(), Some(two));
    assert_eq!(world.pop(), Some(background));
}

#[test]
fn an_older_seat_goes_before_those_who_came_since() {
    let mut world = World::new();
    let younger = world.join(ESSENTIAL);
    let older = Seat { rank: Rank::Caller, era: Epoch::from_bits(0), turn: 77 };
    world.sit(older.again(), ESSENTIAL, BreakerMode::WaitForProbe);
    assert_eq!(world.pop(), Some(older));
    assert_eq!(world.pop(), Some(younger));
}

#[test]
fn whoever_gives_up_is_gone_and_the_order_of_the_others_stays() {
    for position in 0..8 {
        let mut world = World::new();
        let mut seats: Vec<_> = (0..8).map(|_| world.join(ESSENTIAL)).collect();
        let gone = seats.remove(position);
        world.line.remove(&gone);
        let order: Vec<_> = core::iter::from_fn(|| world.pop()).collect();
        assert_eq!(order, seats);
    }
}

#[test]
fn ageing_begins_anew_when_all_background_calls_are_taken_out() {
    let mut world = World::new();
    let seat = Seat { rank: Rank::Caller, era: Epoch::from_bits(0), turn: 90 };
    world.sit(seat, BACKGROUND, BreakerMode::FailFast);
    world.now += LONGEST_PASSED;
    assert_eq!(world.line.take_impatient().len(), 1);
    let background = world.join(BACKGROUND);
    let essential = world.join(ESSENTIAL);
    assert_eq!([world.pop(), world.pop()], [Some(essential), Some(background)]);
}

#[test]
fn the_impatient_are_taken_out_of_both_classes_and_the_others_stay() {
    let mut world = World::new();
    let stays = [ESSENTIAL, BACKGROUND].map(|class| world.join(class));
    for (turn, class) in [(90, ESSENTIAL), (91, BACKGROUND)] {
        let seat = Seat { rank: Rank::Caller, era: Epoch::from_bits(0), turn };
        world.sit(seat, class, BreakerMode::FailFast);
    }
    let taken: Vec<_> =
        world.line.take_impatient().into_iter().map(|(seat, _)| seat.turn).collect();
    assert_eq!(taken, [90, 91]);
    assert_eq!([world.pop(), world.pop()], stays.map(Some));
    assert!(world.line.is_empty());
}

impl<W> Line<W> {
    /// Everybody who waits, in the order of their seats inside each class.
    pub(in crate::breaker) fn seats(&self) -> impl Iterator<Item = &Seat> {
        self.essential.keys().chain(self.background.keys())
    }
}
