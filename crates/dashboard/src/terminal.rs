//! The terminal while the dashboard has it, and until it is given back.

use std::{
    io::{self, Stdout},
    panic,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use ratatui::{
    Terminal,
    backend::CrosstermBackend,
    crossterm::{
        cursor::Show,
        event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers},
        execute,
        terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode},
    },
};

use crate::{
    model::Model,
    ui::{self, Theme},
};

/// How long a frame stays.
const FRAME: Duration = Duration::from_millis(200);

/// Whether any thread has panicked while the dashboard had the terminal.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// Whether the terminal is to be given back.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Why the dashboard gave the terminal back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// The reader asked for it.
    Asked,
    /// Some thread panicked. What it said stands in the terminal.
    Panicked,
    /// `stop` said so.
    Stopped,
}

/// Shows what `model` returns until a key, a panic of any thread, or `stop` ends it. The
/// terminal is then as it was before, whichever it was.
///
/// # Errors
///
/// If standard output is no terminal, or fails.
pub(crate) fn show(
    model: impl Fn() -> Model,
    theme: Theme,
    stop: impl Fn() -> bool,
) -> io::Result<Ended> {
    let mut terminal = Taken::take()?;
    loop {
        if PANICKED.load(Ordering::Relaxed) {
            return Ok(Ended::Panicked);
        }
        if stop() {
            return Ok(Ended::Stopped);
        }
        let model = model();
        terminal.0.draw(|frame| ui::draw(frame, &model, theme))?;
        if event::poll(FRAME)? && asks_to_end(&event::read()?) {
            return Ok(Ended::Asked);
        }
    }
}

/// Raw mode, Ctrl-C included, so keys are all there is.
fn asks_to_end(event: &Event) -> bool {
    let Event::Key(KeyEvent { code, modifiers, kind: KeyEventKind::Press, .. }) = event else {
        return false;
    };
    match code {
        KeyCode::Esc | KeyCode::Char('q' | 'Q') => true,
        KeyCode::Char('c') => modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}

/// Gives the terminal back when it is dropped, and before a panic is told.
struct Taken(Terminal<CrosstermBackend<Stdout>>);

impl Taken {
    fn take() -> io::Result<Self> {
        let taken = Self(Terminal::new(CrosstermBackend::new(io::stdout()))?);
        let told = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // Another frame would paint over the message.
            PANICKED.store(true, Ordering::Relaxed);
            give_back();
            told(info);
        }));
        TAKEN.store(true, Ordering::Relaxed);
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen)?;
        Ok(taken)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        give_back();
    }
}

/// Once, since leaving a screen that was left already puts the cursor into what stands there.
fn give_back() {
    if TAKEN.swap(false, Ordering::Relaxed) {
        // There is no other way out.
        let _ = disable_raw_mode();
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn q_escape_and_control_c_end_it() {
        let none = KeyModifiers::NONE;
        assert!(asks_to_end(&key(KeyCode::Char('q'), none)));
        assert!(asks_to_end(&key(KeyCode::Esc, none)));
        assert!(asks_to_end(&key(KeyCode::Char('c'), KeyModifiers::CONTROL)));
    }

    #[test]
    fn other_keys_a_key_let_go_and_a_new_size_do_not() {
        assert!(!asks_to_end(&key(KeyCode::Char('c'), KeyModifiers::NONE)));
        assert!(!asks_to_end(&key(KeyCode::Enter, KeyModifiers::NONE)));
        let up = KeyEvent::new_with_kind(KeyCode::Esc, KeyModifiers::NONE, KeyEventKind::Release);
        assert!(!asks_to_end(&Event::Key(up)));
        assert!(!asks_to_end(&Event::Resize(1, 1)));
    }
}
