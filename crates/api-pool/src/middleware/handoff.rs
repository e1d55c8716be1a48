//! A transport that sends nothing itself: it hands each request to the middleware that started the
//! call, in the same task, and gets the response back.

use std::mem;
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, Method};
use tokio::sync::{mpsc, oneshot};

use crate::error::BodyNotRepeatable;
use crate::transport::{
    Address, Fault, Transport, TransportError, TransportOptions, address_of, from_reqwest, sealed,
};

/// The transport. What a call needs of its own travels with its requests.
#[derive(Clone, Debug)]
pub(super) struct Handoff;

/// A request to be run through the rest of the stack.
pub(super) struct Errand {
    pub(super) request: reqwest::Request,
    /// Closed when the attempt has given up waiting.
    pub(super) reply: oneshot::Sender<Result<reqwest::Response, TransportError>>,
}

/// What the attempts of one call share.
#[derive(Clone)]
pub(super) struct Desk {
    errands: mpsc::UnboundedSender<Errand>,
    refused: Arc<StdMutex<Option<reqwest::Response>>>,
}

impl Desk {
    pub(super) fn open() -> (Self, mpsc::UnboundedReceiver<Errand>) {
        let (errands, waiting) = mpsc::unbounded_channel();
        (Self { errands, refused: Arc::default() }, waiting)
    }

    /// The last response other than 2xx, unread.
    pub(super) fn refused(&self) -> Option<reqwest::Response> {
        self.locked().take()
    }

    fn locked(&self) -> MutexGuard<'_, Option<reqwest::Response>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request on its way to an attempt; none where its body was sent already.
pub(super) struct Parcel {
    pub(super) request: Option<reqwest::Request>,
    pub(super) desk: Desk,
}

/// A response, and where its call leaves it if it is not 2xx.
pub(super) struct Arrived {
    pub(super) response: reqwest::Response,
    desk: Desk,
}

impl sealed::Sealed for Handoff {}

impl Transport for Handoff {
    type RequestBuilder = Parcel;
    type Request = (reqwest::Request, Desk);
    type Response = Arrived;

    const MAY_REDIRECT: bool = true;

    fn connect(_: &TransportOptions) -> Result<Self, TransportError> {
        Ok(Self)
    }

    fn prepare(&self, parcel: Parcel) -> Result<Self::Request, TransportError> {
        let spent = || TransportError::new(Fault::Local, BodyNotRepeatable.to_string());
        Ok((parcel.request.ok_or_else(spent)?, parcel.desk))
    }

    fn method((request, _): &Self::Request) -> &Method {
        request.method()
    }

    fn address((request, _): &Self::Request) -> Address<'_> {
        address_of(request)
    }

    fn headers_mut((request, _): &mut Self::Request) -> &mut HeaderMap {
        request.headers_mut()
    }

    fn send(
        &self,
        (request, desk): Self::Request,
    ) -> impl Future<Output = Result<Arrived, TransportError>> + Send + use<> {
        // An earlier answer is of no interest any more, and holds its connection.
        drop(desk.refused());
        async move {
            let lost = || TransportError::new(Fault::Broken, "the stack dropped the request");
            let (reply, answer) = oneshot::channel();
            desk.errands.send(Errand { request, reply }).map_err(|_| lost())?;
            let response = answer.await.map_err(|_| lost())??;
            Ok(Arrived { response, desk })
        }
    }

    fn status(arrived: &Arrived) -> u16 {
        arrived.response.status().as_u16()
    }

    fn headers(arrived: &Arrived) -> &HeaderMap {
        arrived.response.headers()
    }

    fn response_headers_mut(arrived: &mut Arrived) -> &mut HeaderMap {
        arrived.response.headers_mut()
    }

    fn content_length(arrived: &Arrived) -> Option<u64> {
        arrived.response.content_length()
    }

    /// Leaves the whole response to the caller: the body of an answer other than 2xx is theirs.
    async fn chunk(arrived: &mut Arrived) -> Result<Option<Bytes>, TransportError> {
        let empty = http::Response::new(Bytes::new()).into();
        let response = mem::replace(&mut arrived.response, empty);
        *arrived.desk.locked() = Some(response);
        Ok(None)
    }
}

/// What the rest of the stack reports.
pub(super) fn into_error(error: reqwest_middleware::Error) -> TransportError {
    match error {
        reqwest_middleware::Error::Reqwest(error) => from_reqwest(error),
        // Its text is its own, and nobody knows whether it sent anything.
        error @ reqwest_middleware::Error::Middleware(_) => {
            TransportError::new(Fault::Broken, "a middleware failed").with_source(error)
        }
    }
}
