//! A short soak of each mode; the long ones are `cargo xtask soak`.

use soak::{Mode, Options};

fn soak(mode: Mode, calls: u64) -> soak::Report {
    let report = soak::run(&Options::new(mode, calls, 1)).expect("a server starts");
    assert!(report.broken().is_empty(), "{report}");
    report
}

#[test]
fn five_thousand_reads_leave_nothing_behind() {
    let report = soak(Mode::Reads, 5_000);
    for figure in ["calls succeeded", "calls failed", "calls cancelled", "breaker openings"] {
        assert!(0 < report.value(figure), "no {figure}: {report}");
    }
}

#[test]
fn three_thousand_reads_over_http2_leave_nothing_behind() {
    let report = soak(Mode::Http2, 3_000);
    for figure in ["calls succeeded", "calls failed", "calls cancelled", "attempts failed unsent"] {
        assert!(0 < report.value(figure), "no {figure}: {report}");
    }
}

#[test]
fn sixty_worlds_recover_when_nothing_goes_wrong_any_longer() {
    let report = soak::run(&Options::worlds_from(1, 60)).expect("a runtime starts");
    assert!(report.broken().is_empty(), "{report}");
    for figure in ["calls succeeded", "steps of a clock", "calls waited for after the faults"] {
        assert!(0 < report.value(figure), "no {figure}: {report}");
    }
}

#[test]
fn no_write_of_five_thousand_is_executed_twice() {
    let report = soak(Mode::Writes, 5_000);
    for figure in ["calls stopped as unsafe to repeat", "operations arrived more than once"] {
        assert!(0 < report.value(figure), "no {figure}: {report}");
    }
}
