//! Draws the plots of the guide to policies.
//!
//! ```sh
//! cargo run -p guides --example schedules
//! ```
//!
//! The waits are drawn from seeds, so the same code draws the same pictures; a test compares.

use std::{error::Error, fs, path::PathBuf, time::Duration};

use plotters::{coord::Shift, prelude::*};
use retry_core::{Backoff, Failure, Jitter, Next, Policy, SeededEntropy};

type Outcome<T> = Result<T, Box<dyn Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Draw = fn(&Area<'_>) -> Outcome<()>;

/// The name of a picture, and what draws it.
const PICTURES: [(&str, Draw); 2] = [("schedules.svg", schedules), ("jitters.svg", jitters)];

const SIZE: (u32, u32) = (900, 420);
const FONT: &str = "sans-serif";
const TEXT: RGBColor = RGBColor(51, 51, 51);
const LINES: RGBColor = RGBColor(225, 225, 225);

/// Colours that those who see some colours alike can tell apart too (Okabe and Ito).
const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(90, 90, 90),
];

const BASE: Duration = Duration::from_millis(250);
const CAP: Duration = Duration::from_secs(10);

/// The highest wait of an axis, in seconds.
const TOP: f64 = 11.0;

/// How many runs the spread of a wait is taken from.
const RUNS: u64 = 1_000;

fn main() -> Outcome<()> {
    for (name, draw) in PICTURES {
        fs::write(folder().join(name), picture(draw)?)?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/guides/images")
}

/// A picture as text, on white, so that it can be read on a dark page too.
fn picture(draw: Draw) -> Outcome<String> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        draw(&area)?;
        area.present()?;
    }
    Ok(svg)
}

/// The wait before each retry, for each kind of schedule.
fn schedules(area: &Area<'_>) -> Outcome<()> {
    const RETRIES: u32 = 12;
    let kinds = [
        ("constant(1 s)", Backoff::constant(Duration::from_secs(1))),
        ("linear(250 ms)", Backoff::linear(BASE)),
        ("fibonacci(250 ms)", Backoff::fibonacci(BASE)),
        ("exponential(250 ms)", Backoff::exponential(BASE)),
    ];
    let mut chart = ChartBuilder::on(area)
        .caption("The wait before each retry, at most 10 s, without jitter", (FONT, 20, &TEXT))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(52)
        .build_cartesian_2d(0.5..f64::from(RETRIES) + 0.5, 0.0..11.0)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(LINES)
        .axis_style(TEXT)
        .x_labels(13)
        .y_labels(12)
        .x_label_formatter(&|retry| format!("{retry:.0}"))
        .y_label_formatter(&|wait| format!("{wait:.0} s"))
        .label_style((FONT, 14, &TEXT))
        .x_desc("retry")
        .draw()?;
    for ((name, backoff), colour) in kinds.into_iter().zip(COLOURS) {
        let backoff = backoff.with_cap(CAP);
        let points =
            (0..RETRIES).map(|retry| (f64::from(retry + 1), backoff.delay(retry).as_secs_f64()));
        let line = LineSeries::new(points, colour.stroke_width(2)).point_size(3);
        chart
            .draw_series(line)?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::Coordinate(30, 20))
        .background_style(WHITE)
        .border_style(LINES)
        .label_font((FONT, 14, &TEXT))
        .draw()?;
    Ok(())
}

/// What each jitter makes of one schedule: from the least wait to the most, the half in the
/// middle broad, the mean a dot.
fn jitters(area: &Area<'_>) -> Outcome<()> {
    let kinds = [
        ("None", Jitter::None),
        ("Full", Jitter::Full),
        ("Equal", Jitter::Equal),
        ("Decorrelated", Jitter::Decorrelated),
        ("Spread(25)", Jitter::Spread(25)),
    ];
    let title = "exponential(250 ms), at most 10 s: where the waits fall";
    let area = area.titled(title, (FONT, 20).into_font().color(&TEXT))?;
    let panels = area.split_evenly((1, kinds.len()));
    for ((panel, (name, jitter)), colour) in panels.iter().zip(kinds).zip(COLOURS) {
        let policy = Policy::new(Backoff::exponential(BASE).with_cap(CAP));
        panel_of(panel, name, &waits(policy.with_jitter(jitter).unbounded()), colour)?;
    }
    Ok(())
}

fn panel_of(panel: &Area<'_>, name: &str, waits: &[Vec<f64>], colour: RGBColor) -> Outcome<()> {
    let mut chart = ChartBuilder::on(panel)
        .caption(name, (FONT, 16, &TEXT))
        .margin(8)
        .x_label_area_size(38)
        .y_label_area_size(40)
        .build_cartesian_2d(0.5..waits.len() as f64 + 0.5, 0.0..TOP)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(LINES)
        .axis_style(TEXT)
        .x_labels(waits.len() + 1)
        .y_labels(6)
        .x_label_formatter(&|retry| format!("{retry:.0}"))
        .y_label_formatter(&|wait| format!("{wait:.0} s"))
        .label_style((FONT, 13, &TEXT))
        .x_desc("retry")
        .draw()?;
    for (retry, sorted) in (1..).map(f64::from).zip(waits) {
        let at = |percent: usize| sorted[(sorted.len() - 1) * percent / 100];
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        let whole = PathElement::new([(retry, at(0)), (retry, at(100))], colour.stroke_width(2));
        let half = [(retry - 0.3, at(25)), (retry + 0.3, at(75))];
        chart.draw_series([whole])?;
        chart.draw_series([Rectangle::new(half, colour.mix(0.35).filled())])?;
        chart.draw_series([Circle::new((retry, mean), 3, colour.filled())])?;
    }
    Ok(())
}

/// For each of eight retries, its waits in all the runs in seconds, from the least to the most.
fn waits(policy: Policy) -> Vec<Vec<f64>> {
    let mut waits = vec![Vec::new(); 8];
    for seed in 0..RUNS {
        let mut entropy = SeededEntropy::new(seed);
        let mut run = policy.run();
        for waits in &mut waits {
            let next = run.on_failure(Failure::transient(), Duration::ZERO, &mut entropy);
            if let Next::Retry { after, .. } = next {
                waits.push(after.as_secs_f64());
            }
        }
    }
    waits.iter_mut().for_each(|waits| waits.sort_by(f64::total_cmp));
    waits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_s_pictures_are_what_the_code_draws() {
        for (name, draw) in PICTURES {
            let kept = fs::read_to_string(folder().join(name)).unwrap();
            let drawn = picture(draw).unwrap();
            assert!(kept == drawn, "{name} is another: cargo run -p guides --example schedules");
        }
    }
}
