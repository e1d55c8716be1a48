//! An allocator that costs the same whatever was allocated before.

#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr,
    sync::atomic::{
        AtomicPtr,
        Ordering::{Acquire, Release},
    },
};

/// Keeps a block that was freed for the next who asks for one of its size.
///
/// The system's allocator looks for a place, and how long it looks depends on what was allocated
/// and freed since the program began: that moves a count by a few hundred instructions between two
/// builds that do the same. Here each block but the first of its size costs the same.
///
/// What is counted is one thread; a block that another takes at the same time is the system's.
#[derive(Debug)]
pub struct Even;

/// Powers of two below 64 KiB.
const SIZES: usize = 16;
const ALIGN: usize = 16;

/// The last block of each size that was freed, which begins with the one freed before it.
static FREE: [AtomicPtr<u8>; SIZES] = [const { AtomicPtr::new(ptr::null_mut()) }; SIZES];

/// What stands for a list that somebody looks at.
const TAKEN: *mut u8 = ptr::without_provenance_mut(1);

/// The list that a block is kept in, and what is asked of the system for it.
fn kept(layout: Layout) -> Option<(&'static AtomicPtr<u8>, Layout)> {
    let size = layout.size().max(ALIGN).next_power_of_two();
    let list = FREE.get(size.trailing_zeros() as usize)?;
    let block = Layout::from_size_align(size, ALIGN).ok()?;
    (layout.align() <= ALIGN).then_some((list, block))
}

// SAFETY: every block is the system's, as large as its layout or larger. One in a list is nobody
// else's: it was freed, and whoever takes the list has all of it to itself.
unsafe impl GlobalAlloc for Even {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((list, block)) = kept(layout) else {
            // SAFETY: the caller keeps the promises of `alloc`.
            return unsafe { System.alloc(layout) };
        };
        let first = list.swap(TAKEN, Acquire);
        if first == TAKEN {
            // SAFETY: a block has at least 16 bytes.
            return unsafe { System.alloc(block) };
        }
        if first.is_null() {
            list.store(first, Release);
            // SAFETY: as above.
            return unsafe { System.alloc(block) };
        }
        // SAFETY: it is in the list, so `dealloc` wrote a pointer to its beginning.
        list.store(unsafe { first.cast::<*mut u8>().read() }, Release);
        first
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let Some((list, block)) = kept(layout) else {
            // SAFETY: the caller keeps the promises of `dealloc`.
            return unsafe { System.dealloc(pointer, layout) };
        };
        let first = list.swap(TAKEN, Acquire);
        if first == TAKEN {
            // SAFETY: the system was asked for it with this layout.
            return unsafe { System.dealloc(pointer, block) };
        }
        // SAFETY: it is nobody's any more, has room for a pointer, and is aligned for one.
        unsafe { pointer.cast::<*mut u8>().write(first) };
        list.store(pointer, Release);
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Ok(grown) = Layout::from_size_align(size, layout.align()) else {
            return ptr::null_mut();
        };
        match (kept(layout), kept(grown)) {
            (Some((_, before)), Some((_, after))) if before == after => pointer,
            // SAFETY: the caller keeps the promises of `realloc`, and both are the system's.
            (None, None) => unsafe { System.realloc(pointer, layout, size) },
            _ => {
                // SAFETY: the caller keeps the promises of `realloc`.
                let moved = unsafe { self.alloc(grown) };
                if !moved.is_null() {
                    // SAFETY: two blocks, each at least as large as what is copied.
                    unsafe { moved.copy_from_nonoverlapping(pointer, layout.size().min(size)) };
                    // SAFETY: the caller gave it up, and it was made with this layout.
                    unsafe { self.dealloc(pointer, layout) };
                }
                moved
            }
        }
    }
}
