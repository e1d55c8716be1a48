//! Answers whose body tells the status that their head does not.

use http::Method;

use super::ResilientClient;
use super::receive::{ReadResponse, Reader, Receive, Unreceived, Wanted, Whole, start_of};
use crate::error::ClientError;
use crate::policy::CallPolicy;
use crate::transport::Transport;

impl<T: Transport> ResilientClient<T> {
    /// As [`execute_read`](Self::execute_read), where `judge` may find another status in the body
    /// of a 2xx.
    ///
    /// Some protocols answer 200 to everything and put the failure into the body. If `judge` names
    /// a status, the attempt has failed with it in every respect: a 429 or a 503 is retried and
    /// honours `Retry-After`, a 401 obtains another token, a 5xx counts against the server's
    /// health, and the error has that status and the start of the body.
    ///
    /// # Errors
    ///
    /// As [`execute_read`](Self::execute_read).
    ///
    /// # Panics
    ///
    /// As [`execute_with`](Self::execute_with), and where `judge` does.
    ///
    /// # Cancel safety
    ///
    /// As [`execute_with`](Self::execute_with).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use api_pool::{CallPolicy, ClientError, ReadResponse, ResilientClient};
    ///
    /// # async fn run(client: ResilientClient) -> Result<ReadResponse, ClientError> {
    /// let throttled = |answer: &ReadResponse| {
    ///     (answer.body().as_ref() == b"slow down").then_some(429)
    /// };
    /// let get = |http: &reqwest::Client| http.get("https://api.example/airports");
    /// client.execute_judged(&CallPolicy::essential(), get, throttled).await
    /// # }
    /// ```
    pub async fn execute_judged<F, J>(
        &self,
        policy: &CallPolicy,
        build: F,
        judge: J,
    ) -> Result<ReadResponse, ClientError>
    where
        F: Fn(&T) -> T::RequestBuilder,
        J: Fn(&ReadResponse) -> Option<u16>,
    {
        let receive = Judged { whole: Whole::up_to(self.inner.body_limit), judge: &judge };
        self.call(policy, build, receive).await
    }
}

/// The response with its whole body, unless that means another status.
struct Judged<'a, J> {
    whole: Whole,
    judge: &'a J,
}

impl<J> Clone for Judged<'_, J> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<J> Copy for Judged<'_, J> {}

impl<T, J> Receive<T> for Judged<'_, J>
where
    T: Transport,
    J: Fn(&ReadResponse) -> Option<u16>,
{
    type Output = ReadResponse;
    type Reader = Self;

    fn answering(self, method: &Method) -> Self {
        Self { whole: Receive::<T>::answering(self.whole, method), ..self }
    }

    #[inline(always)]
    fn wanted(self) -> Wanted<T, Self> {
        Wanted::Body(self)
    }

    #[inline(always)]
    fn finish(content: ReadResponse) -> ReadResponse {
        content
    }
}

impl<T, J> Reader<T> for Judged<'_, J>
where
    T: Transport,
    J: Fn(&ReadResponse) -> Option<u16>,
{
    type Content = ReadResponse;

    async fn read(self, response: T::Response) -> Result<ReadResponse, Unreceived> {
        let answer = Reader::<T>::read(self.whole, response).await?;
        let Some(status) = (self.judge)(&answer) else { return Ok(answer) };
        let body = start_of(answer.body());
        Err(Unreceived::Means { status, headers: answer.into_headers(), body })
    }
}
