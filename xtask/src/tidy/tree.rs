//! The files and packages that the rules look at.

use std::{fs, path::Path};

use crate::{
    cargo,
    error::{Error, Result},
    tidy::masks::{self, Masks},
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
    /// What the file is for; `None` for anything but Rust.
    pub(crate) role: Option<Role>,
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
        Ok(Self::new(files, workspace::packages()?))
    }

    pub(crate) fn new(mut files: Vec<File>, packages: Vec<Package>) -> Self {
        let tests: Vec<String> = files.iter().flat_map(File::test_modules).collect();
        for file in files.iter_mut().filter(|file| file.role == Some(Role::Source)) {
            let path = file.path.as_str();
            let starts = |module: &String| {
                let rest = path.strip_prefix(module.as_str());
                rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            };
            if tests.iter().any(starts) {
                file.role = Some(Role::Test);
            }
        }
        Self { files, packages }
    }

    /// The Rust files, with their roles.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&File, Role)> {
        self.files.iter().filter_map(|file| Some((file, file.role?)))
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
    pub(crate) fn new(path: String, text: String) -> Self {
        let role = role(&path);
        Self { path, text, role }
    }

    pub(crate) fn masks(&self) -> Masks {
        Masks::of(&self.text)
    }

    /// The modules in files of their own that this file declares for tests only, as paths
    /// without an extension.
    fn test_modules(&self) -> Vec<String> {
        let Some(path) = self.path.strip_suffix(".rs").filter(|_| self.text.contains("cfg(test)"))
        else {
            return Vec::new();
        };
        let folder = match path.rsplit_once('/') {
            Some((folder, "lib" | "main" | "mod")) => folder,
            Some(_) | None => path,
        };
        let names = masks::test_modules(&self.masks().code);
        names.into_iter().map(|name| format!("{folder}/{name}")).collect()
    }
}

/// What the path alone says.
fn role(path: &str) -> Option<Role> {
    let path = path.strip_suffix(".rs")?;
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
            files.push(File::new(format!("{prefix}{name}"), text));
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
        assert_eq!(File::new(path.to_owned(), String::new()).role, role, "{path}");
    }

    #[test]
    fn a_module_declared_for_tests_is_a_test_whatever_its_name() {
        let file = |path: &str, text: &str| File::new(path.to_owned(), text.to_owned());
        let tree = Tree::new(
            vec![
                file("a/src/gate.rs", "mod line;\n#[cfg(test)]\nmod herd;\n"),
                file("a/src/gate/herd.rs", ""),
                file("a/src/gate/herd/world.rs", ""),
                file("a/src/gate/line.rs", ""),
                file("a/src/lib.rs", "#[cfg(test)]\npub(crate) mod fixtures;\nmod gate;"),
                file("a/src/fixtures.rs", ""),
            ],
            Vec::new(),
        );
        let sources: Vec<&str> = tree.sources().map(|file| file.path.as_str()).collect();
        assert_eq!(sources, ["a/src/gate.rs", "a/src/gate/line.rs", "a/src/lib.rs"]);
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
