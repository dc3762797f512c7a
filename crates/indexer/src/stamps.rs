//! Stamps of files whose content was found equal to the index although their times differ.
//!
//! Without them a touched tree would be read again by every update, or be written anew for nothing. They live in a small file
//! beside the index and are advisory: a record counts only while its hash is that of the index, and a file
//! that is lost or cut short costs a second look at the contents and nothing else.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::entry::Stamp;
use crate::error::Error;
use crate::snapshot::ManifestFile;
use crate::store::replace_file;

const FILE: &str = "stamps";

/// The records for one data folder.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Stamps {
    data: String,
    /// Generation of the index at the last scan that is noted here.
    generation: u64,
    /// Start of that scan, in nanoseconds since 1970.
    scan_time_ns: i64,
    files: BTreeMap<String, (Stamp, u64)>,
}

impl Stamps {
    /// The records for the data folder `data`; none if they are absent, unreadable or of another one.
    pub(crate) fn load(folder: &Path, data: &str) -> Self {
        std::fs::read(folder.join(FILE))
            .ok()
            .and_then(|bytes| postcard::from_bytes::<Stamps>(&bytes).ok())
            .filter(|stamps| stamps.data == data)
            .unwrap_or_default()
    }

    /// Start of the last scan that checked contents. The commit of the index tells it as well, and a scan that changed
    /// nothing is noted only here; it may be the earlier one of the two when the clock was set back.
    pub(crate) fn scan_time_ns(&self, generation: u64, committed_ns: i64) -> i64 {
        if self.generation == generation { self.scan_time_ns } else { committed_ns }
    }

    /// The stamp at which the file was last found to have the content that the index has.
    pub(crate) fn last(&self, file: &ManifestFile) -> Stamp {
        match self.files.get(&file.path) {
            Some((stamp, hash)) if *hash == file.hash => *stamp,
            _ => file.stamp,
        }
    }

    /// Notes that the file was found unchanged at this stamp.
    pub(crate) fn note(&mut self, path: String, stamp: Stamp, hash: u64) {
        self.files.insert(path, (stamp, hash));
    }

    /// Forgets a file that was written or removed.
    pub(crate) fn forget(&mut self, path: &str) {
        self.files.remove(path);
    }

    /// Writes the records beside the index.
    pub(crate) fn save(
        &mut self,
        folder: &Path,
        data: &str,
        generation: u64,
        scan_time_ns: i64,
    ) -> Result<(), Error> {
        data.clone_into(&mut self.data);
        self.generation = generation;
        self.scan_time_ns = scan_time_ns;
        let bytes = postcard::to_stdvec(self).map_err(|error| Error::Damaged {
            what: format!("the stamps cannot be written: {error}"),
        })?;
        replace_file(&folder.join(FILE), &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::FileFlags;

    const OLD: Stamp = Stamp { size: 3, mtime_ns: 10, ctime_ns: 10 };
    const NEW: Stamp = Stamp { size: 3, mtime_ns: 20, ctime_ns: 20 };

    fn file(hash: u64) -> ManifestFile {
        ManifestFile { path: "a.ts".to_owned(), stamp: OLD, hash, flags: FileFlags(0), doc: 0 }
    }

    #[test]
    fn a_record_counts_only_for_the_content_it_was_made_for() {
        let mut stamps = Stamps::default();
        assert_eq!(stamps.last(&file(7)), OLD);
        stamps.note("a.ts".to_owned(), NEW, 7);
        assert_eq!(stamps.last(&file(7)), NEW);
        assert_eq!(stamps.last(&file(8)), OLD);
        stamps.forget("a.ts");
        assert_eq!(stamps.last(&file(7)), OLD);
    }

    #[test]
    fn records_of_another_data_folder_or_cut_short_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut stamps = Stamps::default();
        stamps.note("a.ts".to_owned(), NEW, 7);
        stamps.save(folder.path(), "data-1", 5, 100).unwrap();
        assert_eq!(Stamps::load(folder.path(), "data-1").last(&file(7)), NEW);
        assert_eq!(Stamps::load(folder.path(), "data-2").last(&file(7)), OLD);
        let bytes = std::fs::read(folder.path().join(FILE)).unwrap();
        std::fs::write(folder.path().join(FILE), &bytes[..bytes.len() / 2]).unwrap();
        assert_eq!(Stamps::load(folder.path(), "data-1").last(&file(7)), OLD);
    }

    #[test]
    fn the_scan_time_is_that_of_the_same_generation_even_if_it_is_earlier() {
        let folder = tempfile::tempdir().unwrap();
        let mut stamps = Stamps::default();
        stamps.save(folder.path(), "data-1", 5, 100).unwrap();
        assert_eq!(stamps.scan_time_ns(5, 90), 100);
        assert_eq!(stamps.scan_time_ns(6, 50), 50);
    }
}
