use core::fmt;

use super::*;

/// An error of a text and a cause.
#[derive(Debug)]
struct Layer(&'static str, Option<Box<dyn StdError + Send + Sync>>);

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl StdError for Layer {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let cause = self.1.as_deref()?;
        Some(cause)
    }
}

/// The fault of an error that this is the cause of, also where an `io::Error` wraps it.
#[track_caller]
fn of(cause: impl Fn() -> Layer) -> Option<Fault> {
    let direct = fault(&Layer("outer", Some(Box::new(cause()))));
    let wrapped = fault(&Layer("outer", Some(Box::new(io::Error::other(cause())))));
    assert_eq!(direct, wrapped);
    direct
}

#[test]
fn what_the_client_cannot_speak_is_told_by_its_text() {
    let texts = [
        ("invalid URL, scheme is not http", Some(Fault::Local)),
        ("client error (UserUnsupportedVersion)", Some(Fault::Local)),
        ("client error (UserUnsupportedRequestMethod)", Some(Fault::Local)),
        ("client error (Connect)", None),
        ("connection reset by peer", None),
    ];
    for (text, expected) in texts {
        assert_eq!(of(|| Layer(text, None)), expected, "{text}");
        assert_eq!(of(|| Layer("inner", Some(Box::new(Layer(text, None))))), expected, "{text}");
    }
}

#[test]
fn an_error_without_a_cause_says_nothing() {
    assert_eq!(fault(&Layer("invalid URL, scheme is not http", None)), None);
}

#[cfg(feature = "rustls")]
#[test]
fn only_the_certificate_makes_a_failed_handshake_final() {
    use rustls_crate::{AlertDescription, CertificateError, Error, InvalidMessage};

    let errors = [
        (Error::InvalidCertificate(CertificateError::Expired), Some(Fault::Local)),
        (Error::InvalidCertificate(CertificateError::UnknownIssuer), Some(Fault::Local)),
        (Error::UnsupportedNameType, Some(Fault::Local)),
        (Error::NoCertificatesPresented, Some(Fault::Local)),
        (Error::InvalidMessage(InvalidMessage::InvalidContentType), None),
        (Error::AlertReceived(AlertDescription::InternalError), None),
        (Error::HandshakeNotComplete, None),
    ];
    for (error, expected) in errors {
        assert_eq!(of(|| Layer("tls", Some(Box::new(error.clone())))), expected, "{error}");
    }
}

#[cfg(feature = "http2")]
#[test]
fn a_reset_of_our_own_is_no_promise_of_the_server_s() {
    let ours = || h2::Error::from(h2::Reason::REFUSED_STREAM);
    assert_eq!(of(|| Layer("h2", Some(Box::new(ours())))), None);
}

#[cfg(not(feature = "http2"))]
#[test]
fn bytes_that_the_server_wrote_are_not_told() {
    let quoting = || Layer("connection error received: no error (b\"a token\")", None);
    assert_eq!(unquoted(&quoting()), Some("connection error received: no error".to_owned()));
    assert!(quotes_server(&Layer("outer", Some(Box::new(quoting())))));
    assert!(!quotes_server(&Layer("outer", Some(Box::new(Layer("no bytes", None))))));
}
