//! Prints the waits of a policy, as a table and as a plot, for each jitter.
//!
//! ```text
//! cargo run -p retry-core --example schedule -- 250ms 10s 8
//! ```
//!
//! The arguments are the base, the cap and the number of retries.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::env;
use std::error::Error;
use std::time::Duration;

use retry_core::duration_text::{display, parse};
use retry_core::{Backoff, Failure, Jitter, Next, Policy, SeededEntropy};

const JITTERS: [(&str, Jitter); 5] = [
    ("none", Jitter::None),
    ("full", Jitter::Full),
    ("equal", Jitter::Equal),
    ("decorrelated", Jitter::Decorrelated),
    ("spread 25 %", Jitter::Spread(25)),
];

/// How many runs each jitter is drawn from.
const RUNS: u64 = 2_000;

/// The width of a plot.
const COLUMNS: usize = 64;

/// Darker where more of the waits fall.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let base = parse(arguments.next().as_deref().unwrap_or("250ms"))?;
    let cap = parse(arguments.next().as_deref().unwrap_or("10s"))?;
    let retries: u32 = arguments.next().as_deref().unwrap_or("8").parse()?;

    let backoff = Backoff::try_exponential(base, 2, cap)?;
    println!("exponential from {}, cap {}", display(base), display(cap));
    table(backoff, retries);
    for (name, jitter) in JITTERS {
        println!("\n{name}");
        plot(Policy::new(backoff).with_jitter(jitter).unbounded(), retries);
    }
    Ok(())
}

/// The mean wait of each retry, one column per jitter.
fn table(backoff: Backoff, retries: u32) {
    print!("\n{:>5} {:>12}", "retry", "schedule");
    JITTERS.iter().for_each(|(name, _)| print!(" {name:>13}"));
    println!();
    let means = JITTERS.map(|(_, jitter)| {
        let policy = Policy::new(backoff).with_jitter(jitter).unbounded();
        waits(policy, retries).iter().map(|waits| mean(waits)).collect::<Vec<_>>()
    });
    for (retry, index) in (0..retries).zip(0..) {
        print!("{:>5} {:>12}", retry + 1, seconds(backoff.delay(retry)));
        for column in &means {
            print!(" {:>13}", column.get(index).copied().map(seconds).unwrap_or_default());
        }
        println!();
    }
}

/// One line per retry; from left to right, from nothing to the cap.
fn plot(policy: Policy, retries: u32) {
    let cap = policy.backoff().cap().as_nanos().max(1);
    for (number, waits) in (1..).zip(waits(policy, retries)) {
        let mut counts = [0_usize; COLUMNS];
        for wait in &waits {
            let column = wait.as_nanos() * (COLUMNS as u128 - 1) / cap;
            if let Some(count) = usize::try_from(column).ok().and_then(|at| counts.get_mut(at)) {
                *count += 1;
            }
        }
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        let shade = |count: usize| SHADES[(count * 4).div_ceil(most).min(4)];
        let line: String = counts.into_iter().map(shade).collect();
        println!("{number:>5} │{line}│");
    }
}

/// For each retry, its waits in all the runs.
fn waits(policy: Policy, retries: u32) -> Vec<Vec<Duration>> {
    let mut waits = vec![Vec::new(); retries as usize];
    for seed in 0..RUNS {
        let mut entropy = SeededEntropy::new(seed);
        let mut run = policy.run();
        for waits in &mut waits {
            let next = run.on_failure(Failure::transient(), Duration::ZERO, &mut entropy);
            if let Next::Retry { after, .. } = next {
                waits.push(after);
            }
        }
    }
    waits
}

fn mean(waits: &[Duration]) -> Duration {
    let count = u32::try_from(waits.len()).unwrap_or(u32::MAX).max(1);
    waits.iter().fold(Duration::ZERO, |sum, wait| sum.saturating_add(*wait)) / count
}

fn seconds(duration: Duration) -> String {
    format!("{:.3} s", duration.as_secs_f64())
}
