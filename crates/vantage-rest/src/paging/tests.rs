use std::hash::{DefaultHasher, Hash, Hasher};

use proptest::prelude::*;

use super::{PageFacts, PageRequest, ShortPage, Walk};
use crate::config::{Config, PaginationMode};

/// A server over the rows `0..rows` that puts at most `cap` of them on a page.
#[derive(Clone, Copy, Debug)]
struct Server {
    rows: usize,
    cap: usize,
    total: Option<u64>,
}

impl Server {
    fn page(self, request: PageRequest) -> Vec<usize> {
        let limit = request.limit.min(self.cap);
        (request.offset..self.rows.min(request.offset + limit)).collect()
    }

    fn facts(self, rows: &[usize]) -> PageFacts {
        let mut hasher = DefaultHasher::new();
        rows.hash(&mut hasher);
        PageFacts { rows: rows.len(), total: self.total, fingerprint: hasher.finish() }
    }
}

fn config(mode: PaginationMode) -> Config {
    let mut config = Config::new("http://h".to_owned());
    config.params.mode = mode;
    config
}

/// Reads everything `walk` leads to: the rows and the requests.
fn read(mut walk: Walk, server: Server) -> (Vec<usize>, Vec<PageRequest>) {
    let (mut rows, mut requests) = (Vec::new(), Vec::new());
    while let Some(request) = walk.next().unwrap() {
        let page = server.page(request);
        let fresh = walk.arrived(server.facts(&page)).unwrap();
        rows.extend(&page[fresh..]);
        requests.push(request);
    }
    (rows, requests)
}

fn requests(of: &[(usize, usize)]) -> Vec<PageRequest> {
    of.iter().map(|&(offset, limit)| PageRequest { offset, limit }).collect()
}

#[test]
fn a_short_page_is_the_end_where_no_total_is_told() {
    let server = Server { rows: 25, cap: 100, total: None };
    let walk = Walk::new(&config(PaginationMode::Page), 0, 10);
    let (rows, sent) = read(walk, server);
    assert_eq!(rows.len(), 25);
    assert_eq!(sent, requests(&[(0, 10), (10, 10), (20, 10)]));
}

#[test]
fn a_server_that_caps_its_pages_is_read_to_its_total() {
    for mode in [PaginationMode::Page, PaginationMode::Skip] {
        let server = Server { rows: 70, cap: 30, total: Some(70) };
        let (rows, sent) = read(Walk::new(&config(mode), 0, 100), server);
        assert_eq!(rows, (0..70).collect::<Vec<_>>(), "{mode:?}");
        assert_eq!(sent, requests(&[(0, 100), (30, 30), (60, 30)]), "{mode:?}");
    }
}

#[test]
fn a_stream_asks_once_whether_a_short_first_page_was_a_cap() {
    let server = Server { rows: 70, cap: 30, total: None };
    let walk = Walk::new(&config(PaginationMode::Page), 0, 100);
    assert_eq!(read(walk.clone(), server).0.len(), 30);
    let (rows, _) = read(walk.with_short_page(ShortPage::Asks), server);
    assert_eq!(rows, (0..70).collect::<Vec<_>>());
}

#[test]
fn a_misaligned_page_window_reads_the_two_pages_that_cover_it() {
    let server = Server { rows: 100, cap: 100, total: Some(100) };
    let mut walk = Walk::new(&config(PaginationMode::Page), 25, 10);
    let first = walk.next().unwrap().unwrap();
    assert_eq!(first, PageRequest { offset: 20, limit: 10 });
    assert_eq!(walk.arrived(server.facts(&server.page(first))).unwrap(), 5);
    assert_eq!(walk.next().unwrap(), Some(PageRequest { offset: 30, limit: 10 }));
}

#[test]
fn a_server_that_ignores_paging_ends_the_walk() {
    let mut walk = Walk::new(&config(PaginationMode::Page), 0, 10);
    let same = PageFacts { rows: 10, total: None, fingerprint: 1 };
    walk.next().unwrap();
    assert_eq!(walk.arrived(same).unwrap(), 0);
    walk.next().unwrap();
    assert_eq!(walk.arrived(same).unwrap(), 10);
    assert_eq!(walk.next().unwrap(), None);
}

#[test]
fn a_repeated_page_with_rows_missing_is_an_error() {
    let mut walk = Walk::new(&config(PaginationMode::Page), 0, 10);
    let same = PageFacts { rows: 10, total: Some(30), fingerprint: 1 };
    walk.next().unwrap();
    walk.arrived(same).unwrap();
    walk.next().unwrap();
    let err = walk.arrived(same).unwrap_err();
    assert_eq!(err.to_string(), "API repeats a page of rows (rows: 10, total: 30)");
}

#[test]
fn a_set_that_grows_for_ever_ends_at_the_cap() {
    let mut config = config(PaginationMode::Skip);
    config.max_requests = 7;
    let mut walk = Walk::new(&config, 0, 10);
    for n in 0..7 {
        walk.next().unwrap().unwrap();
        walk.arrived(PageFacts { rows: 10, total: Some(1_000_000 + n), fingerprint: n }).unwrap();
    }
    let err = walk.next().unwrap_err();
    assert_eq!(err.message(), "API read needs more requests than allowed");
}

