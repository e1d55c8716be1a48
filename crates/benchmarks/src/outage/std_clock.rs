//! The clock of `std`, which goes along with Tokio's here.
//!
//! Only Tokio's can be paused. A client that asks `std` for the time would wait for the end of a
//! cooldown while Tokio's clock runs hours ahead. So in the programs of this crate whose time is
//! virtual, `std` is answered by the function below and not by the C library.

#![expect(unsafe_code, reason = "a function of the C library is replaced")]

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Nanoseconds on the monotonic clock; 0 while the real one counts.
static NOW: AtomicU64 = AtomicU64::new(0);

const SECOND: u64 = 1_000_000_000;

/// What the real clock says, from which a day goes on.
pub(super) fn real() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    ask(libc::CLOCK_MONOTONIC, &mut time);
    time.tv_sec.unsigned_abs() * SECOND + time.tv_nsec.unsigned_abs()
}

/// From now on it is `passed` after `origin`.
pub(super) fn set(origin: u64, passed: Duration) {
    let passed = u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX);
    NOW.store(origin.saturating_add(passed), Ordering::Relaxed);
}

/// Lets the real clock count again.
pub(super) fn release() {
    NOW.store(0, Ordering::Relaxed);
}

fn ask(clock: libc::clockid_t, time: &mut libc::timespec) -> libc::c_int {
    // SAFETY: the system writes one `timespec` to where it is told, which is ours.
    let outcome = unsafe { libc::syscall(libc::SYS_clock_gettime, clock, &raw mut *time) };
    libc::c_int::try_from(outcome).unwrap_or(-1)
}

// SAFETY: it has the name, the parameters and the meaning of the one in the C library.
#[unsafe(no_mangle)]
extern "C" fn clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> libc::c_int {
    // SAFETY: the caller promises a place for the time.
    let time = unsafe { &mut *time };
    let now = NOW.load(Ordering::Relaxed);
    if clock != libc::CLOCK_MONOTONIC || now == 0 {
        return ask(clock, time);
    }
    time.tv_sec = libc::time_t::try_from(now / SECOND).unwrap_or(libc::time_t::MAX);
    time.tv_nsec = libc::c_long::try_from(now % SECOND).unwrap_or(0);
    0
}
