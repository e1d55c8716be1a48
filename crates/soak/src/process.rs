//! What the operating system says of this process.

use std::fs;

/// Memory in KiB, from `/proc`; `None` on systems without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// What is in use now.
    pub(crate) resident: u64,
    /// The most that ever was.
    pub(crate) peak: u64,
}

impl Memory {
    pub(crate) fn now() -> Option<Self> {
        Self::read(&fs::read_to_string("/proc/self/status").ok()?)
    }

    fn read(status: &str) -> Option<Self> {
        let value = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        Some(Self { resident: value("VmRSS:")?, peak: value("VmHWM:")? })
    }
}

/// How many file descriptors are open; `None` on systems that do not tell.
pub(crate) fn open_files() -> Option<usize> {
    Some(fs::read_dir("/proc/self/fd").ok()?.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_kibibytes() {
        let status = "VmPeak:\t 9 kB\nVmHWM:\t   12 kB\nVmRSS:\t   11 kB\n";
        assert_eq!(Memory::read(status), Some(Memory { resident: 11, peak: 12 }));
        assert_eq!(Memory::read("VmRSS:\t11 kB\n"), None);
    }
}
