//! Settings out of environment variables.

use std::ffi::OsString;

use super::error::ConfigError;
use super::node::Node;

/// What stands between the names of a path.
const STEP: &str = "__";

/// The variables whose names start with `prefix`, as a tree of texts.
pub(super) fn tree<K, V>(
    prefix: &str,
    vars: impl IntoIterator<Item = (K, V)>,
) -> Result<Node, ConfigError>
where
    K: Into<OsString>,
    V: Into<OsString>,
{
    let mut root = Node::Table(Vec::new());
    for (name, value) in vars {
        let name = name.into();
        let Some(path) = name.to_str().and_then(|name| name.strip_prefix(prefix)) else { continue };
        let path = path.to_ascii_lowercase();
        let Ok(value) = value.into().into_string() else {
            let path = path.replace(STEP, ".");
            return Err(ConfigError::wrong(path, "not Unicode", "text"));
        };
        if !insert(&mut root, path.split(STEP), value) {
            return Err(ConfigError::twice(path.replace(STEP, ".")));
        }
    }
    Ok(root)
}

/// Puts a text at a path; fails where something stands there, or on the way.
fn insert<'a>(at: &mut Node, mut path: impl Iterator<Item = &'a str>, value: String) -> bool {
    let Some(name) = path.next() else {
        let free = *at == Node::Table(Vec::new());
        if free {
            *at = Node::Text(value);
        }
        return free;
    };
    let Node::Table(entries) = at else { return false };
    let index = entries.iter().position(|(entry, _)| entry == name).unwrap_or_else(|| {
        entries.push((name.to_owned(), Node::Table(Vec::new())));
        entries.len() - 1
    });
    entries.get_mut(index).is_some_and(|(_, node)| insert(node, path, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_not_also_a_table() {
        let vars = [("P_RATE", "off"), ("P_RATE__BURST", "1")];
        assert_eq!(tree("P_", vars).unwrap_err().to_string(), "`rate.burst` is set twice");
        let vars = [("P_RATE__BURST", "1"), ("P_RATE", "off")];
        assert_eq!(tree("P_", vars).unwrap_err().to_string(), "`rate` is set twice");
        let vars = [("P_RATE", "off"), ("P_rate", "off")];
        assert_eq!(tree("P_", vars).unwrap_err().to_string(), "`rate` is set twice");
    }

    #[test]
    fn variables_of_others_are_left_alone() {
        let vars = [("PATH", "/bin"), ("Q_RATE", "off")];
        assert_eq!(tree("P_", vars), Ok(Node::Table(Vec::new())));
    }
}
