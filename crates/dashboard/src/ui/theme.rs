//! Colours, or none.

use ratatui::style::{Color, Modifier, Style};

use crate::model::{Breaker, Tone};

/// Whether the screen has colours. They are those of the reader's terminal, and nothing is told
/// by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// The sixteen colours that a terminal's user chose.
    Colored,
    /// Bold and dim only, for those who set `NO_COLOR`.
    Plain,
}

impl Theme {
    /// Plain where the value of `NO_COLOR` is there and not empty.
    #[must_use]
    pub fn from_no_color(value: Option<&str>) -> Self {
        if value.is_some_and(|value| !value.is_empty()) { Self::Plain } else { Self::Colored }
    }

    pub(super) const fn plain_text() -> Style {
        Style::new()
    }

    pub(super) const fn strong() -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// Text in a frame that is faint.
    pub(super) const fn title(style: Style) -> Style {
        style.remove_modifier(Modifier::DIM)
    }

    pub(super) const fn faint() -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) const fn accent(self) -> Style {
        self.fg(Color::Cyan)
    }

    pub(super) const fn good(self) -> Style {
        self.fg(Color::Green)
    }

    pub(super) const fn warning(self) -> Style {
        self.fg(Color::Yellow)
    }

    pub(super) const fn bad(self) -> Style {
        self.fg(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub(super) const fn tone(self, tone: Tone) -> Style {
        match tone {
            Tone::Bad => self.bad(),
            Tone::Good => self.good(),
            Tone::Plain => Self::plain_text(),
        }
    }

    pub(super) const fn breaker(self, breaker: Breaker) -> Style {
        match breaker {
            Breaker::Closed => self.good(),
            Breaker::HalfOpen => self.warning(),
            Breaker::None => Self::faint(),
            Breaker::Open(_) => self.bad(),
        }
    }

    /// Many errors are bad, some are worth a look.
    pub(super) fn errors(self, share: f64) -> Style {
        match share {
            _ if share >= 0.2 => self.bad(),
            _ if share >= 0.01 => self.warning(),
            _ => self.good(),
        }
    }

    const fn fg(self, color: Color) -> Style {
        match self {
            Self::Colored => Style::new().fg(color),
            Self::Plain => Style::new(),
        }
    }
}
