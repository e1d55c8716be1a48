//! Settings from text, without an allocator.

use core::fmt;
use core::hint::black_box as hidden;
use core::time::Duration;

use retry_core::duration_text::{self, DurationText};
use retry_core::{Backoff, Jitter};
use serde::de::IntoDeserializer;
use serde::de::value::{Error, MapDeserializer, StrDeserializer};
use serde::{Deserialize, Serialize};

use crate::sink;

/// `serde` can write into a formatter.
struct Written(DurationText);

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

pub fn right() -> bool {
    let fields = hidden([("kind", "linear"), ("base", "2s")]);
    let entries: MapDeserializer<'_, _, Error> = MapDeserializer::new(fields.into_iter());
    let backoff = Backoff::deserialize(entries);

    let name: StrDeserializer<'_, Error> = hidden("full").into_deserializer();
    let jitter = Jitter::deserialize(name);

    let text: StrDeserializer<'_, Error> = hidden("250ms").into_deserializer();
    let duration = duration_text::deserialize(text);

    let written = sink::length(&Written(hidden(Duration::from_secs(90)).into()));
    backoff == Ok(Backoff::linear(Duration::from_secs(2)))
        && jitter == Ok(Jitter::Full)
        && duration == Ok(Duration::from_millis(250))
        && written == 3
}
