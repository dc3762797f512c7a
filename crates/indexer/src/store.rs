//! Where the index lives, how it is opened, and who may write it.
//!
//! ```text
//! .reseek/
//!   .gitignore   "*": the folder ignores itself
//!   CURRENT      which data folder is in force, and the versions of its writer; replaced by one rename
//!   data-N/      a tantivy index
//!   stamps       sizes and times of files whose content was checked since; advisory
//!   lock         held by the one writer while it writes; the system frees it when the writer dies
//!   watch        held by a running watcher; says who it is
//!   sync-N       put there by whoever waits until a watcher has seen all that came before; the watcher removes it
//! ```
//!
//! A rebuild writes `data-N+1` beside the old folder and then replaces `CURRENT`, so readers see the old index or the new
//! one, never a part of either. A reader that opened the old one keeps reading it.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tantivy::index::SegmentComponent;
use tantivy::{IndexReader, ReloadPolicy};

use crate::directory::DataDirectory;
use crate::error::Error;
use crate::format::{ANALYZER_VERSION, FORMAT_VERSION, Meta};
use crate::schema::{Fields, schema, tokenizers};
use crate::snapshot::Snapshot;

/// Name of the index folder at the root.
pub const INDEX_FOLDER: &str = ".reseek";
const CURRENT: &str = "CURRENT";
const LOCK: &str = "lock";
const DATA_PREFIX: &str = "data-";

/// Content of the file `CURRENT`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Current {
    /// Marks the folder as ours.
    pub reseek_index: bool,
    /// [`FORMAT_VERSION`] of the writer.
    pub format: u32,
    /// [`ANALYZER_VERSION`] of the writer; a later format may keep it elsewhere.
    #[serde(default)]
    pub analyzer: u32,
    /// Name of the data folder; a later format may have none.
    #[serde(default)]
    pub data: String,
}

/// What was found where an index is looked for. Each state has one remedy.
#[expect(
    clippy::large_enum_variant,
    reason = "a state is looked at once and taken apart, never kept"
)]
pub enum IndexState {
    /// Nothing there: build.
    Missing,
    /// Of an earlier version: rebuild.
    Older {
        /// Versions found, as `format.analyzer`.
        found: String,
    },
    /// Of a later version: refuse, and advise to use the newer program or another folder.
    Newer {
        /// Versions found, as `format.analyzer`.
        found: String,
    },
    /// Ours, but unreadable: rebuild.
    Damaged {
        /// What could not be read.
        what: String,
    },
    /// A folder of somebody else: refuse.
    Foreign,
    /// Open for reading.
    Ready(Index),
}

/// An index that is open for reading.
pub struct Index {
    folder: PathBuf,
    data: String,
    store: tantivy::Index,
    reader: IndexReader,
    fields: Fields,
}

pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Error + '_ {
    move |source| Error::Io { path: path.to_owned(), source }
}

#[expect(
    clippy::result_large_err,
    reason = "once per opening; the states are what the caller answers"
)]
pub(crate) fn read_current(folder: &Path) -> Result<Option<Current>, IndexState> {
    let path = folder.join(CURRENT);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            // An interrupted first build leaves our files without `CURRENT`; anything else is not ours.
            let Ok(entries) = fs::read_dir(folder) else { return Ok(None) };
            let foreign = entries.flatten().any(|entry| {
                let name = entry.file_name();
                !is_ours(&name.to_string_lossy())
            });
            return if foreign { Err(IndexState::Foreign) } else { Ok(None) };
        }
        Err(error) => {
            return Err(IndexState::Damaged { what: format!("{}: {error}", path.display()) });
        }
    };
    let unreadable = || IndexState::Damaged { what: format!("{} cannot be read", path.display()) };
    let current: Current = serde_json::from_str(&text).map_err(|_| unreadable())?;
    let found = format!("{}.{}", current.format, current.analyzer);
    if !current.reseek_index {
        return Err(IndexState::Foreign);
    }
    if current.format > FORMAT_VERSION || current.analyzer > ANALYZER_VERSION {
        return Err(IndexState::Newer { found });
    }
    if current.format < FORMAT_VERSION || current.analyzer < ANALYZER_VERSION {
        return Err(IndexState::Older { found });
    }
    if !current.data.starts_with(DATA_PREFIX) || current.data.contains(['/', '\\']) {
        return Err(unreadable());
    }
    Ok(Some(current))
}

/// Whether a name in the index folder is one that this program gives.
fn is_ours(name: &str) -> bool {
    matches!(name, ".gitignore" | LOCK | "stamps" | "stamps.new" | "watch")
        || [DATA_PREFIX, CURRENT, "sync-"].iter().any(|start| name.starts_with(start))
}

