use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Context,
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::join_all,
    task::{ArcWake, waker},
};

use super::*;
use crate::testing::CancelAt;

const MS: Duration = Duration::from_millis(1);

/// A limiter whose burst is used up.
async fn drained(per_second: f64, burst: usize) -> RateLimiter {
    let limiter = RateLimiter::new(per_second, burst);
    for _ in 0..burst {
        limiter.acquire().now_or_never().expect("the burst is there at once").spend();
    }
    limiter
}

fn at_rest(limiter: &RateLimiter) -> bool {
    lock(&limiter.line).waiting.is_empty()
}

#[tokio::test(start_paused = true)]
async fn a_hundred_simultaneous_calls_at_two_hundred_a_second_finish_in_order_in_half_a_second() {
    let limiter = drained(200.0, 1).await;
    let start = clock::now();
    let finished = std::cell::RefCell::new(Vec::new());
    join_all((0..100_u32).map(|call| {
        let (limiter, finished) = (&limiter, &finished);
        async move {
            limiter.acquire().await.spend();
            finished.borrow_mut().push((call, clock::now() - start));
        }
    }))
    .await;
    let expected: Vec<_> = (0..100).map(|call| (call, 5 * MS * (call + 1))).collect();
    assert_eq!(finished.into_inner(), expected);
    assert_eq!(start + 500 * MS, clock::now());
    assert!(at_rest(&limiter));
}

#[tokio::test(start_paused = true)]
async fn the_burst_is_there_at_once_and_the_rest_follows_at_the_rate() {
    let limiter = RateLimiter::new(200.0, 40);
    let start = clock::now();
    join_all((0..100).map(|_| limiter.acquire().map(Token::spend))).await;
    assert_eq!(clock::now() - start, 300 * MS);
}

#[tokio::test(start_paused = true)]
async fn a_timer_of_whole_milliseconds_does_not_lower_the_rate() {
    let limiter = drained(300.0, 1).await;
    let start = clock::now();
    for _ in 0..299 {
        limiter.acquire().await.spend();
    }
    assert_eq!(clock::now() - start, 997 * MS);
}

/// A limiter whose burst of one is used up, and whose clock went back before the start since.
fn behind(per_second: f64) -> RateLimiter {
    let start = clock::now() + 3_600_000 * MS;
    let limiter = RateLimiter::starting(Quota::checked(per_second, 1).expect("it is one"), start);
    limiter.try_acquire().expect("the burst is there at once").spend();
    limiter
}

/// Only who waits is served as of the time that was named.
#[tokio::test(start_paused = true)]
async fn who_does_not_wait_takes_a_token_as_of_now_or_none() {
    let half = MS / 2;
    for limiter in [drained(10.0, 1).await, behind(10.0)] {
        assert!(limiter.try_acquire().is_none());
        tokio::time::advance(100 * MS + half).await;
        limiter.try_acquire().expect("one has refilled").spend();
        tokio::time::advance(100 * MS - half).await;
        assert!(limiter.try_acquire().is_none());
        tokio::time::advance(half).await;
        limiter.try_acquire().expect("one has refilled").spend();
    }
}

#[tokio::test(start_paused = true)]
async fn a_newcomer_does_not_barge_past_the_line() {
    let limiter = drained(10.0, 1).await;
    let mut first = Box::pin(limiter.acquire());
    assert!(first.as_mut().now_or_never().is_none());
    tokio::time::advance(100 * MS).await;
    // A token is due, and the head has not been polled since.
    assert!(limiter.acquire().now_or_never().is_none());
    assert!(limiter.try_acquire().is_none());
    first.as_mut().now_or_never().expect("the head has its token").spend();
}

/// Time stands still for those who take no lock until the clock is where it was.
#[tokio::test(start_paused = true)]
async fn a_clock_from_before_the_start_holds_nobody_up_beyond_one_refill() {
    let limiter = behind(10.0);
    assert!(limiter.try_acquire().is_none());
    tokio::time::advance(100 * MS).await;
    limiter.try_acquire().expect("one has refilled").spend();
    assert!(limiter.try_acquire().is_none());
    let waits = limiter.acquire().now_or_never();
    assert!(waits.is_none());
    tokio::time::advance(100 * MS).await;
    limiter.acquire().now_or_never().expect("one has refilled").spend();
}

