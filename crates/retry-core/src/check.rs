//! The checked forms: settings from outside, refused where they contradict each other.
//!
//! The plain constructors are total and do the documented thing. These are for numbers
//! that come from a file, a flag or a remote server, where a contradiction is a mistake
//! that somebody should hear of.

use core::num::NonZeroU32;
use core::time::Duration;

use crate::{Backoff, InvalidConfig, Policy, nanos};

impl Backoff {
    /// An exponential schedule from plain numbers, checked.
    ///
    /// # Errors
    ///
    /// [`InvalidConfig`] for a factor or a base of 0, or a base above the cap.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// let (base, cap) = (Duration::from_millis(250), Duration::from_secs(10));
    /// let schedule = Backoff::try_exponential(base, 3, cap)?;
    /// assert_eq!(schedule.delay(1), Duration::from_millis(750));
    ///
    /// let error = Backoff::try_exponential(base, 0, cap).unwrap_err();
    /// assert_eq!(error.to_string(), "factor: 0 is not allowed");
    /// # Ok::<(), retry_core::InvalidConfig>(())
    /// ```
    pub const fn try_exponential(
        base: Duration,
        factor: u32,
        cap: Duration,
    ) -> Result<Self, InvalidConfig> {
        match NonZeroU32::new(factor) {
            Some(factor) => Self::exponential_with(base, factor).with_cap(cap).checked(),
            None => Err(InvalidConfig::Zero { field: "factor" }),
        }
    }

    /// This schedule, if its settings agree.
    ///
    /// # Errors
    ///
    /// [`InvalidConfig`] for a base of 0 or above the cap, or a cap of 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Backoff;
    ///
    /// let schedule = Backoff::linear(Duration::from_secs(2)).with_cap(Duration::from_secs(1));
    /// assert_eq!(schedule.checked().unwrap_err().to_string(), "base: 2s is above the cap of 1s");
    /// ```
    pub const fn checked(self) -> Result<Self, InvalidConfig> {
        let cap = self.cap_nanos();
        if cap == 0 {
            return Err(InvalidConfig::Zero { field: "cap" });
        }
        match self.base_nanos() {
            Some(0) => Err(InvalidConfig::Zero { field: "base" }),
            Some(base) if cap < base => Err(InvalidConfig::AboveCap {
                field: "base",
                value: nanos::duration(base),
                cap: self.cap(),
            }),
            Some(_) | None => Ok(self),
        }
    }
}

impl Policy {
    /// A policy over `backoff` with the defaults of [`new`](Self::new), checked.
    ///
    /// # Errors
    ///
    /// Those of [`checked`](Self::checked).
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::{Backoff, Policy};
    ///
    /// assert!(Policy::try_new(Backoff::linear(Duration::from_secs(1))).is_ok());
    /// assert!(Policy::try_new(Backoff::linear(Duration::ZERO)).is_err());
    /// ```
    pub const fn try_new(backoff: Backoff) -> Result<Self, InvalidConfig> {
        Self::new(backoff).checked()
    }

    /// Stops after this many attempts, the first one included.
    ///
    /// # Errors
    ///
    /// [`InvalidConfig`] for none.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::Policy;
    ///
    /// let error = Policy::default().try_with_max_attempts(0).unwrap_err();
    /// assert_eq!(error.field(), "max_attempts");
    /// ```
    pub const fn try_with_max_attempts(self, attempts: u32) -> Result<Self, InvalidConfig> {
        match NonZeroU32::new(attempts) {
            Some(attempts) => Ok(self.with_max_attempts(attempts)),
            None => Err(InvalidConfig::Zero { field: "max_attempts" }),
        }
    }

    /// This policy, if its settings agree.
    ///
    /// # Errors
    ///
    /// [`InvalidConfig`] for what [`Backoff::checked`] refuses, a floor of 0 or above the
    /// cap, or an elapsed limit of 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::time::Duration;
    /// use retry_core::Policy;
    ///
    /// let policy = Policy::default().with_floor(Duration::from_secs(30));
    /// let error = policy.checked().unwrap_err();
    /// assert_eq!(error.to_string(), "floor: 30s is above the cap of 10s");
    /// ```
    pub const fn checked(self) -> Result<Self, InvalidConfig> {
        let backoff = match self.backoff().checked() {
            Ok(backoff) => backoff,
            Err(error) => return Err(error),
        };
        if self.floor_nanos() == 0 {
            return Err(InvalidConfig::Zero { field: "floor" });
        }
        if backoff.cap_nanos() < self.floor_nanos() {
            return Err(InvalidConfig::AboveCap {
                field: "floor",
                value: self.floor(),
                cap: backoff.cap(),
            });
        }
        if self.max_elapsed().is_zero() {
            return Err(InvalidConfig::Zero { field: "max_elapsed" });
        }
        Ok(self)
    }
}
