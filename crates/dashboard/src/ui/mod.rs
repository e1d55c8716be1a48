//! From a model to a frame: functions of their arguments.

mod card;
mod events;
mod rows;
mod spark;
mod theme;

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::Widget as _,
};

pub use self::theme::Theme;
use crate::{model::Model, text};

/// The narrowest and the widest that a card looks well.
const WIDTHS: core::ops::RangeInclusive<u16> = 38..=110;

/// The heights of a card with one row of bars and with four.
const HEIGHTS: [u16; 2] = [card::FIXED + 1, card::FIXED + 4];

/// Lines that the events want below cards of the least and of the full height.
const EVENTS: [u16; 2] = [4, 9];

/// Draws the whole screen. Whatever its size, it shows what there is room for.
pub(crate) fn draw(frame: &mut Frame<'_>, model: &Model, theme: Theme) {
    let area = frame.area();
    render(model, theme, area, frame.buffer_mut());
}

pub(crate) fn render(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let (top, body) = split(area, 1);
    header(model, theme, top, buffer);
    let Some(grid) = Grid::fitting(body, model.apis.len()) else {
        let lines = u16::try_from(model.apis.len()).unwrap_or(u16::MAX);
        let (apis, rest) = split(body, lines);
        rows::render(&model.apis, theme, apis, buffer);
        events::render(&model.events, theme, rest, buffer);
        return;
    };
    let (cards, rest) = split(body, grid.rows * grid.height);
    for (index, api) in model.apis.iter().enumerate() {
        card::render(api, theme, grid.cell(cards, index), buffer);
    }
    events::render(&model.events, theme, rest, buffer);
}

fn header(model: &Model, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let left = Line::from(vec![
        Span::styled(" api-pool ", theme.accent().patch(Theme::strong())),
        Span::raw(format!(" {} ", model.server)),
        Span::styled(
            format!(
                "· {} requests served · {}",
                text::count(model.served),
                text::clock(model.elapsed)
            ),
            Theme::faint(),
        ),
    ]);
    let right = Line::from(Span::styled("q quits ", Theme::faint()));
    let width = |line: &Line<'_>| u16::try_from(line.width()).unwrap_or(u16::MAX);
    if width(&left).saturating_add(width(&right)) < area.width {
        right.right_aligned().render(area, buffer);
    }
    left.render(area, buffer);
}

/// The first lines of an area, and the rest.
fn split(area: Rect, lines: u16) -> (Rect, Rect) {
    let height = lines.min(area.height);
    let rest = Rect { y: area.y + height, height: area.height - height, ..area };
    (Rect { height, ..area }, rest)
}

/// Cards side by side and one below the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Grid {
    columns: u16,
    rows: u16,
    height: u16,
}

impl Grid {
    /// The fewest columns that leave cards their full height, else those that leave them the
    /// least; none where not even that is there.
    fn fitting(body: Rect, cards: usize) -> Option<Self> {
        let cards = u16::try_from(cards).ok().filter(|cards| *cards > 0)?;
        let wide = (1..=cards).filter(|columns| WIDTHS.contains(&(body.width / columns)));
        let fits = |columns: &u16, size: usize| {
            let lines = cards.div_ceil(*columns).saturating_mul(HEIGHTS[size]);
            lines.saturating_add(EVENTS[size]) <= body.height
        };
        let columns = wide.clone().find(|columns| fits(columns, 1));
        let columns = columns.or_else(|| wide.clone().find(|columns| fits(columns, 0)))?;
        let rows = cards.div_ceil(columns);
        let height = (body.height - EVENTS[0]) / rows;
        Some(Self { columns, rows, height: height.min(HEIGHTS[1]) })
    }

    fn cell(self, area: Rect, index: usize) -> Rect {
        let index = u16::try_from(index).unwrap_or(u16::MAX);
        let (column, row) = (index % self.columns, index / self.columns);
        // The columns share what a division leaves over.
        let edge = |column: u16| {
            area.x + (u32::from(area.width) * u32::from(column) / u32::from(self.columns)) as u16
        };
        let (left, right) = (edge(column), edge(column + 1));
        Rect { x: left, y: area.y + row * self.height, width: right - left, height: self.height }
    }
}

#[cfg(test)]
mod tests;
