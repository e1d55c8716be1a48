//! YAML specs of tables.

use vantage_graphql::{GraphqlApi, GraphqlApiVistaFactory, GraphqlApiVistaSpec};
use vantage_rest::{RestApi, RestApiVistaSpec};

/// Reads the bytes as specs of both adapters and builds what they describe.
///
/// # Panics
///
/// If building does.
pub fn specs(data: &[u8]) {
    let Ok(yaml) = std::str::from_utf8(data) else { return };
    if let Ok(spec) = serde_yaml_ng::from_str::<RestApiVistaSpec>(yaml) {
        let mut factory = RestApi::new("http://127.0.0.1:9").vista_factory();
        if factory.register_yaml(yaml).is_ok() {
            let _ = factory.build(&spec.name);
        }
    }
    if let Ok(spec) = serde_yaml_ng::from_str::<GraphqlApiVistaSpec>(yaml) {
        let mut factory = GraphqlApiVistaFactory::new(GraphqlApi::new("http://127.0.0.1:9"));
        if factory.register_yaml(yaml).is_ok() {
            let _ = factory.build(&spec.name);
        }
    }
}
