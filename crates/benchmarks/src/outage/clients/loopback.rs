//! Clients that only send through reqwest, over sockets of this process.
//!
//! A paused clock jumps to the next timer whenever nothing else is left to do, and does not see
//! that a packet is on its way: calls would time out that are answered at once. So the clock is
//! held while anything is on the wire, and goes on while the server takes its time to answer.

use std::sync::{Arc, Mutex, mpsc};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::{JoinHandle, spawn, spawn_blocking},
};
use vantage_api_pool::{CallPolicy, ResilientClient, TransportEvent, TransportObserver};

use super::{Calls, Server, call, sleep};

pub(super) fn vantage(server: &Arc<Mutex<Server>>) -> Calls {
    let wire = Arc::new(Wire::default());
    let (url, listening) = listen(server, &wire);
    let http = reqwest::Client::builder().no_proxy().build().expect("it needs no system");
    let builder = ResilientClient::builder().http_client(http).default_breaker();
    let client = builder.observer("api", wire).build();
    let client = Arc::new((client, url, listening));
    let once = Arc::clone(&client);
    Calls {
        essential: call(move || {
            let client = Arc::clone(&client);
            async move {
                let (client, url, _) = &*client;
                let policy = CallPolicy::essential();
                let served = client.execute_with(&policy, |http| http.get(url)).await;
                served.expect("an essential call succeeds in the end");
            }
        }),
        background: call(move || {
            let client = Arc::clone(&once);
            async move {
                let (client, url, _) = &*client;
                let _ = client.execute_with(&CallPolicy::background(), |http| http.get(url)).await;
            }
        }),
    }
}

/// What is on its way between the clients and the server.
#[derive(Default)]
struct Wire(Mutex<Messages>);

#[derive(Default)]
struct Messages {
    count: usize,
    /// Dropping it lets the clock go on.
    hold: Option<mpsc::Sender<()>>,
}

impl Wire {
    fn enters(&self) {
        let mut messages = self.0.lock().expect("no panic");
        messages.count += 1;
        if messages.hold.is_none() {
            let (hold, released) = mpsc::channel();
            // A paused clock does not jump while a blocking task runs.
            spawn_blocking(move || released.recv());
            messages.hold = Some(hold);
        }
    }

    fn leaves(&self) {
        let mut messages = self.0.lock().expect("no panic");
        messages.count -= 1;
        if messages.count == 0 {
            messages.hold = None;
        }
    }
}

impl TransportObserver for Wire {
    fn on_event(&self, _key: &str, event: TransportEvent) {
        match event {
            TransportEvent::Started => self.enters(),
            TransportEvent::Succeeded { .. } | TransportEvent::Failed { .. } => self.leaves(),
            _ => (),
        }
    }
}

/// Stops listening when it is dropped.
struct Listening(JoinHandle<()>);

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn listen(server: &Arc<Mutex<Server>>, wire: &Arc<Wire>) -> (String, Listening) {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("loopback has a free port");
    listener.set_nonblocking(true).expect("a socket can be told not to block");
    let url = format!("http://{}/", listener.local_addr().expect("it is bound"));
    let listener = TcpListener::from_std(listener).expect("a runtime runs");
    let (server, wire) = (Arc::clone(server), Arc::clone(wire));
    let listening = spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            spawn(serve(connection, Arc::clone(&server), Arc::clone(&wire)));
        }
    });
    (url, Listening(listening))
}

/// Answers the requests of one connection, none of which has a body.
async fn serve(mut connection: TcpStream, server: Arc<Mutex<Server>>, wire: Arc<Wire>) {
    const SERVED: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    const REFUSED: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n";

    let _ = connection.set_nodelay(true);
    let mut request = Vec::new();
    while connection.read_buf(&mut request).await.is_ok_and(|length| 0 < length) {
        if !request.ends_with(b"\r\n\r\n") {
            continue;
        }
        request.clear();
        wire.leaves();
        let answer = server.lock().expect("no panic").answer();
        sleep(answer.latency).await;
        wire.enters();
        if connection.write_all(if answer.served { SERVED } else { REFUSED }).await.is_err() {
            return;
        }
    }
}
