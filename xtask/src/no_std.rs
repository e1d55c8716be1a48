//! `no-std`: links `retry-core` into a program that has neither `std` nor an allocator.
//!
//! The probe is a crate of its own with its own panic handler. Anything that links `std` brings
//! a second one, so the build stops; anything that allocates asks for an allocator nobody gives;
//! anything that can panic leaves a symbol. Features of the probe do each of these on purpose,
//! to show that it would be noticed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    cargo::{Run, cargo, program},
    error::{self, Error, Result},
};

const MANIFEST: &str = "crates/retry-core/tests/no-std/Cargo.toml";
const TARGET: &str = "target/no-std";

/// Features of the probe that must not build, and the words of the compiler that say why.
const SNEAKS: &[(&str, &str)] = &[
    ("sneak-std", "duplicate lang item"),
    ("sneak-std-of-dependency", "duplicate lang item"),
    ("sneak-alloc", "no global memory allocator"),
];

/// A feature of the probe that builds a panic in.
const SNEAK_PANIC: &str = "sneak-panic";

/// How every symbol of the panic machinery is mangled, in the old scheme and in the new one.
const PANIC_MACHINERY: &[u8] = b"4core9panicking";

pub(crate) fn run(args: &[String]) -> Result {
    error::no_options(args)?;
    if !cfg!(target_os = "linux") {
        println!("no-std: skipped, since the probe is only known to start on Linux");
        return Ok(());
    }
    let probe = build_probe(&[])?;
    program(&probe).run()?;
    clean(&probe)?;
    SNEAKS.iter().try_for_each(|(feature, because)| refused(feature, because))?;
    let probe = build_probe(&["--features", SNEAK_PANIC])?;
    if read_symbols(&probe)? != Symbols::Panics {
        return Err(Error::Broken(format!("the panic of `{SNEAK_PANIC}` was not noticed")));
    }
    println!("no-std: the panic of `{SNEAK_PANIC}` is noticed");
    Ok(())
}

fn build() -> Run {
    cargo("build --release --locked --manifest-path").args([MANIFEST, "--target-dir", TARGET])
}

fn build_probe(features: &[&str]) -> Result<PathBuf> {
    let messages = build().args(features).args(["--message-format=json-render-diagnostics"]);
    executable(&messages.output()?).ok_or_else(|| Error::Malformed {
        what: "the build of the no-std probe".to_owned(),
        why: "no program came out of it".to_owned(),
    })
}

/// The program named by the compiler's messages, one JSON object per line.
fn executable(messages: &str) -> Option<PathBuf> {
    messages.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message.get("executable")?.as_str()?))
    })
}

fn read_symbols(probe: &Path) -> Result<Symbols> {
    let bytes = fs::read(probe).map_err(|source| Error::File { path: probe.to_owned(), source })?;
    Ok(symbols(&bytes))
}

/// The probe as it should be: with symbols, and none of them of a panic.
fn clean(probe: &Path) -> Result {
    let found = read_symbols(probe)?;
    let probe = probe.display();
    match found {
        Symbols::Clean => {
            println!("no-std: no symbol of `core::panicking` in {probe}");
            Ok(())
        }
        Symbols::Panics => Err(Error::Broken(format!(
            "{probe} has symbols of `core::panicking`: retry-core can panic (`nm -C` says where)"
        ))),
        Symbols::Stripped => Err(Error::Broken(format!(
            "{probe} has no symbols, so nothing is known about its panics"
        ))),
    }
}

/// What the names in a program's symbol table say.
#[derive(Debug, PartialEq, Eq)]
enum Symbols {
    Clean,
    Panics,
    Stripped,
}

fn symbols(program: &[u8]) -> Symbols {
    let has = |name: &[u8]| program.windows(name.len()).any(|window| window == name);
    if has(PANIC_MACHINERY) {
        Symbols::Panics
    } else if has(b"\0main\0") || has(b"\0_main\0") {
        Symbols::Clean
    } else {
        Symbols::Stripped
    }
}

/// A build with `feature` must stop, and for the expected reason.
fn refused(feature: &str, because: &str) -> Result {
    let (status, text) = build().args(["--features", feature]).observe()?;
    if status.success() {
        return Err(Error::Broken(format!("the probe builds with `{feature}`: it proves nothing")));
    }
    if !text.contains(because) {
        print!("{text}");
        let why = format!("the build with `{feature}` failed, but not with `{because}`");
        return Err(Error::Broken(why));
    }
    println!("no-std: `{feature}` does not build, as it must not: {because}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_machinery_is_found_in_both_manglings() {
        assert_eq!(symbols(b"\0main\0_ZN4core9panicking5panic17hE\0"), Symbols::Panics);
        assert_eq!(symbols(b"\0main\0_RNvNtCs1_4core9panicking5panic\0"), Symbols::Panics);
    }

    #[test]
    fn a_stripped_program_is_not_taken_for_a_clean_one() {
        assert_eq!(symbols(b"\0__libc_start_main\0"), Symbols::Stripped);
        assert_eq!(symbols(b"\0main\0"), Symbols::Clean);
    }

    #[test]
    fn the_program_is_read_from_the_messages() {
        let messages = "{\"executable\":null}\n{\"executable\":\"a/probe\"}\n{\"success\":true}";
        assert_eq!(executable(messages), Some(PathBuf::from("a/probe")));
        assert_eq!(executable("not json"), None);
    }
}
