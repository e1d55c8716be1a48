//! An operation that fails now and then, tried once.

#[derive(Debug, thiserror::Error)]
#[error("busy")]
struct Busy;

fn main() -> Result<(), Busy> {
    operation(std::env::args().count())
}

fn operation(fails: usize) -> Result<(), Busy> {
    if fails == 1 { Err(Busy) } else { Ok(()) }
}
