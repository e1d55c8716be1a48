//! The rules by which waits grow, uncapped, in nanoseconds.

use core::num::NonZeroU32;
use core::time::Duration;

use crate::nanos;

/// The rule behind a schedule, and its base in nanoseconds.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Constant { base: u64 },
    Linear { base: u64 },
    Exponential { base: u64, factor: NonZeroU32 },
    Fibonacci { base: u64 },
    Custom(fn(u32) -> Duration),
}

impl Shape {
    /// The wait before this retry, counting from zero, saturating.
    ///
    /// The usual rules need a handful of instructions; the others are kept out of line, so
    /// that this is inlined where it is called.
    #[inline(always)]
    pub(crate) fn delay(&self, retry: u32) -> u64 {
        match *self {
            Self::Constant { base } => base,
            Self::Exponential { base, factor } if factor.get() == 2 => doubled(base, retry),
            _ => self.computed(retry),
        }
    }

    /// The base; `None` where a custom function decides.
    pub(crate) const fn base(&self) -> Option<u64> {
        match *self {
            Self::Constant { base }
            | Self::Linear { base }
            | Self::Exponential { base, .. }
            | Self::Fibonacci { base } => Some(base),
            Self::Custom(_) => None,
        }
    }

    #[inline(never)]
    fn computed(&self, retry: u32) -> u64 {
        match *self {
            Self::Constant { base } => base,
            Self::Linear { base } => base.saturating_mul(u64::from(retry) + 1),
            Self::Exponential { base, factor } => {
                base.saturating_mul(u64::from(factor.get()).saturating_pow(retry))
            }
            Self::Fibonacci { base } => base.saturating_mul(fibonacci(retry)),
            Self::Custom(delay) => nanos::at_least(delay(retry)),
        }
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Constant { base: a }, Self::Constant { base: b })
            | (Self::Linear { base: a }, Self::Linear { base: b })
            | (Self::Fibonacci { base: a }, Self::Fibonacci { base: b }) => a == b,
            (
                Self::Exponential { base: a, factor: f },
                Self::Exponential { base: b, factor: g },
            ) => a == b && f == g,
            (Self::Custom(a), Self::Custom(b)) => core::ptr::fn_addr_eq(a, b),
            _ => false,
        }
    }
}

impl Eq for Shape {}

/// `base` times two to the power of `times`, saturating.
#[inline(always)]
const fn doubled(base: u64, times: u32) -> u64 {
    match base.checked_shl(times) {
        Some(product) if product >> times == base => product,
        _ if base == 0 => 0,
        _ => u64::MAX,
    }
}

/// The Fibonacci numbers 1, 1, 2, 3, 5, …, saturating.
fn fibonacci(index: u32) -> u64 {
    let (mut current, mut next) = (1_u64, 1_u64);
    // The 93rd step saturates; more change nothing.
    for _ in 0..index.min(93) {
        (current, next) = (next, next.saturating_add(current));
    }
    current
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inlined_is_what_is_computed() {
        let bases = [0, 1, 250_000_000, u64::MAX];
        for (base, retry) in bases.into_iter().flat_map(|base| (0..70).map(move |at| (base, at))) {
            let two = NonZeroU32::MIN.saturating_add(1);
            for shape in [Shape::Constant { base }, Shape::Exponential { base, factor: two }] {
                assert_eq!(shape.delay(retry), shape.computed(retry), "{base} {retry}");
            }
        }
    }
}
