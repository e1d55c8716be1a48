//! The names an application imports.

use vantage_rest::prelude::*;

#[test]
fn the_prelude_carries_the_adapter() {
    let api: RestApi =
        RestApi::builder("http://h").response_shape(ResponseShape::BareArray).build();
    let _: RestApiBuilder = RestApi::builder("http://h");
    let _: RestApiVistaFactory = api.vista_factory();
    let _ = (PaginationMode::Page, FilterStrategy::Query, OrderingParams::new("s", "-"));
    let _ = PaginationParams::default();
    let _ = ApiTableExtras::new(ApiTableBlock::default());
    let _ = eq_condition("a", 1);
    let _: Option<RestApiTableShell> = None;
    let _: Option<RestApiVistaSpec> = None;
}

#[test]
fn the_root_carries_the_transport_too() {
    fn same<T>(_: Option<T>, _: Option<T>) {}
    same::<vantage_rest::AuthFuture>(None, None::<api_pool::AuthFuture>);
    same::<vantage_rest::AuthRefresher>(None, None::<api_pool::AuthRefresher>);
    same::<vantage_rest::BearerSource>(None, None::<api_pool::BearerSource>);
    same::<vantage_rest::BreakerMode>(None, None::<api_pool::BreakerMode>);
    same::<vantage_rest::BreakerState>(None, None::<api_pool::BreakerState>);
    same::<vantage_rest::CallPolicy>(None, None::<api_pool::CallPolicy>);
    same::<vantage_rest::ClientError>(None, None::<api_pool::ClientError>);
    same::<vantage_rest::ErrorKind>(None, None::<api_pool::ErrorKind>);
    same::<vantage_rest::Priority>(None, None::<vantage_core::Priority>);
    same::<vantage_rest::ResilientClient>(None, None::<api_pool::ResilientClient>);
    same::<vantage_rest::ResilientClientBuilder>(None, None::<api_pool::ResilientClientBuilder>);
    same::<vantage_rest::RetryMode>(None, None::<api_pool::RetryMode>);
    same::<vantage_rest::RetryPolicy>(None, None::<api_pool::RetryPolicy>);
    same::<vantage_rest::TransportEvent>(None, None::<api_pool::TransportEvent>);
    same::<Box<dyn vantage_rest::TransportObserver>>(
        None,
        None::<Box<dyn api_pool::TransportObserver>>,
    );
}

#[test]
fn the_modules_have_their_names() {
    use vantage_rest::{
        ApiColumnExtras, ApiReferenceExtras,
        vista::{factory::RestApiVistaFactory, spec::RestApiVistaSpec},
    };
    fn named<T>() -> &'static str {
        std::any::type_name::<T>()
    }
    assert!(named::<RestApiVistaFactory>().ends_with("RestApiVistaFactory"));
    assert!(named::<RestApiVistaSpec>().contains("VistaSpec"));
    assert_eq!(named::<ApiColumnExtras>(), named::<ApiReferenceExtras>());
}

#[test]
fn the_types_cross_threads() {
    fn holds<T: Send + Sync + Clone + std::fmt::Debug + 'static>() {}
    holds::<RestApi>();
    holds::<RestApiBuilder>();
    holds::<RestApiTableShell>();
}
