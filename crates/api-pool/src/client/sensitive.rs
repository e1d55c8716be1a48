//! What the caller put on a request and marked as sensitive.

use http::{HeaderMap, HeaderValue};

use crate::auth::{Cut, hide};
use crate::seldom::Seldom;

/// Header values that are shown to nobody, wherever a server repeats them.
///
/// Almost every request has one at most, which takes no allocation.
#[derive(Default)]
pub(super) struct Sensitive {
    marked: Seldom<Marked>,
}

struct Marked {
    first: HeaderValue,
    more: Box<[HeaderValue]>,
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
        let first = marked.next().cloned();
        self.marked.set(first.map(|first| Marked { first, more: marked.cloned().collect() }));
    }

    /// `body` without them.
    pub(super) fn redact(&self, body: String, cut: Cut) -> String {
        let Some(Marked { first, more }) = &*self.marked else { return body };
        let values = std::iter::once(first).chain(more);
        values.fold(body, |body, value| hide(body, value, cut))
    }
}
