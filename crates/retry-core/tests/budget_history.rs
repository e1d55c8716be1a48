//! Long histories of a budget beside a list that remembers each call and each retry.

mod support;

use std::{env, time::Duration};

use proptest::{prelude::*, sample::Index};
use retry_core::{Ratio, RetryBudget, Withdrawal};
use support::secs;

/// What one retry costs.
const RETRY: u64 = 10_000;

/// How many tenths of a window a share lives for.
const LIFE: u64 = 10;

#[derive(Clone, Copy, Debug)]
enum Step {
    Deposit,
    Withdraw,
    Refund(Index),
    /// The clock goes on by so many thousandths of the window.
    Ahead(u64),
    /// It is set back by so many.
    Back(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => Just(Step::Deposit),
        8 => Just(Step::Withdraw),
        3 => any::<Index>().prop_map(Step::Refund),
        6 => prop_oneof![0..400_u64, Just(100), Just(999), Just(1_000), Just(30_000)]
            .prop_map(Step::Ahead),
        1 => prop_oneof![0..400_u64, Just(999), Just(1_000), Just(30_000)].prop_map(Step::Back),
    ]
}

/// What is left of a call's share, or what a retry took from the reserve.
#[derive(Clone, Copy, Debug, Default)]
struct Piece {
    amount: u64,
    /// In tenths of the window.
    age: u64,
}

/// A budget as anyone would write it first: everything is remembered, and searched.
struct Naive {
    share: u64,
    reserve: u64,
    tenth: u128,
    /// The tenth of a window that it is.
    present: u64,
    shares: Vec<Piece>,
    draws: Vec<Piece>,
}

/// What paid for a retry: places in the two lists, and amounts.
#[derive(Default)]
struct Paid {
    shares: Vec<(usize, u64)>,
    draw: Option<usize>,
}

impl Naive {
    /// Says whether the clock has started anew.
    fn advance(&mut self, now: Duration) -> bool {
        let then = u64::try_from(now.as_nanos() / self.tenth).expect("less than 600 years");
        if then >= self.present {
            let passed = then - self.present;
            for piece in self.shares.iter_mut().chain(&mut self.draws) {
                piece.age += passed;
            }
            self.present = then;
        } else if self.present - then >= LIFE {
            self.present = then;
            return true;
        }
        false
    }

    fn sum(pieces: &[Piece]) -> u64 {
        pieces.iter().filter(|piece| piece.age < LIFE).map(|piece| piece.amount).sum()
    }

    fn available(&self) -> u64 {
        Self::sum(&self.shares) + (self.reserve - Self::sum(&self.draws))
    }

    fn withdraw(&mut self) -> Option<Paid> {
        if self.available() < RETRY {
            return None;
        }
        let (mut owed, mut paid) = (RETRY, Paid::default());
        let mut order: Vec<usize> = (0..self.shares.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(self.shares[at].age));
        for at in order {
            let piece = &mut self.shares[at];
            if piece.age < LIFE {
                let part = owed.min(piece.amount);
                piece.amount -= part;
                owed -= part;
                paid.shares.push((at, part));
            }
        }
        if owed > 0 {
            paid.draw = Some(self.draws.len());
            self.draws.push(Piece { amount: owed, age: 0 });
        }
        Some(paid)
    }

    fn refund(&mut self, paid: Paid) {
        for (at, part) in paid.shares {
            self.shares[at].amount += part;
        }
        if let Some(at) = paid.draw {
            self.draws[at].amount = 0;
        }
    }
}

/// 2,000 histories, or as many as `PROPTEST_CASES` says.
fn config() -> ProptestConfig {
    let asked = env::var_os("PROPTEST_CASES").is_some();
    if asked { ProptestConfig::default() } else { ProptestConfig::with_cases(2_000) }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_history_of_150_steps_is_that_of_the_naive_list(
        steps in prop::collection::vec(step(), 1..150),
        basis_points in prop_oneof![Just(0), Just(2_000), Just(10_000), 0..20_000_u32],
        reserve in 0..4_u32,
        window in prop_oneof![Just(secs(10)), Just(secs(1)), Just(Duration::from_nanos(70))],
    ) {
        let ratio = Ratio::basis_points(basis_points);
        let mut budget = RetryBudget::new(ratio, reserve).with_window(window);
        let mut naive = Naive {
            share: basis_points.into(),
            reserve: u64::from(reserve) * RETRY,
            tenth: window.as_nanos() / u128::from(LIFE),
            present: 0,
            shares: Vec::new(),
            draws: Vec::new(),
        };
        let mut now = window * 1_000;
        let mut held: Vec<(Withdrawal, Paid)> = Vec::new();
        for step in steps {
            let part = |thousandths: u64| window * u32::try_from(thousandths).unwrap() / 1_000;
            match step {
                Step::Ahead(thousandths) => now += part(thousandths),
                Step::Back(thousandths) => now = now.saturating_sub(part(thousandths)),
                Step::Deposit | Step::Refund(_) | Step::Withdraw => (),
            }
            if naive.advance(now) {
                // Of another time, as far as the clock can tell.
                held.clear();
            }
            match step {
                Step::Deposit => {
                    budget.deposit(now);
                    naive.shares.push(Piece { amount: naive.share, age: 0 });
                }
                Step::Withdraw => match (budget.withdraw(now), naive.withdraw()) {
                    (Ok(withdrawal), Some(paid)) => held.push((withdrawal, paid)),
                    (Err(_), None) => (),
                    (ours, _) => prop_assert!(false, "{ours:?} of {}", naive.available()),
                },
                Step::Refund(which) if !held.is_empty() => {
                    let (withdrawal, paid) = held.swap_remove(which.index(held.len()));
                    budget.refund(withdrawal, now);
                    naive.refund(paid);
                }
                Step::Refund(_) | Step::Ahead(_) | Step::Back(_) => (),
            }
            prop_assert_eq!(budget.balance(now), naive.available() / RETRY);
        }
    }
}
