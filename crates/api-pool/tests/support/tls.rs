//! Certificates made on the spot, and a server that shows them.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
    generate_simple_self_signed,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// A certificate and its key.
pub(crate) struct Identity {
    certificate: CertificateDer<'static>,
    key: KeyPair,
}

impl Identity {
    /// Vouches for itself.
    pub(crate) fn self_signed(name: &str) -> Self {
        let made = generate_simple_self_signed([name.to_owned()]).expect("a valid name");
        Self { certificate: made.cert.der().clone(), key: made.signing_key }
    }
}

/// One who signs certificates.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).expect("no names are valid names");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("randomness");
        Self(CertifiedIssuer::self_signed(params, key).expect("a valid request"))
    }

    /// The certificate that a client must trust.
    pub(crate) fn root(&self) -> &[u8] {
        self.0.der()
    }

    pub(crate) fn issue(&self, name: &str) -> Identity {
        self.sign(CertificateParams::new([name.to_owned()]).expect("a valid name"))
    }

    pub(crate) fn issue_expired(&self, name: &str) -> Identity {
        let mut params = CertificateParams::new([name.to_owned()]).expect("a valid name");
        params.not_after = date_time_ymd(2020, 1, 1);
        self.sign(params)
    }

    fn sign(&self, params: CertificateParams) -> Identity {
        let key = KeyPair::generate().expect("randomness");
        let certificate = params.signed_by(&key, &self.0).expect("a valid request");
        Identity { certificate: certificate.der().clone(), key }
    }
}

/// An https server that gives every request the same answer. It stops when it is dropped.
pub(crate) struct TlsServer {
    address: SocketAddr,
    seen: Arc<Seen>,
    accepting: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    handshakes: AtomicU64,
    requests: AtomicU64,
}

impl TlsServer {
    pub(crate) async fn start(identity: &Identity, answer: Vec<u8>) -> Self {
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(identity.key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring speaks the default versions")
            .with_no_client_auth()
            .with_single_cert(vec![identity.certificate.clone()], key)
            .expect("the key is the certificate's");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine");
        let address = listener.local_addr().expect("the listener is bound");
        let seen = Arc::<Seen>::default();
        let accepting = tokio::spawn(accept(listener, acceptor, answer, Arc::clone(&seen)));
        Self { address, seen, accepting }
    }

    /// The address under another name of this machine.
    pub(crate) fn url(&self, host: &str) -> String {
        format!("https://{host}:{}", self.address.port())
    }

    /// Handshakes that clients began.
    pub(crate) fn handshakes(&self) -> u64 {
        self.seen.handshakes.load(Ordering::Relaxed)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.seen.requests.load(Ordering::Relaxed)
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, answer: Vec<u8>, seen: Arc<Seen>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, answer, seen) = (acceptor.clone(), answer.clone(), Arc::clone(&seen));
        // It ends with its client.
        tokio::spawn(async move {
            // A client that does not like the certificate ends the handshake: an error here.
            let _ = serve(stream, &acceptor, &answer, &seen).await;
        });
    }
}

async fn serve(
    stream: TcpStream,
    acceptor: &TlsAcceptor,
    answer: &[u8],
    seen: &Seen,
) -> io::Result<()> {
    seen.handshakes.fetch_add(1, Ordering::Relaxed);
    let mut stream = acceptor.accept(stream).await?;
    let mut buffer = Vec::new();
    loop {
        match head_end(&buffer) {
            Some(end) => {
                buffer.drain(..end);
                seen.requests.fetch_add(1, Ordering::Relaxed);
                stream.write_all(answer).await?;
                stream.flush().await?;
            }
            None if stream.read_buf(&mut buffer).await? == 0 => return Ok(()),
            None => (),
        }
    }
}

/// Where the head of a request ends. A body counts as the start of what follows.
fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4)
}
