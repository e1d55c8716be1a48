use proptest::prelude::*;

use super::Redaction;

fn shown(url: &str) -> String {
    Redaction::new().url(url).to_string()
}

#[test]
fn masks_credential_like_keys_in_their_usual_spellings() {
    for key in [
        "key",
        "api_key",
        "apikey",
        "apiKey",
        "API-KEY",
        "x-api-key",
        "token",
        "access_token",
        "accessToken",
        "accesstoken",
        "secret",
        "client_secret",
        "signature",
        "X-Amz-Signature",
        "sig",
        "password",
        "pwd",
        "code",
        "CODE",
        "api%5Fkey",
        "session",
        "auth",
    ] {
        let url = format!("https://h/p?a=1&{key}=canary&b=2");
        assert_eq!(shown(&url), format!("https://h/p?a=1&{key}=…&b=2"), "{key}");
    }
}

#[test]
fn leaves_data_readable() {
    for url in [
        "https://h/airports?_page=2&_limit=100&country_code=US&keyword=x&monkey=1&passenger=7",
        "https://h:8080/users/1/albums?sort=-name",
        "http://[::1]:80/x?q=a@b",
        "http://h/a@b/c",
        "not a url at all",
        "",
    ] {
        assert_eq!(shown(url), url);
    }
}

#[test]
fn masks_user_info_even_where_the_url_does_not_parse() {
    assert_eq!(shown("https://me:pw@h/p"), "https://…@h/p");
    assert_eq!(shown("https://me@h"), "https://…@h");
    assert_eq!(shown("https://me:p@w@h/p"), "https://…@h/p");
    assert_eq!(shown("https://me:p/w@h/p"), "https://…@h/p");
    assert_eq!(shown("me:pw@h/p"), "…@h/p");
}

#[test]
fn masks_a_fragment_written_like_a_query() {
    assert_eq!(shown("https://h/p#access_token=canary"), "https://h/p#access_token=…");
}

#[test]
fn masks_every_value_when_asked_to() {
    let all = Redaction::new().with_all_values();
    assert_eq!(all.url("http://h/p?a=1&b=&c").as_str(), "http://h/p?a=…&b=&c");
}

proptest! {
    // Kills any rule that looks at the value, and a split that loses pairs.
    #[test]
    fn a_secret_never_shows_and_the_rest_always_does(
        before in "[a-z]{1,8}=[a-z0-9]{0,8}",
        // A password of digits and a slash reads as a port and a path: a valid URL.
        secret in "[A-Z][A-Z0-9%=/+]{12,24}",
        after in "page=[0-9]{1,4}",
    ) {
        let url = format!("https://u:{secret}@h/p?{before}&token={secret}&{after}");
        let shown = shown(&url);
        prop_assert!(!shown.contains(&secret), "{}", shown);
        prop_assert!(shown.ends_with(&format!("&token=…&{after}")), "{}", shown);
    }

    #[test]
    fn never_panics_and_is_idempotent(url in any::<String>()) {
        let once = shown(&url);
        prop_assert_eq!(shown(&once), once);
    }
}
