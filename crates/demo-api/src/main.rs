//! The stand-alone server.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use demo_api::{Config, DemoServer, USAGE};

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--help") {
        return finish(write!(io::stdout(), "{USAGE}"));
    }
    match Config::from_args(args) {
        Ok(config) => finish(serve(config).await),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

async fn serve(config: Config) -> io::Result<()> {
    let server = DemoServer::start(config)?;
    let url = server.url();
    writeln!(io::stdout(), "serving {url}/airports and {url}/flights; counts at {url}/stats")?;
    server.run_until_interrupted().await
}

fn finish(result: io::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}
