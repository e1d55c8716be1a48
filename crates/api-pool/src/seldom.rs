//! What is seldom there.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// An option that is almost always empty: to drop an empty one takes a look and no more.
///
/// The compiler puts the code that drops the value where the option is dropped, in each place, with
/// all that it saves and restores. Here it is out of the way.
pub(crate) struct Seldom<T>(ManuallyDrop<Option<T>>);

impl<T> Seldom<T> {
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
            discard(&mut self.0);
        }
        self.0 = ManuallyDrop::new(value);
    }
}

impl<T> Default for Seldom<T> {
    #[inline(always)]
    fn default() -> Self {
        Self::none()
    }
}

impl<T> Deref for Seldom<T> {
    type Target = Option<T>;

    #[inline]
    fn deref(&self) -> &Option<T> {
        &self.0
    }
}

impl<T> DerefMut for Seldom<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Option<T> {
        &mut self.0
    }
}

impl<T> Drop for Seldom<T> {
    #[inline]
    fn drop(&mut self) {
        if self.0.is_some() {
            discard(&mut self.0);
        }
    }
}

#[cold]
#[inline(never)]
fn discard<T>(option: &mut Option<T>) {
    *option = None;
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
        drop(Seldom::<Rc<()>>::none());
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
