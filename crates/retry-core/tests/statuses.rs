//! What HTTP statuses and methods mean, from `vectors/status_classes.json` and a golden
//! table of every status.

mod support;

use std::fmt::Write as _;
use std::time::Duration;

use retry_core::http::{self, Class, Health};
use retry_core::{Failure, Verdict};
use support::{cases, secs};

const VECTORS: &str = include_str!("vectors/status_classes.json");
const GOLDEN: &str = include_str!("golden/statuses.txt");
const HINT: Option<Duration> = Some(secs(3));

#[test]
fn every_row_of_the_table_holds() {
    let cases = cases(VECTORS);
    assert_eq!(cases.len(), 48);
    for case in cases {
        let status = u16::try_from(case["status"].as_u64().unwrap()).unwrap();
        assert_eq!(http::is_retryable(status), case["retried"].as_bool().unwrap(), "{status}");
        let health = match case["breaker"].as_str().unwrap() {
            "success" => Health::Up,
            "reachable" => Health::Reachable,
            "untouched" => Health::Unknown,
            "failure" => Health::Down,
            other => panic!("unknown breaker word {other}"),
        };
        assert_eq!(http::health(status), health, "{status}");
        let class = Class::of(status).map(|class| format!("{class:?}"));
        assert_eq!(class.as_deref(), case["etl"].as_str(), "{status}");
    }
}

/// A change of any status shows as a line of a diff to review. `UPDATE_GOLDEN=1` writes
/// the table anew.
#[test]
fn the_golden_table_of_every_status_is_unchanged() {
    let mut table = String::from("status retried health verdict class\n");
    for status in 100..=599 {
        let class = Class::of(status).map_or_else(|| "-".to_owned(), |class| format!("{class:?}"));
        let verdict = match http::failure(status, None).verdict() {
            Verdict::RateLimited { hint: None } => "RateLimited".to_owned(),
            verdict => format!("{verdict:?}"),
        };
        let retried = if http::is_retryable(status) { "yes" } else { "no" };
        let health = http::health(status);
        writeln!(table, "{status} {retried} {health:?} {verdict} {class}").unwrap();
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/statuses.txt");
        std::fs::write(path, &table).unwrap();
    }
    assert_eq!(table.lines().count(), 501);
    for (new, golden) in table.lines().zip(GOLDEN.lines()) {
        assert_eq!(new, golden);
    }
    assert_eq!(table, GOLDEN);
}

/// All 65,536 numbers, against the rules said in another way.
#[test]
fn the_four_views_of_a_status_agree_for_every_number() {
    for status in 0..=u16::MAX {
        let hundreds = status / 100;
        let server_error = hundreds == 5;
        let too_many = status == 429;
        let timeout = status == 408;
        let retryable = server_error || too_many || timeout;

        assert_eq!(http::is_retryable(status), retryable, "{status}");
        let failure = http::failure(status, HINT);
        assert_eq!(failure.is_retryable(), retryable, "{status}");
        assert_eq!(failure.hint(), HINT, "{status}");
        let verdict = match status {
            401 => Verdict::Auth,
            429 => Verdict::RateLimited { hint: HINT },
            _ if retryable => Verdict::Transient,
            _ => Verdict::Permanent,
        };
        assert_eq!(failure.verdict(), verdict, "{status}");

        let health = http::health(status);
        assert_eq!(health == Health::Up, hundreds == 2, "{status}");
        assert_eq!(health == Health::Down, server_error, "{status}");
        assert_eq!(health == Health::Unknown, too_many || timeout || hundreds == 0, "{status}");

        let class = Class::of(status);
        assert_eq!(class.is_none(), hundreds == 2, "{status}");
        assert_eq!(class == Some(Class::Auth), status == 401 || status == 403, "{status}");
        assert_eq!(class == Some(Class::Network), server_error, "{status}");
        assert_eq!(class == Some(Class::RateLimited), too_many, "{status}");
        assert_ne!(class, Some(Class::Parse), "{status}");
    }
}

#[test]
fn the_strict_classes_become_failures_that_keep_the_hint() {
    let expected = [
        (Class::Auth, false, Verdict::Auth),
        (Class::Network, true, Verdict::Transient),
        (Class::Parse, false, Verdict::Permanent),
        (Class::Permanent, false, Verdict::Permanent),
        (Class::RateLimited, true, Verdict::RateLimited { hint: HINT }),
    ];
    for (class, transient, verdict) in expected {
        assert_eq!(class.is_transient(), transient, "{class:?}");
        let failure = class.failure(HINT);
        assert_eq!(failure.is_retryable(), transient, "{class:?}");
        assert_eq!(failure, Failure::new(verdict).with_hint(HINT), "{class:?}");
    }
}

/// The registered methods of RFC 9110 and those beside it, by section 9.2.
#[test]
fn methods_are_as_safe_as_the_standard_says() {
    let methods = [
        ("GET", true, true),
        ("HEAD", true, true),
        ("OPTIONS", true, true),
        ("TRACE", true, true),
        ("PUT", false, true),
        ("DELETE", false, true),
        ("POST", false, false),
        ("PATCH", false, false),
        ("CONNECT", false, false),
        ("get", false, false),
        ("Put", false, false),
        ("GET ", false, false),
        ("", false, false),
        ("PROPFIND", false, false),
    ];
    for (method, safe, idempotent) in methods {
        assert_eq!(http::is_safe_method(method), safe, "{method}");
        assert_eq!(http::is_idempotent_method(method), idempotent, "{method}");
    }
}
