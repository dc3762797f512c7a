//! Judges one path by the rules of the walk, and says which rule decided.
//!
//! A watcher asks a [`Checker`] about each path that changed; a person asks [`explain`] why a file is not
//! found. Both get what a walk at the same moment would have done.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::kind;
use super::read::{self, Outcome};
use super::rules::{self, Decision, Frame, OutBy, Present, Rule, Rules};
use super::walk::{self, Class, FoundFile, SkipReason, Skipped, WalkOptions};
use crate::error::Error;

/// What a walk would do with one path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The file is indexed.
    Indexed(FoundFile),
    /// The rules admit it and it is not indexed all the same.
    Skipped {
        /// Why.
        reason: SkipReason,
        /// The file, or the folder above it that the reason speaks of.
        path: String,
        /// Length in bytes; 0 for folders and where it was not asked for.
        size: u64,
    },
    /// A rule leaves it out.
    Ignored {
        /// The rule.
        rule: Rule,
        /// The path itself, or the folder above it that the rule speaks of.
        path: String,
    },
    /// A folder that the walk enters.
    Folder,
    /// There is nothing at this path.
    Missing,
    /// The path leads out of the root, or is absolute.
    Outside,
}

/// A path with its verdict, ready to print: one line that says what and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The path, relative to the root, cleaned of `./` and doubled slashes.
    pub path: String,
    /// What a walk and a read of the file would do.
    pub verdict: Verdict,
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = &self.path;
        match &self.verdict {
            Verdict::Indexed(file) => {
                write!(f, "{path}: indexed as {} ({} bytes)", file.language, file.size)
            }
            Verdict::Skipped { reason, path: at, .. } if at == path => {
                write!(f, "{path}: skipped, {reason}")
            }
            Verdict::Skipped { reason, path: at, .. } => {
                write!(f, "{path}: skipped, {at} is {reason}")
            }
            Verdict::Ignored { rule, path: at } if at == path => {
                write!(f, "{path}: left out by {rule}")
            }
            Verdict::Ignored { rule, path: at } => {
                write!(f, "{path}: left out with {at} by {rule}")
            }
            Verdict::Folder => write!(f, "{path}: a folder that is walked"),
            Verdict::Missing => write!(f, "{path}: there is no such file"),
            Verdict::Outside => write!(f, "{path}: not below the root"),
        }
    }
}

/// Explains one path completely, its contents included.
///
/// # Errors
///
/// Those of [`Checker::new`].
pub fn explain(root: &Path, path: &str, options: &WalkOptions) -> Result<Explanation, Error> {
    let mut checker = Checker::new(root, options)?;
    let mut explanation = checker.explain(path);
    if let Verdict::Indexed(file) = &explanation.verdict {
        match read::read(root, file, options) {
            Outcome::Skipped { reason, file } => {
                explanation.verdict = Verdict::Skipped { reason, path: file.path, size: file.size };
            }
            Outcome::Absent => explanation.verdict = Verdict::Missing,
            Outcome::Read(_) => {}
        }
    }
    Ok(explanation)
}

/// Whether a change of `path` (relative to the root) changes the rules, so that single checks no longer do and
/// the tree must be walked again with a new [`Checker`].
pub fn changes_rules(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, ".gitignore" | ".ignore" | rules::OWN_IGNORE_FILE | ".git")
        || path == crate::config::FILE_NAME
        || path == ".git/info/exclude"
        || path.ends_with("/.git/info/exclude")
}

/// The rules of a root, with the ignore files of the folders seen so far. A snapshot: after a change for which
/// [`changes_rules`] is true, make a new one.
#[derive(Debug)]
pub struct Checker {
    root: PathBuf,
    options: WalkOptions,
    rules: Rules,
    folders: BTreeMap<String, Folder>,
    problems: Vec<Error>,
}

/// A folder as the walk would come to it.
#[derive(Debug, Clone)]
enum Folder {
    Entered {
        frame: Arc<Frame>,
        /// The folder is out by this rule of this folder and only searched for what comes back by a `!`.
        buried: Option<(Rule, String)>,
        trees: Arc<Vec<PathBuf>>,
    },
    Closed(Verdict),
}

impl Checker {
    /// Reads the rules of the root.
    ///
    /// # Errors
    ///
    /// [`Error::RootNotFound`], [`Error::Glob`] for a bad include or exclude pattern.
    pub fn new(root: &Path, options: &WalkOptions) -> Result<Checker, Error> {
        if !root.is_dir() {
            return Err(Error::RootNotFound { path: root.to_path_buf() });
        }
        let mut problems = Vec::new();
        let rules = Rules::new(root, options, &mut problems)?;
        let frame = rules.root_frame(&mut problems);
        let trees =
            Arc::new(options.follow_links.then(|| walk::canonical(root)).into_iter().collect());
        let folders =
            BTreeMap::from([(String::new(), Folder::Entered { frame, buried: None, trees })]);
        Ok(Checker { root: root.to_path_buf(), options: options.clone(), rules, folders, problems })
    }

    /// What a walk would do with `path`, relative to the root.
    pub fn check(&mut self, path: &str) -> Verdict {
        self.explain(path).verdict
    }

