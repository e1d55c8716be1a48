//! The outage and the jitters, drawn as SVG.

mod jitters;
mod outages;
mod style;

use std::{error::Error, path::Path};

/// Draws all charts into `folder`.
///
/// # Errors
///
/// If a file cannot be written.
pub(crate) fn draw(folder: &Path) -> Result<(), Box<dyn Error>> {
    outages::draw(folder)?;
    jitters::draw(folder)
}
