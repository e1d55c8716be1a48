//! A described crate as sorted lines.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::types::{bounds, generics, path, signature, ty};
use crate::error::{Error, Result};

/// Every public item of a described crate, one line each, sorted.
pub(super) fn of(description: &Value) -> Result<String> {
    let mut walk = Walk { description, lines: BTreeSet::new(), seen: HashSet::new() };
    let root = walk.item(&description["root"]).ok_or_else(|| Error::Malformed {
        what: "the description of a crate".to_owned(),
        why: "it has no root".to_owned(),
    })?;
    let name = root["name"].as_str().unwrap_or_default();
    walk.children(&root["inner"]["module"]["items"], name);
    Ok(walk.lines.into_iter().map(|line| line + "\n").collect())
}

struct Walk<'a> {
    description: &'a Value,
    lines: BTreeSet<String>,
    /// Places of items that have been listed: a module may be found twice.
    seen: HashSet<String>,
}

impl<'a> Walk<'a> {
    fn item(&self, id: &Value) -> Option<&'a Value> {
        let key = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        self.description["index"].get(key)
    }

    fn children(&mut self, ids: &Value, place: &str) {
        for id in ids.as_array().map(Vec::as_slice).unwrap_or_default() {
            self.visit(id, place);
        }
    }

    /// Lists the item `id`, found in `place`, and what is in it.
    fn visit(&mut self, id: &Value, place: &str) {
        let Some(item) = self.item(id) else { return };
        let Some((kind, own)) = item["inner"].as_object().and_then(|inner| inner.iter().next())
        else {
            return;
        };
        if kind == "use" {
            return self.reexport(own, place);
        }
        let name = item["name"].as_str().unwrap_or_default();
        self.named(kind, own, &format!("{place}::{name}"));
    }

    fn reexport(&mut self, own: &'a Value, place: &str) {
        let target = self.item(&own["id"]);
        let inner = target.and_then(|item| item["inner"].as_object()?.iter().next());
        match inner {
            Some((_, module)) if own["is_glob"] == true => self.children(&module["items"], place),
            Some((kind, inner)) => {
                let name = own["name"].as_str().unwrap_or_default();
                self.named(kind, inner, &format!("{place}::{name}"));
            }
            // An item of another crate.
            None => self.line("use", place, own["source"].as_str().unwrap_or_default()),
        }
    }

    fn line(&mut self, kind: &str, place: &str, rest: &str) {
        self.lines
            .insert(format!("{kind} {place}{}{rest}", if kind == "use" { " = " } else { "" }));
    }

    fn named(&mut self, kind: &str, own: &'a Value, place: &str) {
        if !self.seen.insert(format!("{kind} {place}")) {
            return;
        }
        let (parameters, wheres) = generics(&own["generics"]);
        match kind {
            "module" => {
                self.line("mod", place, "");
                self.children(&own["items"], place);
            }
            "function" => {
                let header = &own["header"];
                let word = |key: &str, word: &'static str| {
                    if header[key] == true { word } else { "" }
                };
                let kind =
                    format!("{}{}fn", word("is_const", "const "), word("is_async", "async "));
                let signature = signature(&own["sig"]);
                self.line(&kind, place, &format!("{parameters}{signature}{wheres}"));
            }
            "struct" | "enum" | "union" => {
                self.line(kind, place, &format!("{parameters}{wheres}"));
                self.children(&own["variants"], place);
                self.children(&own["kind"]["plain"]["fields"], place);
                self.children(&own["kind"]["tuple"], place);
                self.impls(&own["impls"], place);
            }
            "variant" => {
                self.line("variant", place, "");
                self.children(&own["kind"]["tuple"], place);
                self.children(&own["kind"]["struct"]["fields"], place);
            }
            "trait" => {
                let supers = bounds(&own["bounds"]);
                let supers = if supers.is_empty() { supers } else { format!(": {supers}") };
                self.line("trait", place, &format!("{parameters}{supers}{wheres}"));
                self.children(&own["items"], place);
            }
            "struct_field" => self.line("field", place, &format!(": {}", ty(own))),
            "constant" | "assoc_const" | "static" => {
                self.line("const", place, &format!(": {}", ty(&own["type"])));
            }
            "type_alias" | "assoc_type" => {
                let bounds = bounds(&own["bounds"]);
                let of = if own["type"].is_null() { bounds } else { ty(&own["type"]) };
                self.line("type", place, &format!("{parameters}: {of}{wheres}"));
            }
            _ => self.line(kind, place, ""),
        }
    }

    /// Methods, traits (auto traits included) and what they define.
    fn impls(&mut self, ids: &Value, place: &str) {
        for id in ids.as_array().map(Vec::as_slice).unwrap_or_default() {
            let Some(item) = self.item(id) else { continue };
            let own = &item["inner"]["impl"];
            if !own["blanket_impl"].is_null() {
                continue;
            }
            if own["trait"].is_null() {
                self.children(&own["items"], place);
                continue;
            }
            let (parameters, wheres) = generics(&own["generics"]);
            let not = if own["is_negative"] == true { "!" } else { "" };
            let line = format!("{not}{} for {}{wheres}", path(&own["trait"]), ty(&own["for"]));
            self.lines.insert(format!("impl{parameters} {line} ({place})"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_exported_is_listed_where_it_is_exported() {
        let description = json!({
            "root": 0,
            "index": {
                "0": {"name": "pool", "inner": {"module": {"items": [1]}}},
                "1": {"name": null, "inner": {"use": {
                    "source": "crate::state::State", "name": "State", "id": 2, "is_glob": false,
                }}},
                "2": {"name": "State", "inner": {"enum": {
                    "generics": {"params": [], "where_predicates": []}, "variants": [3], "impls": [4],
                }}},
                "3": {"name": "Open", "inner": {"variant": {"kind": "plain"}}},
                "4": {"name": null, "inner": {"impl": {
                    "generics": {"params": [], "where_predicates": []}, "is_negative": false,
                    "trait": {"path": "Send", "args": null}, "blanket_impl": null, "items": [],
                    "for": {"resolved_path": {"path": "State", "args": null}},
                }}},
            },
        });
        let expected =
            "enum pool::State\nimpl Send for State (pool::State)\nvariant pool::State::Open\n";
        assert_eq!(of(&description).unwrap(), expected);
    }
}
