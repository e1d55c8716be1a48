//! Each broken answer is broken in its own way.

mod support;

use demo_api::Config;
use support::{read, serve};

#[tokio::test]
async fn each_kind_is_broken_as_its_name_says() {
    let server = serve(Config::new());
    let parses = |body: &[u8]| serde_json::from_slice::<serde_json::Value>(body).is_ok();
    let kinds: [(&str, u16, bool); 16] = [
        ("bad-utf8", 200, false),
        ("big-numbers", 200, true),
        ("bom", 200, false),
        ("cut-off", 200, false),
        ("deep", 200, false),
        ("duplicate-ids", 200, true),
        ("empty", 200, false),
        ("error-html", 502, false),
        ("html", 200, false),
        ("no-content", 204, false),
        ("no-total", 200, true),
        ("not-objects", 200, true),
        ("null", 200, true),
        ("scalar", 200, true),
        ("text", 200, false),
        ("wrong-key", 200, true),
    ];
    for (kind, status, is_json) in kinds {
        let response = reqwest::get(format!("{}/broken/{kind}", server.url())).await.unwrap();
        assert_eq!(response.status(), status, "{kind}");
        let body = response.bytes().await.unwrap();
        assert_eq!(parses(&body), is_json, "{kind}");
    }
}

#[tokio::test]
async fn the_redirect_has_no_end() {
    let server = serve(Config::new());
    let error = reqwest::get(format!("{}/broken/redirect-loop", server.url())).await.unwrap_err();
    assert!(error.is_redirect(), "{error:?}");
    assert!(server.stats().path("/broken/{kind}") > 2);
}

#[tokio::test]
async fn an_unknown_kind_is_not_found() {
    let server = serve(Config::new());
    let request = reqwest::Client::new().get(format!("{}/broken/unheard-of", server.url()));
    assert_eq!(read(request).await.0, 404);
}
