//! A progress bar on a terminal, plain lines elsewhere.

use std::io::{IsTerminal, Write};

/// How far a read is.
#[derive(Debug)]
pub(crate) struct Progress {
    total: usize,
    done: usize,
    display: Display,
}

#[derive(Debug)]
enum Display {
    Bar,
    Lines { last_tenth: usize },
}

const WIDTH: usize = 40;

impl Progress {
    pub(crate) fn new(total: usize) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let display = if is_terminal { Display::Bar } else { Display::Lines { last_tenth: 0 } };
        Self { total: total.max(1), done: 0, display }
    }

    /// One more row.
    pub(crate) fn advance(&mut self) {
        self.done += 1;
        match &mut self.display {
            Display::Bar if self.done.is_multiple_of(16) || self.done == self.total => {
                let filled = (WIDTH * self.done / self.total).min(WIDTH);
                let bar = format!("{}{}", "█".repeat(filled), "░".repeat(WIDTH - filled));
                print!("\r  {bar} {:>5} of {} airports", self.done, self.total);
                // A terminal that went away is no reason to stop reading.
                let _ = std::io::stdout().flush();
            }
            Display::Bar => (),
            Display::Lines { last_tenth } => {
                let tenth = 10 * self.done / self.total;
                if tenth > *last_tenth {
                    *last_tenth = tenth;
                    println!("  {:>5} of {} airports", self.done, self.total);
                }
            }
        }
    }

    /// Ends the line of a bar.
    pub(crate) fn finish(&self) {
        if matches!(self.display, Display::Bar) {
            println!();
        }
    }
}
