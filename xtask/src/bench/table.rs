//! The counts of a run, as a table for people and as JSON for the next run.

use std::fmt;

use serde_json::{Value, json};

use crate::error::{Error, Result};

/// Everything a run counted.
#[derive(Debug, PartialEq)]
pub(super) struct Report {
    /// The compiler's version: another one makes other code of the same source.
    pub(super) compiler: String,
    pub(super) tables: Vec<Table>,
    pub(super) sizes: Vec<Size>,
}

/// One experiment.
#[derive(Debug, PartialEq)]
pub(super) struct Table {
    pub(super) id: String,
    pub(super) title: String,
    /// The subject that the others are compared with.
    pub(super) floor: String,
    pub(super) rows: Vec<Row>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub(super) subject: String,
    pub(super) cost: Cost,
}

/// What doing it once costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    pub(super) instructions: f64,
    pub(super) allocations: f64,
    pub(super) bytes: f64,
}

#[derive(Debug, PartialEq)]
pub(super) struct Size {
    pub(super) of: String,
    pub(super) name: String,
    pub(super) bytes: u64,
}

impl Table {
    pub(super) fn cost(&self, subject: &str) -> Option<Cost> {
        self.rows.iter().find(|row| row.subject == subject).map(|row| row.cost)
    }
}

impl Report {
    /// This, and what only an earlier report has.
    pub(super) fn over(mut self, earlier: Option<Self>) -> Self {
        let Some(earlier) = earlier else { return self };
        let newer = std::mem::take(&mut self.tables);
        let mut tables = earlier.tables;
        for table in newer {
            match tables.iter_mut().find(|known| known.id == table.id) {
                Some(known) => *known = table,
                None => tables.push(table),
            }
        }
        Self { tables, ..self }
    }

    pub(super) fn to_json(&self) -> Value {
        let tables = self.tables.iter().map(|table| {
            let rows = table.rows.iter().map(|Row { subject, cost }| {
                json!({
                    "subject": subject,
                    "instructions": rounded(cost.instructions),
                    "allocations": rounded(cost.allocations),
                    "bytes": rounded(cost.bytes),
                })
            });
            json!({
                "id": table.id,
                "title": table.title,
                "floor": table.floor,
                "rows": rows.collect::<Value>(),
            })
        });
        let sizes = self
            .sizes
            .iter()
            .map(|Size { of, name, bytes }| json!({ "of": of, "name": name, "bytes": bytes }));
        json!({
            "compiler": self.compiler,
            "tables": tables.collect::<Value>(),
            "sizes": sizes.collect::<Value>(),
        })
    }

    pub(super) fn from_json(value: &Value) -> Result<Self> {
        report(value).ok_or_else(|| Error::Malformed {
            what: "the recorded counts".to_owned(),
            why: "something is missing".to_owned(),
        })
    }
}

/// To a tenth: what is below that is noise of the runs' ends.
fn rounded(count: f64) -> f64 {
    // Adding zero makes a negative zero positive.
    (count * 10.0).round() / 10.0 + 0.0
}

fn report(value: &Value) -> Option<Report> {
    let tables = value.get("tables")?.as_array()?.iter().map(table).collect::<Option<_>>()?;
    let sizes = value.get("sizes")?.as_array()?.iter().map(|size| {
        let bytes = size.get("bytes")?.as_u64()?;
        Some(Size { of: text(size, "of")?, name: text(size, "name")?, bytes })
    });
    let sizes = sizes.collect::<Option<_>>()?;
    Some(Report { compiler: text(value, "compiler")?, tables, sizes })
}

fn table(value: &Value) -> Option<Table> {
    let rows = value.get("rows")?.as_array()?.iter().map(|row| {
        let number = |key: &str| row.get(key)?.as_f64();
        let cost = Cost {
            instructions: number("instructions")?,
            allocations: number("allocations")?,
            bytes: number("bytes")?,
        };
        Some(Row { subject: text(row, "subject")?, cost })
    });
    let rows = rows.collect::<Option<_>>()?;
    let (id, title, floor) = (text(value, "id")?, text(value, "title")?, text(value, "floor")?);
    Some(Table { id, title, floor, rows })
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

impl Size {
    /// The sizes as the benchmarks tell them: lists by title.
    pub(super) fn list(value: &Value) -> Option<Vec<Self>> {
        let mut sizes = Vec::new();
        for group in value.as_array()? {
            for size in group.get("of")?.as_array()? {
                let (of, name) = (text(group, "title")?, text(size, "name")?);
                sizes.push(Self { of, name, bytes: size.get("bytes")?.as_u64()? });
            }
        }
        Some(sizes)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.compiler)?;
        self.tables.iter().try_for_each(|table| write!(f, "\n{table}"))?;
        let mut of = "";
        for size in &self.sizes {
            if size.of != of {
                of = &size.of;
                writeln!(f, "\n{of}\n\n| subject | bytes |\n|---|---:|")?;
            }
            writeln!(f, "| {} | {} |", size.name, size.bytes)?;
        }
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}\n", self.id, self.title)?;
        writeln!(f, "| subject | instructions | over the floor | allocations | bytes |")?;
        writeln!(f, "|---|---:|---:|---:|---:|")?;
        let floor = self.cost(&self.floor);
        for Row { subject, cost } in &self.rows {
            let over = floor.map_or(0.0, |floor| cost.instructions - floor.instructions);
            let Cost { instructions, allocations, bytes } = cost;
            writeln!(
                f,
                "| {subject} | {instructions:.0} | {over:+.0} | {allocations:.1} | {bytes:.0} |"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_again_replaces_what_was_recorded_in_its_place() {
        let table = |id: &str, title: &str| Table {
            id: id.to_owned(),
            title: title.to_owned(),
            floor: String::new(),
            rows: Vec::new(),
        };
        let report = |tables| Report { compiler: String::new(), tables, sizes: Vec::new() };
        let earlier = report(vec![table("call", "old"), table("slot", "old")]);
        let merged = report(vec![table("call", "new")]).over(Some(earlier));
        assert_eq!(merged.tables, [table("call", "new"), table("slot", "old")]);
    }

    #[test]
    fn what_is_recorded_is_read_again() {
        let cost = Cost { instructions: 12.3, allocations: 0.0, bytes: 0.0 };
        let row = |subject: &str, cost| Row { subject: subject.to_owned(), cost };
        let report = Report {
            compiler: "rustc".to_owned(),
            tables: vec![Table {
                id: "slot".to_owned(),
                title: "a slot is taken".to_owned(),
                floor: "nothing".to_owned(),
                rows: vec![
                    row("nothing", cost),
                    row("api-pool", Cost { instructions: 50.0, ..cost }),
                ],
            }],
            sizes: vec![Size { of: "x".to_owned(), name: "y".to_owned(), bytes: 7 }],
        };
        assert_eq!(Report::from_json(&report.to_json()).unwrap(), report);
        let text = report.to_string();
        assert!(text.contains("| api-pool | 50 | +38 | 0.0 | 0 |"), "{text}");
    }
}
