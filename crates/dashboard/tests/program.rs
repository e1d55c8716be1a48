//! The program says what it cannot do, and prints a screen where there is no terminal.

use std::process::{Command, Output};

fn dashboard(args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_dashboard");
    Command::new(program).args(args).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes text")
}

#[test]
fn without_a_terminal_it_names_the_way_out() {
    let output = dashboard(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout, b"");
    assert!(text(&output.stderr).contains("not a terminal; `--once` prints one screen"));
}

#[test]
fn one_screen_is_printed_and_has_every_api_at_work() {
    let output = dashboard(&["--once", "--after", "2", "--size", "90x30"]);
    assert_eq!(text(&output.stderr), "");
    assert!(output.status.success());
    let screen = text(&output.stdout);
    assert_eq!(screen.lines().count(), 30);
    for name in ["╭ airports ", "╭ flights ", "╭ search ", "╭ graphql "] {
        assert!(screen.contains(name), "no {name} in\n{screen}");
    }
    assert!(!screen.contains("no answer yet"), "{screen}");
}

#[test]
fn a_mistake_is_told_with_the_options() {
    let output = dashboard(&["--faults", "nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.starts_with("dashboard: --faults: ") && error.contains("Usage:"), "{error}");
}
