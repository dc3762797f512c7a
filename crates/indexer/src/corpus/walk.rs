//! Lists the files of a corpus: every file that the rules admit, and what was passed over for another reason.
//!
//! Folders are listed in parallel; the result is sorted, so it never depends on threads. Each folder is listed
//! once and each admitted file is asked for its size and times once; no file is opened except ignore files.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::kind::{self, FileKind};
use super::rules::{self, Decision, Frame, Present, Rules};
use crate::error::Error;

/// Largest source file that is indexed by default, in bytes.
pub const DEFAULT_MAX_SOURCE_BYTES: u64 = 2 * 1024 * 1024;
/// Largest text file without symbols that is indexed by default, in bytes.
pub const DEFAULT_MAX_TEXT_BYTES: u64 = 256 * 1024;

/// What to admit. The default is what an unconfigured root gets.
#[derive(Debug, Clone)]
pub struct WalkOptions {
    /// Patterns of which a file must match one; empty admits all. See [`PathPattern`](super::PathPattern).
    pub include: Vec<String>,
    /// Patterns that leave out, or with a leading `!` bring back. The last match wins.
    pub exclude: Vec<String>,
    /// Admits names that start with a dot.
    pub hidden: bool,
    /// Admits files whose name says that they hold secrets.
    pub secrets: bool,
    /// Follows symbolic links to files and folders outside the trees that are walked anyway.
    pub follow_links: bool,
    /// Names of the languages to admit, as in [`kind::LANGUAGES`]; `None` admits all.
    pub languages: Option<Vec<String>>,
    /// Source files above this many bytes are skipped.
    pub max_source_bytes: u64,
    /// Text files without symbols above this many bytes are skipped.
    pub max_text_bytes: u64,
    /// The user's global git excludes, applied inside repositories. [`global_excludes`] finds the file.
    pub global_excludes: Option<PathBuf>,
    /// The index folder relative to the root, when it lies inside the root under another name than `.reseek`.
    pub index_dir: Option<String>,
    /// Threads to list folders with; 0 uses the current rayon pool.
    pub threads: usize,
}

impl Default for WalkOptions {
    fn default() -> WalkOptions {
        WalkOptions {
            include: Vec::new(),
            exclude: Vec::new(),
            hidden: false,
            secrets: false,
            follow_links: false,
            languages: None,
            max_source_bytes: DEFAULT_MAX_SOURCE_BYTES,
            max_text_bytes: DEFAULT_MAX_TEXT_BYTES,
            global_excludes: None,
            index_dir: None,
            threads: 0,
        }
    }
}

/// The user's global git excludes file, by git's own search (`core.excludesFile`, then git's configuration
/// folder). Reads the environment, so only a program's start should call it.
pub fn global_excludes() -> Option<PathBuf> {
    ignore::gitignore::gitconfig_excludes_path().filter(|path| path.is_file())
}

/// A file to index, as the file system describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Path relative to the root, `/` between names.
    pub path: String,
    /// Length in bytes.
    pub size: u64,
    /// Last change of the contents, in nanoseconds since 1970 (negative before).
    pub mtime_ns: i64,
    /// Last change of contents, name or attributes, same unit; 0 where the platform does not tell. Unlike
    /// [`mtime_ns`](Self::mtime_ns) no program can set it back.
    pub ctime_ns: i64,
    /// Name of the language, as in [`kind::LANGUAGES`].
    pub language: &'static str,
    /// Whether the language has symbols.
    pub kind: FileKind,
}

impl FoundFile {
    pub(crate) fn new(
        path: String,
        language: &kind::LanguageEntry,
        metadata: &Metadata,
    ) -> FoundFile {
        FoundFile {
            path,
            size: metadata.len(),
            mtime_ns: mtime_ns(metadata),
            ctime_ns: ctime_ns(metadata),
            language: language.name,
            kind: language.kind,
        }
    }

    /// The same file with the size and times of `metadata`.
    pub(crate) fn restamped(&self, metadata: &Metadata) -> FoundFile {
        FoundFile {
            path: self.path.clone(),
            size: metadata.len(),
            mtime_ns: mtime_ns(metadata),
            ctime_ns: ctime_ns(metadata),
            ..*self
        }
    }
}

/// Why a path that the rules admit is not indexed. The names of [`as_str`](Self::as_str) are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SkipReason {
    /// Larger than the limit for its kind.
    TooLarge,
    /// Holds NUL bytes, or is another format behind a source extension.
    Binary,
    /// A minified bundle, by name or by its line lengths.
    Minified,
    /// Not UTF-8 (UTF-16 with a byte order mark included).
    NotUtf8,
    /// The operating system refuses to read it.
    Unreadable,
    /// A symbolic link that is not followed.
    Symlink,
    /// Its name says that it holds secrets.
    Secret,
    /// Its name is not UTF-8.
    NonUtf8Name,
    /// A linked git work tree: the same files a second time.
    Worktree,
    /// A lock file, source map or snapshot.
    Generated,
    /// Its language is not among the enabled ones.
    LanguageDisabled,
    /// Not a kind of file that is indexed. Counted, never listed: images alone can be many thousands.
    Unsupported,
}

