#![doc = include_str!("../README.md")]
#![expect(clippy::exhaustive_structs, clippy::exhaustive_enums, reason = "not published")]

mod args;
mod board;
mod clock;
mod fleet;
mod history;
mod log;
mod model;
mod run;
mod screen;
mod story;
mod terminal;
mod text;
mod traffic;
mod ui;

pub use crate::{
    args::{Args, Once, Options, USAGE},
    board::{Board, Slots},
    fleet::{Caller, Fleet},
    log::Log,
    model::{Api, Breaker, Counts, Entry, Model, Queue, Step, Tone},
    run::{Failure, run},
    screen::{capture, text_of},
    terminal::Ended,
    traffic::Traffic,
    ui::Theme,
};
