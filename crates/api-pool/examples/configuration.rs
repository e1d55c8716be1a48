//! The settings of a client from TOML, YAML, JSON or environment variables.
//!
//! `cargo run --example configuration --features serde` reads the four samples below, which say
//! the same, and whatever `AIRPORTS_…` variables are set:
//!
//! ```sh
//! AIRPORTS_PRESET=gentle AIRPORTS_RETRY__MAX_RETRIES=1 \
//!     cargo run --example configuration --features serde
//! ```

use std::error::Error;

use api_pool::config::PoolConfig;
use api_pool::{ResilientClient, ResilientClientBuilder};

const TOML: &str = r#"
preset = "gentle"
max_wait = "30s"

[retry]
max_retries = 1

[rate]
per_second = 5
burst = 2
"#;

const YAML: &str = "
preset: gentle
max_wait: 30s
retry:
  max_retries: 1
rate:
  per_second: 5
  burst: 2
";

const JSON: &str = r#"{
  "preset": "gentle",
  "max_wait": "30s",
  "retry": { "max_retries": 1 },
  "rate": { "per_second": 5, "burst": 2 }
}"#;

const VARS: [(&str, &str); 5] = [
    ("SAMPLE_PRESET", "gentle"),
    ("SAMPLE_MAX_WAIT", "30s"),
    ("SAMPLE_RETRY__MAX_RETRIES", "1"),
    ("SAMPLE_RATE__PER_SECOND", "5"),
    ("SAMPLE_RATE__BURST", "2"),
];

fn samples() -> Result<[PoolConfig; 4], Box<dyn Error>> {
    Ok([
        toml::from_str(TOML)?,
        serde_yaml_ng::from_str(YAML)?,
        serde_json::from_str(JSON)?,
        PoolConfig::from_vars("SAMPLE_", VARS)?,
    ])
}

fn client(config: &PoolConfig) -> ResilientClientBuilder {
    ResilientClient::builder().configure(config)
}

#[expect(clippy::print_stdout, reason = "an example talks to its reader")]
fn main() -> Result<(), Box<dyn Error>> {
    let samples = samples()?;
    println!("All four samples read as\n{}", toml::to_string(&samples[0])?);

    let config = PoolConfig::from_vars("AIRPORTS_", std::env::vars_os())?;
    println!("The environment sets {}", serde_json::to_string(&config)?);
    println!("{:?}", client(&config));

    // A mistake is found when the program starts, not when the API is down.
    let mistake = toml::from_str::<PoolConfig>("[retry]\nbase_backoff = \"1m\"\n");
    println!(
        "\nA contradiction:\n{}",
        mistake.map_or_else(|error| error.to_string(), |_| String::new())
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_samples_say_the_same() {
        let [toml, others @ ..] = samples().unwrap();
        assert!(others.iter().all(|other| *other == toml));
        main().unwrap();
    }
}
