//! What the caller put on a request and marked as sensitive.

use http::{HeaderMap, HeaderValue};

use crate::auth::Secrets;
use crate::seldom::{Seldom, Vacant};

/// Header values that are shown to nobody, wherever a server repeats them.
///
/// Almost every request has one at most, which takes no allocation.
#[derive(Default)]
pub(super) struct Sensitive {
    marked: Seldom<Option<Marked>>,
}

struct Marked {
    first: HeaderValue,
    more: Box<[HeaderValue]>,
}

impl Vacant for Sensitive {
    #[inline(always)]
    fn is_vacant(&self) -> bool {
        self.marked.is_vacant()
    }
}

impl Sensitive {
    /// Remembers those of a request, in place of those of the one before.
    #[inline]
    pub(super) fn remember(&mut self, headers: &HeaderMap) {
        if !headers.is_empty() || !self.is_vacant() {
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

#[cfg(test)]
mod tests {
    use http::header;

    use super::*;

    #[test]
    fn a_request_with_nothing_to_hide_takes_the_place_of_one_with_something() {
        let mut value = HeaderValue::from_static("canary");
        value.set_sensitive(true);
        let mut sensitive = Sensitive::default();
        sensitive.remember(&HeaderMap::from_iter([(header::COOKIE, value)]));
        assert!(!sensitive.is_vacant());

        sensitive.remember(&HeaderMap::new());

        assert!(sensitive.is_vacant());
    }
}