impl Index {
    /// Looks at `folder` and opens the index there if it can be read. Writes nothing.
    pub fn open(folder: &Path) -> IndexState {
        // A rebuild may remove the data folder between the look at CURRENT and the opening: look again.
        let mut last = String::new();
        for _ in 0..3 {
            let current = match read_current(folder) {
                Ok(Some(current)) => current,
                Ok(None) => return IndexState::Missing,
                Err(state) => return state,
            };
            match Self::open_data(folder, &current) {
                Ok(index) => return IndexState::Ready(index),
                Err(error) => last = error.to_string(),
            }
        }
        IndexState::Damaged { what: last }
    }

    pub(crate) fn open_data(folder: &Path, current: &Current) -> Result<Self, Error> {
        let data = folder.join(&current.data);
        let mut index = tantivy::Index::open(DataDirectory::open(&data)?)?;
        let (wanted, fields) = schema();
        if index.schema() != wanted {
            return Err(Error::Damaged { what: "the index has another schema".to_owned() });
        }
        index.set_tokenizers(tokenizers());
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self {
            folder: folder.to_owned(),
            data: current.data.clone(),
            store: index,
            reader,
            fields,
        })
    }

    /// Removes what a killed writer left in the data folder: deletion lists that no commit names, because the next commit
    /// would want the same names, and files that were never finished. Only for the holder of the write lock.
    pub(crate) fn remove_orphans(&self) -> Result<(), Error> {
        let named: BTreeSet<PathBuf> = self
            .store
            .searchable_segment_metas()?
            .iter()
            .map(|segment| segment.relative_path(SegmentComponent::Delete))
            .collect();
        let data = self.folder.join(&self.data);
        for entry in fs::read_dir(&data).map_err(io(&data))?.flatten() {
            let name = PathBuf::from(entry.file_name());
            let is_list = name.extension().is_some_and(|extension| extension == "del");
            let is_unfinished = name.to_string_lossy().starts_with(".tmp");
            if is_unfinished || (is_list && !named.contains(&name)) {
                // What cannot be removed fails the commit, which tells why.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// The folder that the index lives in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Name of the data folder in force when the index was opened.
    pub(crate) fn data(&self) -> &str {
        &self.data
    }

    pub(crate) fn tantivy(&self) -> &tantivy::Index {
        &self.store
    }

    /// The latest commit as one consistent view.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        // The payload and the segments are read apart; a commit in between shows as another operation stamp.
        for _ in 0..10 {
            let before = self.store.load_metas()?;
            self.reader.reload()?;
            let searcher = self.reader.searcher();
            let after = self.store.load_metas()?;
            if before.opstamp == after.opstamp && before.payload == after.payload {
                let payload = after.payload.unwrap_or_default();
                let meta: Meta = serde_json::from_str(&payload).map_err(|_| Error::Damaged {
                    what: "the commit record cannot be read".to_owned(),
                })?;
                return Snapshot::new(searcher, self.fields.clone(), meta);
            }
        }
        Err(Error::Busy { holder: "a writer that commits without pause".to_owned() })
    }

    /// Whether another process has put a rebuilt index in force since this one was opened.
    pub fn is_superseded(&self) -> bool {
        !matches!(read_current(&self.folder), Ok(Some(current)) if current.data == self.data)
    }

    /// The latest commit of whatever index is in force in the folder by now; opens it if it is another one. This is what
    /// a long-lived reader asks for before each answer.
    pub fn current(&mut self) -> Result<Snapshot, Error> {
        for _ in 0..3 {
            if self.is_superseded() {
                match Self::open(&self.folder) {
                    IndexState::Ready(index) => *self = index,
                    IndexState::Newer { found } => {
                        return Err(Error::Newer { folder: self.folder.clone(), found });
                    }
                    IndexState::Damaged { what } => return Err(Error::Damaged { what }),
                    // A folder that is being removed or built anew: the old view still answers.
                    IndexState::Missing | IndexState::Older { .. } | IndexState::Foreign => {}
                }
            }
            match self.snapshot() {
                // A rebuild may have removed the files between the two looks.
                Err(_) if self.is_superseded() => {}
                result => return result,
            }
        }
        self.snapshot()
    }

    /// Files of the index whose checksum is not that of their content, sorted.
    pub(crate) fn broken_files(&self) -> Result<Vec<PathBuf>, Error> {
        let broken: std::collections::BTreeSet<PathBuf> =
            self.store.validate_checksum()?.into_iter().collect();
        Ok(broken.into_iter().collect())
    }

    /// Whether the view is still the latest commit of the index in force.
    pub(crate) fn is_latest(&self, snapshot: &Snapshot) -> bool {
        let generation = self
            .store
            .load_metas()
            .ok()
            .and_then(|metas| serde_json::from_str::<Meta>(&metas.payload?).ok())
            .map(|meta| meta.generation);
        generation == Some(snapshot.meta().generation) && !self.is_superseded()
    }
}

/// The right to write; given back when dropped or when the process ends in whatever way.
pub struct WriteLock {
    file: File,
}

impl WriteLock {
    /// Takes the lock of an index folder, which is made if it does not exist; waits up to `patience`, looking every 20 ms.
    pub fn acquire(folder: &Path, patience: Duration) -> Result<Self, Error> {
        if matches!(read_current(folder), Err(IndexState::Foreign)) {
            return Err(Error::Foreign { folder: folder.to_owned() });
        }
        fs::create_dir_all(folder).map_err(io(folder))?;
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(io(&ignore))?;
        }
        let path = folder.join(LOCK);
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(io(&path))?;
        let pause = Duration::from_millis(20);
        let mut waited = Duration::ZERO;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if waited < patience => {
                    std::thread::sleep(pause);
                    waited += pause;
                }
                Err(TryLockError::WouldBlock) => {
                    let mut holder = String::new();
                    let _ = file.read_to_string(&mut holder);
                    let holder = holder.trim();
                    return Err(Error::Busy {
                        holder: if holder.is_empty() {
                            "another process".to_owned()
                        } else {
                            holder.to_owned()
                        },
                    });
                }
                Err(TryLockError::Error(source)) => return Err(Error::Io { path, source }),
            }
        }
        let holder = format!("process {}\n", std::process::id());
        // The name of the holder is a courtesy; the lock holds without it, also on a full disk.
        let _ = file.set_len(0);
        let _ = file.seek(SeekFrom::Start(0));
        let _ = file.write_all(holder.as_bytes());
        Ok(Self { file })
    }
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// Makes the next data folder; the index is empty and not in force.
pub(crate) fn create_data(folder: &Path) -> Result<(Current, tantivy::Index), Error> {
    let mut number = 1;
    let entries = fs::read_dir(folder).map_err(io(folder))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if let Some(n) =
            name.to_string_lossy().strip_prefix(DATA_PREFIX).and_then(|n| n.parse::<u64>().ok())
        {
            number = number.max(n + 1);
        }
    }
    let data = format!("{DATA_PREFIX}{number}");
    let path = folder.join(&data);
    fs::create_dir_all(&path).map_err(io(&path))?;
    let (schema, _) = schema();
    let directory = DataDirectory::open(&path)?;
    let mut index = tantivy::Index::create(directory, schema, tantivy::IndexSettings::default())?;
    index.set_tokenizers(tokenizers());
    let current =
        Current { reseek_index: true, format: FORMAT_VERSION, analyzer: ANALYZER_VERSION, data };
    Ok((current, index))
}

