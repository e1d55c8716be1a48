//! Where text goes: nowhere, but its length is kept.

use core::fmt::{self, Write};

pub struct Sink {
    length: usize,
}

impl Write for Sink {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.length = self.length.saturating_add(core::hint::black_box(text).len());
        Ok(())
    }
}

/// How long the text of a value is.
pub fn length(value: &impl fmt::Display) -> usize {
    let mut sink = Sink { length: 0 };
    match write!(sink, "{value}") {
        Ok(()) => sink.length,
        Err(_) => 0,
    }
}
