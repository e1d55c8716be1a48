//! A screen shows what the clients did, exactly, at any size.

use std::time::Duration;

use api_pool::{
    CallPolicy, Fault, ResilientClient,
    testing::{Reply, Script},
};
use dashboard::{Board, Model, Slots, Theme, capture, text_of};

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

async fn get(client: &ResilientClient<Script>, policy: &CallPolicy) {
    drop(client.execute_read(policy, |http| http.get("http://api.test/")).await);
}

/// `airports` answers and has a line before its slots, `flights` is down, `news` is not called.
async fn model() -> Model {
    let mut board = Board::start();
    let client = |name: &str, script| {
        let builder = ResilientClient::builder().transport(script).entropy(|| 0);
        builder.max_parallel(2).circuit_breaker(3, ms(9_000)).observer(name, board.observer())
    };
    let answers = [40, 10, 90, 20, 20, 30, 20, 160].map(|wait| Reply::ok("{}").after(ms(wait)));
    let slow = [5_000; 2].map(|wait| Reply::ok("{}").after(ms(wait)));
    let airports = client("airports", Script::new(answers.into_iter().chain(slow))).build();
    let down =
        [Reply::status(404), Reply::status(503), Reply::fault(Fault::Broken), Reply::status(503)];
    let flights = client("flights", Script::new(down)).build();
    let news = client("news", Script::new([])).build();
    for client in [&airports, &flights, &news] {
        board.watch(client, Slots::Own(2));
    }

    for _ in 0..8 {
        get(&airports, &CallPolicy::essential()).await;
        tokio::time::advance(ms(500)).await;
    }
    for _ in 0..6 {
        get(&flights, &CallPolicy::background()).await;
        tokio::time::advance(ms(700)).await;
    }
    let calls = [(3, CallPolicy::essential()), (4, CallPolicy::background())];
    for (number, policy) in calls {
        for _ in 0..number {
            let (client, policy) = (airports.clone(), policy.clone());
            tokio::spawn(async move { get(&client, &policy).await });
            tokio::task::yield_now().await;
        }
    }
    board.model("http://api.test", 14)
}

fn screen(model: &Model, width: u16, height: u16) -> String {
    text_of(&capture(model, Theme::Plain, width, height))
}

#[tokio::test(start_paused = true)]
async fn a_wide_screen_has_a_card_for_each_api() {
    assert_eq!(screen(&model().await, 120, 32), include_str!("screens/120x32.txt"));
}

#[tokio::test(start_paused = true)]
async fn a_small_screen_has_a_line_for_each_api() {
    let model = model().await;
    assert_eq!(screen(&model, 90, 10), include_str!("screens/90x10.txt"));
    assert_eq!(screen(&model, 24, 3), include_str!("screens/24x3.txt"));
}

#[tokio::test(start_paused = true)]
async fn every_size_has_its_screen() {
    let model = model().await;
    let small = (0..12).flat_map(|width| (0..12).map(move |height| (width, height)));
    let large = (12..150).step_by(9).flat_map(|width| (3..60).step_by(4).map(move |h| (width, h)));
    for (width, height) in small.chain(large) {
        let area = capture(&model, Theme::Colored, width, height).area;
        assert_eq!((area.width, area.height), (width, height));
    }
}

#[tokio::test(start_paused = true)]
async fn a_plain_screen_says_the_same_without_a_colour() {
    let model = model().await;
    let plain = capture(&model, Theme::Plain, 120, 32);
    let colored = capture(&model, Theme::Colored, 120, 32);
    let is_colored = |cell: &ratatui::buffer::Cell| {
        (cell.fg, cell.bg) != (ratatui::style::Color::Reset, ratatui::style::Color::Reset)
    };
    assert!(!plain.content.iter().any(is_colored));
    assert!(colored.content.iter().any(is_colored));
    assert_eq!(text_of(&plain), text_of(&colored));
}
