//! What must hold for any bytes that a server sends.
//!
//! For the fuzzer, which sets `cfg(fuzzing)`, and for the tests: no part of the crate's interface.

use serde_json::Value as Json;

use crate::{
    api::ErrorCodes,
    decode::{Columns, Decoder, PageInfo, RowMode, Rows, rows, rows_or_one, taken},
};

/// Reads the bytes after the first, which chooses how, as the `data` of a response.
///
/// # Panics
///
/// If a body does not become rows or an error, or a row is lost.
pub fn decode(data: &[u8]) {
    let Some((choice, body)) = data.split_first() else { return };
    let _ = ErrorCodes::common().status(body);
    let Ok(data) = serde_json::from_slice::<Json>(body) else { return };
    let Ok(value) = taken(data, "users") else { return };
    let _ = PageInfo::read(&value, "users");

    let path: &[&str] = match choice % 4 {
        0 => &[],
        1 => &["nodes"],
        2 => &["edges", "node"],
        _ => &["a", "b", "c"],
    };
    let path: Vec<String> = path.iter().map(|&segment| segment.to_owned()).collect();
    let find = if choice & 4 == 0 { rows } else { rows_or_one };
    let Ok(found) = find(value, "users", &path) else { return };
    let (count, objects) = (found.len(), found.iter().filter(|row| row.is_object()).count());

    let mode = if choice & 8 == 0 { RowMode::Strict } else { RowMode::Lenient };
    let id = (choice & 16 == 0).then_some("id");
    let columns = ["id", "name", "run.by", "run"].map(str::to_owned);
    let columns = Columns::new(&columns);
    let mut known = Rows::new();
    let decoder = Decoder { id, columns: &columns, mode, offset: usize::from(*choice) };
    if decoder.decode_into(&mut known, found.into_iter().enumerate()).is_ok() {
        match mode {
            RowMode::Strict => assert_eq!(known.len(), count, "a row is lost"),
            RowMode::Lenient => assert!(known.len() <= objects, "a row is made up"),
        }
        for record in known.values() {
            assert_eq!(record.len(), 4, "a record has exactly the columns");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// Pieces of JSON and of noise.
    fn body() -> impl Strategy<Value = Vec<u8>> {
        let pieces = prop::sample::select(vec![
            &b"{"[..],
            b"}",
            b"[",
            b"]",
            b",",
            b":",
            b"\"users\"",
            b"\"nodes\"",
            b"\"id\"",
            b"\"pageInfo\"",
            b"{\"hasNextPage\":true}",
            b"\"\\ud800\"",
            b"1e400",
            b"null",
            b"\xff",
            b"{\"users\":[{\"id\":1},{\"id\":2}]}",
            b"{\"users\":{\"edges\":[{\"node\":{\"id\":1}}]}}",
        ]);
        vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn any_body_becomes_rows_or_an_error(choice: u8, body in body()) {
            decode(&[&[choice], body.as_slice()].concat());
        }
    }
}
