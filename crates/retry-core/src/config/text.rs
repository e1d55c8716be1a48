//! A duration as text.

use core::fmt;
use core::time::Duration;

use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::duration_text::{self, DurationText};

impl<'de> Deserialize<'de> for DurationText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl Visitor<'_> for TextVisitor {
            type Value = DurationText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as `250ms` or `10s`, or `unlimited`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<DurationText, E> {
                text.parse().map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

impl Serialize for DurationText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads a duration as text, for `#[serde(with = "retry_core::duration_text")]`.
///
/// # Errors
///
/// What the format reports, and a text that is [not a duration](duration_text::parse).
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    DurationText::deserialize(deserializer).map(Duration::from)
}

/// Writes a duration as text, for `#[serde(with = "retry_core::duration_text")]`.
///
/// # Errors
///
/// What the format reports.
///
/// # Examples
///
/// ```
/// use core::time::Duration;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, Serialize)]
/// struct Settings {
///     #[serde(with = "retry_core::duration_text")]
///     timeout: Duration,
/// }
///
/// let settings: Settings = serde_json::from_str(r#"{"timeout":"1500ms"}"#)?;
/// assert_eq!(settings.timeout, Duration::from_millis(1_500));
/// assert_eq!(serde_json::to_string(&settings)?, r#"{"timeout":"1500ms"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    duration_text::display(*duration).serialize(serializer)
}