#[tokio::test(start_paused = true)]
async fn a_token_that_is_dropped_goes_to_the_head_at_once() {
    let limiter = RateLimiter::new(1.0, 1);
    let token = limiter.acquire().await;
    let start = clock::now();
    let (waited, ()) = tokio::join!(
        async {
            limiter.acquire().await.spend();
            clock::now() - start
        },
        async {
            clock::sleep(250 * MS).await;
            drop(token);
        },
    );
    assert_eq!(waited, 250 * MS);
    // It was one token, not two: the next is due an interval after it was taken again.
    limiter.acquire().await.spend();
    assert_eq!(clock::now() - start, 1250 * MS);
}

#[tokio::test(start_paused = true)]
async fn tokens_held_for_long_and_given_back_are_no_second_burst() {
    let limiter = RateLimiter::new(10.0, 5);
    let held = join_all((0..5).map(|_| limiter.acquire())).await;
    clock::sleep(5000 * MS).await;
    drop(held);
    let start = clock::now();
    for _ in 0..6 {
        limiter.acquire().await.spend();
    }
    assert_eq!(clock::now() - start, 100 * MS);
}

#[tokio::test(start_paused = true)]
async fn whichever_place_is_given_up_the_others_finish_in_order_and_on_time() {
    const LINE: u32 = 16;
    for dropped in 0..LINE {
        for polls in 0..3 {
            let limiter = drained(100.0, 1).await;
            let start = clock::now();
            let finished = std::cell::RefCell::new(Vec::new());
            join_all((0..LINE).map(|call| {
                let (limiter, finished) = (&limiter, &finished);
                async move {
                    let work = async {
                        limiter.acquire().await.spend();
                        finished.borrow_mut().push((call, clock::now() - start));
                    };
                    if call == dropped {
                        CancelAt::new(polls, work).await;
                    } else {
                        work.await;
                    }
                }
            }))
            .await;
            // With two polls the dropped one became the head, or got as far as its token.
            let finished = finished.into_inner();
            let order: Vec<_> = finished.iter().map(|&(call, _)| call).collect();
            assert!(order.is_sorted(), "{order:?}");
            assert!(order.iter().filter(|&&call| call != dropped).count() == LINE as usize - 1);
            let times: Vec<_> = finished.iter().map(|&(_, at)| at).collect();
            let expected: Vec<_> = (1..=times.len() as u32).map(|n| 10 * MS * n).collect();
            assert_eq!(times, expected, "place {dropped} dropped after {polls} polls");
            assert!(at_rest(&limiter));
        }
    }
}

#[derive(Default)]
struct Count(AtomicUsize);

