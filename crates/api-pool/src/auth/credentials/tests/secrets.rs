//! What is shown of a token: nothing.

use super::*;
use crate::auth::Cut;

#[tokio::test(start_paused = true)]
async fn a_token_that_cannot_be_sent_is_a_failure_that_does_not_show_it() {
    let credentials = bearer(|| async { Ok::<_, Infallible>("CAN\nARY") });
    let failure = credentials.ready().await.unwrap_err();
    let text = "the credential is not a valid header value".to_owned();
    assert_eq!(failure.kind(), ErrorKind::Request(text));
    assert!(!format!("{failure:?}").contains("ARY"));
}

#[tokio::test(start_paused = true)]
async fn no_debug_output_shows_a_token() {
    let credentials = bearer(|| async { Ok::<_, Infallible>(Token::new("CANARY")) });
    let credential = credentials.ready().await.unwrap();
    let shown = format!("{credentials:?} {credential:?} {:?}", Token::new("CANARY"));
    assert!(!shown.contains("CANARY"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn what_is_shown_are_the_header_the_refreshes_and_how_long_a_token_lives() {
    let credentials = numbered();
    token(&credentials).await;
    assert_eq!(
        format!("{credentials:?}"),
        r#"Credentials { header: Some("authorization"), refreshes: 1, .. }"#
    );
    let token = Token::new("CANARY").expires_in(SECOND);
    assert_eq!(format!("{token:?}"), "Token { lifetime: Some(1s), .. }");
}

#[tokio::test(start_paused = true)]
async fn of_the_tokens_sent_the_last_four_are_hidden() {
    let count = AtomicUsize::new(0);
    let credentials = bearer(move || {
        let number = 1 + count.fetch_add(1, Ordering::Relaxed);
        async move { Ok::<_, Infallible>(format!("canary-{number}")) }
    });
    for _ in 0..6 {
        let sent = generation(&credentials).await;
        credentials.refused(sent);
    }
    let echo = (1..=6).map(|number| format!("canary-{number}")).collect::<Vec<_>>().join(" ");
    let mut secrets = Secrets::default();
    credentials.tell(&mut secrets);
    assert_eq!(secrets.hide(echo, Cut::Nowhere), "canary-1 canary-2 … … … …");
}
