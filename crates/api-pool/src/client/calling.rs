//! A call, with what builds its requests.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::executor::{Execution, Operation};
use crate::transport::{Build, Transport};

pin_project! {
    /// A call in progress.
    ///
    /// Only this is made anew for each closure, with the way of an answer to the caller. What comes
    /// before that, and all that seldom happens, is the same for all calls over one transport that
    /// want the same of an answer.
    pub(super) struct Calling<T, F, O: Operation> {
        #[pin]
        execution: Execution<O>,
        build: F,
        over: PhantomData<fn(&T)>,
    }
}

impl<T, F, O: Operation> Calling<T, F, O> {
    #[inline]
    pub(super) const fn new(build: F, execution: Execution<O>) -> Self {
        Self { execution, build, over: PhantomData }
    }
}

impl<T, F, O, E> Future for Calling<T, F, O>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    O: for<'l> Operation<Loan<'l> = Build<'l, T>, Error = Box<E>>,
{
    type Output = Result<O::Output, E>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.execution.poll_with(&*this.build, context).map_err(|error| *error)
    }
}