    /// Like [`check`](Self::check), with the path as it was understood.
    pub fn explain(&mut self, path: &str) -> Explanation {
        match clean(path) {
            None => Explanation { path: path.to_owned(), verdict: Verdict::Outside },
            Some(path) if path.is_empty() => Explanation { path, verdict: Verdict::Folder },
            Some(path) => {
                let verdict = match self.judge(&path) {
                    Judged::Folder(Folder::Entered { .. }) => Verdict::Folder,
                    Judged::Folder(Folder::Closed(verdict)) | Judged::Leaf(verdict) => verdict,
                };
                Explanation { path, verdict }
            }
        }
    }

    /// Lines of ignore files that could not be read so far; the checks are done without them.
    pub fn problems(&self) -> &[Error] {
        &self.problems
    }

    fn folder(&mut self, path: &str) -> Folder {
        if let Some(known) = self.folders.get(path) {
            return known.clone();
        }
        match self.judge(path) {
            Judged::Folder(folder) => {
                self.folders.insert(path.to_owned(), folder.clone());
                folder
            }
            Judged::Leaf(Verdict::Indexed(_)) => Folder::Closed(Verdict::Missing),
            Judged::Leaf(verdict) => Folder::Closed(verdict),
        }
    }

    fn judge(&mut self, path: &str) -> Judged {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (frame, buried, trees) = match self.folder(parent) {
            Folder::Entered { frame, buried, trees } => (frame, buried, trees),
            Folder::Closed(verdict) => return Judged::Leaf(verdict),
        };
        let absolute = self.root.join(path);
        let file_type = match fs::symlink_metadata(&absolute) {
            Ok(metadata) => metadata.file_type(),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Judged::Leaf(Verdict::Missing);
            }
            Err(_) => return Judged::Leaf(skipped(path, SkipReason::Unreadable, 0)),
        };
        let is_link = file_type.is_symlink();
        let is_dir = if is_link { absolute.is_dir() } else { file_type.is_dir() };
        let size = || fs::symlink_metadata(&absolute).map_or(0, |metadata| metadata.len());

        let (out, explicit) = match self.rules.decide(&frame, path, name, is_dir) {
            Decision::In { explicit: false } if buried.is_some() => (buried, false),
            Decision::In { explicit } => (None, explicit),
            Decision::Out(OutBy::Hidden)
                if buried.is_none()
                    && !is_dir
                    && !self.options.secrets
                    && kind::is_secret(name) =>
            {
                return Judged::Leaf(skipped(path, SkipReason::Secret, size()));
            }
            Decision::Out(out) => {
                (Some(buried.unwrap_or_else(|| (out.to_rule(), path.to_owned()))), false)
            }
        };
        if let Some((rule, at)) = out {
            if is_dir && !is_link && self.rules.may_come_back_below(path, name) {
                let frame = Rules::enter(
                    &frame,
                    path,
                    &absolute,
                    Present::probe(&absolute),
                    &mut self.problems,
                );
                return Judged::Folder(Folder::Entered { frame, buried: Some((rule, at)), trees });
            }
            let verdict = Verdict::Ignored { rule, path: at };
            return if is_dir {
                Judged::Folder(Folder::Closed(verdict))
            } else {
                Judged::Leaf(verdict)
            };
        }
        let mut trees = trees;
        if is_link {
            match walk::follow(&self.options, &absolute, &trees) {
                Some(target) if is_dir => {
                    let mut longer = trees.to_vec();
                    longer.push(target);
                    trees = Arc::new(longer);
                }
                Some(_) => {}
                None => return Judged::Leaf(skipped(path, SkipReason::Symlink, 0)),
            }
        }
        if is_dir {
            let present = Present::probe(&absolute);
            if present.dot_git && rules::is_linked_work_tree(&absolute) {
                return Judged::Folder(Folder::Closed(skipped(path, SkipReason::Worktree, 0)));
            }
            let frame = Rules::enter(&frame, path, &absolute, present, &mut self.problems);
            return Judged::Folder(Folder::Entered { frame, buried: None, trees });
        }
        let metadata = || fs::metadata(&absolute);
        Judged::Leaf(
            match walk::classify(&self.options, path.to_owned(), name, explicit, metadata) {
                Class::File(file) => Verdict::Indexed(file),
                Class::Skipped(Skipped { path, reason, size }) => {
                    Verdict::Skipped { reason, path, size }
                }
                Class::Gone => Verdict::Missing,
            },
        )
    }
}

enum Judged {
    Folder(Folder),
    Leaf(Verdict),
}

fn skipped(path: &str, reason: SkipReason, size: u64) -> Verdict {
    Verdict::Skipped { reason, path: path.to_owned(), size }
}

/// The path without `.`, doubled and last slashes; `None` if it is absolute or climbs.
fn clean(path: &str) -> Option<String> {
    if path.starts_with('/') || Path::new(path).is_absolute() || path.contains('\0') {
        return None;
    }
    let mut components = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => return None,
            name => components.push(name),
        }
    }
    Some(components.join("/"))
}
