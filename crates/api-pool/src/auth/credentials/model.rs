//! Every order of events for four callers, on the real credentials.
//!
//! A world is driven one event at a time, breadth first, until no event leads to a state that was
//! not seen before. Whatever one thread can do while another polls the refresh is done from inside
//! that poll, where no lock is held. From each state it is checked that nothing was lost: callers
//! are polled only if they were woken, one of them never, and all the others still get an answer.

use std::{
    collections::{HashSet, VecDeque},
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use futures_util::task::{ArcWake, waker};

use super::Credentials;
use crate::{auth::slot::Generation, clock};

const CALLERS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// A caller asks, or goes on asking; if it polls the refresh, this happens meanwhile.
    Poll(usize, Meanwhile),
    Drop(usize),
    /// What the refresh waits for happens.
    Wake,
    /// From now on the refresh ends when it is polled.
    End(Outcome),
    /// The token that was last handed out is refused.
    Refuse,
}

/// What happens while a caller polls the refresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meanwhile {
    Nothing,
    /// The refresh is woken before its poll returns.
    Wake,
    /// Another caller is polled.
    Poll(usize),
    Drop(usize),
    /// The refresh is woken, and then another caller is polled.
    WakeAndPoll(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Outcome {
    Fails,
    Panics,
    Succeeds,
}

type Call = Pin<Box<dyn Future<Output = Option<Generation>> + Send>>;

/// What the source shares with the world around it.
#[derive(Default)]
struct Stage {
    calls: [Mutex<Option<Call>>; CALLERS],
    flags: [Arc<Flag>; CALLERS],
    meanwhile: Mutex<Option<Meanwhile>>,
    outcome: Mutex<Option<Outcome>>,
    refresh: Mutex<Option<Waker>>,
    alive: AtomicUsize,
}

#[derive(Default)]
struct Flag(AtomicBool);

impl ArcWake for Flag {
    fn wake_by_ref(flag: &Arc<Self>) {
        flag.0.store(true, Ordering::Relaxed);
    }
}

/// Counts the refreshes that exist.
struct Alive(Arc<Stage>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stage {
    fn wake(&self) {
        let refresh = lock(&self.refresh).take();
        if let Some(refresh) = refresh {
            refresh.wake();
        }
    }

    /// Polls a caller, unless it is in the middle of a poll.
    fn poll(&self, caller: usize) -> Option<Poll<Option<Generation>>> {
        let mut slot = self.calls[caller].try_lock().ok()?;
        let flag = Arc::clone(&self.flags[caller]);
        flag.0.store(false, Ordering::Relaxed);
        let waker = waker(flag);
        let call = slot.as_mut()?;
        let polled =
            catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(&mut Context::from_waker(&waker))));
        let polled = polled.unwrap_or(Poll::Ready(None));
        if polled.is_ready() {
            *slot = None;
        }
        Some(polled)
    }

    fn drop_call(&self, caller: usize) {
        if let Ok(mut call) = self.calls[caller].try_lock() {
            *call = None;
        }
    }

    /// The source: waits to be woken, and does what the world wants meanwhile.
    async fn fetch(self: Arc<Self>) -> Result<&'static str, &'static str> {
        assert_eq!(self.alive.fetch_add(1, Ordering::Relaxed), 0, "two refreshes at once");
        let _alive = Alive(Arc::clone(&self));
        let outcome = poll_fn(|cx| {
            *lock(&self.refresh) = Some(cx.waker().clone());
            let meanwhile = lock(&self.meanwhile).take();
            match meanwhile {
                Some(Meanwhile::Wake) => self.wake(),
                Some(Meanwhile::Poll(caller)) => drop(self.poll(caller)),
                Some(Meanwhile::Drop(caller)) => self.drop_call(caller),
                Some(Meanwhile::WakeAndPoll(caller)) => {
                    self.wake();
                    self.poll(caller);
                }
                Some(Meanwhile::Nothing) | None => (),
            }
            let outcome = lock(&self.outcome).take();
            outcome.map_or(Poll::Pending, Poll::Ready)
        })
        .await;
        match outcome {
            Outcome::Succeeds => Ok("t"),
            Outcome::Fails => Err("no luck"),
            Outcome::Panics => std::panic::resume_unwind(Box::new("the source's own panic")),
        }
    }
}

struct World {
    credentials: Arc<Credentials>,
    stage: Arc<Stage>,
    last: Option<Generation>,
}

impl World {
    fn new() -> Self {
        let stage = Arc::<Stage>::default();
        let source = {
            let stage = Arc::clone(&stage);
            move || Arc::clone(&stage).fetch()
        };
        let credentials = Arc::new(Credentials::new(Arc::new(source), "Authorization", ""));
        Self { credentials, stage, last: None }
    }

