//! An error and its causes as one line.

use std::error::Error as StdError;
use std::fmt::Write as _;

use super::cause;

/// The error's text and those of its causes, outermost first, joined with `: `. A cause whose text
/// the line already ends with is left out, and so is what the server wrote.
pub(super) fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause::unquoted(cause).unwrap_or_else(|| cause.to_string());
        if !line.ends_with(&text) {
            // Writing to a `String` cannot fail.
            let _ = write!(line, ": {text}");
        }
        next = cause.source();
    }
    line
}
