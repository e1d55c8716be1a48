//! Two threads on one closed breaker.
//!
//! The one figure of this crate that is a time, so it is told as a ratio to the least that could
//! be done: each round times every subject, one after the other, and the median of the rounds'
//! ratios counts.

use std::{
    env,
    hint::black_box,
    num::NonZeroU32,
    process::Command,
    sync::{
        Barrier,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use failsafe::CircuitBreaker;
use retry_core::http::Health;

use crate::{
    breaker::{BreakerConfig, Circuit},
    sealed::Sealed,
};

const ROUNDS: usize = 101;
const THREADS: usize = 2;
const TURNS: u64 = 200_000;

/// What this program is called with to settle answers on a breaker that cannot be written to.
const SEALED: &str = "sealed";

/// Prints the ratios, or what a sealed breaker has to say.
///
/// # Errors
///
/// If a success writes to the breaker, or if a failure does not.
pub(crate) fn run(args: &[&str]) -> Result<(), String> {
    match args {
        [] => print(),
        [SEALED, health] => {
            settle_on_sealed(if *health == "up" { Health::Up } else { Health::Down });
            return Ok(());
        }
        _ => return Err("usage: contended".to_owned()),
    }
    let survives = |health: &str| {
        let program = env::current_exe().map_err(|error| error.to_string())?;
        let status = Command::new(program).args(["contended", SEALED, health]).status();
        status.map(|status| status.success()).map_err(|error| error.to_string())
    };
    if !survives("up")? {
        return Err("a success on a healthy breaker writes to it".to_owned());
    }
    if survives("down")? {
        return Err("a failure does not write to the breaker: the page is not sealed".to_owned());
    }
    println!(
        "\nOn a page that may only be read, {TURNS} successes pass and the first failure dies."
    );
    Ok(())
}

/// A name, and how long it takes.
type Timed = (&'static str, fn() -> Duration);

fn print() {
    let subjects: [Timed; 5] = [
        ("one atomic word, read", word),
        ("api-pool", api_pool),
        ("api-pool: asked before the slot as well", api_pool_twice),
        ("recloser", recloser),
        ("failsafe", failsafe),
    ];
    let mut ratios = [const { Vec::new() }; 5];
    for _ in 0..ROUNDS {
        let times = subjects.map(|(_, time)| time().as_secs_f64());
        for (ratios, time) in ratios.iter_mut().zip(times) {
            ratios.push(time / times[0]);
        }
    }
    println!(
        "| closed breaker, two threads | over the first, median of {ROUNDS} rounds | quartiles |"
    );
    println!("|---|---:|---:|");
    for ((name, _), mut ratios) in subjects.into_iter().zip(ratios) {
        ratios.sort_by(f64::total_cmp);
        let [low, middle, high] = [1, 2, 3].map(|quarter| ratios[quarter * (ROUNDS - 1) / 4]);
        println!("| {name} | {middle:.2} | {low:.2} to {high:.2} |");
    }
}

/// How long it takes until both threads have had their turns.
fn time(turn: impl Fn() + Sync) -> Duration {
    let start = Barrier::new(THREADS);
    let spent = thread::scope(|scope| {
        let threads = [(); THREADS].map(|()| {
            scope.spawn(|| {
                start.wait();
                let began = now();
                for _ in 0..TURNS {
                    turn();
                }
                now().duration_since(began)
            })
        });
        threads.map(|thread| thread.join().expect("a turn does not panic"))
    });
    spent.into_iter().max().unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "time is the subject, and only told as a ratio")]
fn now() -> Instant {
    Instant::now()
}

fn word() -> Duration {
    let word = AtomicU64::new(0);
    time(|| {
        black_box(black_box(&word).load(Ordering::Relaxed) == 0);
    })
}

fn circuit() -> Circuit {
    let base = Duration::from_secs(5);
    Circuit::new(BreakerConfig::growing(NonZeroU32::MIN.saturating_add(4), base, base))
}

fn settle(circuit: &Circuit, health: Health) {
    let pass = circuit.try_enter().expect("it is closed");
    let admission = circuit.admit(pass).expect("it is closed");
    black_box(admission.settle(health).is_some());
}

fn api_pool() -> Duration {
    let circuit = circuit();
    time(|| {
        let admission = black_box(&circuit).try_admit().expect("it is closed");
        black_box(admission.settle(Health::Up).is_some());
    })
}

fn api_pool_twice() -> Duration {
    let circuit = circuit();
    time(|| settle(black_box(&circuit), Health::Up))
}

fn recloser() -> Duration {
    let breaker = recloser::Recloser::default();
    time(|| {
        black_box(black_box(&breaker).call(|| Ok::<_, ()>(black_box(1))).is_ok());
    })
}

fn failsafe() -> Duration {
    let breaker = failsafe::Config::new().build();
    time(|| {
        black_box(black_box(&breaker).call(|| Ok::<_, ()>(black_box(1))).is_ok());
    })
}

fn settle_on_sealed(health: Health) {
    let circuit = Sealed::new(circuit());
    for _ in 0..TURNS {
        settle(&circuit, health);
    }
}
