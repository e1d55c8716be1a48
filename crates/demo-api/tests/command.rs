//! The command line configures the stand-alone server, or says why not.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use demo_api::Config;

fn problem(options: &[&str]) -> String {
    let options = options.iter().map(|option| (*option).to_owned());
    Config::from_args(options).expect_err("no configuration").to_string()
}

#[test]
fn every_option_of_the_usage_is_understood() {
    for line in demo_api::USAGE.lines().filter(|line| line.starts_with("  --")) {
        let option = line.split_whitespace().next().unwrap();
        let error = problem(&[option]);
        assert_eq!(error, format!("{option}: a value is missing"));
        let valid = match option {
            "--faults" => "503@5%",
            "--token-rotation" => "revoke",
            "--totals" => "header",
            "--expired-cursor" => "500",
            _ => "7",
        };
        let options = [option, valid].map(str::to_owned);
        assert!(Config::from_args(options).is_ok(), "{option}");
    }
}

#[test]
fn a_bad_option_is_refused_by_name_and_value() {
    assert_eq!(problem(&["--prot", "1"]), "--prot: no such option");
    assert_eq!(problem(&["--port", "65536"]), "--port: not a number in range: 65536");
    assert_eq!(problem(&["--page-size", "0"]), "--page-size: not a number in range: 0");
    assert_eq!(
        problem(&["--totals", "somewhere"]),
        "--totals: not one of everywhere, header, nowhere: somewhere"
    );
    let error = problem(&["--faults", "503@#1", "--faults", "503"]);
    assert_eq!(error, "--faults: fault rule `503`: `@` and a time are missing");
}

#[test]
fn the_program_serves_at_the_address_it_prints() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_demo-api"))
        .args(["--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split(['/', ' ']).find(|word| word.starts_with("127.0.0.1:")).unwrap();
    let connected = std::net::TcpStream::connect(address);
    server.kill().unwrap();
    server.wait().unwrap();
    connected.expect("it listens where it says");
}

#[test]
fn the_program_ends_with_2_on_a_bad_command_line() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_demo-api")).args(["--port", "x"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.starts_with("error: --port: not a number in range: x\n"), "{text}");
}
