//! Tokens and header fields: what cannot be a header value is refused, and nothing tells a token.

use std::error::Error;

use api_pool::{
    CallPolicy, ClientError, ResilientClient, Token,
    testing::{Reply, Script},
};

use crate::{bytes::Bytes, once::at_once};

/// A text this short may be part of a message by chance.
const TELLING: usize = 12;

/// Sends a request with a token and a header field made of the bytes.
///
/// # Panics
///
/// If more or other fields arrive than were set, or an error tells the token.
pub fn token(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (name, value) = (bytes.text(), bytes.text());
    let token = String::from_utf8_lossy(bytes.0).into_owned();

    let script = Script::new([Reply::status(204)]);
    let client = ResilientClient::builder()
        .transport(script.clone())
        .bearer_tokens({
            let token = token.clone();
            move || {
                let token = Token::new(token.clone());
                async move { Ok::<_, &str>(token) }
            }
        })
        .build();
    let policy = CallPolicy::background();
    let outcome = at_once(client.execute_with(&policy, |http| {
        http.get("http://api.test/").header("x-plain", "1").header(&name, &value)
    }));
    match outcome {
        Ok(_) => arrived(&script, [&name, &value], &token),
        Err(error) => told(&error, &token),
    }
    assert!(token.len() < TELLING || !format!("{client:?} {script:?}").contains(&token));
}

fn arrived(script: &Script, [name, value]: [&str; 2], token: &str) {
    let requests = script.requests();
    let [request] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    let mut own = 0;
    for (header, sent) in request.headers() {
        let bytes = sent.as_bytes();
        assert!(!bytes.iter().any(|byte| b"\r\n\0".contains(byte)), "{header}: {sent:?}");
        match header.as_str() {
            "authorization" if !name.eq_ignore_ascii_case("authorization") => {
                assert_eq!(bytes, format!("Bearer {token}").as_bytes());
                assert!(sent.is_sensitive());
            }
            "x-plain" if !name.eq_ignore_ascii_case("x-plain") => assert_eq!(bytes, b"1"),
            header => {
                assert!(header.eq_ignore_ascii_case(name), "{header:?} was not set: {name:?}");
                own += usize::from(bytes == value.as_bytes());
            }
        }
    }
    assert!(own > 0 || name.eq_ignore_ascii_case("authorization"), "{name:?} did not arrive");
}

/// An error, and all its causes, without the token.
fn told(error: &ClientError, token: &str) {
    let mut text = format!("{error} {error:?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(" {error} {error:?}"));
        cause = error.source();
    }
    assert!(token.len() < TELLING || !text.contains(token), "{text}");
}