/// Puts a data folder in force and removes all others.
pub(crate) fn put_in_force(folder: &Path, current: &Current) -> Result<(), Error> {
    let text = serde_json::to_string(current)
        .map_err(|error| Error::Damaged { what: format!("CURRENT cannot be written: {error}") })?;
    replace_file_durably(&folder.join(CURRENT), text.as_bytes())?;
    remove_other_data(folder, &current.data);
    Ok(())
}

/// Removes data folders that nothing refers to, before a build needs their room: all but the one in force.
pub(crate) fn remove_leftovers(folder: &Path) {
    // One of an earlier version or a damaged one may still be open somewhere; it goes when the new one is in force.
    if let Ok(current) = read_current(folder) {
        remove_other_data(folder, current.as_ref().map_or("", |current| &current.data));
    }
}

/// Removes data folders that are not in force: leftovers of interrupted builds and of earlier versions.
pub(crate) fn remove_other_data(folder: &Path, keep: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(DATA_PREFIX) && name != keep {
            // What cannot be removed now is tried again by the next writer.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Writes a small file so that a reader sees the old content or the new one.
pub(crate) fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let temporary = path.with_extension("new");
    fs::write(&temporary, bytes).map_err(io(&temporary))?;
    fs::rename(&temporary, path).map_err(io(path))
}

/// Like [`replace_file`], and the new content survives a loss of power once this returns.
fn replace_file_durably(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let temporary = path.with_extension("new");
    let mut file = File::create(&temporary).map_err(io(&temporary))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(io(&temporary))?;
    fs::rename(&temporary, path).map_err(io(path))?;
    if let Some(folder) = path.parent() {
        // Not every platform can do this for a folder; the rename itself has happened.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}
