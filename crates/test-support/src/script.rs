//! What a server does on one connection, step by step.

use std::time::Duration;

use crate::wire::{answer, head};

/// One thing to do on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Close,
    Drip(Vec<u8>, Duration),
    Endless(Vec<u8>),
    Pause(Duration),
    Read(usize),
    ReadRequest,
    Reset,
    Send(Vec<u8>),
    Stall,
}

/// The steps a [`FaultServer`](crate::FaultServer) takes on one connection.
///
/// After the last step the connection is closed in the orderly way, unless
/// [`forever`](Self::forever) starts over.
///
/// # Examples
///
/// ```
/// use test_support::{Script, answer};
///
/// // Reads a request, sends the first 20 bytes of an answer and resets the connection.
/// let script = Script::new().read_request().send(&answer(200, &[], "hello")[..20]).reset();
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Script {
    pub(crate) steps: Vec<Step>,
    pub(crate) ending: Ending,
}

/// What follows the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    #[default]
    Close,
    Repeat,
}

impl Script {
    /// No steps: accepts and closes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers every request on the connection with these bytes.
    pub fn answering(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new().read_request().send(bytes).forever()
    }

    /// Reads a request and announces more body than it sends before it closes.
    pub fn lying_length(body: &[u8], announced: usize) -> Self {
        Self::new().read_request().send(head(200, &[], announced)).send(body)
    }

    /// Reads a request and answers with a head of so many header lines.
    pub fn many_headers(lines: usize) -> Self {
        let names: Vec<_> = (0..lines).map(|line| format!("x-{line}")).collect();
        let headers: Vec<_> = names.iter().map(|name| (name.as_str(), "filler")).collect();
        Self::answering(answer(200, &headers, ""))
    }

    /// Reads a request and answers with bytes that are no HTTP.
    pub fn garbage() -> Self {
        Self::new().read_request().send(b"\x00\xff\x16\x03 not HTTP at all\r\n\r\n".as_slice())
    }

    /// Reads one complete request; the server counts and records it.
    pub fn read_request(self) -> Self {
        self.then(Step::ReadRequest)
    }

    /// Reads so many bytes of a request and no more.
    pub fn read(self, bytes: usize) -> Self {
        self.then(Step::Read(bytes))
    }

    /// Sends these bytes.
    pub fn send(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.then(Step::Send(bytes.into()))
    }

    /// Sends these bytes one by one, with a pause before each.
    pub fn drip(self, bytes: impl Into<Vec<u8>>, pause: Duration) -> Self {
        self.then(Step::Drip(bytes.into(), pause))
    }

    /// Sends these bytes again and again until the client leaves.
    pub fn endless(self, bytes: impl Into<Vec<u8>>) -> Self {
        self.then(Step::Endless(bytes.into()))
    }

    /// Waits.
    pub fn pause(self, pause: Duration) -> Self {
        self.then(Step::Pause(pause))
    }

    /// Does nothing more until the client leaves.
    pub fn stall(self) -> Self {
        self.then(Step::Stall)
    }

    /// Resets the connection (RST).
    pub fn reset(self) -> Self {
        self.then(Step::Reset)
    }

    /// Closes the connection in the orderly way (FIN).
    pub fn close(self) -> Self {
        self.then(Step::Close)
    }

    /// Starts over after the last step instead of closing.
    pub fn forever(self) -> Self {
        Self { ending: Ending::Repeat, ..self }
    }

    fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}
