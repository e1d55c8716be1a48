//! Sources that make calls of their own.

use super::*;

/// A source that calls `ready` of the credentials it works for, once they exist.
fn reentrant(found: Arc<crate::sync::Mutex<Vec<bool>>>) -> Arc<Credentials> {
    Arc::new_cyclic(|weak: &std::sync::Weak<Credentials>| {
        let weak = weak.clone();
        bearer(move || {
            let (weak, found) = (weak.clone(), Arc::clone(&found));
            async move {
                let credentials = weak.upgrade().ok_or("gone")?;
                let inside = credentials.ready().await.map_err(|_| "failed");
                lock_push(&found, inside?.is_some());
                tokio::task::yield_now().await;
                Ok::<_, Box<dyn std::error::Error + Send + Sync>>("t")
            }
        })
    })
}

fn lock_push(found: &crate::sync::Mutex<Vec<bool>>, value: bool) {
    crate::sync::lock(found).push(value);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_uses_its_own_client_calls_without_credentials() {
    let found = Arc::default();
    let credentials = reentrant(Arc::clone(&found));
    let tokens = join_all((0..3).map(|_| token(&credentials))).await;
    assert_eq!(tokens, ["Bearer t"; 3]);
    assert_eq!(*crate::sync::lock(&found), [false]);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_uses_another_client_calls_that_one_with_its_credentials() {
    let inner = Arc::new(numbered());
    let outer = bearer({
        let inner = Arc::clone(&inner);
        move || {
            let inner = Arc::clone(&inner);
            async move { Ok::<_, Infallible>(token(&inner).await.replace(' ', "-")) }
        }
    });
    assert_eq!(token(&outer).await, "Bearer Bearer-t1");
}

#[tokio::test(start_paused = true)]
async fn two_clients_that_refresh_through_each_other_do_not_wait_for_themselves() {
    let seen = Arc::new(crate::sync::Mutex::new(None));
    let first = Arc::new_cyclic(|first: &std::sync::Weak<Credentials>| {
        let second = bearer({
            let (first, seen) = (first.clone(), Arc::clone(&seen));
            move || {
                let (first, seen) = (first.clone(), Arc::clone(&seen));
                async move {
                    let first = first.upgrade().ok_or("gone")?;
                    let inside = first.ready().await.map_err(|_| "failed")?;
                    *crate::sync::lock(&seen) = Some(inside.is_some());
                    Ok::<_, &str>("second")
                }
            }
        });
        let second = Arc::new(second);
        bearer(move || {
            let second = Arc::clone(&second);
            async move {
                token(&second).await;
                Ok::<_, Infallible>("first")
            }
        })
    });
    assert_eq!(token(&first).await, "Bearer first");
    assert_eq!(*crate::sync::lock(&seen), Some(false));
}
