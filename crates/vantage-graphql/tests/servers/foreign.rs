//! A server nobody here wrote: `json-graphql-server` from npm, at a fixed
//! version. Where Node or npm is missing the test says so and does nothing.

use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value as Json, json};
use vantage_dataset::traits::ReadableValueSet;
use vantage_graphql::{
    GraphqlApi, GraphqlApiBuilder, GraphqlErrors, GraphqlOperation, Priority, Supports,
};
use vantage_table::table::Table;
use vantage_types::EmptyEntity;
use vantage_vista::{FilterOp, VistaFactory};

const PACKAGE: &str = "json-graphql-server@3.3.2";
/// Airports the server is given; of them all flights between two.
const AIRPORTS: usize = 60;

/// The server process. Dropping it ends it.
struct Server {
    process: Child,
    url: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended on its own; either way it is gone after this.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The server over `data`, or why there is none.
fn start(data: &Json) -> Result<Server, String> {
    let home = install()?;
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .map_err(|failure| format!("no free port: {failure}"))?
        .port()
        .to_string();
    let file = home.join(format!("data-{port}.json"));
    fs::write(&file, data.to_string()).map_err(|failure| format!("no data file: {failure}"))?;
    let script = home.join("node_modules/json-graphql-server/bin/json-graphql-server.cjs");
    let process = Command::new("node")
        .args([script.as_path(), &file])
        .args(["--port", &port, "--host", "127.0.0.1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|failure| format!("node does not start: {failure}"))?;
    Ok(Server { process, url: format!("http://127.0.0.1:{port}/") })
}

/// Installs the package below the target folder, once.
fn install() -> Result<PathBuf, String> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(PACKAGE);
    if home.join("node_modules/json-graphql-server").is_dir() {
        return Ok(home);
    }
    fs::create_dir_all(&home).map_err(|failure| format!("no folder: {failure}"))?;
    let npm = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"])
        .arg(&home)
        .arg(PACKAGE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|failure| format!("npm does not start: {failure}"))?;
    if npm.success() { Ok(home) } else { Err(format!("npm cannot install {PACKAGE}: {npm}")) }
}

/// Flat filters in an argument named `filter`, and nothing else of ours.
fn api(server: &Server) -> GraphqlApiBuilder {
    GraphqlApi::builder(&server.url).filter_arg_name("filter").tune(|client| {
        // The first requests arrive before the server listens.
        client.circuit_breaker(1000, Duration::from_millis(100))
    })
}

fn airports(api: GraphqlApi) -> Table<GraphqlApi, EmptyEntity> {
    Table::new("allAirports", api)
        .with_id_column("id")
        .with_column_of::<String>("name")
        .with_column_of::<String>("state")
        .with_many("departures", "airport_id", flights)
}

fn flights(api: GraphqlApi) -> Table<GraphqlApi, EmptyEntity> {
    let mut table: Table<_, EmptyEntity> = Table::new("allFlights", api)
        .with_column_of::<i64>("id")
        .with_column_of::<i64>("delay")
        .with_column_of::<String>("airport_id")
        .with_column_of::<String>("Airport.name");
    table.set_id_field("id");
    table
}

/// The first airports that a flight leaves from, and those flights.
fn data() -> Json {
    let mut ids: Vec<&str> = Vec::new();
    for flight in demo_api::flights() {
        let origin = flight["origin"].as_str().expect("text");
        if !ids.contains(&origin) && ids.len() < AIRPORTS {
            ids.push(origin);
        }
    }
    let airports: Vec<Json> = demo_api::airports()
        .iter()
        .filter(|row| ids.iter().any(|id| row["iata"] == *id))
        .map(|row| json!({"id": row["iata"], "name": row["name"], "state": row["state"]}))
        .collect();
    let flights: Vec<Json> = demo_api::flights()
        .iter()
        .filter(|row| ids.iter().any(|id| row["origin"] == *id))
        .map(|row| json!({"id": row["id"], "delay": row["delay"], "airport_id": row["origin"]}))
        .collect();
    json!({"airports": airports, "flights": flights})
}

fn of<'d>(data: &'d Json, table: &str, column: &str, value: &str) -> Vec<&'d Json> {
    let rows = data[table].as_array().expect("rows");
    rows.iter().filter(|row| row[column] == value).collect()
}

