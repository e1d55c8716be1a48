//! Mistakes that are none: what they change, nobody could see.

use crate::error::{Error, Result};

/// A mistake that is not planted.
struct Harmless {
    /// Under `crates/`.
    file: &'static str,
    /// As `cargo mutants --list` names it. Several of one name are all meant.
    mistake: &'static str,
    /// What it does instead of harm.
    why: &'static str,
}

const HARMLESS: &[Harmless] = &[
    Harmless {
        file: "api-pool/src/auth/credentials.rs",
        mistake: "replace < with <= in Credentials::accepted",
        why: "writes the greater of two equal numbers",
    },
    Harmless {
        file: "api-pool/src/auth/party.rs",
        mistake: "replace match guard old.will_wake(waker) with false in Party<T>::turn",
        why: "clones a waker that is there already",
    },
    Harmless {
        file: "api-pool/src/breaker/circuit.rs",
        mistake: "replace | with ^ in Word::of",
        why: "the parts of a word have no bit in common",
    },
    Harmless {
        file: "api-pool/src/queue/free.rs",
        mistake: "replace | with ^ in Free::take",
        why: "the halves of a word have no bit in common",
    },
    Harmless {
        file: "api-pool/src/queue/free.rs",
        mistake: "replace | with ^ in lent",
        why: "the halves of a word have no bit in common",
    },
    Harmless {
        file: "api-pool/src/queue/machine.rs",
        mistake: "replace > with >= in Queue<W>::passes_are_spent",
        why: "no two waiters have one number",
    },
    Harmless {
        file: "api-pool/src/rate/limiter.rs",
        mistake: "replace match guard old.will_wake(waker) with false in Place<'_>::step",
        why: "clones a waker that is there already",
    },
    Harmless {
        file: "retry-core/src/backoff.rs",
        mistake: "replace < with <= in Backoff::with_default_cap",
        why: "of two equal caps either will do",
    },
    Harmless {
        file: "retry-core/src/entropy.rs",
        mistake: "replace | with ^ in scale_unit",
        why: "the leading bit is not there before",
    },
    Harmless {
        file: "retry-core/src/http_date.rs",
        mistake: "replace < with <= in year_of",
        why: "counts on to a year that cannot be written down",
    },
    Harmless {
        file: "retry-core/src/policy.rs",
        mistake: "replace Policy::limits_time -> bool with true",
        why: "no time is above no limit, so weighing it costs time and changes nothing",
    },
    Harmless {
        file: "retry-core/src/shape.rs",
        mistake: "delete match arm Self::Constant{base} in Shape::delay",
        why: "the general way, which takes longer, comes to the same",
    },
    Harmless {
        file: "retry-core/src/shape.rs",
        mistake: "replace match guard factor.get() == 2 with false in Shape::delay",
        why: "the general way, which takes longer, comes to the same",
    },
];

/// For each harmless mistake in a folder, the expression that its full name matches.
pub(super) fn patterns(folder: &str) -> impl Iterator<Item = String> {
    inside(folder).map(|harmless| {
        let (file, mistake) = (escaped(harmless.file), escaped(harmless.mistake));
        format!(r"^crates/{file}:\d+:\d+: {mistake}$")
    })
}

/// Prints what is not planted in a folder, and why.
pub(super) fn tell(folder: &str) {
    for Harmless { file, mistake, why } in inside(folder) {
        println!("left out: {file}: {mistake}: {why}");
    }
}

/// Whether each harmless mistake in a folder is one of those that `cargo mutants` listed.
///
/// # Errors
///
/// [`Error::Broken`] with those that are not: the code they are about has changed.
pub(super) fn are_listed(folder: &str, listed: &str) -> Result {
    let gone: Vec<_> = inside(folder)
        .filter(|harmless| !listed.lines().any(|line| harmless.is(line)))
        .map(|harmless| format!("{}: {}", harmless.file, harmless.mistake))
        .collect();
    if gone.is_empty() {
        return Ok(());
    }
    Err(Error::Broken(format!("no mistake is called that any more:\n{}", gone.join("\n"))))
}

fn inside(folder: &str) -> impl Iterator<Item = &'static Harmless> {
    HARMLESS.iter().filter(move |harmless| harmless.path().starts_with(folder))
}

impl Harmless {
    fn path(&self) -> String {
        format!("crates/{}", self.file)
    }

    /// Whether a line of the list, `file:line:column: mistake`, is about this one.
    fn is(&self, line: &str) -> bool {
        line.strip_prefix(&self.path())
            .and_then(|place| place.strip_suffix(self.mistake))
            .is_some_and(|place| place.starts_with(':') && place.ends_with(": "))
    }
}

/// A text as an expression that matches nothing else.
fn escaped(text: &str) -> String {
    let special = |letter: &char| r"\.+*?()|[]{}^$".contains(*letter);
    text.chars()
        .flat_map(|letter| [special(&letter).then_some('\\'), Some(letter)])
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: &str = "crates/retry-core/src/";

    #[test]
    fn each_has_a_reason() {
        assert!(HARMLESS.iter().all(|harmless| !harmless.why.is_empty()));
    }

    #[test]
    fn a_name_is_matched_to_the_letter() {
        let all: Vec<_> = patterns("crates/api-pool/src/breaker/").collect();
        assert_eq!(
            all.first().unwrap(),
            r"^crates/api-pool/src/breaker/circuit\.rs:\d+:\d+: replace \| with \^ in Word::of$"
        );
    }

    #[test]
    fn one_that_is_no_longer_listed_is_told() {
        let line = |harmless: &Harmless| format!("{}:1:20: {}", harmless.path(), harmless.mistake);
        let lines: Vec<_> = inside(FOLDER).map(line).collect();
        assert!(are_listed(FOLDER, &lines.join("\n")).is_ok());
        assert!(are_listed(FOLDER, &lines[1..].join("\n")).is_err());
    }

    #[test]
    fn a_name_that_ends_alike_is_another() {
        let first = inside(FOLDER).next().unwrap();
        assert!(!first.is(&format!("{}:1:20: do not {}", first.path(), first.mistake)));
        assert!(!first.is(&format!("{}:1:20: {}", "crates/other.rs", first.mistake)));
    }
}
