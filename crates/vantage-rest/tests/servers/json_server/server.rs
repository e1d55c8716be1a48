//! Starting `json-server`.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::json;

/// The version this test was written against.
const PACKAGE: &str = "json-server@0.17.4";

/// A running `json-server`, stopped when dropped.
pub(crate) struct JsonServer {
    process: Child,
    url: String,
}

impl JsonServer {
    /// Installs and starts the server; `None` where that is not possible here.
    pub(crate) fn start() -> Option<Self> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("json-server");
        match program(&folder) {
            Ok(program) => Some(Self::run(&folder, &program)),
            Err(reason) if std::env::var_os("REQUIRE_JSON_SERVER").is_some() => panic!("{reason}"),
            Err(reason) => {
                eprintln!("SKIPPED: no {PACKAGE} to read: {reason}");
                None
            }
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    fn run(folder: &Path, program: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let database = folder.join(format!("db-{port}.json"));
        let tables = json!({"airports": demo_api::airports(), "flights": demo_api::flights()});
        fs::write(&database, tables.to_string()).unwrap();
        let process = Command::new("node")
            .arg(program)
            .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--id", "iata", "--quiet"])
            .arg(&database)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, url: format!("http://127.0.0.1:{port}") }
    }
}

impl Drop for JsonServer {
    fn drop(&mut self) {
        // It may have ended by itself; either way it is gone afterwards.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The server's program, installed below `folder`.
fn program(folder: &Path) -> Result<PathBuf, String> {
    let program = folder.join("node_modules/json-server/lib/cli/bin.js");
    if program.exists() {
        return Ok(program);
    }
    fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let installed = Command::new(npm)
        .args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"])
        .arg(folder)
        .arg(PACKAGE)
        .stdout(Stdio::null())
        .status()
        .map_err(|e| format!("{npm}: {e}"))?;
    if installed.success() && program.exists() {
        Ok(program)
    } else {
        Err(format!("npm could not install it ({installed})"))
    }
}
