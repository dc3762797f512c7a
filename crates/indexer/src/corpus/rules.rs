//! The rules of the [module above](super) as data: per folder the ignore files that apply, and one decision.
//!
//! A [`Frame`] is what a folder adds to the rules: its ignore files and whether a repository starts there.
//! Frames form a chain from a folder up to the root, and above it up to the top of the repository that holds
//! the root. Folders that add nothing share the frame of their parent, so a chain is as long as there are
//! ignore files, not as deep as the tree.
//!
//! The lines of ignore files are matched by `ignore`'s `Gitignore`. Its walker is not used, because there a
//! `!` line of a `.gitignore` also brings back hidden folders, `.git` among them, and because it cannot tell
//! which line decided.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};

use super::pattern::PathPattern;
use super::walk::WalkOptions;
use crate::error::Error;
use crate::git::{common_dir, git_dir_of_file};

/// Name of the ignore file that speaks for this program alone.
pub(crate) const OWN_IGNORE_FILE: &str = ".reseekignore";
/// Folders left out unless `exclude` or [`OWN_IGNORE_FILE`] bring them back.
const BUILT_IN: &[&str] = &["node_modules"];
/// Names that are never indexed, at any depth.
const RESERVED: &[&str] = &[".git", ".reseek"];

/// The rule that leaves a path out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// `.git` or an index folder.
    Reserved,
    /// A name that starts with a dot.
    Hidden,
    /// A folder that is always left out, such as `node_modules`.
    BuiltIn,
    /// An `exclude` pattern of the configuration or the command line.
    Exclude {
        /// The pattern as written.
        pattern: String,
    },
    /// A line of an ignore file.
    IgnoreFile {
        /// The file and one-based line, as `path:line`.
        place: String,
        /// The line as written.
        pattern: String,
    },
    /// There are `include` patterns and none matches.
    NotIncluded,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rule::Reserved => {
                f.write_str("reserved: git's own files and the index are never indexed")
            }
            Rule::Hidden => {
                f.write_str("hidden: the name starts with a dot (`hidden = true` admits it)")
            }
            Rule::BuiltIn => {
                write!(f, "built in: left out unless {OWN_IGNORE_FILE} or `exclude` say `!`")
            }
            Rule::Exclude { pattern } => write!(f, "exclude pattern `{pattern}`"),
            Rule::IgnoreFile { place, pattern } => write!(f, "{place}: `{pattern}`"),
            Rule::NotIncluded => f.write_str("no include pattern matches"),
        }
    }
}

/// What the rules say of one path, apart from the folders that hold it.
#[derive(Debug)]
pub(crate) enum Decision<'a> {
    /// In. `explicit` when `exclude` or [`OWN_IGNORE_FILE`] brought it back by a `!`.
    In { explicit: bool },
    /// Out.
    Out(OutBy<'a>),
}

/// [`Rule`] without copies, for the many paths whose rule nobody asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum OutBy<'a> {
    Reserved,
    Hidden,
    BuiltIn,
    Exclude(&'a PathPattern),
    Line(&'a Glob),
    NotIncluded,
}

impl OutBy<'_> {
    pub(crate) fn to_rule(self) -> Rule {
        match self {
            OutBy::Reserved => Rule::Reserved,
            OutBy::Hidden => Rule::Hidden,
            OutBy::BuiltIn => Rule::BuiltIn,
            OutBy::Exclude(pattern) => Rule::Exclude { pattern: pattern.as_str().to_owned() },
            OutBy::Line(glob) => Rule::IgnoreFile {
                place: glob.from().map_or_else(String::new, |from| from.display().to_string()),
                pattern: glob.original().to_owned(),
            },
            OutBy::NotIncluded => Rule::NotIncluded,
        }
    }
}

/// The ignore files of one folder.
#[derive(Debug)]
pub(crate) struct Frame {
    parent: Option<Arc<Frame>>,
    base: Base,
    own: Gitignore,
    ignore: Gitignore,
    git: Gitignore,
    git_exclude: Gitignore,
    /// A repository starts here: `.gitignore` files further up do not speak of what is below.
    repository_top: bool,
}

/// Where a frame's folder lies, so that a path from the root can be said relative to it.
#[derive(Debug)]
enum Base {
    /// At or below the root: this many bytes of the path lead to it, with the slash.
    Below(usize),
    /// Above the root: the path from it down to the root, with a last slash.
    Above(String),
}

impl Frame {
    fn matched<'a>(&self, rules: &'a Gitignore, path: &str, is_dir: bool) -> Match<&'a Glob> {
        if rules.is_empty() {
            return Match::None;
        }
        match &self.base {
            Base::Below(n_bytes) => rules.matched(&path[*n_bytes..], is_dir),
            Base::Above(prefix) => rules.matched(format!("{prefix}{path}"), is_dir),
        }
    }

    fn chain(&self) -> impl Iterator<Item = &Frame> {
        std::iter::successors(Some(self), |frame| frame.parent.as_deref())
    }
}

