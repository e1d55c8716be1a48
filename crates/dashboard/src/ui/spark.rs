//! Bars for how long answers took, step by step.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use super::theme::Theme;
use crate::model::Step;

/// From an eighth of a cell to a whole one.
const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// A step in which nothing was answered.
pub(super) const FAILED: &str = "×";

/// Draws the latest steps, as many as there are columns, the latest at the right.
///
/// A bar's height grows with the square root of the time, so that a slow answer does not flatten
/// all others.
pub(super) fn render(steps: &[Step], theme: Theme, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let shown = &steps[steps.len().saturating_sub(width)..];
    let slowest = shown.iter().map(|step| step.slowest).max().unwrap_or_default();
    let columns = area.columns().skip(width - shown.len());
    for (column, step) in columns.zip(shown) {
        let (level, style) = match step {
            Step { answered: 0, failed: 0, .. } => continue,
            Step { answered: 0, .. } => {
                put(buffer, column, 0, FAILED, theme.bad());
                continue;
            }
            Step { failed: 0, slowest, .. } => (*slowest, theme.accent()),
            Step { slowest, .. } => (*slowest, theme.warning()),
        };
        let eighths = eighths(level, slowest, area.height);
        for row in 0..area.height {
            let left = eighths.saturating_sub(usize::from(row) * BARS.len());
            if let Some(bar) = left.min(BARS.len()).checked_sub(1) {
                put(buffer, column, row, BARS[bar], style);
            }
        }
    }
}

/// The height of a bar in eighths of a cell, at least one.
fn eighths(value: u64, largest: u64, rows: u16) -> usize {
    let share = (value as f64 / largest.max(1) as f64).sqrt();
    let full = usize::from(rows) * BARS.len();
    ((share * full as f64).round() as usize).clamp(1, full.max(1))
}

/// Writes into a column, counting rows from below.
fn put(buffer: &mut Buffer, column: Rect, row: u16, symbol: &str, style: Style) {
    if row < column.height
        && let Some(cell) = buffer.cell_mut((column.x, column.bottom() - 1 - row))
    {
        cell.set_symbol(symbol).set_style(style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::text_of;

    fn drawn(steps: &[Step], width: u16, height: u16) -> String {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        render(steps, Theme::Plain, area, &mut buffer);
        text_of(&buffer)
    }

    fn step(answered: u32, failed: u32, slowest: u64) -> Step {
        Step { answered, failed, slowest }
    }

    #[test]
    fn the_slowest_answer_fills_the_height_and_a_quarter_of_it_half() {
        let steps = [step(1, 0, 100), step(1, 0, 25), step(1, 0, 0)];
        assert_eq!(drawn(&steps, 3, 2), "█\n██▁\n");
    }

    #[test]
    fn a_step_in_which_all_failed_is_a_cross_and_an_empty_one_a_gap() {
        let steps = [step(0, 3, 0), step(0, 0, 0), step(1, 2, 9)];
        assert_eq!(drawn(&steps, 3, 1), "× █\n");
    }

    #[test]
    fn the_latest_steps_stand_at_the_right() {
        let steps = [step(0, 1, 0), step(1, 0, 4), step(1, 0, 1)];
        assert_eq!(drawn(&steps, 2, 1), "█▄\n");
        assert_eq!(drawn(&steps, 5, 1), "  ×█▄\n");
        assert_eq!(drawn(&steps, 0, 0), "");
    }
}
