//! Factories, specs and blocks.

use std::sync::Arc;

use vantage_graphql::{
    GraphqlApi, GraphqlApiTableShell, GraphqlApiVistaFactory, GraphqlApiVistaSpec, GraphqlBlock,
    GraphqlColumnBlock, GraphqlColumnExtras, GraphqlTableExtras,
};
use vantage_table::table::Table;
use vantage_types::EmptyEntity;
use vantage_vista::{ColumnSpec, NoExtras, TableShell, VistaFactory};

use crate::value;

#[test]
fn values_are_copied_shown_and_shared() {
    value::<GraphqlBlock>();
    value::<GraphqlColumnBlock>();
    value::<GraphqlTableExtras>();
    value::<GraphqlColumnExtras>();
    value::<GraphqlApiVistaSpec>();
    fn shell<T: TableShell + Clone>() {}
    shell::<GraphqlApiTableShell>();
}

#[test]
fn a_factory_makes_vistas_in_each_way() {
    fn extras<F>(
        factory: &F,
        spec: GraphqlApiVistaSpec,
    ) -> vantage_core::Result<vantage_vista::Vista>
    where
        F: VistaFactory<
                TableExtras = GraphqlTableExtras,
                ColumnExtras = GraphqlColumnExtras,
                ReferenceExtras = NoExtras,
            >,
    {
        factory.build_from_spec(spec)
    }
    let api = GraphqlApi::new("http://localhost");
    let spec = || {
        let mut spec = GraphqlApiVistaSpec::new("a");
        spec.columns.insert("id".to_owned(), ColumnSpec::new());
        spec
    };
    let mut factory = GraphqlApiVistaFactory::new(api.clone())
        .with_resolver(Arc::new(move |name: &str| (name == "resolved").then(spec)));
    factory.register_yaml("name: registered\ncolumns: { id: {} }").unwrap();

    assert_eq!(factory.api().endpoint(), "http://localhost");
    assert_eq!(factory.build("registered").unwrap().name(), "registered");
    assert_eq!(factory.build("resolved").unwrap().name(), "a");
    assert_eq!(factory.from_yaml("name: y\ncolumns: { id: {} }").unwrap().name(), "y");
    assert_eq!(extras(&factory, spec()).unwrap().name(), "a");
    let table: Table<GraphqlApi, EmptyEntity> = factory.table_from_spec(&spec()).unwrap();
    assert_eq!(table.table_name(), "a");
    let vista = factory.from_table(table).unwrap();
    assert_eq!((vista.name(), vista.driver_name()), ("a", "graphql"));
    assert!(format!("{factory:?}").contains("localhost"));
}
