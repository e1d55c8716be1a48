//! Numbers as people read them.

use std::time::Duration;

/// A duration to two or three digits, like `42 ms`, `3.2 s` or `12 min`.
pub(crate) fn duration(duration: Duration) -> String {
    let ms = duration.as_millis();
    let (seconds, minutes) = (duration.as_secs(), duration.as_secs() / 60);
    match seconds {
        0 => format!("{ms} ms"),
        1..=9 => format!("{seconds}.{} s", ms / 100 % 10),
        10..=99 => format!("{seconds} s"),
        100..=5_999 => format!("{minutes} min"),
        _ => format!("{} h", minutes / 60),
    }
}

/// A time on the clock, like `01:23`.
pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}

/// A count with its thousands apart, like `12,345`.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate per second to two or three digits, like `4.2` or `120`.
pub(crate) fn rate(rate: f64) -> String {
    if rate < 9.95 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

/// A share in percent; a small one is not told as none, and a large one not as all.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        _ if percent <= 0.0 => "0 %".to_owned(),
        _ if percent < 9.95 => format!("{:.1} %", percent.max(0.1)),
        _ if percent < 100.0 => format!("{:.0} %", percent.min(99.0)),
        _ => "100 %".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_change_their_unit_at_its_edges() {
        let text = |ms| duration(Duration::from_millis(ms));
        assert_eq!(text(0), "0 ms");
        assert_eq!(text(999), "999 ms");
        assert_eq!(text(1_999), "1.9 s");
        assert_eq!(text(10_000), "10 s");
        assert_eq!(text(99_999), "99 s");
        assert_eq!(text(100_000), "1 min");
        assert_eq!(text(6_000_000), "1 h");
        assert_eq!(duration(Duration::MAX).split(' ').next_back(), Some("h"));
    }

    #[test]
    fn thousands_stand_apart() {
        let texts = [0, 999, 1_000, 12_345, 1_234_567].map(count);
        assert_eq!(texts, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn neither_a_small_share_nor_a_large_one_is_rounded_away() {
        let texts = [0.0, 0.000_1, 0.042, 0.5, 0.999_9, 1.0].map(percent);
        assert_eq!(texts, ["0 %", "0.1 %", "4.2 %", "50 %", "99 %", "100 %"]);
    }

    #[test]
    fn rates_have_a_decimal_where_it_counts() {
        assert_eq!([0.0, 4.25, 9.94, 9.96, 120.4].map(rate), ["0.0", "4.2", "9.9", "10", "120"]);
    }
}
