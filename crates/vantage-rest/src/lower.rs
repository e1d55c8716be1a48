//! From a table to a URL: pure.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use vantage_core::{Result, error};

/// Everything but the unreserved characters of RFC 3986, section 2.3.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A parameter or condition: a name and its text.
pub(crate) type Pair = (String, String);

/// Where a table is: its URL without parameters, and the conditions the path
/// did not use up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    url: String,
    pub(crate) rest: Vec<Pair>,
}

impl Target {
    /// The target of the table `template` of the API at `base_url`.
    ///
    /// Each `{name}` takes the value of the first condition on that field that
    /// no other placeholder took.
    ///
    /// # Errors
    ///
    /// "Unclosed `{` in table name URI template" (`table_name`), "No
    /// eq-condition provided for URI placeholder" (`placeholder`,
    /// `table_name`), "URI placeholder value would change the path" for a value
    /// that makes a path segment `.`, `..` or empty, and those of [`join`].
    pub(crate) fn of(base_url: &str, template: &str, conditions: &[Pair]) -> Result<Self> {
        let mut rest: Vec<Option<&Pair>> = conditions.iter().map(Some).collect();
        let (path, query) = match template.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (template, None),
        };
        let mut table = String::with_capacity(template.len());
        for (index, segment) in path.split('/').enumerate() {
            if index > 0 {
                table.push('/');
            }
            let filled = fill(segment, template, &mut rest)?;
            if segment.contains('{') && matches!(filled.as_str(), "" | "." | "..") {
                return Err(error!(
                    "URI placeholder value would change the path",
                    segment = segment,
                    table_name = template
                ));
            }
            table.push_str(&filled);
        }
        if let Some(query) = query {
            table.push('?');
            table.push_str(&fill(query, template, &mut rest)?);
        }
        let rest = rest.into_iter().flatten().cloned().collect();
        Ok(Self { url: join(base_url, &table)?, rest })
    }

    /// The target of one row of this table.
    ///
    /// # Errors
    ///
    /// The placeholder's error, for an `id` that is `.`, `..` or empty.
    pub(crate) fn item(&self, id: &str) -> Result<Self> {
        if matches!(id, "" | "." | "..") {
            return Err(error!("URI placeholder value would change the path", id = id));
        }
        let (path, query) = self.url.split_once('?').unwrap_or((&self.url, ""));
        let separator = if query.is_empty() { "" } else { "?" };
        let url = format!("{path}/{}{separator}{query}", encode(id));
        Ok(Self { url, rest: self.rest.clone() })
    }

    /// The URL with `params`, in their order.
    pub(crate) fn url<'a>(&self, params: impl IntoIterator<Item = &'a Pair>) -> String {
        let mut url = self.url.clone();
        let mut separator = if url.contains('?') { '&' } else { '?' };
        for (name, value) in params {
            url.push(separator);
            url.extend(utf8_percent_encode(name, RESERVED));
            url.push('=');
            url.extend(utf8_percent_encode(value, RESERVED));
            separator = '&';
        }
        url
    }
}

/// `base` and `path` with exactly one `/` between them. A query of the base
/// stays behind the path.
///
/// # Errors
///
/// "API base URL has no host" (`base_url`): the path would be read as the host.
pub(crate) fn join(base: &str, path: &str) -> Result<String> {
    let (address, base_query) = base.split_once('?').unwrap_or((base, ""));
    let address = address.trim_end_matches('/');
    if address.ends_with(':') && !address.contains("//") {
        return Err(error!("API base URL has no host", base_url = address));
    }
    let joined = format!("{address}/{}", path.trim_start_matches('/'));
    Ok(match (base_query, joined.contains('?')) {
        ("", _) => joined,
        (query, true) => format!("{joined}&{query}"),
        (query, false) => format!("{joined}?{query}"),
    })
}

/// The names of the placeholders of `template`, as far as they are closed.
pub(crate) fn placeholders(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|part| Some(part.split_once('}')?.0))
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// `text` with each placeholder filled from `rest`.
fn fill(text: &str, template: &str, rest: &mut [Option<&Pair>]) -> Result<String> {
    let mut filled = String::with_capacity(text.len());
    let mut remaining = text;
    while let Some((before, after)) = remaining.split_once('{') {
        let (name, after) = after.split_once('}').ok_or_else(|| {
            error!("Unclosed `{` in table name URI template", table_name = template)
        })?;
        let value =
            rest.iter_mut().find(|taken| matches!(taken, Some((field, _)) if field == name));
        let Some((_, value)) = value.and_then(Option::take) else {
            return Err(error!(
                "No eq-condition provided for URI placeholder",
                placeholder = name,
                table_name = template
            ));
        };
        filled.push_str(before);
        filled.extend(utf8_percent_encode(value, RESERVED));
        remaining = after;
    }
    filled.push_str(remaining);
    Ok(filled)
}

#[cfg(test)]
mod tests;