    fn after(events: &[Event]) -> Self {
        let mut world = Self::new();
        for &event in events {
            world.apply(event);
        }
        world
    }

    fn apply(&mut self, event: Event) {
        match event {
            Event::Poll(caller, meanwhile) => {
                *lock(&self.stage.meanwhile) = Some(meanwhile);
                self.poll(caller);
                *lock(&self.stage.meanwhile) = None;
            }
            Event::Drop(caller) => self.stage.drop_call(caller),
            Event::Wake => self.stage.wake(),
            Event::End(outcome) => {
                *lock(&self.stage.outcome) = Some(outcome);
                self.stage.wake();
            }
            Event::Refuse => {
                if let Some(last) = self.last.take() {
                    self.credentials.refused(last);
                }
            }
        }
    }

    fn poll(&mut self, caller: usize) {
        let mut slot = lock(&self.stage.calls[caller]);
        if slot.is_none() {
            let credentials = Arc::clone(&self.credentials);
            let call = async move { Some(credentials.ready().await.ok()??.generation()) };
            *slot = Some(Box::pin(call));
        }
        drop(slot);
        if let Some(Poll::Ready(Some(generation))) = self.stage.poll(caller) {
            self.last = Some(generation);
        }
    }

    /// Two worlds of one signature go on alike, but for which caller is which.
    fn signature(&self) -> String {
        let mut callers = [(false, false); CALLERS];
        for (caller, state) in callers.iter_mut().enumerate() {
            let woken = self.stage.flags[caller].0.load(Ordering::Relaxed);
            *state = (lock(&self.stage.calls[caller]).is_some(), woken);
        }
        callers.sort_unstable();
        let stage = (
            lock(&self.stage.refresh).is_some(),
            *lock(&self.stage.outcome),
            self.stage.alive.load(Ordering::Relaxed),
        );
        let last = self.last.is_some();
        format!("{callers:?} {stage:?} {last} {}", self.credentials.shared.signature())
    }

    /// Lets the refresh succeed and polls callers only when woken, and `asleep` never.
    async fn assert_all_but_one_are_answered(mut self, asleep: usize, path: &[Event]) {
        for _ in 0..4 {
            *lock(&self.stage.outcome) = Some(Outcome::Succeeds);
            self.stage.wake();
            // Longer than any pause, so that a refresh that waits one out begins.
            clock::sleep(Duration::from_secs(11)).await;
            for caller in 0..CALLERS {
                let woken = self.stage.flags[caller].0.load(Ordering::Relaxed);
                if caller != asleep && woken && lock(&self.stage.calls[caller]).is_some() {
                    self.poll(caller);
                }
            }
        }
        for caller in (0..CALLERS).filter(|&caller| caller != asleep) {
            let waiting = lock(&self.stage.calls[caller]).is_some();
            assert!(!waiting, "caller {caller} was forgotten, {asleep} asleep, after {path:?}");
        }
        self.stage.drop_call(asleep);
        assert!(self.credentials.shared.is_at_rest(), "after {path:?}");
        assert_eq!(self.stage.alive.load(Ordering::Relaxed), 0, "after {path:?}");
    }
}

fn events() -> Vec<Event> {
    let mut events = vec![Event::Wake, Event::Refuse];
    events.extend([Outcome::Fails, Outcome::Panics, Outcome::Succeeds].map(Event::End));
    for caller in 0..CALLERS {
        events.push(Event::Drop(caller));
        events.extend([Meanwhile::Nothing, Meanwhile::Wake].map(|m| Event::Poll(caller, m)));
        for other in (0..CALLERS).filter(|&other| other != caller) {
            let meanwhile = [Meanwhile::Poll, Meanwhile::Drop, Meanwhile::WakeAndPoll];
            events.extend(meanwhile.map(|meanwhile| Event::Poll(caller, meanwhile(other))));
        }
    }
    events
}

#[tokio::test(start_paused = true)]
async fn no_order_of_events_loses_a_caller_or_a_refresh() {
    let events = events();
    let mut seen = HashSet::from([World::new().signature()]);
    let mut open = VecDeque::from([Vec::new()]);
    while let Some(path) = open.pop_front() {
        for &event in &events {
            let path: Vec<Event> = path.iter().copied().chain([event]).collect();
            if seen.insert(World::after(&path).signature()) {
                for asleep in 0..CALLERS {
                    World::after(&path).assert_all_but_one_are_answered(asleep, &path).await;
                }
                open.push_back(path);
            }
        }
    }
    assert!(seen.len() > 1000, "{} states", seen.len());
}
