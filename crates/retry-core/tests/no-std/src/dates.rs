//! `Retry-After`, with dates.

use core::hint::black_box as hidden;
use core::time::Duration;

use retry_core::{http_date, retry_after};

const NOW: Duration = Duration::from_secs(784_111_777);
const FORMS: [&[u8]; 3] = [
    b"Sun, 06 Nov 1994 08:49:57 GMT",
    b"Sunday, 06-Nov-94 08:49:57 GMT",
    b"Sun Nov  6 08:49:57 1994",
];

pub fn right() -> bool {
    let twenty = Some(Duration::from_secs(20));
    let mut right = true;
    for form in FORMS {
        right &= retry_after::parse_at(hidden(form), hidden(NOW)) == twenty;
        right &= retry_after::parse(hidden(form)).is_none();
        right &= http_date::parse(hidden(form), hidden(Duration::MAX)).is_some();
    }
    let lines: [&[u8]; 3] = [b"5", b" 20 ", b"99999999999999999999x"];
    right
        && retry_after::longest(hidden(lines)) == twenty
        && retry_after::longest_at(hidden(FORMS), hidden(NOW)) == twenty
        && http_date::server_time(hidden(Some(b"soon")), hidden(NOW)) == NOW
}
