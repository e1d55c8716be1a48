//! The command line.

use std::num::NonZeroUsize;

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
    pub(crate) fn parse(args: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut args = args.peekable();
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
            let value = args.next().ok_or_else(|| format!("{option} needs a value"))?;
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
