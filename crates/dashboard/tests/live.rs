//! What happens between the clients and a failing server is on the screen.

use dashboard::{Board, Fleet, Theme, capture, text_of};
use demo_api::{Config, DemoServer, FaultPlan};

/// The lines of a screen that is one card wide, from the named card to the next.
fn card(screen: &str, name: &str) -> String {
    let title = format!("╭ {name} ");
    let from = screen.find(&title).expect("the card is on the screen");
    let card = &screen[from..];
    card.split_inclusive('\n').take_while(|line| line.starts_with(['╭', '│'])).collect::<String>()
        + card.lines().find(|line| line.starts_with('╰')).expect("the card ends")
}

fn assert_shows(card: &str, texts: &[&str]) {
    for text in texts {
        assert!(card.contains(text), "no `{text}` in\n{card}");
    }
}

#[tokio::test]
async fn an_outage_a_refusal_and_a_recovery_are_on_the_screen() {
    let faults: FaultPlan = "503@#1-5; 429@#6 path=/table; 404@#9 path=/graphql".parse().unwrap();
    let server = DemoServer::start(Config::new().faults(faults)).unwrap();
    let mut board = Board::start();
    let fleet = Fleet::new(server.url(), &mut board).unwrap();
    let caller = |name| fleet.caller(name).expect("an API of the fleet");

    // Requests 1 to 5 open the breaker, and no sixth is sent.
    for _ in 0..7 {
        caller("flights").background().await.unwrap_err();
    }
    // The sixth is one too many for the rate, the seventh is its retry.
    caller("search").essential().await.unwrap();
    caller("airports").background().await.unwrap();
    caller("graphql").background().await.unwrap_err();
    caller("graphql").background().await.unwrap();

    let served = server.stats().requests();
    let screen = text_of(&capture(&board.model(server.url(), served), Theme::Plain, 100, 60));

    assert_eq!(served, 10);
    assert!(screen.starts_with(&format!(" api-pool  {} · 10 requests served", server.url())));
    let flights = card(&screen, "flights");
    // Open for a second, then about to be probed: how long all this took does not matter.
    assert!(flights.contains("○ open, probe in ") || flights.contains("◐ probing"), "{flights}");
    assert_shows(&flights, &["100 % errors", "0 ok · 5 failed · 2 not sent"]);
    assert_shows(&flights, &["answered 503", "□□ 0/2 of group reports", "×"]);
    let search = card(&screen, "search");
    assert_shows(
        &search,
        &["● closed", "50 % errors", "1 retry", "1 ok · 1 failed", "answered 429"],
    );
    let airports = card(&screen, "airports");
    assert_shows(
        &airports,
        &["● closed", "0 % errors", "1 ok ─", "no failure", "□□□ 0/3 of group screens"],
    );
    let graphql = card(&screen, "graphql");
    assert_shows(&graphql, &["0 % errors", "1 ok · 1 rejected", "answered 404", "□□□ 0/3"]);

    let events = &screen[screen.find("last events").expect("events are shown")..];
    assert_shows(
        events,
        &[
            "flights   answered 503  × 5",
            "flights   breaker open for 1.0 s",
            "flights   not sent: breaker open  × 2",
            "search    retry scheduled",
        ],
    );
}
