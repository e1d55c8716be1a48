//! The command line.

use std::{ffi::OsString, num::NonZeroUsize};

use vantage_rest::ResponseShape;

use crate::Outcome;

/// What `--help` answers.
pub(crate) const USAGE: &str = "\
Reads a table over a JSON API.

  quickstart                      the demo: a server that misbehaves, read all the same
  quickstart --url URL --table T  a table of your own API

  --url URL         the API's base URL
  --table NAME      the table: a path below the base URL
  --shape SHAPE     where the rows are: `bare` (the body is the array), `table` (under the
                    table's name), or a key such as `data` or `result.items` (default: data)
  --id COLUMN       the column that identifies a row (default: id)
  --page-size ROWS  read page by page (`_page`, `_limit`), so many rows at a time
";

/// What to do.
#[derive(Debug)]
pub(crate) enum Args {
    Demo,
    Help,
    Own(OwnApi),
}

/// The reader's own API.
#[derive(Debug)]
pub(crate) struct OwnApi {
    pub(crate) url: String,
    pub(crate) table: String,
    pub(crate) shape: ResponseShape,
    pub(crate) id: String,
    pub(crate) page_size: Option<NonZeroUsize>,
}

impl Args {
    pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Outcome<Self> {
        let args: Result<Vec<_>, _> = args.map(OsString::into_string).collect();
        let args = args.map_err(|arg| format!("`{}` is not Unicode", arg.display()))?;
        let mut args = args.into_iter().peekable();
        if args.peek().is_none() {
            return Ok(Self::Demo);
        }
        let (mut url, mut table, mut page_size) = (None, None, None);
        let (mut shape, mut id) = (ResponseShape::default(), "id".to_owned());
        while let Some(option) = args.next() {
            if matches!(option.as_str(), "--help" | "-h") {
                return Ok(Self::Help);
            }
            let known = ["--url", "--table", "--shape", "--id", "--page-size"];
            if !known.contains(&option.as_str()) {
                return Err(format!("unknown option `{option}`; --help lists them").into());
            }
            let value = args.next_if(|value| !value.is_empty() && !value.starts_with("--"));
            let value = value.ok_or_else(|| format!("{option} needs a value"))?;
            match option.as_str() {
                "--url" => url = Some(value),
                "--table" => table = Some(value),
                "--shape" => shape = parse_shape(value),
                "--id" => id = value,
                _ => page_size = Some(parse_page_size(&value)?),
            }
        }
        let url = url.ok_or("--url is missing; --help lists the options")?;
        let table = table.ok_or("--table is missing; --help lists the options")?;
        Ok(Self::Own(OwnApi { url, table, shape, id, page_size }))
    }
}

fn parse_shape(text: String) -> ResponseShape {
    match text.as_str() {
        "bare" => ResponseShape::BareArray,
        "table" => ResponseShape::WrappedByTableName,
        _ => ResponseShape::Wrapped { array_key: text },
    }
}

fn parse_page_size(text: &str) -> Outcome<NonZeroUsize> {
    text.parse().map_err(|_| format!("--page-size must be at least 1, not `{text}`").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Outcome<Args> {
        Args::parse(line.split(' ').filter(|word| !word.is_empty()).map(OsString::from))
    }

    fn own(line: &str) -> OwnApi {
        match parse(line) {
            Ok(Args::Own(own)) => own,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[track_caller]
    fn assert_refused(line: &str, because: &str) {
        assert_eq!(parse(line).unwrap_err().to_string(), because, "{line}");
    }

    #[test]
    fn nothing_is_the_demo() {
        assert!(matches!(parse(""), Ok(Args::Demo)));
    }

    #[test]
    fn who_asks_for_help_gets_it_whatever_came_before() {
        for line in ["--help", "-h", "--url http://h --help", "--page-size 1 -h"] {
            assert!(matches!(parse(line), Ok(Args::Help)), "{line}");
        }
        for option in ["--url", "--table", "--shape", "--id", "--page-size"] {
            assert!(USAGE.contains(option), "{option}");
        }
    }

    #[test]
    fn an_own_api_has_the_documented_defaults() {
        let api = own("--url http://h --table users");
        assert_eq!(
            (api.url.as_str(), api.table.as_str(), api.id.as_str()),
            ("http://h", "users", "id")
        );
        assert!(matches!(&api.shape, ResponseShape::Wrapped { array_key } if array_key == "data"));
        assert_eq!(api.page_size, None);
    }

    #[test]
    fn every_option_is_heard_in_any_order_and_the_last_one_wins() {
        let api = own("--page-size 7 --id iata --shape bare --table b --url http://h --table a");
        assert_eq!((api.table.as_str(), api.id.as_str()), ("a", "iata"));
        assert!(matches!(api.shape, ResponseShape::BareArray));
        assert_eq!(api.page_size, NonZeroUsize::new(7));

        let shape = |text: &str| own(&format!("--url u --table t --shape {text}")).shape;
        assert!(matches!(shape("table"), ResponseShape::WrappedByTableName));
        assert!(matches!(shape("a.b"), ResponseShape::Wrapped { array_key } if array_key == "a.b"));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_refused("--table users", "--url is missing; --help lists the options");
        assert_refused("--url http://h", "--table is missing; --help lists the options");
        assert_refused("--url", "--url needs a value");
        assert_refused("--url --table users", "--url needs a value");
        assert_refused("--url http://h --table", "--table needs a value");
        let empty = ["--url", "", "--table", "users"].map(OsString::from);
        assert_eq!(Args::parse(empty.into_iter()).unwrap_err().to_string(), "--url needs a value");
    }

    #[test]
    fn what_is_not_known_is_named() {
        assert_refused("users", "unknown option `users`; --help lists them");
        assert_refused("--URL http://h", "unknown option `--URL`; --help lists them");
        assert_refused("--url http://h more", "unknown option `more`; --help lists them");
    }

    #[test]
    fn a_page_of_no_rows_is_refused() {
        for size in ["0", "-1", "1.5", "ten", "+", "99999999999999999999999"] {
            let because = format!("--page-size must be at least 1, not `{size}`");
            assert_refused(&format!("--page-size {size}"), &because);
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_argument_that_is_no_text_is_refused() {
        use std::os::unix::ffi::OsStringExt;

        let args = [OsString::from("--url"), OsString::from_vec(b"http://\xff".to_vec())];
        let refused = Args::parse(args.into_iter()).unwrap_err().to_string();
        assert_eq!(refused, "`http://\u{fffd}` is not Unicode");
    }
}
