//! A screen without a terminal, and its text.

use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
};

use crate::{
    model::Model,
    ui::{self, Theme},
};

/// What a terminal of this size would show.
///
/// # Examples
///
/// ```
/// use dashboard::{Model, Theme, capture, text_of};
///
/// let model = Model { server: "http://127.0.0.1:8080".to_owned(), ..Model::default() };
/// let screen = text_of(&capture(&model, Theme::Plain, 60, 1));
/// assert_eq!(screen, " api-pool  http://127.0.0.1:8080 · 0 requests served · 00:00\n");
/// ```
#[must_use]
pub fn capture(model: &Model, theme: Theme, width: u16, height: u16) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    ui::render(model, theme, buffer.area, &mut buffer);
    buffer
}

/// The text of a screen, a line for each row, without blanks at their ends.
#[must_use]
pub fn text_of(buffer: &Buffer) -> String {
    let mut text = String::new();
    for row in buffer.area.rows() {
        let cells = row.columns().filter_map(|at| buffer.cell((at.x, at.y)));
        let line: String = cells.map(Cell::symbol).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
