//! What the caller put on a request and marked as sensitive.

use http::{HeaderMap, HeaderValue};

use crate::auth::Secrets;
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

    /// Tells them.
    pub(super) fn tell(&self, secrets: &mut Secrets) {
        let Some(Marked { first, more }) = &*self.marked else { return };
        std::iter::once(first).chain(more).for_each(|value| secrets.add(value.as_bytes()));
    }
}
