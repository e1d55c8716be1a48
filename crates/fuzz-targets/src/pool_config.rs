//! Settings of a client in configuration.

use api_pool::{ResilientClient, config::PoolConfig};

/// Reads the bytes as settings, in JSON, YAML and environment variables, and builds a client.
///
/// # Panics
///
/// If what was read is not what it is written as, or building panics.
pub fn pool_config(data: &[u8]) {
    if let Ok(config) = serde_json::from_slice::<PoolConfig>(data) {
        survives(&config);
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(config) = serde_yaml_ng::from_str::<PoolConfig>(text) {
        survives(&config);
    }
    let variables = text.lines().filter_map(|line| line.split_once('='));
    if let Ok(config) = PoolConfig::from_vars("API_", variables) {
        survives(&config);
    }
}

fn survives(config: &PoolConfig) {
    let text = serde_json::to_string(config).expect("settings can be written");
    match serde_json::from_str::<PoolConfig>(&text) {
        Ok(back) => assert_eq!(back, *config, "{text}"),
        Err(error) => panic!("{error}: {text}"),
    }
    drop(ResilientClient::builder().configure(config));
}
