//! Retries in firmware: no `std`, no allocator, a timer that counts ticks.
//!
//! ```text
//! cargo run -p retry-core --example no_std
//! ```

#![no_std]
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

// Only so that this example can be run on a desk and can print. The modules above `main`
// do without.
extern crate std;

use std::println;

/// The driver of a sensor on a noisy bus.
mod sensor {
    use core::time::Duration;
    use retry_core::Retryable;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum BusError {
        /// Two devices spoke at once.
        Collision,
        /// The device is calibrating; it tells for how long.
        Calibrating(Duration),
        /// Nothing is connected at this address.
        NoDevice,
    }

    impl Retryable for BusError {
        fn is_transient(&self) -> bool {
            !matches!(self, Self::NoDevice)
        }

        fn retry_after(&self) -> Option<Duration> {
            match self {
                Self::Calibrating(time) => Some(*time),
                Self::Collision | Self::NoDevice => None,
            }
        }
    }

    /// Answers the third time, if it is there.
    pub(crate) struct Sensor {
        address: u8,
        asked: u32,
    }

    impl Sensor {
        pub(crate) const fn at(address: u8) -> Self {
            Self { address, asked: 0 }
        }

        pub(crate) fn read(&mut self) -> Result<i16, BusError> {
            self.asked += 1;
            match self.asked {
                _ if self.address != 0x40 => Err(BusError::NoDevice),
                1 => Err(BusError::Collision),
                2 => Err(BusError::Calibrating(Duration::from_millis(30))),
                _ => Ok(215),
            }
        }
    }
}

/// A timer that counts microseconds.
mod timer {
    use core::cell::Cell;
    use core::time::Duration;

    pub(crate) struct Timer {
        micros: Cell<u64>,
    }

    impl Timer {
        pub(crate) const fn new() -> Self {
            Self { micros: Cell::new(0) }
        }

        pub(crate) const fn now(&self) -> Duration {
            Duration::from_micros(self.micros.get())
        }

        /// On a board, this waits for an interrupt.
        pub(crate) fn wait(&self, duration: Duration) {
            let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
            self.micros.set(self.micros.get().saturating_add(micros));
        }
    }
}

/// The application: a policy in flash, a seed from the serial number of the board.
mod application {
    use core::num::NonZeroU32;
    use core::time::Duration;
    use retry_core::{Backoff, CallError, Jitter, Policy, SeededEntropy};

    use crate::sensor::{BusError, Sensor};
    use crate::timer::Timer;

    const READING: Policy = Policy::new(
        Backoff::fibonacci(Duration::from_millis(5)).with_cap(Duration::from_millis(50)),
    )
    .with_jitter(Jitter::Equal)
    .with_max_attempts(NonZeroU32::MIN.saturating_add(4))
    .with_max_elapsed(Duration::from_millis(200))
    .with_floor(Duration::from_micros(100));

    pub(crate) fn read(
        sensor: &mut Sensor,
        timer: &Timer,
        serial_number: u64,
    ) -> Result<i16, CallError<BusError>> {
        READING
            .call(|| sensor.read())
            .sleep(|wait| timer.wait(wait))
            .clock(|| timer.now())
            .run_using(&mut SeededEntropy::new(serial_number))
    }
}

fn main() {
    let timer = timer::Timer::new();
    for address in [0x40, 0x41] {
        let begin = timer.now();
        let reading = application::read(&mut sensor::Sensor::at(address), &timer, 77_031);
        println!("{address:#x}: {reading:?} after {:?}", timer.now() - begin);
    }
}
