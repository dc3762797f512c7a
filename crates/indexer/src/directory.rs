//! The folder that tantivy reads and writes, readable also where nothing can be written.
//!
//! Tantivy takes a lock file while a reader opens segments, so that a writer does not remove them under it. In a folder that
//! cannot be written (a read-only file system, another user's index) the lock cannot be taken, and no writer of this
//! machine can work there either. Then the lock is left out; a segment that vanishes all the same is an error that
//! the caller answers by looking again.

use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, META_LOCK, MmapDirectory, WatchCallback,
    WatchHandle, WritePtr,
};

use crate::error::Error;

/// Bytes of the length and the mark at the end of every file.
const MIN_FILE_BYTES: usize = 8;

/// A data folder.
#[derive(Clone)]
pub(crate) struct DataDirectory(MmapDirectory);

impl DataDirectory {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        Ok(Self(MmapDirectory::open(path).map_err(tantivy::TantivyError::from)?))
    }
}

impl fmt::Debug for DataDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Directory for DataDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let handle = self.0.get_file_handle(path)?;
        // Every file ends with a footer. Tantivy looks for it without asking whether the file can hold one.
        if handle.len() < MIN_FILE_BYTES {
            let error = io::Error::new(io::ErrorKind::InvalidData, "the file is cut short");
            return Err(OpenReadError::wrap_io_error(error, path.to_path_buf()));
        }
        Ok(handle)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.0.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.0.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.0.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.0.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.0.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.0.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.0.acquire_lock(lock) {
            Err(LockError::IoError(error))
                if lock.filepath == META_LOCK.filepath && is_refusal(&error) =>
            {
                Ok(DirectoryLock::from(Box::new(())))
            }
            result => result,
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.0.watch(callback)
    }
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}