impl SkipReason {
    /// Every reason, in declaration order.
    pub const ALL: [SkipReason; 12] = [
        SkipReason::TooLarge,
        SkipReason::Binary,
        SkipReason::Minified,
        SkipReason::NotUtf8,
        SkipReason::Unreadable,
        SkipReason::Symlink,
        SkipReason::Secret,
        SkipReason::NonUtf8Name,
        SkipReason::Worktree,
        SkipReason::Generated,
        SkipReason::LanguageDisabled,
        SkipReason::Unsupported,
    ];

    /// The name used in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            SkipReason::TooLarge => "too-large",
            SkipReason::Binary => "binary",
            SkipReason::Minified => "minified",
            SkipReason::NotUtf8 => "not-utf8",
            SkipReason::Unreadable => "unreadable",
            SkipReason::Symlink => "symlink",
            SkipReason::Secret => "secret",
            SkipReason::NonUtf8Name => "non-utf8-name",
            SkipReason::Worktree => "worktree",
            SkipReason::Generated => "generated",
            SkipReason::LanguageDisabled => "language-disabled",
            SkipReason::Unsupported => "unsupported",
        }
    }
}

impl std::fmt::Display for SkipReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A path that the rules admit and that is not indexed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Path relative to the root; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
    /// Length in bytes; 0 for folders and where it was not asked for.
    pub size: u64,
}

/// The result of [`walk`]. All lists are sorted by path, bytewise.
#[derive(Debug, Default)]
pub struct Walk {
    /// The files to index.
    pub files: Vec<FoundFile>,
    /// What was passed over, except [`SkipReason::Unsupported`].
    pub skipped: Vec<Skipped>,
    /// Files of kinds that are not indexed.
    pub n_unsupported: u64,
    /// Files and folders that a rule left out; a folder counts once, whatever it holds.
    pub n_ignored: u64,
    /// Folders that were listed, relative to the root (empty for the root itself): those whose changes matter.
    pub folders: Vec<String>,
    /// Folders that could not be listed, relative to the root (empty for the root itself). Nothing is known of
    /// the files below, so a refresh must not take them for deleted.
    pub unreadable_dirs: Vec<String>,
    /// Ignore files or lines of them that could not be read. The walk is done without them.
    pub problems: Vec<Error>,
}

impl Walk {
    /// How many paths were passed over for each reason that occurred.
    pub fn counts(&self) -> BTreeMap<SkipReason, u64> {
        let mut counts = BTreeMap::new();
        for skipped in &self.skipped {
            *counts.entry(skipped.reason).or_insert(0) += 1;
        }
        if self.n_unsupported > 0 {
            counts.insert(SkipReason::Unsupported, self.n_unsupported);
        }
        counts
    }
}

/// Lists the corpus below `root`.
///
/// # Errors
///
/// [`Error::RootNotFound`], [`Error::Glob`] for a bad include or exclude pattern, [`Error::Threads`].
pub fn walk(root: &Path, options: &WalkOptions) -> Result<Walk, Error> {
    if !root.is_dir() {
        return Err(Error::RootNotFound { path: root.to_path_buf() });
    }
    let mut found = Walk::default();
    let rules = Rules::new(root, options, &mut found.problems)?;
    let frame = rules.root_frame(&mut found.problems);
    let context = Context { rules, options, found: Mutex::new(found) };
    let folder = Folder {
        path: String::new(),
        absolute: root.to_path_buf(),
        frame,
        buried: false,
        trees: Arc::new(options.follow_links.then(|| canonical(root)).into_iter().collect()),
    };
    let run = || rayon::scope(|scope| visit(scope, &context, folder));
    if options.threads == 0 {
        run();
    } else {
        rayon::ThreadPoolBuilder::new()
            .num_threads(options.threads)
            .build()
            .map_err(|error| Error::Threads {
                threads: options.threads,
                message: error.to_string(),
            })?
            .install(run);
    }
    let mut found = context.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    found.skipped.sort_unstable();
    found.folders.sort_unstable();
    found.unreadable_dirs.sort_unstable();
    found.problems.sort_by_cached_key(ToString::to_string);
    Ok(found)
}

