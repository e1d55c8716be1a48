//! Numeric codes, with the table of the example held to `vectors/anchor_codes.json`.

mod support;

use retry_core::{CodeTable, Failure};
use serde_json::Value;

#[expect(dead_code, reason = "its `main` is for running it as an example")]
#[path = "../examples/anchor_codes.rs"]
mod example;

const VECTORS: &str = include_str!("vectors/anchor_codes.json");

#[test]
fn every_code_of_the_example_is_judged_as_the_table_says() {
    let file: Value = serde_json::from_str(VECTORS).unwrap();
    let verdicts = file["retryable"].as_object().unwrap();
    assert_eq!(verdicts.len(), 22);
    assert_eq!(example::ErrorCode::ALL.len(), 22);
    for code in example::ErrorCode::ALL {
        let expected = verdicts[&format!("{code:?}")].as_bool().unwrap();
        assert_eq!(example::RETRYABLE.is_retryable(code as u32), expected, "{code:?}");
    }
}

#[test]
fn a_code_is_retryable_exactly_if_it_is_in_the_table() {
    const TABLE: CodeTable = CodeTable::new(&[7, 0, u32::MAX, 7]);
    const { assert!(TABLE.is_retryable(7)) };
    for code in (0..10_000).chain(u32::MAX - 100..=u32::MAX) {
        let listed = matches!(code, 0 | 7 | u32::MAX);
        assert_eq!(TABLE.is_retryable(code), listed, "{code}");
        let failure = if listed { Failure::transient() } else { Failure::permanent() };
        assert_eq!(TABLE.failure(code), failure, "{code}");
    }
    assert!(!CodeTable::new(&[]).is_retryable(0));
}
