//! Where a request goes.

/// The origin of a request's URL, without what may be secret in the rest of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Address<'a> {
    /// `http` or `https`.
    pub scheme: &'a str,
    /// A name or an IP address, the latter without brackets.
    pub host: &'a str,
    /// The port, also where the URL leaves it to the scheme.
    pub port: Option<u16>,
}

impl<'a> Address<'a> {
    /// Takes brackets off an IPv6 address.
    pub(crate) fn new(scheme: &'a str, host: &'a str, port: Option<u16>) -> Self {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        Self { scheme, host: bare.unwrap_or(host), port }
    }
}
