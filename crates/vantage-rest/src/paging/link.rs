//! The next page's URL in a `Link` header (RFC 8288).

use url::Url;
use vantage_core::{Result, error};

/// The target of the first link with relation `next`.
///
/// The target is read as RFC 8288, section 3, has it: relative to the URL of
/// the request. A link that is not well formed is stepped over.
///
/// # Errors
///
/// "API links to another origin" when the target is not on the request's
/// scheme, host and port: credentials are not sent there.
pub(crate) fn next<'a>(
    headers: impl IntoIterator<Item = &'a str>,
    request: &str,
) -> Result<Option<String>> {
    let Some(target) = headers.into_iter().flat_map(links).find(|link| link.is_next) else {
        return Ok(None);
    };
    let Some((request, target)) = Url::parse(request)
        .ok()
        .and_then(|request| request.join(target.target).ok().map(|target| (request, target)))
    else {
        return Ok(None);
    };
    if request.origin() != target.origin() {
        return Err(error!(
            "API links to another origin",
            expected = request.origin().ascii_serialization(),
            found = target.origin().ascii_serialization()
        ));
    }
    Ok(Some(target.into()))
}

struct Link<'a> {
    target: &'a str,
    is_next: bool,
}

/// The links of one header line.
fn links(line: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once('<') {
        let Some((target, after)) = after.split_once('>') else { break };
        let end = end_of_link(after);
        let (params, after) = after.split_at_checked(end).unwrap_or((after, ""));
        links.push(Link { target: target.trim(), is_next: params_name_next(params) });
        rest = after;
    }
    links
}

/// Where the parameters of a link end: at a comma outside quotes.
fn end_of_link(params: &str) -> usize {
    let mut quoted = false;
    for (at, c) in params.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => return at,
            _ => (),
        }
    }
    params.len()
}

fn params_name_next(params: &str) -> bool {
    params.split(';').any(|param| {
        param.split_once('=').is_some_and(|(name, value)| {
            let relations = value.trim().trim_matches('"');
            name.trim().eq_ignore_ascii_case("rel")
                && relations.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case("next"))
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::next;

    const REQUEST: &str = "https://h/v1/users?page=1";

    fn found(line: &str) -> Option<String> {
        next([line], REQUEST).unwrap()
    }

    #[test]
    fn finds_the_next_page() {
        let next = Some("https://h/v1/users?page=2".to_owned());
        for line in [
            r#"<https://h/v1/users?page=2>; rel="next""#,
            r#"<https://h/v1/users?page=1>; rel="prev", <https://h/v1/users?page=2>; rel="next""#,
            r#"<users?page=2>;rel=next"#,
            r#"</v1/users?page=2> ; title="a, b; c" ; REL="last NEXT""#,
            r#"</x?a=1,2>; rel="first",<?page=2>; rel="next""#,
        ] {
            assert_eq!(found(line), next, "{line}");
        }
    }

    #[test]
    fn the_last_page_has_no_next() {
        for line in ["", r#"<a>; rel="prev""#, "<a", r#"<a>; rel="nextish""#, r#"a; rel="next""#] {
            assert_eq!(found(line), None, "{line}");
        }
    }

    #[test]
    fn another_origin_is_refused() {
        for target in ["https://evil/users", "http://h/users", "https://h:444/users", "//evil/x"] {
            let err = next([format!("<{target}>; rel=next").as_str()], REQUEST).unwrap_err();
            assert_eq!(err.message(), "API links to another origin", "{target}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(line in r#"[<>;,="a-z é?/]{0,40}"#) {
            let _ = next([line.as_str()], REQUEST);
        }
    }
}
