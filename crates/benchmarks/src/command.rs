//! The command line that both programs share.

use std::env;

use serde_json::{Value, json};

#[cfg(feature = "virtual-time")]
use crate::{charts, outage};
use crate::{
    contended,
    experiment::Sizes,
    experiments::{EXPERIMENTS, SIZES},
    jitter, server,
};

const USAGE: &str = "usage: list | sizes | run EXPERIMENT SUBJECT TIMES | contended | jitter
with the feature virtual-time: outage [CLIENT] | charts FOLDER";

/// Does what the command line says.
///
/// # Errors
///
/// What the command line says that does not exist.
pub fn run() -> Result<(), String> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["list"] => println!("{}", list()),
        ["sizes"] => println!("{}", sizes(SIZES)),
        ["contended", rest @ ..] => contended::run(rest)?,
        ["jitter"] => jitter::print(),
        #[cfg(feature = "virtual-time")]
        ["outage", rest @ ..] => outage::print(rest.first().copied().unwrap_or_default()),
        #[cfg(feature = "virtual-time")]
        ["charts", folder] => {
            charts::draw(folder.as_ref()).map_err(|error| error.to_string())?;
        }
        [server::COMMAND, rest @ ..] => server::serve(rest),
        ["run", experiment, subject, times] => {
            let times = times.parse().map_err(|_| format!("`{times}` is not a number"))?;
            let experiment = EXPERIMENTS.iter().find(|known| known.id == *experiment);
            let subject = experiment
                .and_then(|known| known.subjects.iter().find(|known| known.name == *subject))
                .ok_or_else(|| format!("there is no `{}`", args.join(" ")))?;
            (subject.run)(times);
        }
        _ => return Err(USAGE.to_owned()),
    }
    Ok(())
}

fn list() -> Value {
    let experiments = EXPERIMENTS.iter().map(|experiment| {
        let subjects: Vec<&str> = experiment.subjects.iter().map(|subject| subject.name).collect();
        json!({
            "id": experiment.id,
            "title": experiment.title,
            "floor": experiment.floor,
            "features": experiment.features,
            "repeats": [experiment.repeats.0, experiment.repeats.1],
            "subjects": subjects,
        })
    });
    experiments.collect()
}

/// Sizes as JSON.
pub(crate) fn sizes(sizes: &[Sizes]) -> Value {
    let sizes = sizes.iter().map(|sizes| {
        let of = (sizes.of)();
        let of = of.into_iter().map(|(name, bytes)| json!({"name": name, "bytes": bytes}));
        json!({"title": sizes.title, "of": of.collect::<Value>()})
    });
    sizes.collect()
}