#[test]
fn a_total_that_is_too_small_does_not_cut_the_set() {
    let server = Server { rows: 25, cap: 100, total: Some(3) };
    let (rows, _) = read(Walk::new(&config(PaginationMode::Skip), 0, 10), server);
    assert_eq!(rows.len(), 25);
}

#[test]
fn the_rest_of_a_listing_is_read_in_pages_of_the_servers_own_size() {
    let server = Server { rows: 70, cap: 30, total: Some(70) };
    let first = server.facts(&(0..30).collect::<Vec<_>>());
    let walk = Walk::after_listing(&config(PaginationMode::Page), first);
    let (rows, sent) = read(walk, server);
    assert_eq!(rows, (30..70).collect::<Vec<_>>());
    assert_eq!(sent, requests(&[(30, 30), (60, 30)]));
}

#[test]
fn pages_ahead_end_at_the_total() {
    let server = Server { rows: 40, cap: 100, total: Some(40) };
    let mut walk = Walk::new(&config(PaginationMode::Skip), 0, 10);
    assert_eq!(walk.ahead(5), []);
    let first = walk.next().unwrap().unwrap();
    walk.arrived(server.facts(&server.page(first))).unwrap();
    walk.next().unwrap();
    assert_eq!(walk.ahead(5), requests(&[(20, 10), (30, 10)]));
    assert_eq!(walk.ahead(1), requests(&[(20, 10)]));
}

#[test]
fn a_stream_asks_only_whether_the_first_page_was_capped() {
    let server = Server { rows: 25, cap: 100, total: None };
    let walk = Walk::new(&config(PaginationMode::Page), 0, 10).with_short_page(ShortPage::Asks);
    let (rows, sent) = read(walk, server);
    assert_eq!(rows.len(), 25);
    assert_eq!(sent, requests(&[(0, 10), (10, 10), (20, 10)]));
}

#[test]
fn a_declared_cap_limits_every_request() {
    let mut config = config(PaginationMode::Page);
    config.max_page_size = Some(30);
    let server = Server { rows: 70, cap: 30, total: None };
    let (rows, sent) = read(Walk::new(&config, 0, 100), server);
    assert_eq!(rows.len(), 70);
    assert_eq!(sent, requests(&[(0, 30), (30, 30), (60, 30)]));
}

#[test]
fn a_growing_walk_doubles_after_four_full_pages_and_stays_aligned() {
    let server = Server { rows: 170, cap: 100, total: None };
    let walk = Walk::new(&config(PaginationMode::Page), 0, 10).with_growth(40);
    let (rows, sent) = read(walk, server);
    assert_eq!(rows.len(), 170);
    let tens = [(0, 10), (10, 10), (20, 10), (30, 10)];
    let twenties = [(40, 20), (60, 20), (80, 20), (100, 20)];
    let forties = [(120, 40), (160, 40)];
    assert_eq!(sent, requests(&[&tens[..], &twenties[..], &forties[..]].concat()));
}

#[test]
fn a_listing_without_rows_is_not_read_on_whatever_its_total_says() {
    let first = PageFacts { rows: 0, total: Some(5), fingerprint: 0 };
    let mut walk = Walk::after_listing(&config(PaginationMode::Page), first);
    assert_eq!(walk.next().unwrap(), None);
}

fn mode() -> impl Strategy<Value = PaginationMode> {
    prop_oneof![Just(PaginationMode::Page), Just(PaginationMode::Skip)]
}

proptest! {
    // Kills: a cap that is not learnt, an overlap read twice, a first row lost.
    #[test]
    fn every_row_is_read_once_whatever_the_server_caps(
        mode in mode(),
        rows in 0..300_usize,
        cap in 1..80_usize,
        limit in 1..80_usize,
        at in 0..40_usize,
        declared in any::<bool>(),
        growth in 0..64_usize,
    ) {
        let server = Server { rows, cap, total: Some(rows as u64) };
        let mut config = config(mode);
        config.max_page_size = declared.then_some(cap);
        let (read, sent) = read(Walk::new(&config, at, limit).with_growth(growth), server);
        prop_assert_eq!(read, (at.min(rows)..rows).collect::<Vec<_>>());
        prop_assert!(sent.len() <= 2 * (rows / cap.min(limit)) + 3, "{} requests", sent.len());
    }

    // Hostile: any counts, any totals, any fingerprints.
    #[test]
    fn a_walk_ends_whatever_the_server_says(
        mode in mode(),
        limit in 0..20_usize,
        at in prop_oneof![0..50_usize, Just(usize::MAX)],
        pages in proptest::collection::vec(
            (0..40_usize, proptest::option::of(any::<u64>()), 0..4_u64), 1..40
        ),
    ) {
        let mut config = config(mode);
        config.max_requests = 30;
        let mut walk = Walk::new(&config, at, limit).with_growth(64);
        let mut sent = 0;
        for (rows, total, fingerprint) in pages.into_iter().cycle() {
            match walk.next() {
                Ok(Some(_)) => sent += 1,
                Ok(None) | Err(_) => break,
            }
            let arrived = walk.arrived(PageFacts { rows, total, fingerprint });
            if arrived.is_err() {
                break;
            }
        }
        prop_assert!(sent <= 30);
    }
}
