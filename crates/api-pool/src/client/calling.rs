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
    /// Only this is made anew for each closure. The execution, which is all the rest, is the same
    /// for all calls over one transport.
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

impl<T, F, O> Future for Calling<T, F, O>
where
    T: Transport,
    F: Fn(&T) -> T::RequestBuilder,
    O: for<'l> Operation<Loan<'l> = Build<'l, T>>,
{
    type Output = Result<O::Output, O::Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        go_on(this.execution, &*this.build, context)
    }
}

/// Out of line, so that there is one of it.
#[inline(never)]
fn go_on<T, O>(
    execution: Pin<&mut Execution<O>>,
    build: Build<'_, T>,
    context: &mut Context<'_>,
) -> Poll<Result<O::Output, O::Error>>
where
    T: Transport,
    O: for<'l> Operation<Loan<'l> = Build<'l, T>>,
{
    execution.poll_with(build, context)
}
