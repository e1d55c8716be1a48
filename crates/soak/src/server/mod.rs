//! A server on raw sockets that counts what reaches it.

mod connection;
mod frames;

use std::{
    future::Future,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

pub(crate) use self::{
    connection::{Connection, Part},
    frames::Frames,
};

/// How a connection ended; an error is the client's leaving.
pub(crate) type Served = io::Result<()>;

/// How long an ended connection waits for the client to leave.
const LINGER: Duration = Duration::from_secs(5);

/// A server on 127.0.0.1. It stops when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    tally: Arc<Tally>,
    accepting: JoinHandle<()>,
}

/// What reached a server.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Requests of which at least one byte arrived.
    begun: AtomicU64,
    open: AtomicU64,
}

impl Tally {
    fn begun(&self) {
        self.begun.fetch_add(1, Ordering::SeqCst);
    }
}

impl Server {
    /// Starts a server; `serve` is run for each connection.
    pub(crate) async fn start<F, S>(serve: F) -> io::Result<Self>
    where
        F: Fn(Connection) -> S + Send + 'static,
        S: Future<Output = Served> + Send + 'static,
    {
        Self::listen(move |stream, tally| serve(Connection::new(stream, tally))).await
    }

    /// As [`start`](Self::start), for HTTP/2.
    pub(crate) async fn start_frames<F, S>(serve: F) -> io::Result<Self>
    where
        F: Fn(Frames) -> S + Send + 'static,
        S: Future<Output = Served> + Send + 'static,
    {
        Self::listen(move |stream, tally| serve(Frames::new(stream, tally))).await
    }

    async fn listen<F, S>(serve: F) -> io::Result<Self>
    where
        F: Fn(TcpStream, Arc<Tally>) -> S + Send + 'static,
        S: Future<Output = Served> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let tally = Arc::<Tally>::default();
        let accepting = tokio::spawn(accept(listener, Arc::clone(&tally), serve));
        Ok(Self { address, tally, accepting })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests of which at least one byte arrived.
    pub(crate) fn requests(&self) -> u64 {
        self.tally.begun.load(Ordering::SeqCst)
    }

    /// Waits until no connection is open; says whether that happened in time.
    pub(crate) async fn until_idle(&self) -> bool {
        for _ in 0..500 {
            if self.tally.open.load(Ordering::SeqCst) == 0 {
                return true;
            }
            pause(Duration::from_millis(20)).await;
        }
        false
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept<F, S>(listener: TcpListener, tally: Arc<Tally>, serve: F)
where
    F: Fn(TcpStream, Arc<Tally>) -> S,
    S: Future<Output = Served> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(serve(stream, Arc::clone(&tally)));
            }
            // Out of file descriptors, or a client that has already left.
            Err(_) => tokio::task::yield_now().await,
        }
        while connections.try_join_next().is_some() {}
    }
}

#[expect(clippy::disallowed_methods, reason = "sockets are real, and so is this time")]
pub(crate) async fn pause(duration: Duration) {
    tokio::time::sleep(duration).await;
}
