//! Just enough of HTTP/1.1 to write answers byte by byte and to know when a request is complete.

/// The bytes of an answer with these header lines and a matching `Content-Length`.
///
/// # Examples
///
/// ```
/// assert_eq!(
///     test_support::answer(503, &[("retry-after", "2")], "no"),
///     b"HTTP/1.1 503 X\r\nretry-after: 2\r\ncontent-length: 2\r\n\r\nno"
/// );
/// ```
#[must_use]
pub fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut bytes = head(status, headers, body.len());
    bytes.extend_from_slice(body);
    bytes
}

/// The head of an answer that announces `length` bytes of body.
#[must_use]
pub fn head(status: u16, headers: &[(&str, &str)], length: usize) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} X\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {length}\r\n\r\n"));
    head.into_bytes()
}

/// Where the first request in `bytes` ends, if it is complete.
///
/// Reads `Content-Length` and `Transfer-Encoding: chunked` (RFC 9112, section 6.3).
#[must_use]
pub fn request_end(bytes: &[u8]) -> Option<usize> {
    let body = find(bytes, b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(bytes.get(..body)?).to_ascii_lowercase();
    let value = |name: &str| {
        head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::trim))
    };
    let length = if value("transfer-encoding").is_some_and(|coding| coding.ends_with("chunked")) {
        chunked_length(bytes.get(body..)?)?
    } else {
        value("content-length").and_then(|length| length.parse().ok()).unwrap_or_default()
    };
    let end = body.checked_add(length)?;
    (end <= bytes.len()).then_some(end)
}

/// The length of a complete chunked body, trailers included.
fn chunked_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0_usize;
    loop {
        let rest = bytes.get(at..)?;
        let line = find(rest, b"\r\n")?;
        let size = std::str::from_utf8(rest.get(..line)?).ok()?;
        let size = usize::from_str_radix(size.split(';').next()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(at + line + find(rest.get(line..)?, b"\r\n\r\n")? + 4);
        }
        at = at.checked_add(line + 2)?.checked_add(size)?.checked_add(2)?;
    }
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_complete_with_its_last_byte_and_not_before() {
        let requests: [&[u8]; 4] = [
            b"GET / HTTP/1.1\r\nhost: h\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1;x=y\r\na\r\n0\r\nt: 1\r\n\r\n",
        ];
        for request in requests {
            for cut in 0..request.len() {
                assert_eq!(request_end(&request[..cut]), None, "cut at {cut}");
            }
            assert_eq!(request_end(request), Some(request.len()));
            assert_eq!(request_end(&[request, b"GET"].concat()), Some(request.len()));
        }
    }
}
