//! Running programs: echoed, from the workspace root, with failures as errors.

use std::{
    env,
    ffi::OsStr,
    io,
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
};

use crate::error::{Error, Result};

/// A command about to run in the workspace root.
pub(crate) struct Run {
    command: Command,
    line: String,
}

/// Cargo, with arguments split at spaces.
pub(crate) fn cargo(args: &str) -> Run {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut run = Run { command: Command::new(cargo), line: "cargo".to_owned() };
    run.command.current_dir(root());
    run.args(args.split_whitespace())
}

/// Any other program.
pub(crate) fn program(path: impl AsRef<OsStr>) -> Run {
    let path = path.as_ref();
    let mut command = Command::new(path);
    command.current_dir(root());
    Run { command, line: path.display().to_string() }
}

/// Wants a subcommand of Cargo's that does not come with it.
pub(crate) fn installed(tool: &str) -> Result {
    match cargo(tool).args(["--version"]).observe() {
        Ok((status, _)) if status.success() => Ok(()),
        _ => Err(Error::Broken(format!(
            "`cargo {tool}` is missing: `cargo install cargo-{tool} --locked`"
        ))),
    }
}

/// The folder of the workspace, which Cargo names to the programs it runs.
pub(crate) fn root() -> PathBuf {
    let xtask = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    xtask.and_then(|dir| Some(dir.parent()?.to_owned())).unwrap_or_else(|| PathBuf::from("."))
}

impl Run {
    /// Adds arguments that may hold spaces.
    pub(crate) fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        for arg in args {
            let arg = arg.as_ref();
            self.line.push(' ');
            self.line.push_str(&arg.to_string_lossy());
            self.command.arg(arg);
        }
        self
    }

    /// Sets a variable of the command's environment.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        let value = value.as_ref();
        self.line = format!("{name}={:?} {}", value.to_string_lossy(), self.line);
        self.command.env(name, value);
        self
    }

    /// Runs to the end and wants success.
    pub(crate) fn run(mut self) -> Result {
        self.echo();
        let status = self.command.status().map_err(|source| self.start(source))?;
        if status.success() { Ok(()) } else { Err(self.failed(status)) }
    }

    /// Runs to the end, and tells how it ended.
    pub(crate) fn status(mut self) -> Result<ExitStatus> {
        self.echo();
        self.command.status().map_err(|source| self.start(source))
    }

    /// Runs quietly, wants success, and returns what was printed.
    pub(crate) fn output(mut self) -> Result<String> {
        let output = self.command.stderr(Stdio::inherit()).output();
        let output = output.map_err(|source| self.start(source))?;
        if !output.status.success() {
            return Err(self.failed(output.status));
        }
        String::from_utf8(output.stdout).map_err(|error| Error::Malformed {
            what: format!("the output of `{}`", self.line),
            why: error.to_string(),
        })
    }

    /// Runs quietly to the end and returns how it ended and what was printed to both streams.
    pub(crate) fn observe(mut self) -> Result<(ExitStatus, String)> {
        let output = self.command.output().map_err(|source| self.start(source))?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Ok((output.status, text))
    }

    fn echo(&self) {
        println!("$ {}", self.line);
    }

    fn start(&self, source: io::Error) -> Error {
        Error::Start { program: self.command.get_program().to_string_lossy().into_owned(), source }
    }

    fn failed(&self, status: ExitStatus) -> Error {
        Error::Command { line: self.line.clone(), outcome: format!("failed: {status}") }
    }
}
