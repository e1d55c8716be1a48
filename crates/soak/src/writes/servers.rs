//! A server that cuts, one that never does, and an address where nobody listens.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use test_support::answer;
use tokio::net::TcpSocket;

use super::book::Book;
use crate::server::{Connection, Part, Served, Server};

/// Longer than any request and any answer of a run: every offset below is cut at.
pub(super) const OFFSETS: u64 = 400;

/// Starts a server that cuts requests and answers at each offset in turn.
pub(super) async fn cutting(book: Arc<Book>) -> io::Result<Server> {
    let turn = Arc::new(AtomicU64::new(0));
    Server::start(move |connection| cut(connection, Arc::clone(&book), Arc::clone(&turn))).await
}

/// Starts a server that answers everything.
pub(super) async fn steady(book: Arc<Book>) -> io::Result<Server> {
    Server::start(move |connection| serve(connection, Arc::clone(&book))).await
}

/// An address that refuses connections, for as long as the socket lives.
pub(super) fn nobody() -> io::Result<(TcpSocket, SocketAddr)> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    let address = socket.local_addr()?;
    Ok((socket, address))
}

async fn serve(mut connection: Connection, book: Arc<Book>) -> Served {
    loop {
        book.arrive(&connection.request().await?);
        connection.send(&good()).await?;
    }
}

async fn cut(mut connection: Connection, book: Arc<Book>, turn: Arc<AtomicU64>) -> Served {
    loop {
        connection.knock().await?;
        let turn = turn.fetch_add(1, Ordering::Relaxed);
        let at = usize::try_from(turn / 6 % OFFSETS).unwrap_or_default();
        let resets = turn.is_multiple_of(2);
        match turn / 2 % 3 {
            0 => {
                let part = connection.read_some(at).await?;
                if part == Part::All {
                    // It arrived, so it is done; only the answer is missing.
                    book.arrive(&connection.request().await?);
                }
                return if resets { connection.reset() } else { connection.finish().await };
            }
            1 => {
                book.arrive(&connection.request().await?);
                let answer = good();
                connection.send(answer.get(..at).unwrap_or(&answer)).await?;
                // With all of the answer, the client may send its next request: RST would lose it.
                let resets = resets && at < answer.len();
                return if resets { connection.reset() } else { connection.finish().await };
            }
            _ => {
                book.arrive(&connection.request().await?);
                connection.send(&good()).await?;
            }
        }
    }
}

fn good() -> Vec<u8> {
    answer(201, &[("content-type", "application/json")], "{\"done\":true}")
}
