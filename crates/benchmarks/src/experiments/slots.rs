//! Slots: one that is free, and few for many.

use std::{hint::black_box, num::NonZeroUsize, sync::Arc};

use tokio::{
    sync::Semaphore,
    task::{JoinSet, yield_now},
};

use super::block_on;
use crate::{
    experiment::{Experiment, Subject},
    queue::{QueueClass, SlotLimits, Slots},
};

pub(crate) const FREE: Experiment = Experiment {
    id: "slot",
    title: "a free slot is taken and given back",
    floor: "nothing",
    features: "",
    repeats: (10_000, 110_000),
    subjects: &[
        Subject::new("nothing", nothing),
        Subject::new("api-pool: at once", taken_at_once),
        Subject::new("api-pool: awaited", awaited),
        Subject::new("tokio Semaphore: try_acquire", semaphore_at_once),
        Subject::new("tokio Semaphore: acquire", semaphore_awaited),
    ],
};

pub(crate) const CROWD: Experiment = Experiment {
    id: "crowd",
    title: "one of 100,000 tasks waits for one of 5 slots",
    floor: "no limit",
    features: "",
    repeats: (20_000, 100_000),
    subjects: &[
        Subject::new("no limit", crowd_without_limit),
        Subject::new("api-pool", crowd_on_slots),
        Subject::new("tokio Semaphore", crowd_on_semaphore),
    ],
};

const FIVE: NonZeroUsize = NonZeroUsize::new(5).expect("five is not zero");

fn nothing(times: u64) {
    for turn in 0..times {
        black_box(turn);
    }
}

fn taken_at_once(times: u64) {
    let slots = Slots::new(SlotLimits::new(Some(FIVE)));
    for turn in 0..times {
        black_box(turn);
        let permit = black_box(&slots).try_acquire().expect("they are open");
        drop(permit.expect("one is free"));
    }
}

fn awaited(times: u64) {
    let slots = Slots::new(SlotLimits::new(Some(FIVE)));
    block_on(async {
        for turn in 0..times {
            black_box(turn);
            drop(black_box(&slots).acquire(QueueClass::Background).await.expect("they are open"));
        }
    });
}

fn semaphore_at_once(times: u64) {
    let semaphore = Semaphore::new(FIVE.get());
    for turn in 0..times {
        black_box(turn);
        drop(black_box(&semaphore).try_acquire().expect("one is free"));
    }
}

fn semaphore_awaited(times: u64) {
    let semaphore = Semaphore::new(FIVE.get());
    block_on(async {
        for turn in 0..times {
            black_box(turn);
            drop(black_box(&semaphore).acquire().await.expect("it is open"));
        }
    });
}

fn crowd_without_limit(tasks: u64) {
    block_on(async {
        let crowd: JoinSet<()> = (0..tasks).map(|_| yield_now()).collect();
        crowd.join_all().await;
    });
}

fn crowd_on_slots(tasks: u64) {
    let slots = Slots::new(SlotLimits::new(Some(FIVE)));
    block_on(async {
        let task = |_| {
            let slots = Arc::clone(&slots);
            async move {
                let _slot = slots.acquire(QueueClass::Background).await.expect("they are open");
                yield_now().await;
            }
        };
        let crowd: JoinSet<()> = (0..tasks).map(task).collect();
        crowd.join_all().await;
    });
}

fn crowd_on_semaphore(tasks: u64) {
    let semaphore = Arc::new(Semaphore::new(FIVE.get()));
    block_on(async {
        let task = |_| {
            let semaphore = Arc::clone(&semaphore);
            async move {
                let _slot = semaphore.acquire().await.expect("it is open");
                yield_now().await;
            }
        };
        let crowd: JoinSet<()> = (0..tasks).map(task).collect();
        crowd.join_all().await;
    });
}
