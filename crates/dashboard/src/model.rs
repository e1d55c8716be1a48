//! What is on the screen: plain data, from which a frame follows.

use std::time::Duration;

/// Everything that one frame shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Whose APIs these are: a URL.
    pub server: String,
    /// How many requests the server has counted.
    pub served: u64,
    /// The time since the dashboard started.
    pub elapsed: Duration,
    /// The APIs, in the order in which they are shown.
    pub apis: Vec<Api>,
    /// What happened, the latest last.
    pub events: Vec<Entry>,
}

/// One API, as its client sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Api {
    /// The key under which the client reports.
    pub name: String,
    /// Where its breaker stands.
    pub breaker: Breaker,
    /// The slots that its attempts take.
    pub queue: Queue,
    /// Attempts per second.
    pub rate: f64,
    /// The failed ones' share of all attempts, from 0 to 1.
    pub error_share: f64,
    /// How attempts ended, over the window of the registry.
    pub counts: Counts,
    /// Half of the attempts, 95 % and 99 % of them took no longer. Nothing without attempts.
    pub latency: Option<[Duration; 3]>,
    /// The last while in equal steps, the latest last.
    pub history: Vec<Step>,
    /// The last failure that the API had a part in, and its age.
    pub last_failure: Option<(String, Duration)>,
}

/// How many attempts ended in which way, and how many were repetitions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answered with a 2xx.
    pub succeeded: u64,
    /// Answered with what another attempt would get again, such as a 404.
    pub rejected: u64,
    /// Failed otherwise.
    pub failed: u64,
    /// Not sent, mostly because the breaker was open.
    pub refused: u64,
    /// Retries scheduled.
    pub retries: u64,
}

/// Where a breaker stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Breaker {
    /// Calls go through.
    Closed,
    /// The next call probes.
    HalfOpen,
    /// The client has no breaker.
    #[default]
    None,
    /// Calls are refused or wait, for so long; without a time until somebody closes it by hand.
    Open(Option<Duration>),
}

/// The slots of a client or of a group, and the lines before them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// The group's name, where the slots belong to one.
    pub group: Option<String>,
    /// Slots in all. Nothing where there is no limit.
    pub limit: Option<usize>,
    /// Slots taken.
    pub active: usize,
    /// Essential attempts that wait for one.
    pub essential: usize,
    /// Background attempts that wait for one.
    pub background: usize,
}

/// A step of the history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Attempts that were answered.
    pub answered: u32,
    /// Attempts that failed or were refused.
    pub failed: u32,
    /// The longest that an answer took, in milliseconds.
    pub slowest: u64,
}

/// A line of the list of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When, since the dashboard started; of several that were put together, the first one.
    pub at: Duration,
    /// Which API.
    pub api: String,
    /// Whether it is good news.
    pub tone: Tone,
    /// What happened.
    pub text: String,
    /// How often, with little else in between.
    pub times: u32,
}

/// Whether an event is good news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Something is down.
    Bad,
    /// Something is well again.
    Good,
    /// What a client deals with itself.
    Plain,
}
