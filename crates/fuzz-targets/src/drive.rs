//! Inputs from a seed, for toolchains without a fuzzer.

use retry_core::{Entropy, SeededEntropy};

/// Bytes that mean something to one parser or another.
const HOSTILE: &[u8] = b"\0\"\\{}[]():,$#\n\r\t 09-.%/?&=\xff\xc3";

/// The longest input that grows from a sample.
const MAX_LEN: usize = 600;

/// Calls `target` with `runs` inputs: samples, changed a little, spliced, or noise.
///
/// The same seed gives the same inputs.
///
/// # Panics
///
/// Where `target` does; the message before it names the seed and the run.
pub fn drive(name: &str, samples: &[&[u8]], seed: u64, runs: u64, target: fn(&[u8])) {
    for run in 0..runs {
        let mut random = SeededEntropy::new(SeededEntropy::new(seed ^ run).next_u64());
        let input = input(samples, &mut random);
        let outcome = std::panic::catch_unwind(|| target(&input));
        if let Err(panic) = outcome {
            let input = String::from_utf8_lossy(&input).into_owned();
            let input = input.escape_debug();
            panic!("{name}, seed {seed}, run {run}, input \"{input}\": {}", text(&*panic));
        }
    }
}

fn text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

fn input(samples: &[&[u8]], random: &mut SeededEntropy) -> Vec<u8> {
    let mut below = |limit: usize| {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(random.next_u64() % limit).unwrap_or_default()
    };
    let pick = |below: &mut dyn FnMut(usize) -> usize| {
        samples.get(below(samples.len())).copied().unwrap_or_default()
    };
    let mut input = pick(&mut below).to_vec();
    for _ in 0..below(6) {
        let at = below(input.len() + 1);
        let end = at.saturating_add(below(8)).min(input.len());
        match below(6) {
            0 => drop(input.drain(at..end)),
            1 => {
                let byte = u8::try_from(below(256)).unwrap_or_default();
                input.insert(at, byte);
            }
            2 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << below(8);
                }
            }
            3 => {
                let again = input.get(at..end).unwrap_or_default().to_vec();
                drop(input.splice(at..at, again));
            }
            4 => {
                let other = pick(&mut below);
                let from = below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(other.get(from..).unwrap_or_default());
            }
            _ => {
                let byte = HOSTILE.get(below(HOSTILE.len())).copied().unwrap_or_default();
                input.insert(at, byte);
            }
        }
    }
    input.truncate(MAX_LEN);
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "bite, seed 1, run ")]
    fn an_input_that_breaks_a_claim_is_found_and_named() {
        drive("bite", &[b"harmless"], 1, 10_000, |input| assert!(!input.contains(&b'"')));
    }

    #[test]
    fn a_seed_gives_the_same_inputs() {
        let inputs = |seed| {
            let mut random = SeededEntropy::new(seed);
            (0..50).map(|_| input(&[b"one", b"two"], &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(inputs(3), inputs(3));
        assert_ne!(inputs(3), inputs(4));
    }
}