#[tokio::test]
async fn json_graphql_server_is_read_filtered_counted_and_traversed() {
    let data = data();
    let server = match start(&data) {
        Ok(server) => server,
        Err(reason) => {
            println!("skipped: {PACKAGE} cannot be run here: {reason}");
            return;
        }
    };
    let reading = Priority::Essential.scope(reads(&server, &data));
    tokio::time::timeout(Duration::from_secs(60), reading).await.expect("the server never came up");
}

async fn reads(server: &Server, data: &Json) {
    let table = airports(api(server).build());
    let rows = table.list_values().await.expect("a listing");
    assert_eq!(rows.len(), AIRPORTS);
    for row in data["airports"].as_array().expect("rows") {
        let read = &rows[row["id"].as_str().expect("text")];
        assert_eq!(read["name"].value(), &row["name"]);
    }

    let california = table.clone().with_condition(table["state"].eq("CA"));
    let expected = of(data, "airports", "state", "CA").len();
    assert_eq!(california.list_values().await.expect("a listing").len(), expected);
    assert_eq!(usize::try_from(california.get_count().await.expect("a count")), Ok(expected));
    let lax = california.get_value("LAX").await.expect("a row").expect("LAX");
    assert_eq!(lax["name"].value(), "Los Angeles International");
    assert!(california.get_value("JFK").await.expect("an answer").is_none());

    let expected = of(data, "flights", "airport_id", "LAX");
    let one = table.clone().with_id("LAX").expect("an id column");
    let departures = one.get_ref_as::<EmptyEntity>("departures").expect("a relation");
    let found = departures.list_values().await.expect("a listing");
    assert_eq!(found.len(), expected.len());
    for flight in expected {
        let read = &found[&flight["id"].to_string()];
        assert_eq!(read["delay"].value(), &flight["delay"]);
        assert_eq!(read["Airport.name"].value(), "Los Angeles International", "nested");
    }
    let first = found.keys().next().expect("a flight").clone();
    assert!(departures.get_value(first).await.expect("a row").is_some(), "by an integer id");

    let sorted = api(server)
        .root_args(json!({"sortField": "name", "sortOrder": "desc", "page": 0, "perPage": 5}))
        .build();
    let page = airports(sorted).list_values().await.expect("a listing");
    let names: Vec<String> = page.values().map(|row| row["name"].value().to_string()).collect();
    assert_eq!(names.len(), 5);
    assert!(names.is_sorted_by(|a, b| a >= b), "{names:?}");

    let local = api(server).supports(Supports::default().with_filter(false)).build();
    let late = flights(local);
    let late = late.clone().with_condition(late["delay"].gt(60));
    let over = |row: &&Json| row["delay"].as_i64().is_some_and(|delay| delay > 60);
    let expected = data["flights"].as_array().expect("rows").iter().filter(over).count();
    assert_eq!(late.list_values().await.expect("a listing").len(), expected);

    let yaml = "
name: airport
graphql: { root_field: allAirports }
columns: { id: {}, label: { graphql: { field: name } } }
";
    let vista = api(server).build().vista_factory().from_yaml(yaml).expect("a Vista");
    let found = vista
        .with_condition("label", FilterOp::Eq, "Los Angeles International")
        .expect("a condition");
    assert_eq!(found.list_values().await.expect("a listing").keys().next().expect("LAX"), "LAX");

    let wrong: Table<_, EmptyEntity> =
        Table::new("allAirports", api(server).build()).with_id_column("iata");
    let error = wrong.list_values().await.expect_err("no such field");
    assert!(error.to_string().contains("iata"), "{error}");
    assert!(
        GraphqlErrors::of(&error).is_some()
            || vantage_transport::RequestFailure::of(&error).is_some()
    );
}
