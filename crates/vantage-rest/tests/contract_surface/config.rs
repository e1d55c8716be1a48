//! The configuration types.

use vantage_rest::{
    FilterStrategy, OrderingParams, PaginationMode, PaginationParams, ResponseShape,
};

#[test]
fn the_defaults_are_as_documented() {
    let ResponseShape::Wrapped { array_key } = ResponseShape::default() else { panic!() };
    assert_eq!(array_key, "data");
    let params = PaginationParams::default();
    assert_eq!((params.page.as_str(), params.limit.as_str()), ("_page", "_limit"));
    assert_eq!(params.mode, PaginationMode::Page);
    assert_eq!(PaginationMode::default(), PaginationMode::Page);
    assert_eq!(FilterStrategy::default(), FilterStrategy::Query);
}

#[test]
fn the_constructors_name_the_parameters() {
    let page = PaginationParams::page_limit("page", "per_page");
    assert_eq!((page.page.as_str(), page.limit.as_str()), ("page", "per_page"));
    let skip = PaginationParams::skip_limit("skip", "take");
    assert_eq!((skip.page.as_str(), skip.mode), ("skip", PaginationMode::Skip));
    let ordering = OrderingParams::new("sort", "-").clone();
    assert_eq!((ordering.param.as_str(), ordering.desc_prefix.as_str()), ("sort", "-"));
}

#[test]
fn the_values_are_cloned_compared_and_shown() {
    let shape = ResponseShape::BareArray;
    assert_eq!(format!("{:?}", shape.clone()), "BareArray");
    let (mode, strategy) = (PaginationMode::Skip, FilterStrategy::Client);
    let (copied_mode, copied_strategy) = (mode, strategy);
    assert_eq!((mode, strategy), (copied_mode, copied_strategy));
    assert!(format!("{:?}", PaginationParams::default()).contains("_limit"));
}
