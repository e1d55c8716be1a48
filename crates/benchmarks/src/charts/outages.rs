//! Requests per second over the day, and callers served.

use std::{error::Error, path::Path};

use plotters::{coord::Shift, prelude::*};

use super::style::{COLOURS, FONT, LINES, SIZE, TEXT};
use crate::outage::{CAPACITY, Day, OUTAGE, day_of};

/// Who is drawn, by the beginning of the name, and what the chart calls it.
const DRAWN: &[(&str, &str)] = &[
    ("api-pool, defaults", "api-pool"),
    ("vantage-api-pool, defaults", "vantage-api-pool"),
    ("reqwest-retry", "reqwest-retry"),
    ("backon", "backon"),
    ("tower", "tower: retry with a budget"),
];

/// What of the day is drawn, in seconds.
const SHOWN: std::ops::Range<f64> = 0.0..240.0;

/// Where nothing is drawn on an axis of powers of ten.
const FOOT: f64 = 0.8;

pub(super) fn draw(folder: &Path) -> Result<(), Box<dyn Error>> {
    let drawn = DRAWN.iter().filter_map(|(client, name)| Some((*name, day_of(client)?)));
    let drawn: Vec<(&str, Day)> = drawn.collect();
    requests(&folder.join("outage-requests.svg"), &drawn)?;
    served(&folder.join("outage-served.svg"), &drawn)
}

/// One below the other: in one picture they would hide each other.
fn requests(path: &Path, days: &[(&str, Day)]) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, (SIZE.0, 720)).into_drawing_area();
    area.fill(&WHITE)?;
    let title = "Requests per second at the server, down until 60 s (dashed: what it serves)";
    let area = area.titled(title, (FONT, 17).into_font().color(&TEXT))?;
    let panels = area.split_evenly((days.len(), 1));
    for ((panel, (name, day)), colour) in panels.iter().zip(days).zip(COLOURS) {
        requests_of(panel, name, day, colour)?;
    }
    area.present()?;
    Ok(())
}

fn requests_of(
    panel: &DrawingArea<SVGBackend<'_>, Shift>,
    name: &str,
    day: &Day,
    colour: RGBColor,
) -> Result<(), Box<dyn Error>> {
    let mut chart = ChartBuilder::on(panel)
        .caption(name, (FONT, 15, &colour))
        .margin_left(8)
        .margin_right(20)
        .x_label_area_size(22)
        .y_label_area_size(48)
        .build_cartesian_2d(SHOWN, (FOOT..2_000.0).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(LINES)
        .axis_style(TEXT)
        .x_labels(13)
        .y_labels(4)
        .x_label_formatter(&|second| format!("{second:.0} s"))
        .y_label_formatter(&|count| format!("{count:.0}"))
        .label_style((FONT, 13, &TEXT))
        .draw()?;
    let points = per_second(day);
    chart.draw_series(
        AreaSeries::new(points, FOOT, colour.mix(0.25)).border_style(colour.stroke_width(1)),
    )?;
    let capacity = [(OUTAGE.as_secs_f64(), CAPACITY), (SHOWN.end, CAPACITY)];
    chart.draw_series(DashedLineSeries::new(capacity, 6, 4, BLACK.stroke_width(1)))?;
    Ok(())
}

/// Requests in each second, until the last caller is served.
fn per_second(day: &Day) -> Vec<(f64, f64)> {
    let mut counts = vec![0_u32; SHOWN.end as usize];
    for request in &day.requests {
        if let Some(count) = counts.get_mut(request.at.as_secs() as usize) {
            *count += 1;
        }
    }
    let end = day.served.last().map_or(0, std::time::Duration::as_secs) as usize;
    let counts = counts.into_iter().take(end + 1).enumerate();
    counts.map(|(second, count)| (second as f64 + 0.5, f64::from(count).max(FOOT))).collect()
}

fn served(path: &Path, days: &[(&str, Day)]) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let shown = 0.0..400.0;
    let mut chart = ChartBuilder::on(&area)
        .caption(
            "Callers served, of a thousand who wait since before the outage ended",
            (FONT, 17, &TEXT),
        )
        .margin(12)
        .margin_right(28)
        .x_label_area_size(42)
        .y_label_area_size(58)
        .build_cartesian_2d(shown, 0.0..1_000.0)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(LINES)
        .axis_style(TEXT)
        .x_labels(9)
        .y_labels(6)
        .x_label_formatter(&|second| format!("{second:.0} s"))
        .y_label_formatter(&|count| format!("{count:.0}"))
        .label_style((FONT, 13, &TEXT))
        .x_desc("after the outage")
        .draw()?;
    let best = [(0.0, 0.0), (1_000.0 / CAPACITY, 1_000.0)];
    chart
        .draw_series(DashedLineSeries::new(best, 6, 4, BLACK.stroke_width(1)))?
        .label("as fast as the server can")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 22, y)], BLACK.stroke_width(1)));
    for ((name, day), colour) in days.iter().zip(COLOURS) {
        let points = day
            .served
            .iter()
            .enumerate()
            .map(|(count, at)| (at.saturating_sub(OUTAGE).as_secs_f64(), (count + 1) as f64));
        let line = LineSeries::new(points, colour.stroke_width(2));
        chart
            .draw_series(line)?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(LINES)
        .label_font((FONT, 13, &TEXT))
        .draw()?;
    area.present()?;
    Ok(())
}
