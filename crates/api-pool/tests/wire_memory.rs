//! A body costs bounded memory, whatever the server sends.

#[path = "support/wire.rs"]
mod wire;

use api_pool::{CallPolicy, ErrorKind};
use peak_alloc::PeakAlloc;
use test_support::{Script, head};
use wire::{Tally, faulty, until, watched};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const MIB: usize = 1 << 20;

/// What the server sends again and again. Its own memory is part of the count.
const PIECE: usize = 16 << 10;

/// Never ends, whatever the head announces.
fn endless(head: impl Into<Vec<u8>>, piece: impl Into<Vec<u8>>) -> Script {
    Script::new().read_request().send(head).endless(piece)
}

fn bodies(status: u16) -> [Script; 3] {
    let plain = vec![b'x'; PIECE];
    let chunk = [format!("{PIECE:x}\r\n").as_bytes(), &plain, b"\r\n"].concat();
    [
        endless(head(status, &[], 200 * MIB), plain.clone()),
        endless(format!("HTTP/1.1 {status} X\r\n\r\n"), plain),
        endless(format!("HTTP/1.1 {status} X\r\ntransfer-encoding: chunked\r\n\r\n"), chunk),
    ]
}

/// One test: a second one at the same time would be counted too.
#[tokio::test]
async fn an_endless_body_costs_less_than_a_mebibyte_and_frees_its_slot() {
    let once = CallPolicy::background();
    for status in [500, 404, 200] {
        for body in bodies(status) {
            let server = faulty([body]).await;
            let client = watched(&Tally::new()).max_parallel(1).max_body_bytes(MIB / 4).build();
            // A first call sets the HTTP client up.
            let warm_up = faulty([]).await;
            client.execute_read(&once, |http| http.get(warm_up.url())).await.unwrap();
            let before = MEMORY.current_usage();
            MEMORY.reset_peak_usage();

            let error =
                client.execute_read(&once, |http| http.get(server.url())).await.unwrap_err();

            let extra = MEMORY.peak_usage().saturating_sub(before);
            assert!(extra < MIB, "{status}: {extra} bytes");
            match status {
                200 => assert_eq!(error.kind, ErrorKind::BodyTooLarge(MIB / 4)),
                _ => assert_eq!(error.body.as_deref().map(str::len), Some(2048)),
            }
            assert_eq!(client.in_flight(), 0);
            // The rest is not read in the background: the connection is closed.
            until(|| server.seen().open() == 0).await;
            client.execute_read(&once, |http| http.get(server.url())).await.unwrap();
        }
    }
}