/// Which names of interest a folder listing holds, so that absent files are not probed for.
#[derive(Debug, Default, Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent facts of one folder, not states"
)]
pub(crate) struct Present {
    pub(crate) own: bool,
    pub(crate) ignore: bool,
    pub(crate) gitignore: bool,
    pub(crate) dot_git: bool,
}

impl Present {
    pub(crate) fn note(&mut self, name: &str) {
        match name {
            OWN_IGNORE_FILE => self.own = true,
            ".ignore" => self.ignore = true,
            ".gitignore" => self.gitignore = true,
            ".git" => self.dot_git = true,
            _ => {}
        }
    }

    /// Asks the file system, for a folder that is not being listed.
    pub(crate) fn probe(dir: &Path) -> Present {
        let has = |name: &str| dir.join(name).symlink_metadata().is_ok();
        Present {
            own: has(OWN_IGNORE_FILE),
            ignore: has(".ignore"),
            gitignore: has(".gitignore"),
            dot_git: has(".git"),
        }
    }

    fn any(self) -> bool {
        self.own || self.ignore || self.gitignore || self.dot_git
    }
}

/// All rules of one root that do not hang on a folder.
#[derive(Debug)]
pub(crate) struct Rules {
    root: PathBuf,
    hidden: bool,
    index_dir: Option<String>,
    include: Vec<PathPattern>,
    exclude: Vec<(PathPattern, bool)>,
    global: Gitignore,
}

impl Rules {
    /// Compiles the patterns of `options`. Lines of the global excludes that cannot be read are added to
    /// `problems`.
    pub(crate) fn new(
        root: &Path,
        options: &WalkOptions,
        problems: &mut Vec<Error>,
    ) -> Result<Rules, Error> {
        let exists = |path: &str| root.join(path).symlink_metadata().is_ok();
        let include = options
            .include
            .iter()
            .map(|text| PathPattern::parse(text, exists))
            .collect::<Result<Vec<_>, Error>>()?;
        let exclude = options
            .exclude
            .iter()
            .map(|text| match text.strip_prefix('!') {
                Some(rest) => Ok((PathPattern::parse(rest, exists)?, true)),
                None => Ok((PathPattern::parse(text, exists)?, false)),
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let global = match &options.global_excludes {
            Some(path) => read_ignore_file(path, problems),
            None => Gitignore::empty(),
        };
        Ok(Rules {
            root: root.to_path_buf(),
            hidden: options.hidden,
            index_dir: options.index_dir.clone(),
            include,
            exclude,
            global,
        })
    }

    /// The frame of the root, with those above it when a repository further up holds the root.
    pub(crate) fn root_frame(&self, problems: &mut Vec<Error>) -> Arc<Frame> {
        let mut parent = None;
        let absolute = fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        if let Some(top) =
            absolute.ancestors().find(|dir| dir.join(".git").symlink_metadata().is_ok())
        {
            let mut above: Vec<&Path> =
                absolute.ancestors().skip(1).take_while(|dir| dir.starts_with(top)).collect();
            above.reverse();
            for dir in above {
                let present = Present::probe(dir);
                if !present.any() {
                    continue;
                }
                let below = absolute.strip_prefix(dir).unwrap_or(Path::new(""));
                let mut prefix = String::new();
                for component in below.components() {
                    prefix.push_str(&component.as_os_str().to_string_lossy());
                    prefix.push('/');
                }
                parent = Some(Arc::new(load(parent, Base::Above(prefix), dir, present, problems)));
            }
        }
        Arc::new(load(parent, Base::Below(0), &self.root, Present::probe(&self.root), problems))
    }

    /// The frame of the folder `path`, whose files are to be judged; `parent` is that of the folder above.
    pub(crate) fn enter(
        parent: &Arc<Frame>,
        path: &str,
        absolute: &Path,
        present: Present,
        problems: &mut Vec<Error>,
    ) -> Arc<Frame> {
        if !present.any() {
            return Arc::clone(parent);
        }
        let base = Base::Below(path.len() + 1);
        Arc::new(load(Some(Arc::clone(parent)), base, absolute, present, problems))
    }

    /// What the rules say of `path`, whose folder has the frame `frame` and is itself in. `name` is its last
    /// component.
    pub(crate) fn decide<'a>(
        &'a self,
        frame: &'a Frame,
        path: &str,
        name: &str,
        is_dir: bool,
    ) -> Decision<'a> {
        if RESERVED.contains(&name) || self.index_dir.as_deref() == Some(path) {
            return Decision::Out(OutBy::Reserved);
        }
        if let Some((pattern, back)) =
            self.exclude.iter().rev().find(|(pattern, _)| pattern.matches(path))
        {
            if !back {
                return Decision::Out(OutBy::Exclude(pattern));
            }
            return self.included(path, is_dir, true);
        }
        for frame in frame.chain() {
            match frame.matched(&frame.own, path, is_dir) {
                Match::Ignore(glob) => return Decision::Out(OutBy::Line(glob)),
                Match::Whitelist(_) => return self.included(path, is_dir, true),
                Match::None => {}
            }
        }
        if !self.hidden && name.starts_with('.') {
            return Decision::Out(OutBy::Hidden);
        }
        if is_dir && BUILT_IN.contains(&name) {
            return Decision::Out(OutBy::BuiltIn);
        }
        match self.conventional(frame, path, is_dir) {
            Match::Ignore(glob) => Decision::Out(OutBy::Line(glob)),
            Match::Whitelist(_) | Match::None => self.included(path, is_dir, false),
        }
    }

