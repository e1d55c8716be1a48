//! Building the programs, running them, and taking the differences.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{
    bench::{
        build,
        table::{Cost, Report, Row, Size, Table},
    },
    cargo::program,
    error::{Error, Result},
};

/// The features that experiments are counted with; each set is built apart. The first has all
/// that does not need any.
const BUILDS: &[&str] = &["", "adapters", "virtual-time"];
/// How often instructions are counted where two counts disagree. Hash maps are seeded anew in each
/// run, so that one of them may have an unlucky order; the median has not.
const RUNS: usize = 5;
/// What is put into the environment, which the stack begins behind. To copy some hundred bytes takes
/// more instructions where 32 does not divide the address, so all is counted at both and the mean
/// taken.
const STACKS: [&str; 2] = ["", "sixteen letters."];

/// The programs of the benchmark crate.
pub(super) struct Programs {
    counts: PathBuf,
    allocations: PathBuf,
}

/// An experiment, as the programs list it.
struct Experiment {
    id: String,
    title: String,
    floor: String,
    /// The features that it is to be counted with.
    features: String,
    repeats: (u64, u64),
    subjects: Vec<String>,
}

/// Counts the wanted experiments, all if none is named, and in each the wanted subjects and the
/// floor.
pub(super) fn count(ids: &[String], wanted: impl Fn(&str) -> bool) -> Result<Report> {
    let (mut tables, mut sizes, mut known) = (Vec::new(), Vec::new(), Vec::new());
    for features in BUILDS {
        let is_left = ids.is_empty() || ids.iter().any(|id| !known.contains(id));
        if !is_left {
            break;
        }
        let programs = Programs::build(features)?;
        let experiments = programs.experiments()?.into_iter();
        for experiment in experiments.filter(|experiment| experiment.features == *features) {
            known.push(experiment.id.clone());
            if ids.is_empty() || ids.contains(&experiment.id) {
                tables.push(programs.table(experiment, &wanted)?);
            }
        }
        if features.is_empty() {
            sizes = programs.sizes()?;
        }
    }
    if let Some(unknown) = ids.iter().find(|id| !known.contains(id)) {
        let known = known.join(", ");
        return Err(Error::Usage(format!("there is no experiment `{unknown}`: {known}")));
    }
    let compiler = program("rustc").args(["--version"]).output()?.trim().to_owned();
    Ok(Report { compiler, tables, sizes })
}

impl Programs {
    fn build(features: &str) -> Result<Self> {
        let release = build(features, &["counts", "allocations"])?;
        Ok(Self { counts: release.join("counts"), allocations: release.join("allocations") })
    }

    fn table(&self, experiment: Experiment, wanted: &impl Fn(&str) -> bool) -> Result<Table> {
        let mut rows = Vec::new();
        for subject in &experiment.subjects {
            if wanted(subject) || *subject == experiment.floor {
                eprintln!("{}: {subject}", experiment.id);
                rows.push(Row { subject: subject.clone(), cost: self.cost(&experiment, subject)? });
            }
        }
        let Experiment { id, title, floor, .. } = experiment;
        Ok(Table { id, title, floor, rows })
    }

    fn cost(&self, experiment: &Experiment, subject: &str) -> Result<Cost> {
        let (few, many) = experiment.repeats;
        let run = |times: u64| {
            ["run".to_owned(), experiment.id.clone(), subject.to_owned(), times.to_string()]
        };
        let per_turn = |few_cost: u64, many_cost: u64| {
            (many_cost as f64 - few_cost as f64) / (many as f64 - few as f64)
        };
        let count = || {
            let mut sum = 0.0;
            for stack in STACKS {
                let few_cost = self.instructions(run(few), stack)?;
                sum += per_turn(few_cost, self.instructions(run(many), stack)?);
            }
            Ok(sum / STACKS.len() as f64)
        };
        let mut instructions = vec![count()?, count()?];
        while instructions.len() < RUNS && !agree(&instructions) {
            instructions.push(count()?);
        }
        let (few_allocations, few_bytes) = self.allocations(run(few))?;
        let (many_allocations, many_bytes) = self.allocations(run(many))?;
        Ok(Cost {
            instructions: median(instructions),
            allocations: per_turn(few_allocations, many_allocations),
            bytes: per_turn(few_bytes, many_bytes),
        })
    }

    /// The instructions of a whole run, as valgrind counts them: of the program alone, not of
    /// those it starts.
    fn instructions(&self, args: [String; 4], stack: &str) -> Result<u64> {
        let (status, text) = program("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .args([&self.counts])
            .args(args)
            // To read whom the system trusts takes more instructions than all calls together.
            .env("SSL_CERT_FILE", "/dev/null")
            .env("STACK", stack)
            .observe()?;
        let collected = text.lines().find_map(|line| line.split("Collected : ").nth(1));
        match collected.and_then(|count| count.trim().parse().ok()) {
            Some(count) if status.success() => Ok(count),
            _ => Err(malformed("the output of valgrind", &text)),
        }
    }

    /// The allocations of a whole run and their bytes.
    fn allocations(&self, args: [String; 4]) -> Result<(u64, u64)> {
        let text = program(&self.allocations).args(args).output()?;
        let mut numbers = text.split_whitespace().map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(count)), Some(Ok(bytes))) => Ok((count, bytes)),
            _ => Err(malformed("the output of `allocations`", &text)),
        }
    }

    fn experiments(&self) -> Result<Vec<Experiment>> {
        let list = ask(&self.counts, "list")?;
        let experiments = list.as_array().map(|list| list.iter().map(experiment).collect());
        experiments.flatten().ok_or_else(|| malformed("the list of experiments", &list.to_string()))
    }

    fn sizes(&self) -> Result<Vec<Size>> {
        let sizes = ask(&self.counts, "sizes")?;
        let memory = ask(&self.allocations, "memory")?;
        let list = Size::list(&sizes).zip(Size::list(&memory));
        let (mut sizes, memory) = list.ok_or_else(|| malformed("the sizes", &sizes.to_string()))?;
        sizes.extend(memory);
        Ok(sizes)
    }
}

fn ask(path: &Path, what: &str) -> Result<Value> {
    let text = program(path).args([what]).output()?;
    serde_json::from_str(&text).map_err(|error| malformed(what, &error.to_string()))
}

fn experiment(value: &Value) -> Option<Experiment> {
    let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
    let number = |index: usize| value.get("repeats")?.get(index)?.as_u64();
    let subjects = value.get("subjects")?.as_array()?.iter();
    Some(Experiment {
        id: text("id")?,
        title: text("title")?,
        floor: text("floor")?,
        features: text("features")?,
        repeats: (number(0)?, number(1)?),
        subjects: subjects.map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?,
    })
}

/// Whether two of the counts are the same, to one instruction or one in a thousand.
fn agree(counts: &[f64]) -> bool {
    let pairs = counts.iter().enumerate();
    pairs
        .flat_map(|(index, a)| counts.iter().skip(index + 1).map(move |b| (a, b)))
        .any(|(a, b)| (a - b).abs() <= (a / 1_000.0).max(1.0))
}

fn median(mut counts: Vec<f64>) -> f64 {
    counts.sort_by(f64::total_cmp);
    counts.get(counts.len() / 2).copied().unwrap_or_default()
}

fn malformed(what: &str, why: &str) -> Error {
    Error::Malformed { what: what.to_owned(), why: why.to_owned() }
}
