//! Which request fails, and how: plain data, decided from a seed and a request number.

mod fault;
mod plan;
mod text;

pub use self::{
    fault::{Fault, Refusal},
    plan::{FaultPlan, Rule, Share},
    text::ParseFaultError,
};

#[cfg(test)]
mod tests;
