//! What the caller put on a request and marked as sensitive.

use http::{HeaderMap, HeaderValue};

use crate::auth::{Cut, hide};
use crate::seldom::Seldom;

/// Header values that are shown to nobody, wherever a server repeats them.
///
/// Almost every request has one at most, which takes no allocation.
#[derive(Default)]
pub(super) struct Sensitive {
    first: Seldom<HeaderValue>,
    more: Seldom<Box<[HeaderValue]>>,
}

impl Sensitive {
    /// Remembers those of a request, in place of those of the one before.
    #[inline]
    pub(super) fn remember(&mut self, headers: &HeaderMap) {
        if !headers.is_empty() {
            self.pick(headers);
        }
    }

    #[inline(never)]
    fn pick(&mut self, headers: &HeaderMap) {
        let mut marked = headers.values().filter(|value| value.is_sensitive());
        *self.first = marked.next().cloned();
        let more: Vec<_> = marked.cloned().collect();
        *self.more = (!more.is_empty()).then(|| more.into_boxed_slice());
    }

    /// `body` without them.
    pub(super) fn redact(&self, body: String, cut: Cut) -> String {
        self.first
            .iter()
            .chain(self.more.iter().flatten())
            .fold(body, |body, value| hide(body, value, cut))
    }
}