    /// Whether something below the folder `path`, which is out, may be brought back by an `exclude` with `!`.
    pub(crate) fn may_come_back_below(&self, path: &str, name: &str) -> bool {
        !RESERVED.contains(&name)
            && self.index_dir.as_deref() != Some(path)
            && self.exclude.iter().any(|(pattern, back)| *back && pattern.may_match_below(path))
    }

    fn included(&self, path: &str, is_dir: bool, explicit: bool) -> Decision<'_> {
        let admitted = self.include.is_empty()
            || self.include.iter().any(|pattern| {
                if is_dir {
                    pattern.matches(path) || pattern.may_match_below(path)
                } else {
                    pattern.matches(path)
                }
            });
        if admitted { Decision::In { explicit } } else { Decision::Out(OutBy::NotIncluded) }
    }

    /// Rules 5 to 7: `.ignore`, `.gitignore`, `info/exclude` and the global excludes.
    fn conventional<'a>(&'a self, frame: &'a Frame, path: &str, is_dir: bool) -> Match<&'a Glob> {
        for frame in frame.chain() {
            let found = frame.matched(&frame.ignore, path, is_dir);
            if !found.is_none() {
                return found;
            }
        }
        let mut top = None;
        for frame in frame.chain() {
            let found = frame.matched(&frame.git, path, is_dir);
            if !found.is_none() {
                return found;
            }
            if frame.repository_top {
                top = Some(frame);
                break;
            }
        }
        let Some(top) = top else { return Match::None };
        top.matched(&top.git_exclude, path, is_dir).or(top.matched(&self.global, path, is_dir))
    }
}

/// Whether the folder `dir`, which holds a `.git`, is a linked work tree (`git worktree add`) and not a
/// repository or submodule. The git folder of a linked work tree has a `commondir` file; that of a submodule
/// has none. Where the folder is gone, its path says it: `.../worktrees/NAME` directly below a git folder.
pub(crate) fn is_linked_work_tree(dir: &Path) -> bool {
    let Some(git_dir) = git_dir_of_file(&dir.join(".git")) else { return false };
    if git_dir.is_dir() {
        return git_dir.join("commondir").is_file();
    }
    let Some(folder) = git_dir.parent() else { return false };
    folder.file_name().is_some_and(|name| name == "worktrees")
        && folder.parent().is_some_and(|above| {
            above.file_name().is_some_and(|name| name == ".git")
                || above.components().any(|component| component.as_os_str() == "modules")
        })
}

fn load(
    parent: Option<Arc<Frame>>,
    base: Base,
    dir: &Path,
    present: Present,
    problems: &mut Vec<Error>,
) -> Frame {
    let mut read = |wanted: bool, name: &str| {
        if wanted { read_ignore_file(&dir.join(name), problems) } else { Gitignore::empty() }
    };
    let own = read(present.own, OWN_IGNORE_FILE);
    let ignore = read(present.ignore, ".ignore");
    let git = read(present.gitignore, ".gitignore");
    let git_exclude = if present.dot_git {
        let dot_git = dir.join(".git");
        let git_dir = git_dir_of_file(&dot_git).unwrap_or(dot_git);
        read_ignore_file(&common_dir(&git_dir).join("info/exclude"), problems)
    } else {
        Gitignore::empty()
    };
    Frame { parent, base, own, ignore, git, git_exclude, repository_top: present.dot_git }
}

/// Reads an ignore file line by line, each with its place, so that a match can name it. A file that is absent
/// is empty. A line that cannot be read as a glob is left out and told.
fn read_ignore_file(path: &Path, problems: &mut Vec<Error>) -> Gitignore {
    // Anything but a file, such as a pipe that nobody writes to, would hold the walk up for ever.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Gitignore::empty();
    }
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Gitignore::empty(),
        // Git does the same with a folder of that name: it holds no rules.
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => return Gitignore::empty(),
        Err(source) => {
            problems.push(Error::Io { path: path.to_path_buf(), source });
            return Gitignore::empty();
        }
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    // The paths to match are given relative to the file's folder, so the matcher itself has no root.
    let mut builder = GitignoreBuilder::new("");
    for (line_idx, line) in text.lines().enumerate() {
        let place = format!("{}:{}", path.display(), line_idx + 1);
        if let Err(error) = builder.add_line(Some(PathBuf::from(&place)), line) {
            problems.push(Error::Glob {
                pattern: format!("{place}: {line}"),
                message: error.to_string(),
            });
        }
    }
    match builder.build() {
        Ok(rules) => rules,
        Err(error) => {
            problems.push(Error::Glob {
                pattern: path.display().to_string(),
                message: error.to_string(),
            });
            Gitignore::empty()
        }
    }
}
