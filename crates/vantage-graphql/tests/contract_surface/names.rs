//! Items are found under each of their paths, and are the same item there.

use std::any::TypeId;

#[test]
fn transport_types_are_the_pools_own() {
    macro_rules! same {
        ($($item:ident),*) => {$(
            assert_eq!(
                TypeId::of::<vantage_graphql::$item>(),
                TypeId::of::<api_pool::$item>(),
                stringify!($item)
            );
        )*};
    }
    same!(
        AuthFuture,
        AuthRefresher,
        BearerSource,
        BreakerMode,
        BreakerState,
        CallPolicy,
        ClientError,
        ErrorKind,
        ResilientClient,
        ResilientClientBuilder,
        RetryMode,
        RetryPolicy,
        TransportEvent
    );
    fn observer<T: vantage_graphql::TransportObserver>() -> impl api_pool::TransportObserver {
        struct Silent<T>(std::marker::PhantomData<fn() -> T>);
        impl<T> api_pool::TransportObserver for Silent<T> {
            fn on_event(&self, _key: &str, _event: api_pool::TransportEvent) {}
        }
        Silent::<T>(std::marker::PhantomData)
    }
    struct Own;
    impl vantage_graphql::TransportObserver for Own {
        fn on_event(&self, _key: &str, _event: vantage_graphql::TransportEvent) {}
    }
    let _ = observer::<Own>();
    assert_eq!(TypeId::of::<vantage_graphql::Priority>(), TypeId::of::<vantage_core::Priority>());
}

#[test]
fn the_modules_hold_what_the_root_does() {
    fn same<A: 'static, B: 'static>() {
        assert_eq!(TypeId::of::<A>(), TypeId::of::<B>());
    }
    same::<vantage_graphql::AnyGraphqlType, vantage_graphql::types::AnyGraphqlType>();
    same::<vantage_graphql::GraphqlTypeVariants, vantage_graphql::types::GraphqlTypeVariants>();
    same::<vantage_graphql::GraphqlApiVistaFactory, vantage_graphql::vista::GraphqlApiVistaFactory>(
    );
    same::<
        vantage_graphql::GraphqlApiVistaFactory,
        vantage_graphql::vista::factory::GraphqlApiVistaFactory,
    >();
    same::<vantage_graphql::GraphqlApiVistaSpec, vantage_graphql::vista::spec::GraphqlApiVistaSpec>(
    );
    same::<vantage_graphql::GraphqlBlock, vantage_graphql::vista::spec::GraphqlBlock>();
    same::<vantage_graphql::GraphqlColumnBlock, vantage_graphql::vista::spec::GraphqlColumnBlock>();
    same::<vantage_graphql::GraphqlColumnExtras, vantage_graphql::vista::spec::GraphqlColumnExtras>(
    );
    same::<vantage_graphql::GraphqlTableExtras, vantage_graphql::vista::spec::GraphqlTableExtras>();
}

#[test]
fn the_prelude_has_the_adapter_and_not_the_transport() {
    use vantage_graphql::prelude::*;
    // Would be ambiguous if the prelude had one too.
    struct ResilientClient;
    let _ = ResilientClient;
    let api: GraphqlApi =
        GraphqlApi::builder("http://localhost").dialect(FilterDialect::Hasura).build();
    let _: GraphqlApiBuilder = GraphqlApi::builder("http://localhost");
    let _: Supports = Supports::default().with_count(CountMode::Aggregate);
    let condition: GraphqlCondition = FieldCondition::new("a", GraphqlOp::Eq, 1).into();
    let _: GraphqlSelect = GraphqlSelect::new().with_condition(condition);
    let _: Option<RenderedQuery> = None;
    let _: GraphqlApiVistaFactory = api.vista_factory();
    let _ = GraphqlApiVistaSpec::new("a");
    let _ = GraphqlTableExtras::new(GraphqlBlock::default());
    let _ = GraphqlColumnExtras::new(GraphqlColumnBlock::default());
    let column = vantage_table::column::core::Column::<AnyGraphqlType>::new("a");
    let _: GraphqlCondition = column.is_null();
    assert_eq!(i32::from_json(serde_json::json!(7)), Some(7));
    assert_eq!(AnyGraphqlType::new(7).type_variant(), Some(GraphqlTypeVariants::Int));
}
