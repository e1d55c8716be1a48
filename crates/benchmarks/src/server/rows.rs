//! Many rows as JSON.

use std::fmt::Write as _;

use serde_json::Value;

/// The rows that a request asks for, or all of `total`.
///
/// A GET names its window in its query, `skip` and `take`; a GraphQL query in its variables,
/// `offset` and `limit`.
pub(super) fn body(request: &str, total: u64, shape: &str) -> String {
    let graphql = shape == "graphql";
    let (skip, take) = if graphql { variables(request) } else { query(request) };
    let end = take.map_or(total, |take| total.min(skip + take));
    let mut body = String::from(if graphql { "{\"data\":{\"airports\":[" } else { "[" });
    for id in skip..end {
        let comma = if id == skip { "" } else { "," };
        let open = id % 3 != 0;
        let _ = write!(
            body,
            "{comma}{{\"id\":{id},\"name\":\"row number {id}\",\"city\":\"Königsberg\",\
             \"size\":{id}.5,\"open\":{open}}}"
        );
    }
    body.push_str(if graphql { "]}}" } else { "]" });
    body
}

fn query(request: &str) -> (u64, Option<u64>) {
    let target = request.split(' ').nth(1).unwrap_or_default();
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let number = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(key, value)| (key == name).then(|| value.parse().ok())?)
    };
    (number("skip").unwrap_or(0), number("take"))
}

fn variables(request: &str) -> (u64, Option<u64>) {
    let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let number = |name: &str| body.get("variables")?.get(name)?.as_u64();
    (number("offset").unwrap_or(0), number("limit"))
}
