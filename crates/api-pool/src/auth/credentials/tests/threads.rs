//! Races on real threads.

use super::*;

/// Wakes its task from another thread, in the middle of the poll or after it.
async fn woken_from_a_thread() {
    let mut threads = Vec::new();
    for _ in 0..3 {
        let mut woken = false;
        poll_fn(|cx| {
            if std::mem::replace(&mut woken, true) {
                return Poll::Ready(());
            }
            let waker = cx.waker().clone();
            threads.push(std::thread::spawn(move || waker.wake()));
            Poll::Pending
        })
        .await;
    }
}

#[test]
fn threads_that_race_with_cancellations_share_refreshes_and_lose_no_wake() {
    let credentials = bearer(|| async {
        woken_from_a_thread().await;
        Ok::<_, Infallible>("t")
    });
    for round in 1..=50 {
        std::thread::scope(|scope| {
            for racer in 0..4_usize {
                let credentials = &credentials;
                scope.spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread()
                        .enable_time()
                        .build()
                        .unwrap();
                    runtime.block_on(async {
                        CancelAt::new(racer, token(credentials)).await;
                        // Whoever was dropped, the rest is served.
                        assert_eq!(token(credentials).await, "Bearer t");
                    });
                });
            }
        });
        assert!(at_rest(&credentials));
        assert!(credentials.refreshes() >= round);
        let held = generation(&credentials).now_or_never().expect("a token is held");
        credentials.refused(held);
    }
}
