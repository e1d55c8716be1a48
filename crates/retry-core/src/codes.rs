//! Numeric error codes that a retry can help.

use crate::Failure;

/// The codes of some service that are worth another attempt; all others are not.
///
/// The table belongs to whoever knows the service, so it is written where its codes are,
/// as a `const`.
///
/// # Examples
///
/// ```
/// use retry_core::{CodeTable, Failure};
///
/// const BUSY: u32 = 11;
/// const LEASE_LOST: u32 = 14;
/// const RETRYABLE: CodeTable = CodeTable::new(&[BUSY, LEASE_LOST]);
///
/// assert!(RETRYABLE.is_retryable(BUSY));
/// assert!(!RETRYABLE.is_retryable(12));
/// assert_eq!(RETRYABLE.failure(12), Failure::permanent());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeTable {
    retryable: &'static [u32],
}

impl CodeTable {
    /// A table of the retryable codes, in any order.
    #[must_use]
    pub const fn new(retryable: &'static [u32]) -> Self {
        Self { retryable }
    }

    /// Whether another attempt can help. Looks through the table from its start.
    #[must_use]
    pub const fn is_retryable(&self, code: u32) -> bool {
        let mut rest = self.retryable;
        while let [first, others @ ..] = rest {
            if *first == code {
                return true;
            }
            rest = others;
        }
        false
    }

    /// The failure a code is: transient if it is in the table, else permanent.
    #[must_use]
    pub const fn failure(&self, code: u32) -> Failure {
        if self.is_retryable(code) { Failure::transient() } else { Failure::permanent() }
    }
}
