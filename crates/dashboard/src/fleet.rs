//! The clients of the demo server: four APIs with a temper each.

use std::{
    io,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use api_pool::{CallPolicy, ClientError, RequestRuntime, ResilientClient};

use crate::board::{Board, Slots};

/// Attempts that the group for what people look at may run at a time.
const SCREENS: usize = 3;

/// The same for reports, which are heavier.
const REPORTS: usize = 2;

/// Slots of an API that shares none.
const OWN: usize = 3;

/// Pages of a listing that are asked for in turn.
const PAGES: u32 = 20;

/// An API of the demo server, and how it is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    pub(crate) name: &'static str,
    /// Callers that somebody waits for, one call after the other.
    pub(crate) essential: u32,
    /// Callers that nobody waits for.
    pub(crate) background: u32,
    /// How long a caller rests between two calls.
    pub(crate) pace: Duration,
    /// Whose slots its attempts take.
    group: Option<&'static str>,
    request: Request,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
enum Request {
    /// A page of a listing. The path ends where its query goes on.
    Page(&'static str),
    /// A document of GraphQL.
    Query(&'static str),
}

/// Each has faults of its own in the [story](crate::story).
pub(crate) const PROFILES: [Profile; 4] = [
    Profile {
        name: "airports",
        essential: 6,
        background: 6,
        pace: Duration::from_millis(120),
        group: Some("screens"),
        request: Request::Page("/airports?_limit=20&"),
    },
    Profile {
        name: "flights",
        essential: 6,
        background: 4,
        pace: Duration::from_millis(90),
        group: Some("reports"),
        request: Request::Page("/flights?_limit=20&"),
    },
    Profile {
        name: "search",
        essential: 4,
        background: 4,
        pace: Duration::from_millis(250),
        group: Some("screens"),
        request: Request::Page("/table/airports?q=intl&_limit=20&"),
    },
    Profile {
        name: "graphql",
        essential: 4,
        background: 6,
        pace: Duration::from_millis(200),
        group: None,
        request: Request::Query(
            r#"{"query":"{ airports(state: \"TX\", limit: 20) { iata name flights(limit: 3) { id } } }"}"#,
        ),
    },
];

/// A client of the demo server for each of its APIs.
#[derive(Debug)]
pub struct Fleet {
    callers: Vec<Caller>,
}

impl Fleet {
    /// Makes a client for each API of the server at `url`, and has the board watch it.
    ///
    /// # Errors
    ///
    /// If the groups of slots cannot be made.
    pub fn new(url: &str, board: &mut Board) -> io::Result<Self> {
        let runtime = RequestRuntime::builder("dashboard")
            .group("screens", SCREENS)
            .group("reports", REPORTS)
            .build()
            .map_err(io::Error::other)?;
        let callers = PROFILES.iter().map(|profile| {
            let builder = ResilientClient::builder()
                .circuit_breaker_growing(5, Duration::from_secs(1), Duration::from_secs(8))
                .observer(profile.name, board.observer());
            let (client, slots) = match profile.group {
                Some(name) => {
                    let limit = if name == "screens" { SCREENS } else { REPORTS };
                    let group = runtime.group(name);
                    (builder.group(group.clone()).build(), Slots::Group(group, limit))
                }
                None => (builder.max_parallel(OWN).build(), Slots::Own(OWN)),
            };
            board.watch(&client, slots);
            Caller { profile, client, url: url.to_owned(), page: AtomicU32::new(0) }
        });
        Ok(Self { callers: callers.collect() })
    }

    /// The caller of the API with this name.
    #[must_use]
    pub fn caller(&self, name: &str) -> Option<&Caller> {
        self.callers.iter().find(|caller| caller.profile.name == name)
    }

    pub(crate) fn into_callers(self) -> Vec<Caller> {
        self.callers
    }
}

/// Calls one API.
#[derive(Debug)]
pub struct Caller {
    profile: &'static Profile,
    client: ResilientClient,
    url: String,
    page: AtomicU32,
}

impl Caller {
    pub(crate) const fn profile(&self) -> &'static Profile {
        self.profile
    }

    /// Makes a call that somebody waits for, though not for ever.
    ///
    /// # Errors
    ///
    /// What the call ended with.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the call.
    pub async fn essential(&self) -> Result<(), ClientError> {
        let policy = CallPolicy::essential()
            .with_attempt_timeout(Duration::from_secs(2))
            .with_deadline(Duration::from_secs(30));
        self.call(&policy).await
    }

    /// Makes a call that nobody waits for.
    ///
    /// # Errors
    ///
    /// What the call ended with.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the call.
    pub async fn background(&self) -> Result<(), ClientError> {
        let policy = CallPolicy::background().with_attempt_timeout(Duration::from_secs(1));
        self.call(&policy).await
    }

    async fn call(&self, policy: &CallPolicy) -> Result<(), ClientError> {
        let page = self.page.fetch_add(1, Ordering::Relaxed) % PAGES + 1;
        let url = &self.url;
        let answer = self.client.execute_read(policy, |http| match self.profile.request {
            Request::Page(path) => http.get(format!("{url}{path}_page={page}")),
            Request::Query(document) => http
                .post(format!("{url}/graphql"))
                .header("content-type", "application/json")
                .body(document),
        });
        answer.await.map(drop)
    }
}
