//! Policies and durations in configuration.

use retry_core::{Policy, duration_text};

/// Reads the bytes as a policy, in JSON and YAML, and as a duration.
///
/// # Panics
///
/// If what was read is not what it is written as.
pub fn config(data: &[u8]) {
    if let Ok(policy) = serde_json::from_slice::<Policy>(data) {
        survives(&policy);
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(policy) = serde_yaml_ng::from_str::<Policy>(text) {
        survives(&policy);
    }
    if let Ok(duration) = duration_text::parse(text) {
        // Only in code may a policy contradict itself.
        if let Ok(policy) = Policy::default().with_max_elapsed(duration).checked() {
            survives(&policy);
        }
    }
}

fn survives(policy: &Policy) {
    // Functions and some extreme values have no spelling: then writing says so.
    let Ok(text) = serde_json::to_string(policy) else { return };
    match serde_json::from_str::<Policy>(&text) {
        Ok(back) => assert_eq!(back, *policy, "{text}"),
        Err(error) => panic!("{error}: {text}"),
    }
}
