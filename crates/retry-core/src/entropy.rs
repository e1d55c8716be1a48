//! Where randomness comes from: always from the caller.

/// A source of random bits for jitter.
///
/// A policy draws from it only when a wait really has a range to choose from. Closures
/// that return a `u64` are sources, so a test can pin every draw with `&mut || 0` (the
/// shortest wait) or `&mut || u64::MAX` (the longest).
///
/// The quality needed is modest: clients that fail together must draw different numbers.
/// Nothing here is for cryptography.
///
/// # Examples
///
/// ```
/// use retry_core::{Entropy, SeededEntropy};
///
/// let mut script = [7_u64, 8].into_iter();
/// let mut scripted = || script.next().unwrap_or(0);
/// assert_eq!(scripted.next_u64(), 7);
///
/// let mut seeded = SeededEntropy::new(1);
/// assert_ne!(seeded.next_u64(), seeded.next_u64());
/// ```
pub trait Entropy {
    /// 64 fresh random bits.
    fn next_u64(&mut self) -> u64;
}

impl<F: FnMut() -> u64 + ?Sized> Entropy for F {
    fn next_u64(&mut self) -> u64 {
        self()
    }
}

/// A small generator that gives the same numbers for the same seed: SplitMix64.
///
/// For tests, simulations and `no_std`, where the seed may be a serial number or a noisy
/// counter. Seeds that differ in one bit give unrelated sequences. It is plain data: a
/// copy replays the numbers of the original from there on.
///
/// # Examples
///
/// ```
/// use retry_core::{Entropy, SeededEntropy};
///
/// let mut one = SeededEntropy::new(42);
/// let mut other = one;
/// assert_eq!(one.next_u64(), other.next_u64());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeededEntropy {
    state: u64,
}

impl SeededEntropy {
    /// A generator whose numbers depend on `seed` alone.
    ///
    /// # Examples
    ///
    /// ```
    /// use retry_core::{Entropy, SeededEntropy};
    ///
    /// let first = SeededEntropy::new(1).next_u64();
    /// assert_ne!(first, SeededEntropy::new(2).next_u64());
    /// assert_eq!(first, SeededEntropy::new(1).next_u64());
    /// ```
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }
}

impl Entropy for SeededEntropy {
    #[inline]
    fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }
}

/// The source for programs that do not care which: seeded by the operating system once,
/// a few instructions per draw.
///
/// Creating it costs nothing; the seed is taken with the first draw, from the keys that
/// `std` gives each hash map. Later draws make no system call and take no lock.
///
/// # Examples
///
/// ```
/// use retry_core::{DefaultEntropy, Entropy};
///
/// let mut entropy = DefaultEntropy::new();
/// assert_ne!(entropy.next_u64(), entropy.next_u64());
/// ```
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
#[derive(Clone, Debug, Default)]
pub struct DefaultEntropy {
    seeded: Option<SeededEntropy>,
}

#[cfg(feature = "std")]
impl DefaultEntropy {
    /// A source that seeds itself when it is first drawn from.
    #[must_use]
    pub const fn new() -> Self {
        Self { seeded: None }
    }
}

#[cfg(feature = "std")]
impl Entropy for DefaultEntropy {
    fn next_u64(&mut self) -> u64 {
        use core::hash::BuildHasher as _;

        // A new `RandomState` has keys no other one of this process has.
        let seeded = self.seeded.get_or_insert_with(|| {
            SeededEntropy::new(std::hash::RandomState::new().hash_one(0_u64))
        });
        seeded.next_u64()
    }
}

/// Adapts a source of numbers in [0, 1), such as `Math.random` or `rand`'s `f64`.
///
/// The conversion is exact: a number `x` becomes ⌊x · 2⁶⁴⌋, by its bit pattern, without
/// floating-point arithmetic. A source that breaks its word is clamped: negative numbers
/// count as 0; 1 and more, infinity and NaN as the largest number below 1, which is the
/// longest wait.
///
/// This is the one place of the crate where a floating-point type appears.
///
/// # Examples
///
/// ```
/// use retry_core::{Entropy, UnitEntropy};
///
/// assert_eq!(UnitEntropy::new(|| 0.5).next_u64(), 1 << 63);
/// assert_eq!(UnitEntropy::new(|| f64::NAN).next_u64(), u64::MAX);
/// assert_eq!(UnitEntropy::new(|| -1.0).next_u64(), 0);
/// ```
#[derive(Clone, Copy)]
pub struct UnitEntropy<F> {
    source: F,
}

impl<F: FnMut() -> f64> UnitEntropy<F> {
    /// Draws from `source`.
    pub const fn new(source: F) -> Self {
        Self { source }
    }
}

impl<F: FnMut() -> f64> Entropy for UnitEntropy<F> {
    fn next_u64(&mut self) -> u64 {
        scale_unit((self.source)().to_bits())
    }
}

impl<F> core::fmt::Debug for UnitEntropy<F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("UnitEntropy").finish_non_exhaustive()
    }
}

/// ⌊x · 2⁶⁴⌋ for the IEEE 754 double `x` with these bits, clamped to the range of `u64`.
const fn scale_unit(bits: u64) -> u64 {
    const MANTISSA_BITS: u64 = 52;
    const EXPONENT_ONE: u64 = 1023;
    let negative = bits >> 63 == 1;
    let exponent = (bits >> MANTISSA_BITS) & 0x7FF;
    let fraction = bits & ((1 << MANTISSA_BITS) - 1);
    let not_a_number = exponent == 0x7FF && fraction != 0;

    if not_a_number {
        return u64::MAX;
    }
    if negative {
        return 0;
    }
    if exponent >= EXPONENT_ONE {
        return u64::MAX;
    }
    // x = mantissa · 2^(exponent − 1075), so x · 2^64 = mantissa · 2^(exponent − 1011).
    // Below 2^-64 (subnormals included) that is less than one.
    let mantissa = fraction | (1 << MANTISSA_BITS);
    if exponent >= 1011 {
        mantissa << (exponent - 1011)
    } else if exponent >= 959 {
        mantissa >> (1011 - exponent)
    } else {
        0
    }
}
