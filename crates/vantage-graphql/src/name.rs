//! The name grammar: everything that reaches a document unquoted passes here.
//!
//! A name is `[_A-Za-z][_0-9A-Za-z]*` ([GraphQL, section 2.1.9]). Whatever is
//! not a name is refused before a document is rendered, so that no column,
//! alias or argument can change the structure of a query.
//!
//! [GraphQL, section 2.1.9]: https://spec.graphql.org/October2021/#sec-Names

use vantage_core::{Result, VantageError, error};

use crate::bytes::{DIGIT, LETTER, kinds};

/// What a refused name was meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    CountField,
    CursorArgument,
    Field,
    FilterArgument,
    FilterKey,
    FilterType,
    OperationName,
    OrderField,
    ResponsePathSegment,
    RootArgument,
    RootArgumentKey,
    RootField,
}

impl NameKind {
    /// The kind as errors spell it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::CountField => "count field",
            Self::CursorArgument => "cursor argument",
            Self::Field => "field",
            Self::FilterArgument => "filter argument",
            Self::FilterKey => "filter key",
            Self::FilterType => "filter type",
            Self::OperationName => "operation name",
            Self::OrderField => "order field",
            Self::ResponsePathSegment => "response path segment",
            Self::RootArgument => "root argument",
            Self::RootArgumentKey => "root argument key",
            Self::RootField => "root field",
        }
    }

    /// Refuses `name` unless it is one GraphQL name.
    pub(crate) fn check(self, name: &str) -> Result<()> {
        if is_name(name) { Ok(()) } else { Err(self.refusal(name)) }
    }

    /// Refuses `path` unless each of its dotted segments is a GraphQL name.
    pub(crate) fn check_path(self, path: &str) -> Result<()> {
        if is_path(path) { Ok(()) } else { Err(self.refusal(path)) }
    }

    fn refusal(self, name: &str) -> VantageError {
        error!("GraphQL name is not valid", kind = self.as_str(), name = name)
    }
}

/// Whether `text` is one GraphQL name.
fn is_name(text: &str) -> bool {
    match text.as_bytes() {
        [first, rest @ ..] => {
            kinds(*first) & LETTER != 0
                && rest.iter().all(|byte| kinds(*byte) & (LETTER | DIGIT) != 0)
        }
        [] => false,
    }
}

/// Whether `text` is GraphQL names with dots between them.
fn is_path(text: &str) -> bool {
    is_name(text) || text.contains('.') && text.split('.').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_letters_digits_and_underscores_after_a_letter_or_underscore() {
        for name in ["a", "_", "__typename", "airport2", "A_1"] {
            assert!(NameKind::Field.check(name).is_ok(), "{name:?}");
        }
    }

    #[test]
    fn refuses_everything_else_naming_kind_and_text() {
        for name in ["", "2a", "a b", "a-b", "a.b", "a{", "é", "a\n", "a\0", "\"", "ａ"] {
            let error = NameKind::RootField.check(name).unwrap_err();
            assert_eq!(error.message(), "GraphQL name is not valid");
            assert_eq!(error.context["kind"], "\"root field\"");
            assert_eq!(error.context["name"], format!("{name:?}"));
        }
    }

    #[test]
    fn checks_every_segment_of_a_dotted_path() {
        assert!(NameKind::Field.check_path("run.id").is_ok());
        for path in ["run.", ".run", "run..id", "run.i d", ""] {
            assert!(NameKind::Field.check_path(path).is_err(), "{path:?}");
        }
    }
}
