//! Work and time against the number of clients.

use std::{error::Error, ops::Range, path::Path};

use plotters::{coord::Shift, prelude::*};

use super::style::{COLOURS, FONT, LINES, SIZE, TEXT};
use crate::jitter::{CLIENTS, Cost, costs};

pub(super) fn draw(folder: &Path) -> Result<(), Box<dyn Error>> {
    let costs = costs();
    let path = folder.join("contention.svg");
    let area = SVGBackend::new(&path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(SIZE.0 / 2);
    half(&left, "Calls until all are done", 10.0..4_000.0, &costs, |(calls, _)| calls)?;
    half(&right, "Seconds until all are done", 0.1..200.0, &costs, |(_, millis)| millis / 1_000.0)?;
    area.present()?;
    Ok(())
}

fn half(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    caption: &str,
    shown: Range<f64>,
    costs: &[Cost],
    value: impl Fn((f64, f64)) -> f64,
) -> Result<(), Box<dyn Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption(caption, (FONT, 17, &TEXT))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..105.0, shown.log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(LINES)
        .axis_style(TEXT)
        .x_labels(6)
        .y_labels(8)
        .x_label_formatter(&|clients| format!("{clients:.0}"))
        .y_label_formatter(&|value| format!("{value}"))
        .label_style((FONT, 13, &TEXT))
        .x_desc("clients")
        .draw()?;
    for (cost, colour) in costs.iter().zip(COLOURS) {
        let points = CLIENTS.into_iter().zip(cost.row);
        let points = points.map(|(clients, cell)| (clients as f64, value(cell)));
        let style = colour.stroke_width(2);
        let line = LineSeries::new(points, style).point_size(3);
        chart
            .draw_series(line)?
            .label(cost.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(LINES)
        .label_font((FONT, 13, &TEXT))
        .draw()?;
    Ok(())
}
