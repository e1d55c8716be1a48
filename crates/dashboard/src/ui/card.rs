//! One API in a frame of its own.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::{Block, BorderType, Padding, Paragraph, Widget as _},
};

use super::{spark, theme::Theme};
use crate::{
    model::{Api, Breaker, Queue},
    text,
};

/// Lines of a card that are not bars: two of the frame, and those of [`figures`] and [`lines`].
pub(super) const FIXED: u16 = 7;

/// How wide a bar of slots gets at most.
const SLOTS: usize = 12;

pub(super) fn render(api: &Api, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let border = match api.breaker {
        Breaker::Open(_) | Breaker::HalfOpen => theme.breaker(api.breaker),
        Breaker::Closed | Breaker::None => Theme::faint(),
    };
    let state = match api.breaker {
        Breaker::None => Theme::faint(),
        breaker => Theme::title(theme.breaker(breaker)),
    };
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(border)
        .padding(Padding::horizontal(1))
        .title(Line::from(vec![
            " ".into(),
            Span::styled(&api.name, Theme::title(Theme::strong())),
            " ".into(),
        ]))
        .title(Line::styled(format!(" {} ", breaker(api.breaker)), state).right_aligned())
        .title_bottom(Line::styled(format!(" {} ", counts(api)), Theme::faint()));
    let inner = block.inner(area);
    block.render(area, buffer);

    let [top, bars, below] = parts(inner);
    Paragraph::new(figures(api, theme)).render(top, buffer);
    spark::render(&api.history, theme, bars, buffer);
    Paragraph::new(lines(api, theme)).render(below, buffer);
}

/// Two lines of figures, as many of bars as there is room for, and three lines.
fn parts(inner: Rect) -> [Rect; 3] {
    let top = Rect { height: inner.height.min(2), ..inner };
    let bars = inner.height.saturating_sub(FIXED - 2);
    let rest = inner.height.saturating_sub(top.height + bars);
    let bars = Rect { y: top.bottom(), height: bars, ..inner };
    [top, bars, Rect { y: bars.bottom(), height: rest, ..inner }]
}

/// Where the breaker stands, with a sign that shows it without reading.
pub(super) fn breaker(breaker: Breaker) -> String {
    match breaker {
        Breaker::Closed => "● closed".to_owned(),
        Breaker::HalfOpen => "◐ probing".to_owned(),
        Breaker::None => "no breaker".to_owned(),
        Breaker::Open(None) => "○ held open".to_owned(),
        Breaker::Open(Some(left)) => format!("○ open, probe in {}", text::duration(left)),
    }
}

fn figures<'a>(api: &Api, theme: Theme) -> Vec<Line<'a>> {
    let rate = Line::from(vec![
        Span::styled(text::rate(api.rate), Theme::strong()),
        "/s  ".into(),
        Span::styled(text::percent(api.error_share), theme.errors(api.error_share)),
        " errors  ".into(),
        Span::styled(text::count(api.counts.retries), Theme::strong()),
        if api.counts.retries == 1 { " retry" } else { " retries" }.into(),
    ]);
    let latency = match api.latency {
        None => Line::styled("no answer yet", Theme::faint()),
        Some(quantiles) => {
            let names = ["p50 ", "  p95 ", "  p99 "].map(|name| Span::styled(name, Theme::faint()));
            let times = quantiles.map(|time| Span::raw(text::duration(time)));
            names.into_iter().zip(times).flat_map(|(name, time)| [name, time]).collect()
        }
    };
    vec![rate, latency]
}

fn lines<'a>(api: &'a Api, theme: Theme) -> Vec<Line<'a>> {
    let Queue { group, limit, active, essential, background } = &api.queue;
    let mut slots = vec![Span::styled("slots    ", Theme::faint())];
    slots.extend(bar(*active, *limit, theme));
    if let Some(group) = group {
        slots.push(Span::raw(format!(" of group {group}")));
    }
    let waiting = |count: usize, class: &str| {
        let style = if count > 0 { Theme::strong() } else { Theme::plain_text() };
        Span::styled(format!("{count} {class}"), style)
    };
    let waits = vec![
        Span::styled("waiting  ", Theme::faint()),
        waiting(*essential, "essential"),
        ", ".into(),
        waiting(*background, "background"),
    ];
    let last = match &api.last_failure {
        None => Span::raw("no failure"),
        Some((failure, age)) => Span::raw(format!("{failure}, {} ago", text::duration(*age))),
    };
    let last = vec![Span::styled("last     ", Theme::faint()), last];
    vec![slots.into(), waits.into(), last.into()]
}

/// The slots as squares where they can be counted, and as numbers.
fn bar<'a>(active: usize, limit: Option<usize>, theme: Theme) -> Vec<Span<'a>> {
    let Some(limit) = limit else {
        return vec![Span::raw(format!("{active} taken, no limit"))];
    };
    let full: Style = if active < limit { theme.accent() } else { theme.warning() };
    let numbers = Span::raw(format!("{active}/{limit}"));
    if limit > SLOTS {
        return vec![numbers];
    }
    let free = limit.saturating_sub(active);
    vec![
        Span::styled("■".repeat(limit - free), full),
        Span::styled("□".repeat(free), Theme::faint()),
        " ".into(),
        numbers,
    ]
}

fn counts(api: &Api) -> String {
    let counts = &api.counts;
    let named = [
        (counts.succeeded, "ok"),
        (counts.rejected, "rejected"),
        (counts.failed, "failed"),
        (counts.refused, "not sent"),
    ];
    let mut texts = Vec::new();
    for (count, name) in named {
        if count > 0 || name == "ok" {
            texts.push(format!("{} {name}", text::count(count)));
        }
    }
    texts.join(" · ")
}
