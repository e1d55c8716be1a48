//! A client of a ledger service whose errors are numbers: which of them are worth a retry
//! is written once, beside the codes.
//!
//! ```text
//! cargo run -p retry-core --example anchor_codes
//! ```

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use retry_core::{CodeTable, RetryConfig, SeededEntropy, retry_with_backoff_using};

/// The error codes of the service, with its own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum ErrorCode {
    AlreadyInitialized = 1,
    AttestorAlreadyRegistered = 2,
    AttestorNotRegistered = 3,
    UnauthorizedAttestor = 4,
    InvalidTimestamp = 5,
    ReplayAttack = 6,
    InvalidQuote = 7,
    InvalidServiceType = 8,
    InvalidTransactionIntent = 9,
    StaleQuote = 10,
    ComplianceNotMet = 11,
    InvalidEndpointFormat = 12,
    NoQuotesAvailable = 13,
    ServicesNotConfigured = 14,
    ValidationError = 15,
    RateLimitExceeded = 16,
    NotInitialized = 17,
    AttestationNotFound = 18,
    InvalidSep10Token = 19,
    StorageCorrupted = 20,
    CacheExpired = 21,
    CacheNotFound = 22,
}

impl ErrorCode {
    /// All of them.
    pub(crate) const ALL: [Self; 22] = [
        Self::AlreadyInitialized,
        Self::AttestorAlreadyRegistered,
        Self::AttestorNotRegistered,
        Self::UnauthorizedAttestor,
        Self::InvalidTimestamp,
        Self::ReplayAttack,
        Self::InvalidQuote,
        Self::InvalidServiceType,
        Self::InvalidTransactionIntent,
        Self::StaleQuote,
        Self::ComplianceNotMet,
        Self::InvalidEndpointFormat,
        Self::NoQuotesAvailable,
        Self::ServicesNotConfigured,
        Self::ValidationError,
        Self::RateLimitExceeded,
        Self::NotInitialized,
        Self::AttestationNotFound,
        Self::InvalidSep10Token,
        Self::StorageCorrupted,
        Self::CacheExpired,
        Self::CacheNotFound,
    ];
}

/// What may be different a moment later: data that is refreshed, published or indexed.
///
/// `RateLimitExceeded` is not here: the quota of this service is per day.
pub(crate) const RETRYABLE: CodeTable = CodeTable::new(&[
    ErrorCode::StaleQuote as u32,
    ErrorCode::NoQuotesAvailable as u32,
    ErrorCode::ServicesNotConfigured as u32,
    ErrorCode::AttestationNotFound as u32,
    ErrorCode::CacheExpired as u32,
    ErrorCode::CacheNotFound as u32,
]);

/// The service answers with a stale quote twice, then with a fresh one.
fn quote(attempt: u32) -> Result<u64, ErrorCode> {
    if attempt < 2 { Err(ErrorCode::StaleQuote) } else { Ok(1_042) }
}

fn main() {
    let config = RetryConfig::default();
    let mut entropy = SeededEntropy::new(0x5EED);

    let price = retry_with_backoff_using(
        &config,
        quote,
        |code| RETRYABLE.is_retryable(*code as u32),
        // A program for real would sleep here.
        |millis| println!("waiting {millis} ms"),
        &mut entropy,
    );
    println!("a stale quote: {price:?}");

    let refused: Result<u64, _> = retry_with_backoff_using(
        &config,
        |_attempt| Err(ErrorCode::UnauthorizedAttestor),
        |code| RETRYABLE.is_retryable(*code as u32),
        |millis| println!("waiting {millis} ms"),
        &mut entropy,
    );
    println!("an unauthorized attestor: {refused:?}");

    println!("\n{:28} retry?", "code");
    for code in ErrorCode::ALL {
        let retry = if RETRYABLE.is_retryable(code as u32) { "yes" } else { "no" };
        println!("{:28} {retry}", format!("{code:?}"));
    }
}
