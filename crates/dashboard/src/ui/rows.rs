//! All APIs as a line each, for small terminals.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Paragraph, Widget as _},
};

use super::theme::Theme;
use crate::{
    model::{Api, Breaker},
    text,
};

pub(super) fn render(apis: &[Api], theme: Theme, area: Rect, buffer: &mut Buffer) {
    let lines: Vec<Line<'_>> = apis.iter().map(|api| line(api, theme)).collect();
    Paragraph::new(lines).render(area, buffer);
}

/// What matters most comes first, since a narrow terminal cuts the rest off.
fn line<'a>(api: &Api, theme: Theme) -> Line<'a> {
    let [sign, state] = match api.breaker {
        Breaker::Closed => ["●", "closed"].map(str::to_owned),
        Breaker::HalfOpen => ["◐", "probing"].map(str::to_owned),
        Breaker::None => [" ", "-"].map(str::to_owned),
        Breaker::Open(None) => ["○", "held open"].map(str::to_owned),
        Breaker::Open(Some(left)) => ["○".to_owned(), format!("open {}", text::duration(left))],
    };
    let style = theme.breaker(api.breaker);
    let p95 = api.latency.map(|[_, p95, _]| text::duration(p95)).unwrap_or_default();
    let queue = &api.queue;
    let limit = queue.limit.map(|limit| format!("/{limit}")).unwrap_or_default();
    Line::from(vec![
        Span::styled(format!("{sign} "), style),
        Span::styled(format!("{:9} ", api.name), Theme::strong()),
        Span::styled(format!("{state:11} "), style),
        Span::styled(
            format!("{:>6} errors  ", text::percent(api.error_share)),
            theme.errors(api.error_share),
        ),
        Span::raw(format!("{:>5}/s  p95 {p95:>6}  ", text::rate(api.rate))),
        Span::raw(format!(
            "slots {}{limit}, {} + {} wait",
            queue.active, queue.essential, queue.background
        )),
    ])
}
