//! However fast an attempt fails, others have their turn before the next.

mod support;

use std::cell::RefCell;
use std::convert::Infallible;

use api_pool::ResilientClient;
use support::{URL, statuses};

#[tokio::test(start_paused = true)]
async fn an_attempt_that_is_replayed_at_once_leaves_others_their_turn_before() {
    let turns = RefCell::new(String::new());
    let client = ResilientClient::builder()
        .transport(statuses([401, 200]))
        .bearer_tokens(|| async { Ok::<_, Infallible>("token") })
        .build();

    let call = client.execute(|http| {
        turns.borrow_mut().push('c');
        http.get(URL)
    });
    let other = async {
        for _ in 0..2 {
            turns.borrow_mut().push('o');
            tokio::task::yield_now().await;
        }
    };
    let (answer, ()) = tokio::join!(biased; call, other);

    answer.unwrap();
    assert_eq!(turns.into_inner(), "coco");
}
