//! What no interleaving of threads may break.
//!
//! Tokens have no known end and no refresh fails, so the clock does not matter. Two threads are
//! interleaved in every way, three in every way with at most three preemptions.

use std::{pin::pin, sync::atomic::Ordering::SeqCst};

use loom::{
    future::block_on,
    model::{Builder, model},
    sync::atomic::{AtomicBool, AtomicUsize},
    thread,
};

use super::*;

/// Where tokens come from: how often that was asked, and what an answer needs.
#[derive(Default)]
struct Source {
    begun: AtomicUsize,
    ended: AtomicUsize,
}

/// A refresh that is done at the second look, for which it asks at once.
struct Twice {
    source: Arc<Source>,
    looked: bool,
}

impl Future for Twice {
    type Output = Fetched;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Fetched> {
        if !self.looked {
            self.looked = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.source.ended.fetch_add(1, SeqCst);
        Poll::Ready(fetched())
    }
}

fn fetched() -> Fetched {
    Ok((HeaderValue::from_static("t"), None))
}

/// A refresh that is done at the first look.
fn at_once(source: &Arc<Source>) -> Refresh {
    source.begun.fetch_add(1, SeqCst);
    let source = Arc::clone(source);
    Box::pin(async move {
        source.ended.fetch_add(1, SeqCst);
        fetched()
    })
}

fn twice(source: &Arc<Source>) -> Refresh {
    source.begun.fetch_add(1, SeqCst);
    Box::pin(Twice { source: Arc::clone(source), looked: false })
}

/// A token, however long it takes.
fn token(shared: &Arc<Shared>, refresh: impl FnOnce() -> Refresh) -> Generation {
    let answer = match shared.current(refresh) {
        Ok(ready) => Ok(ready),
        Err(waiting) => block_on(waiting.answer()),
    };
    answer.expect("no refresh fails").1
}

/// Asks for a token, and gives up after one look.
fn look(shared: &Arc<Shared>, refresh: impl FnOnce() -> Refresh) {
    if let Err(waiting) = shared.current(refresh) {
        let answer = pin!(waiting.answer());
        let _once = answer.poll(&mut Context::from_waker(Waker::noop()));
    }
}

fn world() -> (Arc<Shared>, Arc<Source>) {
    (Arc::new(Shared::new()), Arc::default())
}

fn three_threads(scenario: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(scenario);
}

#[test]
fn callers_at_one_time_share_one_refresh() {
    three_threads(|| {
        let (shared, source) = world();
        let others = [(); 2].map(|()| {
            let (shared, source) = (Arc::clone(&shared), Arc::clone(&source));
            thread::spawn(move || token(&shared, || at_once(&source)).number())
        });
        for other in others {
            assert_eq!(other.join().unwrap(), 1);
        }
        assert_eq!(source.begun.load(SeqCst), 1);
        assert!(shared.is_at_rest());
    });
}

#[test]
fn a_refresh_that_takes_two_looks_is_looked_at_twice() {
    model(|| {
        let (shared, source) = world();
        let other = {
            let (shared, source) = (Arc::clone(&shared), Arc::clone(&source));
            thread::spawn(move || token(&shared, || twice(&source)).number())
        };
        assert_eq!(token(&shared, || twice(&source)).number(), 1);
        assert_eq!(other.join().unwrap(), 1);
        assert_eq!((source.begun.load(SeqCst), source.ended.load(SeqCst)), (1, 1));
        assert!(shared.is_at_rest());
    });
}

#[test]
fn who_gives_up_leaves_the_refresh_to_whoever_still_waits() {
    model(|| {
        let (shared, source) = world();
        let fickle = {
            let (shared, source) = (Arc::clone(&shared), Arc::clone(&source));
            thread::spawn(move || look(&shared, || twice(&source)))
        };
        assert_eq!(token(&shared, || twice(&source)).number(), 1);
        fickle.join().unwrap();
        assert_eq!(source.ended.load(SeqCst), 1);
        assert!(shared.is_at_rest());
    });
}

#[test]
fn the_last_to_give_up_cancels_the_refresh() {
    model(|| {
        let (shared, source) = world();
        let other = {
            let (shared, source) = (Arc::clone(&shared), Arc::clone(&source));
            thread::spawn(move || look(&shared, || twice(&source)))
        };
        look(&shared, || twice(&source));
        other.join().unwrap();
        assert!(shared.is_at_rest());
        assert_eq!(token(&shared, || at_once(&source)).number(), 1);
    });
}

#[test]
fn a_refresh_woken_from_elsewhere_is_looked_at_again() {
    three_threads(|| {
        let (shared, source) = world();
        let (done, parked) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
        let refresh: Refresh = {
            let (done, parked) = (Arc::clone(&done), Arc::clone(&parked));
            Box::pin(poll_fn(move |cx: &mut Context<'_>| {
                *lock(&parked) = Some(cx.waker().clone());
                if done.load(SeqCst) { Poll::Ready(fetched()) } else { Poll::Pending }
            }))
        };
        let elsewhere = thread::spawn(move || {
            done.store(true, SeqCst);
            let waker: Option<Waker> = lock(&parked).take();
            if let Some(waker) = waker {
                waker.wake();
            }
        });
        let fickle = {
            let (shared, source) = (Arc::clone(&shared), Arc::clone(&source));
            let waiting = shared.current(move || refresh).unwrap_err();
            let patient = waiting.ticket;
            std::mem::forget(waiting);
            thread::spawn(move || {
                look(&shared, || at_once(&source));
                let waiting = Waiting { shared: &shared, ticket: patient, not_before: None };
                assert_eq!(block_on(waiting.answer()).expect("no refresh fails").1.number(), 1);
            })
        };
        elsewhere.join().unwrap();
        fickle.join().unwrap();
        assert_eq!(source.begun.load(SeqCst), 0);
        assert!(shared.is_at_rest());
    });
}

#[test]
fn two_refusals_of_one_token_are_one_refresh() {
    three_threads(|| {
        let (shared, source) = world();
        let first = token(&shared, || at_once(&source));
        let others = [(); 2].map(|()| {
            let (shared, source) = (Arc::clone(&shared), Arc::clone(&source));
            thread::spawn(move || {
                shared.refused(first);
                token(&shared, || at_once(&source)).number()
            })
        });
        for other in others {
            assert_eq!(other.join().unwrap(), 2);
        }
        assert_eq!(source.begun.load(SeqCst), 2);
        assert!(shared.is_at_rest());
    });
}
