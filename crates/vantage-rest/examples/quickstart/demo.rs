//! The demo: every row of a real table, through every fault.

use std::{
    num::NonZeroUsize,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use demo_api::{Config, DemoServer, FaultPlan, Lifetime, TokenRules};
use futures_util::TryStreamExt;
use tokio::time::Instant;
use vantage_core::{Priority, VantageError};
use vantage_dataset::prelude::ReadableValueSet;
use vantage_rest::{
    AuthFuture, AuthRefresher, FailureKind, PaginationParams, RequestFailure, RestApi,
};
use vantage_table::{prelude::Table, traits::table_source::TableSource};
use vantage_types::{EmptyEntity, Record};

use crate::{Outcome, progress::Progress, report::Report, tally::Tally};

/// What goes wrong, by the number of the request: the server goes down, asks
/// for a pause, resets, hangs, cuts a body off and dawdles.
const FAULTS: &str = "503@#12-15; 429@#24 retry-after=\"1\"; reset@#33; hang@#42; \
                      truncate@#51; slow@#60 pause=20ms; 500@#66";

/// Requests a token is good for.
const TOKEN_LIFE: u64 = 30;

/// The airport whose flights are followed.
const FOLLOWED: &str = "LAX";

type Airports = Table<RestApi, EmptyEntity>;

pub(crate) async fn run() -> Outcome<()> {
    #[expect(clippy::disallowed_methods, reason = "the example reports how long it took")]
    let started = Instant::now();
    let faults: FaultPlan = FAULTS.parse()?;
    let tokens = TokenRules::required(Lifetime::requests(TOKEN_LIFE));
    let server = DemoServer::start(Config::new().faults(faults).tokens(tokens))?;
    println!("A server at {} that will misbehave:", server.url());
    for fault in FAULTS.split(';') {
        println!("  {}", fault.trim());
    }

    let (tally, obtained) = (Arc::new(Tally::default()), Arc::new(AtomicU64::new(0)));
    let api = RestApi::builder(server.url())
        .pagination_params(PaginationParams::default())
        .total_key("total")
        .page_size(NonZeroUsize::MIN.saturating_add(49))
        .request_timeout(Duration::from_secs(2))
        .tune_client(|client| {
            let (first, longest) = (Duration::from_secs(1), Duration::from_secs(10));
            client.circuit_breaker_growing(3, first, longest)
        })
        .auth_refresher(refresher(server.url(), obtained.clone()))
        .observer("demo", tally.clone())
        .build();
    let airports = airports(api.clone());

    let essential = Priority::Essential.scope(read_all(&airports));
    let poll = Priority::Background.scope(poll_while_open(&api, &tally));
    let (read, refused) = {
        let mut essential = pin!(essential);
        tokio::select! {
            refusal = poll => {
                println!("\n  a background poll meanwhile: {refusal}");
                (essential.await, true)
            }
            read = &mut essential => (read, false),
        }
    };
    let (count, followed) = read?;
    let flights = Priority::Essential.scope(follow(&airports, &followed)).await?;

    let report = Report {
        airports: count,
        flights,
        flights_from: FOLLOWED,
        counts: tally.counts(),
        server: server.stats(),
        tokens: obtained.load(Ordering::Relaxed),
        in_flight: api.client().in_flight(),
        refused,
        elapsed: started.elapsed(),
    };
    println!("\n{}", report.table());
    report.check()?;
    println!("Every row is there, and both sides count the same requests.");
    server.shutdown().await;
    Ok(())
}

/// The airports, and their relation to the flights that leave them.
fn airports(api: RestApi) -> Airports {
    Table::new("airports", api)
        .with_id_column("iata")
        .with_column_of::<String>("name")
        .with_column_of::<String>("city")
        .with_column_of::<String>("state")
        .with_many("flights", "origin", |api| {
            Table::<_, EmptyEntity>::new("flights", api)
                .with_id_column("id")
                .with_column_of::<String>("origin")
                .with_column_of::<String>("destination")
                .with_column_of::<i64>("delay")
        })
}

/// Streams every airport, page by page: how many there are, and the one to
/// follow.
async fn read_all(airports: &Airports) -> Outcome<(usize, Record<ciborium::Value>)> {
    let total = airports.data_source().get_table_count(airports).await?;
    let mut progress = Progress::new(usize::try_from(total)?);
    let (mut count, mut followed) = (0, None);
    let mut rows = airports.stream_values();
    while let Some((id, row)) = rows.try_next().await? {
        count += 1;
        progress.advance();
        if id == FOLLOWED {
            followed = Some(row);
        }
    }
    progress.finish();
    Ok((count, followed.ok_or("the followed airport is missing")?))
}

/// The flights that leave `airport`.
async fn follow(airports: &Airports, airport: &Record<ciborium::Value>) -> Outcome<usize> {
    let flights: Airports = airports.get_ref_from_row("flights", airport)?;
    Ok(flights.list_values().await?.len())
}

/// A background poll while the breaker is open: it fails at once, without a
/// request, instead of queueing behind the outage. Polls again at the next
/// opening, should this one be over before the poll is made.
async fn poll_while_open(api: &RestApi, tally: &Tally) -> VantageError {
    loop {
        tally.opened().await;
        let flights = Table::<_, EmptyEntity>::new("flights", api.clone());
        let polled = flights.get_some_value().await;
        if let Err(error) = polled
            && RequestFailure::of(&error).is_some_and(|f| f.kind() == FailureKind::BreakerOpen)
        {
            return error;
        }
    }
}

/// Obtains tokens from the server, and counts them.
fn refresher(base_url: &str, obtained: Arc<AtomicU64>) -> AuthRefresher {
    let url = format!("{base_url}/token");
    let http = reqwest::Client::new();
    Arc::new(move || -> AuthFuture {
        let (request, obtained) = (http.post(&url), obtained.clone());
        Box::pin(async move {
            let answer = request.send().await?.error_for_status()?;
            let token: serde_json::Value = answer.json().await?;
            obtained.fetch_add(1, Ordering::Relaxed);
            Ok(token.get("access_token").and_then(|t| t.as_str()).unwrap_or_default().to_owned())
        })
    })
}
