//! The files and packages that the rules look at.

use std::{fs, path::Path};

use crate::{
    cargo,
    error::{Error, Result},
    tidy::masks::Masks,
    workspace::{self, Package},
};

/// A snapshot of the workspace.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// In the order of their paths.
    pub(crate) files: Vec<File>,
    pub(crate) packages: Vec<Package>,
}

/// A text file.
#[derive(Debug)]
pub(crate) struct File {
    /// Relative to the workspace root, with forward slashes.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// What a Rust file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// An example or a benchmark.
    Example,
    /// Compiled into a library or a program.
    Source,
    /// Compiled for tests only.
    Test,
}

/// Folders that hold nothing written here.
const SKIPPED: &[&str] = &[".git", "node_modules", "target"];
/// The kinds of files with rules. Data files have none.
const EXTENSIONS: &[&str] = &["json5", "md", "rs", "sh", "svg", "toml", "yaml", "yml"];

impl Tree {
    /// Reads the workspace from disk.
    pub(crate) fn load() -> Result<Self> {
        let mut files = Vec::new();
        collect(&cargo::root(), "", &mut files)?;
        files.sort_by(|a: &File, b| a.path.cmp(&b.path));
        Ok(Self { files, packages: workspace::packages()? })
    }

    /// The Rust files, with their roles.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&File, Role)> {
        self.files.iter().filter_map(|file| Some((file, file.role()?)))
    }

    /// The Rust files that end up in a library or a program.
    pub(crate) fn sources(&self) -> impl Iterator<Item = &File> {
        self.rust().filter(|(_, role)| *role == Role::Source).map(|(file, _)| file)
    }

    /// The file at `path`, if there is one.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }
}

impl File {
    /// What the file is for; `None` for anything but Rust.
    pub(crate) fn role(&self) -> Option<Role> {
        let path = self.path.strip_suffix(".rs")?;
        let parts: Vec<&str> = path.split('/').collect();
        let (stem, folders) = parts.split_last()?;
        let is_test = folders.contains(&"tests")
            || folders.contains(&"fuzz")
            || *stem == "tests"
            || stem.ends_with("_tests");
        Some(if folders.contains(&"examples") || folders.contains(&"benches") {
            Role::Example
        } else if is_test {
            Role::Test
        } else {
            Role::Source
        })
    }

    pub(crate) fn masks(&self) -> Masks {
        Masks::of(&self.text)
    }
}

fn collect(dir: &Path, prefix: &str, files: &mut Vec<File>) -> Result {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::File { path, source }
    };
    for entry in fs::read_dir(dir).map_err(unreadable(dir))? {
        let entry = entry.map_err(unreadable(dir))?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        let kind = entry.file_type().map_err(unreadable(&path))?;
        if kind.is_dir() {
            collect(&path, &format!("{prefix}{name}/"), files)?;
        } else if kind.is_file() && has_rules(&path) {
            let text = fs::read_to_string(&path).map_err(unreadable(&path))?;
            files.push(File { path: format!("{prefix}{name}"), text });
        }
    }
    Ok(())
}

fn has_rules(path: &Path) -> bool {
    let parent = path.parent().and_then(Path::file_name);
    let in_ci = parent.is_some_and(|name| name == ".ci");
    let extension = path.extension().and_then(|extension| extension.to_str());
    in_ci || extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_role(path: &str, role: Option<Role>) {
        assert_eq!(File { path: path.to_owned(), text: String::new() }.role(), role, "{path}");
    }

    #[test]
    fn roles_follow_from_paths() {
        assert_role("crates/api-pool/src/queue/machine.rs", Some(Role::Source));
        assert_role("xtask/src/main.rs", Some(Role::Source));
        assert_role("crates/api-pool/src/queue/machine/tests.rs", Some(Role::Test));
        assert_role("crates/api-pool/src/breaker/loom_tests.rs", Some(Role::Test));
        assert_role("crates/api-pool/tests/support/mod.rs", Some(Role::Test));
        assert_role("crates/vantage-rest/examples/quickstart.rs", Some(Role::Example));
        assert_role("README.md", None);
    }
}
