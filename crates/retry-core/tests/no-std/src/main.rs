//! A program without `std` that calls every public function of `retry-core` with inputs
//! the compiler cannot see through. That it links is the proof.

#![no_std]
#![no_main]

#[cfg(feature = "sneak-alloc")]
extern crate alloc;
#[cfg(feature = "sneak-std")]
extern crate std;

mod calls;
#[cfg(feature = "serde")]
mod configuration;
mod dates;
mod decisions;
mod schedules;
mod sink;

use core::ffi::{c_char, c_int};
use core::panic::PanicInfo;

// The start-up code of the C library calls `main`; nothing else of it is used.
#[link(name = "c")]
unsafe extern "C" {}

#[panic_handler]
fn panic(_info: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// The prebuilt `core` refers to it in unoptimised builds; it is never called.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// Answers 0 if every result was the expected one.
#[unsafe(no_mangle)]
extern "C" fn main(_count: c_int, _arguments: *const *const c_char) -> c_int {
    let right = schedules::right() && decisions::right() && calls::right() && dates::right();
    #[cfg(feature = "serde")]
    let right = right && configuration::right();
    #[cfg(feature = "sneak-alloc")]
    core::hint::black_box(alloc::format!("{right}"));
    #[cfg(feature = "sneak-panic")]
    core::hint::black_box(core::hint::black_box([0_u8; 4].as_slice())[core::hint::black_box(2)]);
    c_int::from(!right)
}