/// Refuses a root that is the whole disk or the home folder; every other folder is fine. `home` is the user's
/// home folder where it is known. Returns the root with symbolic links resolved.
///
/// # Errors
///
/// [`Error::RootRefused`] unless `allow`, [`Error::RootNotFound`].
pub fn check_root(root: &Path, home: Option<&Path>, allow: bool) -> Result<PathBuf, Error> {
    let resolved =
        fs::canonicalize(root).map_err(|_| Error::RootNotFound { path: root.to_path_buf() })?;
    if !resolved.is_dir() {
        return Err(Error::RootNotFound { path: root.to_path_buf() });
    }
    let what = if resolved.parent().is_none() {
        Some("the whole disk")
    } else if home.is_some_and(|home| canonical(home) == resolved) {
        Some("your home folder")
    } else {
        None
    };
    match what {
        Some(what) if !allow => Err(Error::RootRefused { path: resolved, what }),
        _ => Ok(resolved),
    }
}

struct Context<'a> {
    rules: Rules,
    options: &'a WalkOptions,
    found: Mutex<Walk>,
}

struct Folder {
    /// Relative to the root, empty for it.
    path: String,
    absolute: PathBuf,
    /// The frame of the folder above, and for the root its own.
    frame: Arc<Frame>,
    /// The folder is out and only searched for what an `exclude` with `!` brings back.
    buried: bool,
    /// Resolved tops of the trees on the way here, when links are followed: the root and each link's target.
    trees: Arc<Vec<PathBuf>>,
}

fn visit<'scope>(scope: &rayon::Scope<'scope>, context: &'scope Context<'_>, folder: Folder) {
    let mut here = Walk::default();
    visit_folder(scope, context, folder, &mut here);
    let mut found = context.found.lock().unwrap_or_else(PoisonError::into_inner);
    found.files.append(&mut here.files);
    found.skipped.append(&mut here.skipped);
    found.folders.append(&mut here.folders);
    found.unreadable_dirs.append(&mut here.unreadable_dirs);
    found.problems.append(&mut here.problems);
    found.n_unsupported += here.n_unsupported;
    found.n_ignored += here.n_ignored;
}

fn visit_folder<'scope>(
    scope: &rayon::Scope<'scope>,
    context: &'scope Context<'_>,
    folder: Folder,
    here: &mut Walk,
) {
    let entries: Vec<DirEntry> = match fs::read_dir(&folder.absolute).and_then(Iterator::collect) {
        Ok(entries) => entries,
        // A folder that vanished between the listing of its parent and now is simply not there.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(_) => {
            here.skipped.push(Skipped {
                path: folder.path.clone(),
                reason: SkipReason::Unreadable,
                size: 0,
            });
            here.unreadable_dirs.push(folder.path);
            return;
        }
    };
    let frame = if folder.path.is_empty() {
        folder.frame
    } else {
        let mut present = Present::default();
        for entry in &entries {
            if let Some(name) = entry.file_name().to_str() {
                present.note(name);
            }
        }
        if present.dot_git && rules::is_linked_work_tree(&folder.absolute) {
            here.skipped.push(Skipped { path: folder.path, reason: SkipReason::Worktree, size: 0 });
            return;
        }
        Rules::enter(&folder.frame, &folder.path, &folder.absolute, present, &mut here.problems)
    };
    here.folders.push(folder.path.clone());
    for entry in entries {
        let raw_name = entry.file_name();
        let name = raw_name.to_string_lossy();
        let path = if folder.path.is_empty() {
            name.to_string()
        } else {
            format!("{}/{name}", folder.path)
        };
        let Ok(file_type) = entry.file_type() else {
            here.skipped.push(Skipped { path, reason: SkipReason::Unreadable, size: 0 });
            continue;
        };
        let is_link = file_type.is_symlink();
        let is_dir = if is_link { entry.path().is_dir() } else { file_type.is_dir() };
        let decision = context.rules.decide(&frame, &path, &name, is_dir);
        let (is_out, explicit) = match decision {
            Decision::In { explicit } => (folder.buried && !explicit, explicit),
            Decision::Out(_) => (true, false),
        };
        if is_out {
            let may_hold = is_dir && !is_link && context.rules.may_come_back_below(&path, &name);
            if may_hold {
                let next = Folder {
                    path: path.clone(),
                    absolute: entry.path(),
                    frame: Arc::clone(&frame),
                    buried: true,
                    trees: Arc::clone(&folder.trees),
                };
                scope.spawn(move |scope| visit(scope, context, next));
            }
            // A secret is reported even where only its leading dot hides it.
            let is_hidden_secret = matches!(decision, Decision::Out(rules::OutBy::Hidden))
                && !folder.buried
                && !is_dir
                && !context.options.secrets
                && kind::is_secret(&name);
            if is_hidden_secret {
                here.skipped.push(Skipped {
                    path,
                    reason: SkipReason::Secret,
                    size: size_of(&entry),
                });
            } else if !may_hold && !folder.buried {
                here.n_ignored += 1;
            }
            continue;
        }
        if raw_name.to_str().is_none() {
            here.skipped.push(Skipped {
                path,
                reason: SkipReason::NonUtf8Name,
                size: size_of(&entry),
            });
            continue;
        }
        let mut trees = Arc::clone(&folder.trees);
        if is_link {
            match follow(context.options, &entry.path(), &trees) {
                Some(target) if is_dir => {
                    let mut longer = trees.to_vec();
                    longer.push(target);
                    trees = Arc::new(longer);
                }
                Some(_) => {}
                None => {
                    here.skipped.push(Skipped { path, reason: SkipReason::Symlink, size: 0 });
                    continue;
                }
            }
        }
        if is_dir {
            let next = Folder {
                path,
                absolute: entry.path(),
                frame: Arc::clone(&frame),
                buried: false,
                trees,
            };
            scope.spawn(move |scope| visit(scope, context, next));
            continue;
        }
        let metadata = || if is_link { fs::metadata(entry.path()) } else { entry.metadata() };
        match classify(context.options, path, &name, explicit, metadata) {
            Class::File(file) => here.files.push(file),
            Class::Skipped(Skipped { reason: SkipReason::Unsupported, .. }) => {
                here.n_unsupported += 1;
            }
            Class::Skipped(skipped) => here.skipped.push(skipped),
            Class::Gone => {}
        }
    }
}

