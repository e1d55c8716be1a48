//! Starting and stopping a server.

use core::pin::pin;
use std::{
    io,
    net::{Ipv4Addr, TcpListener as StdListener},
    sync::Arc,
    thread,
    time::Duration,
};

use tokio::{
    net::TcpListener,
    runtime::{Builder, Handle},
    sync::oneshot,
    time::timeout,
};

use crate::{
    config::{Config, ExpiredCursor},
    connection::{Connection, Doors},
    faults::FaultPlan,
    routes,
    shared::Shared,
    stats::Stats,
};

/// How long open requests may take to finish once the server is told to stop.
const GRACE: Duration = Duration::from_millis(250);

/// A running server on 127.0.0.1. It stops when it is dropped.
///
/// # Examples
///
/// ```
/// use demo_api::{Config, DemoServer, Fault, FaultPlan, Rule};
///
/// let server = DemoServer::start_in_thread(Config::new())?;
/// println!("read {}/airports", server.url());
///
/// // Stage an outage: the next two requests fail.
/// server.set_faults(FaultPlan::new(0).with(Rule::requests(1..=2, Fault::status(503))));
/// assert_eq!(server.stats().requests(), 0);
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct DemoServer {
    shared: Arc<Shared>,
    thread: Option<thread::JoinHandle<()>>,
    ended: Option<oneshot::Receiver<()>>,
}

impl DemoServer {
    /// Starts a server on the caller's Tokio runtime.
    ///
    /// A runtime with a paused clock wants [`start_in_thread`](Self::start_in_thread) instead:
    /// real sockets and virtual time do not mix.
    ///
    /// # Errors
    ///
    /// If the port is taken, or the caller is not in a Tokio runtime.
    pub fn start(config: Config) -> io::Result<Self> {
        let runtime = Handle::try_current().map_err(io::Error::other)?;
        let (listener, shared) = bind(config)?;
        let (end, ended) = oneshot::channel::<()>();
        let serving = serve(listener, Arc::clone(&shared));
        runtime.spawn(async move {
            let _end = end;
            // The socket is bound already; what can fail now is one connection at a time.
            let _ = serving.await;
        });
        Ok(Self { shared, thread: None, ended: Some(ended) })
    }

    /// Starts a server on a thread and runtime of its own, for callers that block or pause time.
    ///
    /// # Errors
    ///
    /// If the port is taken, or no thread or runtime can be made.
    pub fn start_in_thread(config: Config) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (listener, shared) = {
            let _entered = runtime.enter();
            bind(config)?
        };
        let (end, ended) = oneshot::channel::<()>();
        let serving = serve(listener, Arc::clone(&shared));
        let thread = thread::Builder::new().name("demo-api".to_owned()).spawn(move || {
            let _end = end;
            let _ = runtime.block_on(serving);
        })?;
        Ok(Self { shared, thread: Some(thread), ended: Some(ended) })
    }

    /// The address, like `http://127.0.0.1:41234`, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.shared.url
    }

    /// What the server has seen until now.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.shared.counters.snapshot()
    }

    /// The last 1,000 requests in the order of their arrival, like `GET /airports?_page=2`.
    #[must_use]
    pub fn recent_requests(&self) -> Vec<String> {
        self.shared.counters.recent()
    }

    /// Replaces the fault plan. Its time and its request numbers start now.
    pub fn set_faults(&self, plan: FaultPlan) {
        self.shared.install(plan);
    }

    /// Makes every token issued so far invalid.
    pub fn revoke_tokens(&self) {
        self.shared.revoke_tokens();
    }

    /// Makes every cursor issued so far expire, and sets the answer to expired cursors.
    pub fn expire_cursors(&self, answer: ExpiredCursor) {
        self.shared.expire_cursors(answer);
    }

    /// Stops: accepts nothing more, gives open requests a moment, then closes their connections.
    ///
    /// Requests that hang and bodies without end are ended at once.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops the server without the moment.
    pub async fn shutdown(mut self) {
        self.shared.close();
        if let Some(ended) = self.ended.take() {
            // An error is the sender's drop, which is the end waited for.
            let _ = ended.await;
        }
    }

    /// Serves until the process is interrupted.
    ///
    /// # Errors
    ///
    /// If the interrupt cannot be listened for.
    pub async fn run_until_interrupted(self) -> io::Result<()> {
        tokio::signal::ctrl_c().await?;
        self.shutdown().await;
        Ok(())
    }
}

impl Drop for DemoServer {
    fn drop(&mut self) {
        self.shared.close();
        self.shared.connections.cut_all();
        if let Some(thread) = self.thread.take() {
            // Ends within two graces; a panic in there has been printed by the thread itself.
            let _ = thread.join();
        }
    }
}

/// Binds before anything runs, so that a taken port is the caller's error.
fn bind(config: Config) -> io::Result<(StdListener, Arc<Shared>)> {
    let listener = StdListener::bind((Ipv4Addr::LOCALHOST, config.port))?;
    listener.set_nonblocking(true)?;
    let url = format!("http://{}", listener.local_addr()?);
    Ok((listener, Arc::new(Shared::new(config, url))))
}

async fn serve(listener: StdListener, shared: Arc<Shared>) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let doors = Doors::new(listener, Arc::clone(&shared.connections), Arc::clone(&shared.counters));
    let app = routes::router(Arc::clone(&shared));
    let serving = axum::serve(doors, app.into_make_service_with_connect_info::<Connection>())
        .with_graceful_shutdown(shared.closed());
    let mut serving = pin!(serving.into_future());
    tokio::select! {
        result = &mut serving => return result,
        () = shared.closed() => (),
    }
    if timeout(GRACE, &mut serving).await.is_err() {
        shared.connections.cut_all();
        let _ = timeout(GRACE, serving).await;
    }
    Ok(())
}
