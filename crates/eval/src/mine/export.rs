//! The tree of a snapshot, with the history up to it and nothing later.
//!
//! The index learns words from commit messages. If it could see a commit that a topic was mined
//! from, the message would hold the query and name the files, and every figure would be worthless.
//! A clone carries refs to later commits along; so the exported repository starts empty, borrows the
//! objects of the source and has one detached `HEAD` at the snapshot and no other ref.

use std::{fs, path::Path};

use super::git::Git;
use crate::error::{Error, Result};

/// Makes `target` a work tree of the repository `source` at `snapshot` and answers the full id of the
/// commit. The source must stay where it is: the objects are borrowed and not copied.
///
/// # Errors
///
/// [`Error::Write`] if `target` exists and is not empty, or cannot be made; [`Error::Git`] if the
/// snapshot is unknown or its files cannot be checked out; and whatever [`check_snapshot`] finds.
pub fn export(source: &Path, snapshot: &str, target: &Path) -> Result<String> {
    let git = Git::new(source);
    let commit = git.commit_id(snapshot)?;
    let objects = git.text(&["rev-parse", "--path-format=absolute", "--git-path", "objects"])?;
    let shallow = git.text(&["rev-parse", "--path-format=absolute", "--git-path", "shallow"])?;
    let format = git.text(&["rev-parse", "--show-object-format"])?;
    let write = |path: &Path, source| Error::Write { path: path.to_owned(), source };
    fs::create_dir_all(target).map_err(|error| write(target, error))?;
    let mut entries = fs::read_dir(target).map_err(|error| write(target, error))?;
    if entries.next().is_some() {
        return Err(write(target, std::io::ErrorKind::DirectoryNotEmpty.into()));
    }
    let tree = Git::new(target);
    tree.text(&["init", "--quiet", "--template=", &format!("--object-format={format}")])?;
    let info = target.join(".git/objects/info");
    fs::create_dir_all(&info).map_err(|error| write(&info, error))?;
    let alternates = info.join("alternates");
    fs::write(&alternates, format!("{objects}\n")).map_err(|error| write(&alternates, error))?;
    if Path::new(&shallow).exists() {
        // A history that was cut in the source ends at the same commits here.
        let cut = target.join(".git/shallow");
        fs::copy(&shallow, &cut).map_err(|error| write(&cut, error))?;
    }
    tree.text(&["checkout", "--quiet", "--detach", &commit])?;
    check_snapshot(target, &commit)?;
    Ok(commit)
}

/// Checks that a work tree is what an index of `snapshot` may be built from: `HEAD` is the snapshot,
/// no ref or reflog reaches a commit beyond it, and no file differs or is there besides (ignored files
/// aside).
///
/// # Errors
///
/// [`Error::Git`] that says which of these does not hold.
pub fn check_snapshot(tree: &Path, snapshot: &str) -> Result<()> {
    let git = Git::new(tree);
    let commit = git.commit_id(snapshot)?;
    let fail = |command: &str, message: String| Error::Git {
        repository: tree.to_owned(),
        command: command.to_owned(),
        message,
    };
    let head = git.commit_id("HEAD")?;
    if head != commit {
        return Err(fail("rev-parse", format!("HEAD is {head} and not the snapshot {commit}")));
    }
    let later = git.text(&["rev-list", "--max-count=1", "--all", "--reflog", "--not", &commit])?;
    if !later.is_empty() {
        return Err(fail("rev-list", format!("{later} is visible and not part of the snapshot")));
    }
    let changed = git.text(&["status", "--porcelain", "--untracked-files=all"])?;
    if let Some(first) = changed.lines().next() {
        return Err(fail(
            "status",
            format!("the tree differs from the snapshot: {}", first.trim()),
        ));
    }
    Ok(())
}