impl ArcWake for Count {
    fn wake_by_ref(count: &Arc<Self>) {
        count.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Puts callers in line, each with a waker that counts.
async fn in_line<const N: usize>(limiter: &RateLimiter) -> (Vec<Acquire<'_>>, [Arc<Count>; N]) {
    let counts: [Arc<Count>; N] = std::array::from_fn(|_| Arc::default());
    let mut places = Vec::new();
    for count in &counts {
        let mut place: Acquire<'_> = Box::pin(limiter.acquire());
        let waker = waker(Arc::clone(count));
        assert!(place.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        places.push(place);
    }
    (places, counts)
}

type Acquire<'a> = Pin<Box<dyn Future<Output = Token<'a>> + 'a>>;

fn woken<const N: usize>(counts: &[Arc<Count>; N]) -> [usize; N] {
    counts.each_ref().map(|count| count.0.load(Ordering::Relaxed))
}

#[tokio::test(start_paused = true)]
async fn a_parked_place_is_woken_once_and_only_to_become_the_head() {
    let limiter = drained(10.0, 1).await;
    let (mut places, counts) = in_line::<4>(&limiter).await;

    drop(places.pop());
    assert_eq!(woken(&counts), [0, 0, 0, 0], "the last gave up its place");
    clock::sleep(100 * MS).await;
    assert_eq!(woken(&counts), [1, 0, 0, 0], "only the head sleeps");
    places.remove(0).now_or_never().expect("the head has its token").spend();
    assert_eq!(woken(&counts), [1, 1, 0, 0], "it made the second the head");
    drop(places.remove(0));
    assert_eq!(woken(&counts), [1, 1, 1, 0], "the second gave up its place");
}

#[tokio::test(start_paused = true)]
async fn a_token_that_comes_back_wakes_the_head_and_nobody_else() {
    let limiter = RateLimiter::new(0.001, 1);
    let token = limiter.acquire().await;
    let (mut places, counts) = in_line::<2>(&limiter).await;

    drop(token);

    assert_eq!(woken(&counts), [1, 0]);
    places.remove(0).now_or_never().expect("the head has the token").spend();
}

#[tokio::test(start_paused = true)]
async fn a_place_that_moved_to_another_task_is_woken_there() {
    let limiter = drained(10.0, 1).await;
    let (mut places, counts) = in_line::<2>(&limiter).await;
    let there = Arc::<Count>::default();
    let waker = waker(Arc::clone(&there));
    assert!(places[1].as_mut().poll(&mut Context::from_waker(&waker)).is_pending());

    drop(places.remove(0));

    assert_eq!((woken(&counts), woken(&[there])), ([0, 0], [1]));
}

/// Counts how often it is dropped while the line is free to be used.
struct Curious {
    limiter: Arc<RateLimiter>,
    free: Arc<AtomicUsize>,
}

impl ArcWake for Curious {
    fn wake_by_ref(_curious: &Arc<Self>) {}
}

impl Drop for Curious {
    fn drop(&mut self) {
        let free = self.limiter.line.try_lock().is_ok();
        self.free.fetch_add(usize::from(free), Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_waker_that_goes_with_its_place_may_use_the_line() {
    let limiter = Arc::new(drained(1.0, 1).await);
    let free = Arc::new(AtomicUsize::new(0));
    let curious = Curious { limiter: Arc::clone(&limiter), free: Arc::clone(&free) };
    let curious = waker(Arc::new(curious));
    let _head = in_line::<1>(&limiter).await;
    let mut parked = Box::pin(limiter.acquire());
    assert!(parked.as_mut().poll(&mut Context::from_waker(&curious)).is_pending());
    drop(curious);
    drop(parked);
    assert_eq!(free.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_line_that_was_given_up_owes_its_lateness_to_nobody() {
    let limiter = drained(10.0, 1).await;
    assert!(CancelAt::new(1, limiter.acquire()).await.is_none());
    // Half a millisecond later than the one who left would have had it.
    tokio::time::advance(Duration::from_micros(100_500)).await;
    limiter.acquire().now_or_never().expect("a token is due").spend();
    tokio::time::advance(Duration::from_micros(99_999)).await;
    assert!(limiter.acquire().now_or_never().is_none(), "a full interval is not over");
    tokio::time::advance(Duration::from_micros(1)).await;
    limiter.acquire().now_or_never().expect("a token is due").spend();
}

#[test]
fn a_burst_raced_for_by_threads_is_handed_out_exactly() {
    let limiter = RateLimiter::new(0.001, 64);
    let granted: usize = std::thread::scope(|scope| {
        let racers = [(); 4].map(|()| {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread();
                let runtime = { runtime }.enable_time().build().unwrap();
                let calls = (0..40).map(|_| CancelAt::new(1, limiter.acquire().map(Token::spend)));
                runtime.block_on(join_all(calls)).into_iter().flatten().count()
            })
        });
        racers.map(|racer| racer.join().unwrap()).into_iter().sum()
    });
    assert_eq!(granted, 64);
    assert!(at_rest(&limiter));
}
