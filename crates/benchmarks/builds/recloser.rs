//! An operation that fails now and then, with a breaker.

use recloser::Recloser;

#[derive(Debug, thiserror::Error)]
#[error("busy")]
struct Busy;

fn main() -> Result<(), Busy> {
    let breaker = Recloser::default();
    breaker.call(|| operation(std::env::args().count())).map_err(|_| Busy)
}

fn operation(fails: usize) -> Result<(), Busy> {
    if fails == 1 { Err(Busy) } else { Ok(()) }
}
