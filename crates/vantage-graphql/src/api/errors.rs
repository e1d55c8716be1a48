//! Errors a server reports in a response that arrived.

use std::{error::Error, fmt};

use serde_json::Value as Json;
use vantage_core::{Context as _, VantageError, error};

use super::GraphqlApi;

/// The `errors` of a response, with the data that came beside them.
///
/// It is a source of the [`VantageError`] that a read returns.
///
/// # Examples
///
/// ```no_run
/// use vantage_graphql::{GraphqlApi, GraphqlErrors};
///
/// # async fn run(api: GraphqlApi) {
/// if let Err(error) = api.post_graphql("query { me { name } }", &Default::default()).await
///     && let Some(reported) = GraphqlErrors::of(&error)
/// {
///     for item in reported.errors() {
///         println!("{:?} at {:?}: {}", item.code(), item.path(), item.message());
///     }
///     println!("still there: {}", reported.data());
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GraphqlErrors {
    errors: Vec<ResponseError>,
    data: Json,
}

/// One entry of a response's `errors`.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseError(Json);

impl GraphqlErrors {
    /// What the server reported, if `error` comes from a response with errors.
    #[must_use]
    pub fn of(error: &VantageError) -> Option<&Self> {
        let mut at: Option<&(dyn Error + 'static)> = error.source();
        while let Some(source) = at {
            if let Some(found) = source.downcast_ref() {
                return Some(found);
            }
            at = source.source();
        }
        None
    }

    /// The errors, in the server's order; at least one.
    #[must_use]
    pub fn errors(&self) -> &[ResponseError] {
        &self.errors
    }

    /// What the response held as `data` beside the errors; null if nothing.
    #[must_use]
    pub fn data(&self) -> &Json {
        &self.data
    }

    /// Whether any error carries the code `code`.
    #[must_use]
    pub fn has_code(&self, code: &str) -> bool {
        self.errors.iter().any(|error| error.code() == Some(code))
    }

    /// Splits a response into its data, or its errors if it has any.
    pub(super) fn split(response: Json) -> Result<Json, Self> {
        let Json::Object(mut fields) = response else { return Ok(Json::Null) };
        let data = fields.swap_remove("data").unwrap_or_default();
        match fields.swap_remove("errors") {
            Some(Json::Array(errors)) if !errors.is_empty() => {
                Err(Self { errors: errors.into_iter().map(ResponseError).collect(), data })
            }
            _ => Ok(data),
        }
    }

    /// The errors, each text in them as `shown` has it. The data stays as it is.
    pub(super) fn redacted(mut self, shown: impl Fn(&str) -> String) -> Self {
        for error in &mut self.errors {
            rewrite(&mut error.0, &shown);
        }
        self
    }

    /// The messages, joined with `; `.
    pub(crate) fn messages(&self) -> String {
        joined(self.errors.iter().map(ResponseError::message))
    }

    /// The error a read returns, with this as its source.
    pub(super) fn into_error(self, api: &GraphqlApi) -> VantageError {
        let endpoint = api.shown_endpoint().as_str();
        let codes = joined(self.errors.iter().filter_map(ResponseError::code));
        let paths = self.errors.iter().filter_map(ResponseError::path);
        let paths = joined(paths.map(Json::to_string));
        let locations = self.errors.iter().filter_map(ResponseError::locations);
        let locations = joined(locations.map(Json::to_string));
        let mut error = error!("GraphQL response carried errors", errors = self.messages());
        for (key, text) in [
            ("codes", &*codes),
            ("paths", &paths),
            ("locations", &locations),
            ("url", endpoint),
            ("endpoint", endpoint),
        ] {
            if !text.is_empty() {
                error.context.insert(key.to_owned(), format!("{text:?}"));
            }
        }
        match Err::<(), _>(self).context(error) {
            Err(error) => error,
            Ok(()) => VantageError::no_data(),
        }
    }
}

impl ResponseError {
    /// What went wrong, in the server's words.
    #[must_use]
    pub fn message(&self) -> &str {
        self.0.get("message").and_then(Json::as_str).unwrap_or("unspecified error")
    }

    /// The field it went wrong at: a list of names and positions.
    #[must_use]
    pub fn path(&self) -> Option<&Json> {
        self.0.get("path")
    }

    /// The places in the document: a list of lines and columns.
    #[must_use]
    pub fn locations(&self) -> Option<&Json> {
        self.0.get("locations")
    }

    /// Whatever else the server adds.
    #[must_use]
    pub fn extensions(&self) -> Option<&Json> {
        self.0.get("extensions")
    }

    /// `extensions.code`, by which servers tell errors apart.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.extensions()?.get("code")?.as_str()
    }
}

impl fmt::Display for GraphqlErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} error(s) in the response", self.errors.len())
    }
}

impl Error for GraphqlErrors {}

/// Replaces every text in `json`, which nests no deeper than the parser allows.
fn rewrite(json: &mut Json, shown: &impl Fn(&str) -> String) {
    match json {
        Json::String(text) => *text = shown(text),
        Json::Array(items) => items.iter_mut().for_each(|item| rewrite(item, shown)),
        Json::Object(fields) => fields.values_mut().for_each(|field| rewrite(field, shown)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn joined<T: AsRef<str>>(parts: impl Iterator<Item = T>) -> String {
    let mut all = String::new();
    for part in parts {
        if !all.is_empty() {
            all.push_str("; ");
        }
        all.push_str(part.as_ref());
    }
    all
}
