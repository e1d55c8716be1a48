//! The circuit breaker: who may call a service that fails, and how fast once it is back.
//!
//! Three machines decide, without a clock, a lock or I/O: [`machine`] opens and closes, [`pacing`]
//! releases those who waited, [`line`] keeps them in order. [`gate`] joins the three, and
//! [`circuit`] is the shell that holds the gate behind a lock, sleeps and wakes.

mod circuit;
mod countdown;
mod epoch;
mod gate;
mod grant;
mod line;
mod machine;
mod mode;
mod pacing;
mod state;
mod waiting;

pub(crate) use self::{
    circuit::{Admission, Circuit},
    grant::Ask,
    line::Seat,
    machine::{BreakerConfig, Transition},
};
pub use self::{mode::BreakerMode, state::BreakerState};
