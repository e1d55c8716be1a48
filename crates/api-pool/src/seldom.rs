//! What is seldom there.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// What can have nothing in it, as its default has.
pub(crate) trait Vacant: Default {
    /// Whether dropping it would end nothing. Where this is wrong, a [`Seldom`] leaks what is there.
    fn is_vacant(&self) -> bool;
}

impl<T> Vacant for Option<T> {
    #[inline(always)]
    fn is_vacant(&self) -> bool {
        self.is_none()
    }
}

/// What almost always has nothing in it when it is dropped, which takes a look and no more then.
///
/// The compiler puts the code that drops a value where it is dropped, in each place, with all that
/// it saves and restores. Here it is out of the way.
#[derive(Default)]
pub(crate) struct Seldom<V: Vacant>(ManuallyDrop<V>);

impl<T> Seldom<Option<T>> {
    // No constant: all the bytes of one are copied, where an empty option is set up by one.
    #[inline(always)]
    pub(crate) const fn none() -> Self {
        Self(ManuallyDrop::new(None))
    }

    #[inline(always)]
    pub(crate) const fn new(value: Option<T>) -> Self {
        Self(ManuallyDrop::new(value))
    }

    /// Puts `value` there. What was there is dropped.
    #[inline(always)]
    pub(crate) fn set(&mut self, value: Option<T>) {
        if self.0.is_some() {
            discard(&mut *self.0);
        }
        self.0 = ManuallyDrop::new(value);
    }
}

impl<V: Vacant> Deref for Seldom<V> {
    type Target = V;

    #[inline]
    fn deref(&self) -> &V {
        &self.0
    }
}

impl<V: Vacant> DerefMut for Seldom<V> {
    #[inline]
    fn deref_mut(&mut self) -> &mut V {
        &mut self.0
    }
}

impl<V: Vacant> Drop for Seldom<V> {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.is_vacant() {
            discard(&mut *self.0);
        }
    }
}

#[cold]
#[inline(never)]
fn discard<V: Vacant>(value: &mut V) {
    *value = V::default();
    debug_assert!(value.is_vacant(), "what is put in its place is dropped by nobody");
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn what_is_there_is_dropped_with_it_once() {
        let value = Rc::new(());
        drop(Seldom::new(Some(Rc::clone(&value))));
        assert_eq!(Rc::strong_count(&value), 1);
        drop(Seldom::<Option<Rc<()>>>::none());
    }

    #[derive(Default)]
    struct Pair(Option<Rc<()>>, Option<Rc<()>>);

    impl Vacant for Pair {
        fn is_vacant(&self) -> bool {
            self.0.is_vacant() && self.1.is_vacant()
        }
    }

    #[test]
    fn of_two_things_each_is_dropped_with_it_once() {
        let value = Rc::new(());
        for (first, second) in [(true, false), (false, true), (true, true)] {
            let some = |wanted: bool| wanted.then(|| Rc::clone(&value));
            let mut seldom = Seldom::default();
            *seldom = Pair(some(first), some(second));
            drop(seldom);
            assert_eq!(Rc::strong_count(&value), 1);
        }
    }

    #[test]
    fn what_is_replaced_or_taken_out_is_dropped_once() {
        let value = Rc::new(());
        let mut seldom = Seldom::default();
        *seldom = Some(Rc::clone(&value));
        *seldom = Some(Rc::clone(&value));
        assert_eq!(Rc::strong_count(&value), 2);
        drop(seldom.take());
        assert_eq!(Rc::strong_count(&value), 1);
    }
}
