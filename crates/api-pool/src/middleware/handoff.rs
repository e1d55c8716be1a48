//! A transport that sends nothing itself: it hands each request to the middleware that started the
//! call, in the same task, and gets the response back.

use core::marker::PhantomData;
use std::mem;
use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, Method};
use tokio::sync::{mpsc, oneshot};

use super::stack::MiddlewareStack;
use crate::error::replay::BodyNotRepeatable;
use crate::transport::{Address, Fault, Transport, TransportError, TransportOptions, sealed};

/// The transport. What a call needs of its own travels with its requests.
#[derive(Clone)]
pub(super) struct Handoff<C>(PhantomData<fn() -> C>);

impl<C> Handoff<C> {
    pub(super) const fn new() -> Self {
        Self(PhantomData)
    }
}

/// A request to be run through the rest of the stack.
pub(super) struct Errand<C: MiddlewareStack> {
    pub(super) request: C::Finished,
    /// Closed when the attempt has given up waiting.
    pub(super) reply: oneshot::Sender<Result<C::Response, TransportError>>,
}

/// What the attempts of one call share.
pub(super) struct Desk<C: MiddlewareStack> {
    errands: mpsc::UnboundedSender<Errand<C>>,
    refused: Arc<StdMutex<Option<C::Response>>>,
}

impl<C: MiddlewareStack> Clone for Desk<C> {
    fn clone(&self) -> Self {
        Self { errands: self.errands.clone(), refused: Arc::clone(&self.refused) }
    }
}

impl<C: MiddlewareStack> Desk<C> {
    pub(super) fn open() -> (Self, mpsc::UnboundedReceiver<Errand<C>>) {
        let (errands, waiting) = mpsc::unbounded_channel();
        (Self { errands, refused: Arc::default() }, waiting)
    }

    /// The last response other than 2xx, unread.
    pub(super) fn refused(&self) -> Option<C::Response> {
        self.locked().take()
    }

    fn locked(&self) -> MutexGuard<'_, Option<C::Response>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request on its way to an attempt; none where its body was sent already.
pub(super) struct Parcel<C: MiddlewareStack> {
    pub(super) request: Option<C::Finished>,
    pub(super) desk: Desk<C>,
}

/// A response, and where its call leaves it if it is not 2xx.
pub(super) struct Arrived<C: MiddlewareStack> {
    pub(super) response: C::Response,
    desk: Desk<C>,
}

impl<C> sealed::Sealed for Handoff<C> {}

impl<C: MiddlewareStack> Transport for Handoff<C> {
    type RequestBuilder = Parcel<C>;
    type Request = (C::Finished, Desk<C>);
    type Response = Arrived<C>;
    type Error = TransportError;

    const MAY_REDIRECT: bool = true;

    fn connect(_: &TransportOptions) -> Result<Self, TransportError> {
        Ok(Self::new())
    }

    fn prepare(&self, parcel: Parcel<C>) -> Result<Self::Request, TransportError> {
        let spent = || TransportError::new(Fault::Local, BodyNotRepeatable.to_string());
        Ok((parcel.request.ok_or_else(spent)?, parcel.desk))
    }

    fn method((request, _): &Self::Request) -> &Method {
        C::method_of(request)
    }

    fn address((request, _): &Self::Request) -> Address<'_> {
        C::address_of(request)
    }

    fn headers_mut((request, _): &mut Self::Request) -> &mut HeaderMap {
        C::headers_of(request)
    }

    fn send(
        &self,
        (request, desk): Self::Request,
    ) -> impl Future<Output = Result<Arrived<C>, TransportError>> + Send + use<C> {
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

    fn explain(error: TransportError) -> TransportError {
        error
    }

    fn status(arrived: &Arrived<C>) -> u16 {
        C::status(&arrived.response)
    }

    fn headers(arrived: &Arrived<C>) -> &HeaderMap {
        C::headers(&arrived.response)
    }

    fn response_headers_mut(arrived: &mut Arrived<C>) -> &mut HeaderMap {
        C::response_headers_mut(&mut arrived.response)
    }

    fn content_length(arrived: &Arrived<C>) -> Option<u64> {
        C::content_length(&arrived.response)
    }

    /// Leaves the whole response to the caller: the body of an answer other than 2xx is theirs.
    async fn chunk(arrived: &mut Arrived<C>) -> Result<Option<Bytes>, TransportError> {
        let response = mem::replace(&mut arrived.response, C::nothing());
        *arrived.desk.locked() = Some(response);
        Ok(None)
    }
}
