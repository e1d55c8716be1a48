//! How every chart looks: on white, so that it can be read on a dark page too.

use plotters::style::RGBColor;

pub(super) const SIZE: (u32, u32) = (900, 460);
pub(super) const FONT: &str = "sans-serif";
pub(super) const TEXT: RGBColor = RGBColor(51, 51, 51);
pub(super) const LINES: RGBColor = RGBColor(225, 225, 225);

/// Colours that those who see some colours alike can tell apart too (Okabe and Ito).
pub(super) const COLOURS: [RGBColor; 7] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
];
