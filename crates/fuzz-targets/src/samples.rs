//! What inputs grow from.

use std::{fs, io, path::Path};

/// The files of `folder`, in the order of their names.
///
/// # Errors
///
/// If the folder or one of its files cannot be read.
pub fn samples(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let mut files: Vec<_> = entries.iter().map(fs::DirEntry::path).collect();
    files.sort_unstable();
    files.iter().map(fs::read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_folder_are_read_in_the_order_of_their_names() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files = samples(&folder).unwrap();
        assert_eq!(files.first(), fs::read(folder.join("bytes.rs")).ok().as_ref());
        assert_eq!(files.last(), fs::read(folder.join("token.rs")).ok().as_ref());
        assert!(samples(&folder.join("nowhere")).is_err());
    }
}
