//! Server, clients and screen together.

use core::fmt;
use std::{
    error::Error,
    io::{self, IsTerminal as _, Write as _},
    sync::Arc,
};

use demo_api::{Config, DemoServer};
use tokio::{runtime::Runtime, sync::watch};

use crate::{
    args::{Once, Options},
    board::Board,
    clock,
    fleet::Fleet,
    screen::{capture, text_of},
    story,
    terminal::{self, Ended},
    traffic::Traffic,
    ui::Theme,
};

/// Starts a demo server and its callers, and shows them as the options say.
///
/// # Errors
///
/// [`Failure`], if there is no terminal, if it fails, or if some thread panicked.
pub fn run(options: &Options, theme: Theme) -> Result<(), Failure> {
    if options.once.is_none() && !io::stdout().is_terminal() {
        return Err(Failure::NoTerminal);
    }
    let runtime = Runtime::new()?;
    let (server, board, traffic) = runtime.block_on(start(options))?;
    let model = || board.model(server.url(), server.stats().requests());
    match options.once {
        Some(Once { after, size: (width, height) }) => {
            runtime.block_on(clock::sleep(after));
            let screen = capture(&model(), Theme::Plain, width, height);
            io::stdout().write_all(text_of(&screen).as_bytes())?;
        }
        None => {
            let stop = stop_signal(&runtime)?;
            match terminal::show(model, theme, || *stop.borrow())? {
                Ended::Panicked => return Err(Failure::Panicked),
                Ended::Asked | Ended::Stopped => (),
            }
        }
    }
    drop(traffic);
    runtime.shutdown_background();
    Ok(())
}

async fn start(options: &Options) -> Result<(Arc<DemoServer>, Board, Traffic), Failure> {
    let faults = match &options.faults {
        Some(faults) => faults.clone(),
        None => story::plan(options.seed).map_err(io::Error::other)?,
    };
    let server =
        Arc::new(DemoServer::start(Config::new().seed(options.seed).faults(faults.clone()))?);
    if options.faults.is_none() {
        let again = Arc::downgrade(&server);
        tokio::spawn(async move {
            loop {
                clock::sleep(story::LENGTH).await;
                let Some(server) = again.upgrade() else { return };
                server.set_faults(faults.clone());
            }
        });
    }
    let mut board = Board::start();
    let fleet = Fleet::new(server.url(), &mut board)?;
    Ok((server, board, Traffic::start(fleet)))
}

/// Becomes true when the process is told to end.
fn stop_signal(runtime: &Runtime) -> io::Result<watch::Receiver<bool>> {
    let (stop, stopped) = watch::channel(false);
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let _entered = runtime.enter();
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hangup = signal(SignalKind::hangup())?;
        runtime.spawn(async move {
            tokio::select! {
                _ = terminate.recv() => (),
                _ = hangup.recv() => (),
            }
            stop.send_replace(true);
        });
    }
    #[cfg(not(unix))]
    runtime.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stop.send_replace(true);
        }
    });
    Ok(stopped)
}

/// Why nothing is shown any more.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The terminal, the server or a client failed.
    Io(io::Error),
    /// Standard output is not a terminal, and one screen as text was not asked for.
    NoTerminal,
    /// Some thread panicked.
    Panicked,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(_) => f.write_str("the dashboard cannot go on"),
            Self::NoTerminal => f.write_str(
                "standard output is not a terminal; `--once` prints one screen as text instead",
            ),
            Self::Panicked => f.write_str("a thread panicked"),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::NoTerminal | Self::Panicked => None,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
