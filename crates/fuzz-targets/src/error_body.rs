//! Bodies of refusals: what is kept of them is short, whole characters, and read no further.

use api_pool::{
    CallPolicy, ResilientClient,
    testing::{Reply, Script},
};

use crate::{bytes::Bytes, once::at_once};

/// How many bytes of a refusal's body an error keeps.
const KEPT: usize = 2_048;

/// How many characters of a body the adapters show.
const SHOWN: usize = 500;

/// The longest body that ends: twice what is kept or shown, since more tells nothing.
const LONGEST: usize = 2 * KEPT;

/// How often the input is repeated to make a body.
const TIMES: [usize; 4] = [1, 7, 40, 0];

/// Refuses a call with a body made of the bytes after the first two, in two parts, or without end.
///
/// # Panics
///
/// If the error keeps more of the body than it may, less than it could, or splits a character.
pub fn error_body(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (times, cut) = (bytes.byte(), usize::from(bytes.byte()));
    let times = TIMES.get(usize::from(times % 4)).copied().unwrap_or_default();
    let part = bytes.0.to_vec();

    let mut body = part.repeat(times);
    body.truncate(LONGEST);
    let (first, second) = body.split_at(body.len() * cut / 255);
    let refusal = Reply::status(404);
    let refusal = match times {
        // What never ends must bring something each time.
        0 if part.is_empty() => refusal,
        0 => refusal.with_endless_body(part.clone()),
        _ => refusal.with_chunk(first.to_vec()).with_chunk(second.to_vec()),
    };
    let script = Script::new([refusal]);
    let client = ResilientClient::builder().transport(script).build();
    let policy = CallPolicy::background();
    let outcome = at_once(client.execute_with(&policy, |http| http.get("http://api.test/")));
    let error = outcome.expect_err("404 is an error");

    let body = if times == 0 { part.repeat(KEPT / part.len().max(1) + 1) } else { body };
    let whole = String::from_utf8_lossy(&body);
    let kept = error.body.as_deref().unwrap_or_default();
    assert!(kept.len() <= KEPT, "{} bytes are kept", kept.len());
    assert!(whole.starts_with(kept), "{kept:?} is not the beginning of {whole:?}");
    // A character may be cut off at the end, at most.
    assert!(whole.len().min(KEPT) < kept.len() + 4, "{} bytes are kept", kept.len());

    let shown = vantage_transport::snippet(&body, SHOWN);
    assert!(whole.starts_with(&shown), "{shown:?} is not the beginning of {whole:?}");
    assert_eq!(shown.chars().count(), whole.chars().take(SHOWN).count());
}
