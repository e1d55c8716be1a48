//! Types, bounds and signatures as text.

use serde_json::Value;

/// Values rendered by `each`, with something between them.
fn joined(values: &Value, each: fn(&Value) -> String, between: &str) -> String {
    let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
    values.iter().map(each).collect::<Vec<_>>().join(between)
}

/// A list rendered by `each`.
fn list(values: &Value, each: fn(&Value) -> String) -> String {
    joined(values, each, ", ")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A type.
pub(super) fn ty(value: &Value) -> String {
    let Some((kind, own)) = value.as_object().and_then(|object| object.iter().next()) else {
        return text(value).to_owned();
    };
    match kind.as_str() {
        "generic" | "primitive" => text(own).to_owned(),
        "resolved_path" => path(own),
        "borrowed_ref" => {
            let lifetime = own["lifetime"].as_str().map(|name| format!("{name} "));
            let mutable = if own["is_mutable"] == true { "mut " } else { "" };
            format!("&{}{mutable}{}", lifetime.unwrap_or_default(), ty(&own["type"]))
        }
        "tuple" => format!("({})", list(own, ty)),
        "slice" => format!("[{}]", ty(own)),
        "array" => format!("[{}; {}]", ty(&own["type"]), text(&own["len"])),
        "impl_trait" => format!("impl {}", bounds(own)),
        "dyn_trait" => {
            let traits = own["traits"].as_array().map(Vec::as_slice).unwrap_or_default();
            let traits: Vec<_> = traits.iter().map(|own| path(&own["trait"])).collect();
            let lifetime = own["lifetime"].as_str().map(|name| format!(" + {name}"));
            format!("dyn {}{}", traits.join(" + "), lifetime.unwrap_or_default())
        }
        "qualified_path" => {
            let (of, name) = (ty(&own["self_type"]), text(&own["name"]));
            let of_trait = path(&own["trait"]);
            if of_trait.is_empty() {
                format!("{of}::{name}")
            } else {
                format!("<{of} as {of_trait}>::{name}")
            }
        }
        "function_pointer" => format!("fn{}", signature(&own["sig"])),
        _ => value.to_string(),
    }
}

/// A path with its arguments.
pub(super) fn path(value: &Value) -> String {
    // Older descriptions call it a name.
    let name = value["path"].as_str().or_else(|| value["name"].as_str()).unwrap_or_default();
    format!("{name}{}", arguments(&value["args"]))
}

fn arguments(value: &Value) -> String {
    if let Some(own) = value.get("parenthesized") {
        let output = &own["output"];
        let output = if output.is_null() { String::new() } else { format!(" -> {}", ty(output)) };
        return format!("({}){output}", list(&own["inputs"], ty));
    }
    let Some(own) = value.get("angle_bracketed") else { return String::new() };
    let argument = |own: &Value| match own.get("type") {
        Some(own) => ty(own),
        None => own.get("lifetime").map_or_else(|| own.to_string(), |own| text(own).to_owned()),
    };
    let constraint = |own: &Value| {
        let name = format!("{}{}", text(&own["name"]), arguments(&own["args"]));
        match own["binding"].get("equality") {
            Some(term) => format!("{name} = {}", term.get("type").map(ty).unwrap_or_default()),
            None => format!("{name}: {}", bounds(&own["binding"]["constraint"])),
        }
    };
    let all = [list(&own["args"], argument), list(&own["constraints"], constraint)];
    let all: Vec<_> = all.into_iter().filter(|text| !text.is_empty()).collect();
    if all.is_empty() { String::new() } else { format!("<{}>", all.join(", ")) }
}

/// Bounds, joined by `+`.
pub(super) fn bounds(value: &Value) -> String {
    let bound = |own: &Value| {
        if let Some(own) = own.get("trait_bound") {
            let maybe = if own["modifier"] == "maybe" { "?" } else { "" };
            return format!("{maybe}{}", path(&own["trait"]));
        }
        match own.get("outlives") {
            Some(lifetime) => text(lifetime).to_owned(),
            None => format!("use<{}>", list(&own["use"], ty)),
        }
    };
    joined(value, bound, " + ")
}

/// Type and lifetime parameters, and what is asked of them.
pub(super) fn generics(value: &Value) -> (String, String) {
    let parameter = |own: &Value| {
        let (name, kind) = (text(&own["name"]), &own["kind"]);
        match kind.get("type") {
            Some(kind) if kind["is_synthetic"] == true => String::new(),
            Some(kind) => {
                let bounds = bounds(&kind["bounds"]);
                if bounds.is_empty() { name.to_owned() } else { format!("{name}: {bounds}") }
            }
            None => name.to_owned(),
        }
    };
    let parameters = value["params"].as_array().map(Vec::as_slice).unwrap_or_default();
    let parameters: Vec<_> =
        parameters.iter().map(parameter).filter(|text| !text.is_empty()).collect();
    let predicate = |own: &Value| {
        let of = own.get("bound_predicate").or_else(|| own.get("lifetime_predicate"));
        let Some(own) = of else { return own.to_string() };
        let subject = own.get("type").map_or_else(|| text(&own["lifetime"]).to_owned(), ty);
        let asked = own.get("bounds").map(bounds).unwrap_or_default();
        format!("{subject}: {asked}{}", list(&own["outlives"], |own| text(own).to_owned()))
    };
    let wheres = list(&value["where_predicates"], predicate);
    let parameters =
        if parameters.is_empty() { String::new() } else { format!("<{}>", parameters.join(", ")) };
    (parameters, if wheres.is_empty() { wheres } else { format!(" where {wheres}") })
}

/// Inputs and output of a function.
pub(super) fn signature(value: &Value) -> String {
    let input = |own: &Value| {
        let (name, own) = (text(&own[0]), ty(&own[1]));
        if name.is_empty() || name == "_" { own } else { format!("{name}: {own}") }
    };
    let output = &value["output"];
    let output = if output.is_null() { String::new() } else { format!(" -> {}", ty(output)) };
    format!("({}){output}", list(&value["inputs"], input))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bounds_are_added_and_arguments_are_listed() {
        let of = |path: &str, args: Value| {
            json!({"trait_bound": {"modifier": "none", "trait": {
                "path": path, "args": {"angle_bracketed": {"args": args, "constraints": []}},
            }}})
        };
        let args = json!([{"type": {"generic": "T"}}, {"type": {"generic": "E"}}]);
        let own = json!([of("Map", args), of("Send", json!([])), {"outlives": "'a"}]);
        assert_eq!(bounds(&own), "Map<T, E> + Send + 'a");
    }

    #[test]
    fn a_signature_reads_like_the_source() {
        let own = json!({"path": "Policy", "args": null});
        let sig = json!({
            "inputs": [
                ["self", {"borrowed_ref": {"lifetime": null, "is_mutable": true, "type": {"generic": "Self"}}}],
                ["policy", {"resolved_path": own}],
            ],
            "output": {"resolved_path": {"path": "Option", "args": {"angle_bracketed": {
                "args": [{"type": {"primitive": "u32"}}], "constraints": [],
            }}}},
        });
        assert_eq!(signature(&sig), "(self: &mut Self, policy: Policy) -> Option<u32>");
    }
}
