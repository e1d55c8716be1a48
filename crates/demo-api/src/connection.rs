//! Connections that can be cut from outside: by the fault that wants a reset, or by the shutdown.

use core::{
    pin::Pin,
    sync::atomic::{AtomicU8, Ordering},
    task::{Context, Poll},
};
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use axum::{
    extract::connect_info::Connected,
    serve::{IncomingStream, Listener},
};
use futures_util::task::AtomicWaker;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
};

use crate::{clock, stats::Counters};

/// How a connection ends when it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// In the orderly way (FIN).
    Close = 1,
    /// With a reset (RST).
    Reset = 2,
}

/// The switch of one connection, shared by its stream and its requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection(Arc<Switch>);

#[derive(Debug, Default)]
struct Switch {
    cut: AtomicU8,
    waker: AtomicWaker,
}

impl Connection {
    /// Ends the connection before its next byte is read or written.
    pub(crate) fn cut(&self, how: Cut) {
        self.0.cut.store(how as u8, Ordering::Release);
        self.0.waker.wake();
    }
}

impl Switch {
    fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Acquire) != 0
    }

    fn check(&self, cx: &Context<'_>) -> io::Result<()> {
        self.waker.register(cx.waker());
        if self.is_cut() { Err(io::ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }
}

impl Connected<IncomingStream<'_, Doors>> for Connection {
    fn connect_info(stream: IncomingStream<'_, Doors>) -> Self {
        stream.io().connection.clone()
    }
}

/// All open connections.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<Vec<Weak<Switch>>>);

impl Connections {
    fn add(&self, connection: &Connection) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() == open.capacity() {
            open.retain(|switch| switch.strong_count() > 0);
        }
        open.push(Arc::downgrade(&connection.0));
    }

    /// Closes every connection that is still open.
    pub(crate) fn cut_all(&self) {
        let open = core::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for switch in open.iter().filter_map(Weak::upgrade) {
            Connection(switch).cut(Cut::Close);
        }
    }
}

/// Accepts connections and gives each its switch.
#[derive(Debug)]
pub(crate) struct Doors {
    listener: TcpListener,
    open: Arc<Connections>,
    counters: Arc<Counters>,
}

impl Doors {
    pub(crate) fn new(
        listener: TcpListener,
        open: Arc<Connections>,
        counters: Arc<Counters>,
    ) -> Self {
        Self { listener, open, counters }
    }
}

impl Listener for Doors {
    type Io = Stream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Stream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    // Small answers must not wait for the client's acknowledgement.
                    let _ = stream.set_nodelay(true);
                    let connection = Connection::default();
                    self.open.add(&connection);
                    self.counters.connected();
                    return (Stream { stream, connection }, address);
                }
                // Out of file descriptors, or a client that has already left.
                Err(_) => clock::sleep(Duration::from_millis(10)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A TCP stream that fails once its connection is cut.
#[derive(Debug)]
pub(crate) struct Stream {
    stream: TcpStream,
    connection: Connection,
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.connection.0.cut.load(Ordering::Acquire) == Cut::Reset as u8 {
            // Closing a socket that must not linger sends RST instead of FIN.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.connection.0.check(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.connection.0.check(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.connection.0.check(cx)?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection.0.check(cx)?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection.0.check(cx)?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
