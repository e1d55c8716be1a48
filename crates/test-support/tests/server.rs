//! Each step of a script is what the client meets on the wire.

use std::{io, time::Duration};

use test_support::{FaultServer, Script, answer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: h\r\n\r\n";

async fn serve(script: Script) -> FaultServer {
    FaultServer::start(move |_| script.clone()).await.expect("a free port")
}

/// Sends a request and reads to the end of the connection.
async fn exchange(server: &FaultServer, request: &[u8]) -> (Vec<u8>, io::Result<usize>) {
    let mut stream = TcpStream::connect(server.address()).await.expect("a connection");
    let mut bytes = Vec::new();
    let written = stream.write_all(request).await;
    let result = match written {
        Ok(()) => stream.read_to_end(&mut bytes).await,
        Err(error) => Err(error),
    };
    (bytes, result)
}

/// Waits for something that is bound to happen.
async fn until(happened: impl Fn() -> bool) {
    let wait = async {
        while !happened() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), wait).await.expect("it happens");
}

#[tokio::test]
async fn an_answer_is_cut_at_every_byte_offset() {
    let whole = answer(200, &[("x-a", "b")], "hello");
    let sent = whole.clone();
    let server = FaultServer::start(move |connection| {
        let cut = usize::try_from(connection).unwrap_or_default();
        Script::new().read_request().send(&sent[..cut]).close()
    })
    .await
    .unwrap();
    for cut in 0..=whole.len() {
        let (bytes, end) = exchange(&server, GET).await;
        assert_eq!(bytes, whole[..cut]);
        assert_eq!(end.unwrap(), cut);
    }
    let seen = server.seen();
    let connections = whole.len() as u64 + 1;
    assert_eq!((seen.connections(), seen.requests()), (connections, connections));
    assert_eq!(seen.sent(), (0..connections).sum());
    assert_eq!(seen.received(), connections * GET.len() as u64);
}

#[tokio::test]
async fn a_reset_is_a_reset() {
    let server = serve(Script::new().read(3).send("x").reset()).await;
    let (_, end) = exchange(&server, GET).await;
    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    let seen = server.seen();
    assert_eq!((seen.requests(), seen.received()), (0, 3));
}

#[tokio::test]
async fn accepting_and_closing_is_no_reset_even_with_a_request_unread() {
    let server = serve(Script::new()).await;
    let (bytes, end) = exchange(&server, GET).await;
    assert_eq!((bytes, end.unwrap()), (Vec::new(), 0));
    assert_eq!(server.seen().requests(), 0);
}

#[tokio::test]
async fn one_connection_answers_request_after_request() {
    let server = serve(Script::answering("ok")).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    for body in ["one", "two"] {
        let request = format!("POST / HTTP/1.1\r\ncontent-length: 3\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = [0; 2];
        stream.read_exact(&mut bytes).await.unwrap();
        assert_eq!(&bytes, b"ok");
        assert_eq!(server.seen().recorded().last().unwrap(), request.as_bytes());
    }
    assert_eq!(server.seen().connections(), 1);
}

#[tokio::test]
async fn bytes_drip_one_by_one() {
    let server = serve(Script::new().drip("slow", Duration::from_millis(2)).close()).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let mut pieces = Vec::new();
    loop {
        let mut bytes = [0; 16];
        match stream.read(&mut bytes).await.unwrap() {
            0 => break,
            read => pieces.push(bytes[..read].to_vec()),
        }
    }
    assert_eq!(pieces.concat(), b"slow");
    assert!(pieces.len() > 1, "{pieces:?}");
}

#[tokio::test]
async fn an_endless_body_ends_with_the_client() {
    let server = serve(Script::new().endless(vec![b'x'; 4096])).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let mut bytes = vec![0; 1 << 20];
    stream.read_exact(&mut bytes).await.unwrap();
    drop(stream);
    until(|| server.seen().open() == 0).await;
    assert!(server.seen().sent() >= 1 << 20);
}

#[tokio::test]
async fn a_stall_lasts_as_long_as_the_client_or_the_server() {
    let server = serve(Script::new().read_request().stall()).await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(GET).await.unwrap();
    until(|| server.seen().requests() > 0).await;
    assert_eq!(server.seen().open(), 1);
    drop(server);
    assert_eq!(stream.read(&mut [0; 1]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_length_can_lie() {
    let server = serve(Script::lying_length(b"abc", 10)).await;
    let (bytes, _) = exchange(&server, GET).await;
    assert_eq!(bytes, b"HTTP/1.1 200 X\r\ncontent-length: 10\r\n\r\nabc");
}
