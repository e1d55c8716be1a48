//! Which part of a listing is asked for, and where the neighbouring parts are.

use crate::config::Paging;

/// A part of a listing, as asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) offset: usize,
    pub(crate) limit: usize,
    pub(crate) counting: Counting,
}

/// What the client counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counting {
    Pages,
    Rows,
}

impl Window {
    /// Reads the paging parameters; the size is cut to the server's maximum.
    ///
    /// The error names the parameter that is not a number, or the page 0.
    pub(crate) fn read(paging: &Paging, params: &[(String, String)]) -> Result<Self, String> {
        let limit = number(params, &paging.limit)?.unwrap_or(paging.default_size);
        let limit = limit.min(paging.max_size);
        if let Some(offset) = number(params, &paging.skip)? {
            return Ok(Self { offset, limit, counting: Counting::Rows });
        }
        let page = number(params, &paging.page)?.unwrap_or(1);
        let before = page.checked_sub(1).ok_or_else(|| format!("{} starts at 1", paging.page))?;
        Ok(Self { offset: before.saturating_mul(limit), limit, counting: Counting::Pages })
    }

    /// The `Link` header: the first, previous, next and last part, as far as there are such.
    pub(crate) fn links(
        &self,
        paging: &Paging,
        url: &str,
        params: &[(String, String)],
        total: usize,
    ) -> Option<String> {
        let last = total.checked_sub(1)?.checked_div(self.limit)?.checked_mul(self.limit)?;
        let link = |relation: &str, offset: usize| {
            let (name, value) = match self.counting {
                Counting::Pages => (&paging.page, offset / self.limit + 1),
                Counting::Rows => (&paging.skip, offset),
            };
            let size = (paging.limit.as_str(), self.limit.to_string());
            let target = with_params(url, params, &[(name, value.to_string()), size]);
            format!("<{target}>; rel=\"{relation}\"")
        };
        let previous = (self.offset > 0).then(|| self.offset.saturating_sub(self.limit));
        let next = self.offset.checked_add(self.limit).filter(|next| *next < total);
        let links = [
            Some(link("first", 0)),
            previous.map(|offset| link("prev", offset)),
            next.map(|offset| link("next", offset)),
            Some(link("last", last)),
        ];
        Some(links.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

fn number(params: &[(String, String)], name: &str) -> Result<Option<usize>, String> {
    let Some((_, text)) = params.iter().find(|(param, _)| param == name) else { return Ok(None) };
    match text.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(format!("{name} is not a number: {text}")),
    }
}

/// The URL with these parameters set and all others kept.
pub(crate) fn with_params(
    url: &str,
    params: &[(String, String)],
    set: &[(&str, String)],
) -> String {
    let kept = params.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let kept = kept.filter(|(name, _)| !set.iter().any(|(other, _)| other == name));
    let set = set.iter().map(|(name, value)| (*name, value.as_str()));
    let mut target = url.to_owned();
    for (index, (name, value)) in kept.chain(set).enumerate() {
        target.push(if index == 0 { '?' } else { '&' });
        encode(&mut target, name);
        target.push('=');
        encode(&mut target, value);
    }
    target
}

/// Percent-encodes all but the unreserved characters of RFC 3986, section 2.3.
fn encode(target: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            target.push(char::from(byte));
        } else {
            target.push_str(&format!("%{byte:02X}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn window(params: &[(&str, &str)]) -> Result<Window, String> {
        Window::read(&Config::new().paging, &owned(params))
    }

    fn owned(params: &[(&str, &str)]) -> Vec<(String, String)> {
        params.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_size_is_the_default_or_at_most_the_maximum() {
        assert_eq!(window(&[]).unwrap().limit, 30);
        assert_eq!(window(&[("_limit", "100000")]).unwrap().limit, 500);
    }

    #[test]
    fn pages_count_from_one_and_rows_from_zero() {
        assert_eq!(window(&[("_page", "3"), ("_limit", "10")]).unwrap().offset, 20);
        assert_eq!(window(&[("_skip", "3"), ("_limit", "10")]).unwrap().offset, 3);
        assert_eq!(window(&[("_page", "0")]).unwrap_err(), "_page starts at 1");
        assert_eq!(window(&[("_skip", "-1")]).unwrap_err(), "_skip is not a number: -1");
    }

    #[test]
    fn links_keep_the_other_parameters() {
        let params = owned(&[("state", "T X"), ("_page", "2"), ("_limit", "10")]);
        let paging = Config::new().paging;
        let window = Window::read(&paging, &params).unwrap();
        let links = window.links(&paging, "http://h/a", &params, 25).unwrap();
        let expected = [("first", 1), ("prev", 1), ("next", 3), ("last", 3)].map(|(rel, page)| {
            format!("<http://h/a?state=T%20X&_page={page}&_limit=10>; rel=\"{rel}\"")
        });
        assert_eq!(links, expected.join(", "));
    }

    #[test]
    fn there_is_no_link_beyond_the_ends() {
        let paging = Config::new().paging;
        let only = Window { offset: 0, limit: 30, counting: Counting::Pages };
        let links = only.links(&paging, "http://h/a", &[], 30).unwrap();
        assert!(!links.contains("next") && !links.contains("prev"), "{links}");
        assert_eq!(only.links(&paging, "http://h/a", &[], 0), None);
    }
}
