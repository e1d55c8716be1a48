//! What no interleaving of threads may break.
//!
//! Tokens come back only when they are dropped: no thread waits long enough for the clock to bring
//! one. Two threads are interleaved in every way, three in every way with at most three
//! preemptions.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::Wake,
};

use loom::{
    model::{Builder, model},
    thread,
};

use super::*;

/// So many tokens, and no other within 1000 s.
fn tokens(burst: usize) -> Arc<RateLimiter> {
    Arc::new(RateLimiter::new(0.001, burst))
}

fn three_threads(scenario: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(scenario);
}

fn takes(limiter: &Arc<RateLimiter>) -> thread::JoinHandle<bool> {
    let limiter = Arc::clone(limiter);
    thread::spawn(move || limiter.try_acquire().map(Token::spend).is_some())
}

fn returns(limiter: &Arc<RateLimiter>) -> thread::JoinHandle<()> {
    let limiter = Arc::clone(limiter);
    thread::spawn(move || drop(Token { limiter: Some(&limiter) }))
}

/// Takes a token, for somebody else to give back.
fn take(limiter: &RateLimiter) {
    limiter.try_acquire().expect("a token is there").spend();
}

fn assert_at_rest(limiter: &RateLimiter) {
    assert!(lock(&limiter.line).waiting.is_empty());
    assert!(limiter.quick.is_open());
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn one_token_is_never_taken_twice() {
    three_threads(|| {
        let limiter = tokens(1);
        let others = [takes(&limiter), takes(&limiter)];
        let mine = match limiter.enter() {
            Ok(token) => {
                token.spend();
                true
            }
            Err(_left) => false,
        };
        let theirs = others.map(|other| other.join().unwrap());
        assert_eq!(theirs.into_iter().filter(|&took| took).count() + usize::from(mine), 1);
        assert_at_rest(&limiter);
    });
}

#[test]
fn a_token_that_comes_back_is_not_lost_to_who_waits() {
    model(|| {
        let limiter = tokens(1);
        take(&limiter);
        let other = returns(&limiter);
        let count = Arc::new(Count::default());
        match limiter.enter() {
            Ok(token) => token.spend(),
            Err(mut place) => match place.step(&Waker::from(Arc::clone(&count))) {
                Step::Granted => (),
                Step::Parked => panic!("nobody is before it"),
                Step::Due(_) => {
                    other.join().unwrap();
                    assert_eq!(count.0.load(SeqCst), 1, "it was not told");
                    assert!(matches!(place.step(Waker::noop()), Step::Granted));
                    drop(place);
                    return assert_at_rest(&limiter);
                }
            },
        }
        other.join().unwrap();
        assert_at_rest(&limiter);
    });
}

#[test]
fn who_comes_while_somebody_waits_passes_nobody() {
    three_threads(|| {
        let limiter = tokens(1);
        take(&limiter);
        let Err(mut place) = limiter.enter() else { panic!("there is no token") };
        let (back, newcomer) = (returns(&limiter), takes(&limiter));
        assert!(!newcomer.join().unwrap());
        back.join().unwrap();
        assert!(matches!(place.step(Waker::noop()), Step::Granted));
        assert_at_rest(&limiter);
    });
}

#[test]
fn what_a_returned_token_brings_goes_to_one() {
    three_threads(|| {
        let limiter = tokens(1);
        take(&limiter);
        let (back, newcomer) = (returns(&limiter), takes(&limiter));
        let entered = limiter.enter();
        back.join().unwrap();
        let theirs = newcomer.join().unwrap();
        let mine = match entered {
            Ok(token) => {
                token.spend();
                true
            }
            Err(mut place) => matches!(place.step(Waker::noop()), Step::Granted),
        };
        assert!(theirs ^ mine, "{theirs} and {mine}");
        assert_at_rest(&limiter);
    });
}

#[test]
fn a_token_taken_beside_one_that_comes_back_is_counted() {
    model(|| {
        let limiter = tokens(2);
        take(&limiter);
        let (back, other) = (returns(&limiter), takes(&limiter));
        back.join().unwrap();
        assert!(other.join().unwrap());
        take(&limiter);
        assert!(limiter.try_acquire().is_none());
    });
}

#[test]
fn a_line_that_is_left_keeps_nobody_out() {
    model(|| {
        let limiter = tokens(1);
        take(&limiter);
        let leaves = {
            let limiter = Arc::clone(&limiter);
            thread::spawn(move || drop(limiter.enter()))
        };
        let mine = limiter.enter();
        leaves.join().unwrap();
        drop(mine);
        assert_at_rest(&limiter);
        drop(Token { limiter: Some(&limiter) });
        assert!(limiter.quick.take());
    });
}
