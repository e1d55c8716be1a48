//! `ci`: what the workflow runs, in the same order, with a time for each step.

use std::time::{Duration, Instant};

use crate::{
    TASKS, Task,
    error::{self, Error, Result},
};

/// Cheap checks first, so that a slip is told in seconds.
const STEPS: &[&str] =
    &["fmt", "tidy", "clippy", "features", "no-std", "test", "quickstart", "doc"];

pub(crate) fn run(args: &[String]) -> Result {
    error::no_options(args)?;
    let mut times = Vec::new();
    let outcome = STEPS.iter().try_for_each(|name| {
        println!("\n== {name}");
        let started = now();
        let outcome = step(name).and_then(|task| (task.run)(&[]));
        times.push((*name, now().duration_since(started), outcome.is_ok()));
        outcome
    });
    print!("{}", table(&times));
    outcome
}

fn step(name: &str) -> Result<&'static Task> {
    TASKS
        .iter()
        .find(|task| task.name == name)
        .ok_or_else(|| Error::Broken(format!("the step `{name}` is not a task")))
}

#[expect(clippy::disallowed_methods, reason = "how long the steps really take is what is reported")]
fn now() -> Instant {
    Instant::now()
}

fn table(times: &[(&str, Duration, bool)]) -> String {
    let mut text = String::from("\nstep        seconds\n");
    for (name, time, passed) in times {
        let outcome = if *passed { "" } else { "  failed" };
        text.push_str(&format!("{name:10} {:>8.1}{outcome}\n", time.as_secs_f32()));
    }
    let total: Duration = times.iter().map(|(_, time, _)| *time).sum();
    text.push_str(&format!("{:10} {:>8.1}\n", "total", total.as_secs_f32()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_a_task() {
        for name in STEPS {
            assert!(step(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn the_table_marks_the_step_that_failed() {
        let times = [("fmt", Duration::from_millis(1500), true), ("tidy", Duration::ZERO, false)];
        assert_eq!(
            table(&times),
            "\nstep        seconds\nfmt             1.5\ntidy            0.0  failed\ntotal           1.5\n"
        );
    }
}
