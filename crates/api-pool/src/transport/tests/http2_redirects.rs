//! Over HTTP/2 too a redirect is followed to where the request went, and nowhere else.

use super::frames::{Act, FrameServer, Request};
use super::like_the_default;
use crate::CallPolicy;

#[tokio::test]
async fn a_redirect_over_http_2_is_followed_at_home_and_nowhere_else() {
    let client = like_the_default(reqwest::ClientBuilder::http2_prior_knowledge);
    let other = FrameServer::start(|Request { stream, .. }| vec![Act::Answer(stream)]).await;
    let post = async |location: String| {
        let server = FrameServer::start(move |Request { stream, .. }| match stream {
            1 => vec![Act::Redirect { stream, location: location.clone() }],
            _ => vec![Act::Answer(stream)],
        })
        .await;
        let send = |http: &reqwest::Client| http.post(server.url()).body("order");
        let result = client.execute_read(&CallPolicy::background(), send).await;
        (result, server.requests(), server.answered())
    };

    let (result, requests, answered) = post("/near".to_owned()).await;
    assert_eq!(
        (result.unwrap().status(), requests, &answered[..]),
        (200, 2, &["order".to_owned()][..])
    );

    let (result, requests, _) = post(other.url()).await;
    assert_eq!((result.unwrap_err().status(), requests), (Some(307), 1));
    assert_eq!(other.requests(), 0);
}