/// What an admitted file turns out to be.
pub(crate) enum Class {
    File(FoundFile),
    Skipped(Skipped),
    /// It vanished.
    Gone,
}

/// Judges an admitted file by name and size. `metadata` is called only when the name alone does not decide
/// against the file, except that a skipped file of interest is told with its size.
pub(crate) fn classify(
    options: &WalkOptions,
    path: String,
    name: &str,
    explicit: bool,
    metadata: impl Fn() -> io::Result<Metadata>,
) -> Class {
    let skip = |path: String, reason: SkipReason| {
        let size = metadata().map_or(0, |metadata| metadata.len());
        Class::Skipped(Skipped { path, reason, size })
    };
    if !options.secrets && kind::is_secret(name) {
        return skip(path, SkipReason::Secret);
    }
    if !explicit && kind::is_generated(name) {
        return skip(path, SkipReason::Generated);
    }
    let Some(language) = kind::language_of(name) else {
        return Class::Skipped(Skipped { path, reason: SkipReason::Unsupported, size: 0 });
    };
    if options
        .languages
        .as_ref()
        .is_some_and(|enabled| !enabled.iter().any(|known| known == language.name))
    {
        return Class::Skipped(Skipped { path, reason: SkipReason::LanguageDisabled, size: 0 });
    }
    if !explicit && kind::is_minified(name) {
        return skip(path, SkipReason::Minified);
    }
    let metadata = match metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Class::Gone,
        Err(_) => return Class::Skipped(Skipped { path, reason: SkipReason::Unreadable, size: 0 }),
    };
    // Pipes, sockets and devices would block or never end when read.
    if !metadata.is_file() {
        return Class::Skipped(Skipped { path, reason: SkipReason::Unsupported, size: 0 });
    }
    if metadata.len() > max_bytes(options, language.kind) {
        return Class::Skipped(Skipped {
            path,
            reason: SkipReason::TooLarge,
            size: metadata.len(),
        });
    }
    Class::File(FoundFile::new(path, language, &metadata))
}

/// The largest size that is read of a file of this kind, in bytes.
pub(crate) fn max_bytes(options: &WalkOptions, kind: FileKind) -> u64 {
    match kind {
        FileKind::Source => options.max_source_bytes,
        FileKind::Text => options.max_text_bytes.min(options.max_source_bytes),
    }
}

/// The resolved target of a link that may be followed. A link is followed only when its target neither lies
/// inside one of the trees on the way nor holds one. So a file is never found twice by a link back into the
/// root, and no chain of links can go round: each link enters a tree that is apart from all before.
pub(crate) fn follow(options: &WalkOptions, link: &Path, trees: &[PathBuf]) -> Option<PathBuf> {
    if !options.follow_links {
        return None;
    }
    let target = fs::canonicalize(link).ok()?;
    let apart = trees.iter().all(|tree| !target.starts_with(tree) && !tree.starts_with(&target));
    apart.then_some(target)
}

pub(crate) fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

fn size_of(entry: &DirEntry) -> u64 {
    entry.metadata().map_or(0, |metadata| metadata.len())
}

fn mtime_ns(metadata: &Metadata) -> i64 {
    let Ok(modified) = metadata.modified() else { return 0 };
    match modified.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}

#[cfg(unix)]
fn ctime_ns(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn ctime_ns(_metadata: &Metadata) -> i64 {
    0
}
