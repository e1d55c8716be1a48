//! The last events, the latest first.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, BorderType, Padding, Paragraph, Widget as _},
};

use super::{spark, theme::Theme};
use crate::{model::Entry, text};

/// A frame would leave less than two lines of these.
const FRAMED: u16 = 4;

pub(super) fn render(entries: &[Entry], theme: Theme, area: Rect, buffer: &mut Buffer) {
    let mut inner = area;
    if area.height >= FRAMED {
        let legend = format!(
            " ▂▅█ slowest answer per half second   {} nothing but failures ",
            spark::FAILED
        );
        let block = Block::bordered()
            .border_type(BorderType::Rounded)
            .border_style(Theme::faint())
            .padding(Padding::horizontal(1))
            .title(Line::styled(" last events ", Theme::title(Theme::strong())))
            .title_bottom(Line::styled(legend, Theme::faint()).right_aligned());
        inner = block.inner(area);
        block.render(area, buffer);
    }
    let latest = entries.iter().rev().take(usize::from(inner.height));
    Paragraph::new(latest.map(|entry| line(entry, theme)).collect::<Vec<_>>())
        .render(inner, buffer);
}

fn line<'a>(entry: &'a Entry, theme: Theme) -> Line<'a> {
    let times = if entry.times > 1 { format!("  × {}", entry.times) } else { String::new() };
    Line::from(vec![
        Span::styled(format!("{}  ", text::clock(entry.at)), Theme::faint()),
        Span::raw(format!("{:9} ", entry.api)),
        Span::styled(&entry.text, theme.tone(entry.tone)),
        Span::styled(times, Theme::faint()),
    ])
}
