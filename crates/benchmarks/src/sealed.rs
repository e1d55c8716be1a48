//! A value that cannot be written to.

#![expect(unsafe_code, reason = "only the processor can forbid a write")]

use std::{ops::Deref, ptr};

/// A value alone on a page of memory that may only be read: whoever writes to it, also through a
/// `Cell` or an atomic, is killed.
pub(crate) struct Sealed<T> {
    page: *mut T,
}

const PAGE: usize = 4096;

impl<T> Sealed<T> {
    /// Moves `value` to its page, and closes the page.
    pub(crate) fn new(value: T) -> Self {
        assert!(size_of::<T>() <= PAGE && align_of::<T>() <= PAGE);
        let (open, shared) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON);
        // SAFETY: a new mapping touches nothing that exists.
        let page = unsafe { libc::mmap(ptr::null_mut(), PAGE, open, shared, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED, "there is memory");
        let page = page.cast::<T>();
        // SAFETY: the page is ours, big enough, aligned and writable.
        unsafe { page.write(value) };
        // SAFETY: the page is ours, and nobody has a reference into it.
        let closed = unsafe { libc::mprotect(page.cast(), PAGE, libc::PROT_READ) };
        assert_eq!(closed, 0, "a page can be closed");
        Self { page }
    }
}

impl<T> Deref for Sealed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: `new` put a value there, which stays as long as `self`.
        unsafe { &*self.page }
    }
}

impl<T> Drop for Sealed<T> {
    fn drop(&mut self) {
        let open = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the page is ours, and `self` was the last to refer to it.
        unsafe {
            assert_eq!(libc::mprotect(self.page.cast(), PAGE, open), 0, "a page can be opened");
            self.page.drop_in_place();
            libc::munmap(self.page.cast(), PAGE);
        }
    }
}
