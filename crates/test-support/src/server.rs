//! A raw-socket server that follows a script on each connection.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use tokio::{
    net::TcpListener,
    task::{JoinHandle, JoinSet},
};

use crate::{
    connection::Connection,
    script::Script,
    seen::{Record, Seen},
};

/// A server on 127.0.0.1 that misbehaves on the level of bytes. It stops when it is dropped.
///
/// It counts connections, bytes and the requests that its scripts read completely.
///
/// # Examples
///
/// ```
/// use test_support::{FaultServer, Script, answer};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// // The first connection is reset, all others are answered.
/// let server = FaultServer::start(|connection| match connection {
///     0 => Script::new().read_request().reset(),
///     _ => Script::answering(answer(200, &[], "hello")),
/// })
/// .await?;
/// assert!(server.url().starts_with("http://127.0.0.1:"));
/// assert_eq!(server.seen().connections(), 0);
/// # std::io::Result::Ok(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct FaultServer {
    address: SocketAddr,
    seen: Arc<Record>,
    accepting: JoinHandle<()>,
}

impl FaultServer {
    /// Starts a server on a free port; `script` is asked for each connection, from number 0.
    ///
    /// # Errors
    ///
    /// If no port can be bound.
    ///
    /// # Panics
    ///
    /// Outside a Tokio runtime with I/O and time enabled.
    pub async fn start<F>(script: F) -> io::Result<Self>
    where
        F: Fn(u64) -> Script + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let seen = Arc::<Record>::default();
        let accepting = tokio::spawn(accept(listener, script, Arc::clone(&seen)));
        Ok(Self { address, seen, accepting })
    }

    /// The address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address as a URL without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was seen until now.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.seen.snapshot()
    }
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        // The connections' tasks belong to the accepting one.
        self.accepting.abort();
    }
}

async fn accept<F: Fn(u64) -> Script>(listener: TcpListener, script: F, seen: Arc<Record>) {
    let mut connections = JoinSet::new();
    for number in 0.. {
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                // Out of file descriptors, or a client that has already left.
                Err(_) => tokio::task::yield_now().await,
            }
        };
        let connection = Connection::new(stream, Arc::clone(&seen));
        connections.spawn(connection.run(script(number)));
        while connections.try_join_next().is_some() {}
    }
}
