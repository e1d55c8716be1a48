use proptest::prelude::*;

use super::{Pair, Target, join, placeholders};

fn pairs(pairs: &[(&str, &str)]) -> Vec<Pair> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn url(base: &str, template: &str, conditions: &[(&str, &str)]) -> Result<String, String> {
    Target::of(base, template, &pairs(conditions))
        .map(|target| target.url(&target.rest))
        .map_err(|e| e.to_string())
}

#[test]
fn placeholders_take_the_first_unused_condition_on_their_field() {
    assert_eq!(
        url("http://h/v1", "users/{id}/albums/{id}", &[("id", "a b"), ("x", "1"), ("id", "é/?")]),
        Ok("http://h/v1/users/a%20b/albums/%C3%A9%2F%3F?x=1".to_owned())
    );
}

#[test]
fn a_table_name_may_hold_its_own_query() {
    assert_eq!(
        url("http://h", "users?state={s}", &[("n", "a&b"), ("s", "MS")]),
        Ok("http://h/users?state=MS&n=a%26b".to_owned())
    );
}

#[test]
fn everything_outside_the_unreserved_set_is_encoded() {
    assert_eq!(
        url("http://h", "t", &[("a b", "-._~+%")]),
        Ok("http://h/t?a%20b=-._~%2B%25".to_owned())
    );
}

#[test]
fn a_template_that_cannot_be_filled_names_what_is_missing() {
    assert_eq!(
        url("http://h", "users/{id}", &[]),
        Err(r#"No eq-condition provided for URI placeholder (placeholder: "id", table_name: "users/{id}")"#.to_owned())
    );
    assert_eq!(
        url("http://h", "users/{id", &[("id", "1")]),
        Err(r#"Unclosed `{` in table name URI template (table_name: "users/{id")"#.to_owned())
    );
}

#[test]
fn a_value_may_not_change_the_path() {
    for value in ["", ".", ".."] {
        assert!(url("http://h", "users/{id}/albums", &[("id", value)]).is_err(), "{value:?}");
        let target = Target::of("http://h", "users", &[]).unwrap();
        assert!(target.item(value).is_err(), "{value:?}");
    }
    assert!(url("http://h", "{a}{b}", &[("a", "."), ("b", ".")]).is_err());
    assert!(url("http://h", "u/{id}", &[("id", "...")]).is_ok());
    assert_eq!(url("http://h", "u?q={q}", &[("q", "")]), Ok("http://h/u?q=".to_owned()));
}

#[test]
fn a_table_is_never_taken_for_the_host_of_a_base_that_has_none() {
    for base in ["http://", "https:", "http:///", "http://?key=k"] {
        let error = join(base, "users").unwrap_err().to_string();
        assert!(error.starts_with("API base URL has no host (base_url: \"http"), "{base}: {error}");
        assert!(!error.contains("key"), "{error}");
    }
    assert_eq!(join("http://h:", "users").unwrap(), "http://h:/users", "an empty port is one");
}

#[test]
fn base_and_path_meet_in_one_slash() {
    for base in ["http://h/v1", "http://h/v1/"] {
        for path in ["users", "/users"] {
            assert_eq!(join(base, path).unwrap(), "http://h/v1/users");
        }
    }
    assert_eq!(
        join("http://h/v1?api_key=k", "users?a=1").unwrap(),
        "http://h/v1/users?a=1&api_key=k"
    );
    assert_eq!(join("http://h/v1?api_key=k", "users").unwrap(), "http://h/v1/users?api_key=k");
}

#[test]
fn an_item_is_a_segment_below_its_table() {
    let target = Target::of("http://h", "users?full=1", &[]).unwrap();
    assert_eq!(target.item("a/b").unwrap().url(&[]), "http://h/users/a%2Fb?full=1");
}

#[test]
fn the_names_of_placeholders_are_known() {
    assert_eq!(placeholders("a/{b}/c?d={e}&{").collect::<Vec<_>>(), ["b", "e"]);
}

proptest! {
    // Kills any encoding that lets a value reach into the structure of the URL.
    #[test]
    fn a_value_stays_one_segment_and_comes_back(value in "\\PC{1,20}") {
        prop_assume!(!matches!(value.as_str(), "." | ".."));
        let target = Target::of("http://h", "a/{v}/b", &pairs(&[("v", &value)])).unwrap();
        let url = url::Url::parse(&target.url(&[])).unwrap();
        let segments: Vec<_> = url.path_segments().unwrap().collect();
        prop_assert_eq!(segments.len(), 3);
        let decoded = percent_encoding::percent_decode_str(segments[1]).decode_utf8().unwrap();
        prop_assert_eq!(decoded, value);
    }

    #[test]
    fn never_panics(template in "[a-z{}?/=&.]{0,24}", field in "[a-z]{0,2}", value in any::<String>()) {
        let _ = Target::of("http://h", &template, &[(field, value)]);
    }
}
