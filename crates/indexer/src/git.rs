//! Reads what git knows of a root: the commit that is checked out, and the newest commits with their files.
//!
//! The checked-out commit is asked for by every query, so it is read from git's own files without a process.
//! Commits come from one `git log`. Measured on five thousand commits of three large repositories, that took
//! 0.09 to 0.30 s; the same with object names (`--raw`) took 5 to 10 % longer, `rev-list` piped into
//! `diff-tree` up to 20 % longer, and rename detection two to three times as long. Two processes that share
//! the commits saved a third on one repository and lost on another. Merges are left out: their files are those of
//! the commits they merge.
//!
//! Git is run apart from what could change its answer: variables such as `GIT_DIR` are taken out of its
//! environment, options that settings could change are given, and it may neither lock nor use the network. The
//! user's settings are still read, because `safe.directory` is only honoured there.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::Error;

/// Variables that would point git at another repository or change what it writes.
const FOREIGN_VARIABLES: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TRACE",
    "GIT_WORK_TREE",
];

/// One commit as `git log` is asked to write it: a mark, then fields that each end with a NUL. With `-z` the
/// names of the files follow, each ended by a NUL as well.
const FORMAT: &str = "--format=%x01%H%x00%ct%x00%s%x00%b%x00";
/// The first byte of a commit in [`FORMAT`].
const MARK: u8 = 1;

/// The repository whose work tree holds a root.
#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
    top: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    prefix: String,
    environment: Vec<(OsString, OsString)>,
}

/// One commit and the files of the corpus that it touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The full object name in hexadecimal.
    pub id: String,
    /// Time of the commit in seconds since 1970.
    pub time: i64,
    /// The first paragraph of the message, on one line.
    pub subject: String,
    /// The first line of the rest of the message that is not blank and not a trailer such as `Signed-off-by:`;
    /// empty if there is none.
    pub body_first_line: String,
    /// Files added, changed or deleted, relative to the corpus root and sorted. Files outside the root, and
    /// names that are not UTF-8, are left out.
    pub files: Vec<String>,
}

impl Repository {
    /// The repository that holds `root`, found by going up from it. Linked work trees and submodules are
    /// repositories of their own. `None` when there is none.
    pub fn discover(root: &Path) -> Option<Repository> {
        let root = fs::canonicalize(root).ok()?;
        let (top, git_dir) = root.ancestors().find_map(|folder| {
            let dot_git = folder.join(".git");
            let git_dir = if dot_git.is_dir() { dot_git } else { git_dir_of_file(&dot_git)? };
            git_dir.join("HEAD").symlink_metadata().is_ok().then(|| (folder.to_path_buf(), git_dir))
        })?;
        let mut prefix = String::new();
        for component in root.strip_prefix(&top).ok()?.components() {
            prefix.push_str(component.as_os_str().to_str()?);
            prefix.push('/');
        }
        let common_dir = common_dir(&git_dir);
        Some(Repository { root, top, git_dir, common_dir, prefix, environment: Vec::new() })
    }

    /// The top of the work tree, at or above the root.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The path from [`top`](Self::top) to the root, with a last slash; empty when they are the same.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The folder with this work tree's own git files: `HEAD` changes there.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The folder that all work trees of the repository share: branches change there.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// The checked-out commit, in hexadecimal. `None` while there is no commit yet. Reads two small files, and
    /// starts a process only for a repository that does not keep its refs in files.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when git's files cannot be read; [`Error::Git`] from the process.
    pub fn head(&self) -> Result<Option<String>, Error> {
        let path = self.git_dir.join("HEAD");
        let mut value = fs::read_to_string(&path).map_err(|source| Error::Io { path, source })?;
        // A branch may be a symbolic ref to another; five is git's own limit.
        for _ in 0..5 {
            let Some(name) = value.trim_end().strip_prefix("ref:").map(str::trim) else {
                let id = value.trim();
                return if is_object_name(id) {
                    Ok(Some(id.to_owned()))
                } else {
                    self.head_by_process()
                };
            };
            // The placeholder of the reftable format, which keeps refs elsewhere.
            if name == "refs/heads/.invalid" {
                return self.head_by_process();
            }
            let name = name.to_owned();
            match [&self.git_dir, &self.common_dir]
                .into_iter()
                .find_map(|folder| fs::read_to_string(folder.join(&name)).ok())
            {
                Some(next) => value = next,
                None => return self.packed_ref(&name),
            }
        }
        self.head_by_process()
    }

    /// The newest `depth` commits of `revision` without merges, newest first, with the files that they touched.
    ///
    /// # Errors
    ///
    /// [`Error::Git`], [`Error::GitOwnership`]. An index works without history, so both may be told and passed
    /// over.
    pub fn log(&self, revision: &str, depth: usize) -> Result<Vec<Commit>, Error> {
        self.check_object_names(&[revision])?;
        if depth == 0 {
            return Ok(Vec::new());
        }
        let depth = format!("--max-count={depth}");
        let output = self.run(&["log", "--no-merges", &depth, revision], true, "")?;
        Ok(self.parse(&output))
    }

    /// The names of the commits that [`log`](Self::log) would give, in the same order and without their files.
    /// A refresh compares them with those it has and asks [`log_of`](Self::log_of) for the rest.
    ///
    /// # Errors
    ///
    /// As [`log`](Self::log).
    pub fn rev_list(&self, revision: &str, depth: usize) -> Result<Vec<String>, Error> {
        self.check_object_names(&[revision])?;
        if depth == 0 {
            return Ok(Vec::new());
        }
        let depth = format!("--max-count={depth}");
        let output = self.run(&["rev-list", "--no-merges", &depth, revision], false, "")?;
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }

    /// These commits, in this order, with the files that they touched.
    ///
    /// # Errors
    ///
    /// As [`log`](Self::log); also when one of the names is not that of a commit.
    pub fn log_of(&self, ids: &[&str]) -> Result<Vec<Commit>, Error> {
        self.check_object_names(ids)?;
        // Without a name on its input, git would show the checked-out commit.
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut input = ids.join("\n");
        input.push('\n');
        let output = self.run(&["log", "--no-walk=unsorted", "--stdin"], true, &input)?;
        Ok(self.parse(&output))
    }

    fn packed_ref(&self, name: &str) -> Result<Option<String>, Error> {
        let path = self.common_dir.join("packed-refs");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::Io { path, source }),
        };
        let found = text.lines().find_map(|line| {
            let (id, packed) = line.split_once(' ')?;
            (packed == name && is_object_name(id)).then(|| id.to_owned())
        });
        Ok(found)
    }

    fn head_by_process(&self) -> Result<Option<String>, Error> {
        // With `--quiet` a branch without commits is told by the exit code alone.
        let arguments = ["rev-parse", "--verify", "--quiet", "HEAD"];
        match self.run(&arguments, false, "") {
            Ok(output) => {
                let id = String::from_utf8_lossy(&output).trim().to_owned();
                Ok(is_object_name(&id).then_some(id))
            }
            Err(Error::Git { message, .. }) if message.is_empty() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Names reach git as arguments, so nothing may pass that git would take for an option.
    fn check_object_names(&self, ids: &[&str]) -> Result<(), Error> {
        match ids.iter().find(|id| !is_object_name(id)) {
            None => Ok(()),
            Some(id) => Err(Error::Git {
                command: format!("git -C {} log", self.root.display()),
                message: format!("`{id}` is not the full name of a commit"),
            }),
        }
    }

    /// Git at the root, apart from what could change its answer.
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.root).arg("--no-optional-locks");
        for setting in ["protocol.allow=never", "log.showRoot=true", "log.showSignature=false"] {
            command.args(["-c", setting]);
        }
        for variable in FOREIGN_VARIABLES {
            command.env_remove(variable);
        }
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_NO_LAZY_FETCH", "1");
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs git at the root and returns what it wrote. `with_files` adds the options of [`FORMAT`].
    fn run(&self, arguments: &[&str], with_files: bool, input: &str) -> Result<Vec<u8>, Error> {
        let mut command = self.command();
        command.args(arguments);
        if with_files {
            // The order file is git's own spelling of none on every platform: one from the settings that is
            // missing would end git.
            command.args(["-z", "--name-only", "--no-renames", "--no-relative", "-O/dev/null"]);
            command.args(["--encoding=UTF-8", FORMAT]);
        }
        let shown = || format!("git -C {} {}", self.root.display(), arguments.join(" "));
        let failed =
            |error: std::io::Error| Error::Git { command: shown(), message: error.to_string() };

        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            // Git reads all names before it writes, so this cannot block for ever. When git has ended already,
            // its exit code and message say why; the broken pipe says nothing more.
            let _ = stdin.write_all(input.as_bytes());
        }
        let Output { status, stdout, stderr } = child.wait_with_output().map_err(failed)?;
        if status.success() {
            return Ok(stdout);
        }
        let stderr = String::from_utf8_lossy(&stderr);
        if stderr.contains("dubious ownership") {
            return Err(Error::GitOwnership { path: self.top.clone() });
        }
        let lines: Vec<&str> =
            stderr.lines().filter(|line| !line.trim().is_empty()).take(3).collect();
        Err(Error::Git { command: shown(), message: lines.join("; ") })
    }

    fn parse(&self, output: &[u8]) -> Vec<Commit> {
        let mut commits: Vec<Commit> = Vec::new();
        let mut fields = output.split(|byte| *byte == 0);
        while let Some(field) = fields.next() {
            if let Some(id) =
                field.strip_prefix(&[MARK]).and_then(|id| std::str::from_utf8(id).ok())
                && is_object_name(id)
            {
                let mut next =
                    || String::from_utf8_lossy(fields.next().unwrap_or_default()).into_owned();
                let (time, subject, body) = (next(), next(), next());
                commits.push(Commit {
                    id: id.to_owned(),
                    time: time.parse().unwrap_or(0),
                    subject,
                    body_first_line: first_line(&body),
                    files: Vec::new(),
                });
            } else if let Some(commit) = commits.last_mut() {
                // Git puts a line end between a message and the first file.
                let field = field.strip_prefix(b"\n").unwrap_or(field);
                if let Some(file) = std::str::from_utf8(field)
                    .ok()
                    .and_then(|file| file.strip_prefix(&*self.prefix))
                    && !file.is_empty()
                {
                    commit.files.push(file.to_owned());
                }
            }
        }
        for commit in &mut commits {
            commit.files.sort_unstable();
        }
        commits
    }
}

/// The first line that says something: not blank, and not a trailer that names a person.
fn first_line(body: &str) -> String {
    body.lines()
        .map(str::trim)
        .find(|line| {
            let is_trailer = line.split_once(": ").is_some_and(|(key, _)| {
                key.to_ascii_lowercase().ends_with("-by") && !key.contains(char::is_whitespace)
            });
            !line.is_empty() && !is_trailer
        })
        .unwrap_or_default()
        .to_owned()
}

/// Whether a text is the full name of an object: 40 digits of SHA-1 or 64 of SHA-256.
fn is_object_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The git folder that a `.git` *file* points to. `None` for a folder, or a file that points nowhere.
pub(crate) fn git_dir_of_file(dot_git: &Path) -> Option<PathBuf> {
    if !dot_git.is_file() {
        return None;
    }
    let text = fs::read_to_string(dot_git).ok()?;
    let target = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    Some(dot_git.parent()?.join(target))
}

/// The folder that holds what all work trees of a repository share, given the git folder of one of them.
pub(crate) fn common_dir(git_dir: &Path) -> PathBuf {
    match fs::read_to_string(git_dir.join("commondir")) {
        Ok(text) => git_dir.join(text.trim()),
        Err(_) => git_dir.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tempfile::TempDir;

    use super::*;

    /// A repository in a scratch folder, with git kept apart from the user's settings.
    struct Scratch {
        folder: TempDir,
        clock: Cell<u32>,
    }

    const ISOLATED: [(&str, &str); 2] =
        [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")];

    impl Scratch {
        fn new() -> Scratch {
            let scratch = Scratch { folder: tempfile::tempdir().unwrap(), clock: Cell::new(0) };
            scratch.git("", &["init", "-q", "-b", "main", "repo"]);
            scratch
        }

        fn path(&self, path: &str) -> PathBuf {
            self.folder.path().join(path)
        }

        /// Runs git in a folder; each command happens a second after the one before.
        fn git(&self, folder: &str, arguments: &[&str]) -> String {
            self.clock.set(self.clock.get() + 1);
            let date = format!("@{} +0000", 1_600_000_000 + self.clock.get());
            let output = Command::new("git")
                .arg("-C")
                .arg(self.path(folder))
                .args(["-c", "protocol.file.allow=always"])
                .args(arguments)
                .envs(ISOLATED)
                .env("GIT_AUTHOR_NAME", "Test")
                .env("GIT_AUTHOR_EMAIL", "test@example.test")
                .env("GIT_AUTHOR_DATE", &date)
                .env("GIT_COMMITTER_NAME", "Test")
                .env("GIT_COMMITTER_EMAIL", "test@example.test")
                .env("GIT_COMMITTER_DATE", &date)
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "git {arguments:?}: {stderr}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        }

        /// Writes files of the folder `repo` and commits them; returns the commit.
        fn commit(&self, message: &str, files: &[&str]) -> String {
            for file in files {
                let path = self.path("repo").join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, message).unwrap();
            }
            self.git("repo", &["add", "-A"]);
            self.git(
                "repo",
                &["commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message],
            );
            self.git("repo", &["rev-parse", "HEAD"])
        }

        fn repository(&self, root: &str) -> Repository {
            let mut repository = Repository::discover(&self.path(root)).unwrap();
            repository.environment = ISOLATED
                .iter()
                .map(|(name, value)| (OsString::from(name), OsString::from(value)))
                .collect();
            repository
        }
    }

    fn summary(commits: &[Commit]) -> Vec<(&str, &str, Vec<&str>)> {
        commits
            .iter()
            .map(|commit| {
                (
                    commit.subject.as_str(),
                    commit.body_first_line.as_str(),
                    commit.files.iter().map(String::as_str).collect(),
                )
            })
            .collect()
    }

    #[test]
    fn a_folder_without_a_repository_has_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Repository::discover(folder.path()).is_none());
        fs::create_dir(folder.path().join(".git")).unwrap();
        assert!(Repository::discover(folder.path()).is_none());
    }

    #[test]
    fn head_is_read_from_a_branch_a_packed_branch_and_a_bare_commit() {
        let scratch = Scratch::new();
        let repository = scratch.repository("repo");
        assert_eq!(repository.head().unwrap(), None);
        let first = scratch.commit("one", &["a.ts"]);
        assert_eq!(repository.head().unwrap(), Some(first.clone()));
        scratch.git("repo", &["pack-refs", "--all"]);
        assert!(!scratch.path("repo/.git/refs/heads/main").exists());
        assert_eq!(repository.head().unwrap(), Some(first.clone()));
        let second = scratch.commit("two", &["a.ts"]);
        assert_eq!(repository.head().unwrap(), Some(second));
        scratch.git("repo", &["checkout", "-q", "--detach", &first]);
        assert_eq!(repository.head().unwrap(), Some(first));
    }

    #[test]
    fn head_of_refs_that_are_not_files_is_asked_of_git() {
        let scratch = Scratch::new();
        let first = scratch.commit("one", &["a.ts"]);
        let repository = scratch.repository("repo");
        assert_eq!(repository.head_by_process().unwrap(), Some(first));
        scratch.git("repo", &["checkout", "-q", "--orphan", "empty"]);
        assert_eq!(repository.head_by_process().unwrap(), None);
    }

    #[test]
    fn a_linked_work_tree_has_its_own_head_and_shares_the_history() {
        let scratch = Scratch::new();
        let first = scratch.commit("one", &["a.ts"]);
        scratch.git("repo", &["worktree", "add", "-q", "-b", "side", "../linked"]);
        let second = scratch.commit("two", &["a.ts"]);
        let linked = scratch.repository("linked");
        assert_eq!(linked.head().unwrap(), Some(first.clone()));
        assert_eq!(scratch.repository("repo").head().unwrap(), Some(second));
        assert_eq!(linked.log(&first, 10).unwrap().len(), 1);
    }

    #[test]
    fn a_submodule_is_a_repository_of_its_own() {
        let scratch = Scratch::new();
        scratch.git("", &["init", "-q", "-b", "main", "library"]);
        fs::write(scratch.path("library/lib.ts"), "x").unwrap();
        scratch.git("library", &["add", "."]);
        scratch.git("library", &["commit", "-qm", "lib"]);
        scratch.git("repo", &["submodule", "--quiet", "add", "../library", "sub"]);
        let repository = scratch.repository("repo/sub");
        let head = repository.head().unwrap().unwrap();
        assert_eq!(head, scratch.git("library", &["rev-parse", "HEAD"]));
        assert_eq!(summary(&repository.log(&head, 5).unwrap()), [("lib", "", vec!["lib.ts"])]);
    }

    #[test]
    fn log_gives_subjects_first_body_lines_and_files_newest_first() {
        let scratch = Scratch::new();
        scratch.commit("one", &["b.ts", "a.ts"]);
        scratch.commit(
            "two\n\nSigned-off-by: Test <test@example.test>\nwhy it was done\nmore",
            &["a.ts"],
        );
        scratch.commit("nothing", &[]);
        scratch.commit("", &["c d.ts"]);
        let head = scratch.commit("umlaut \u{fc}", &["\u{e4}/\u{f6}.ts"]);
        let commits = scratch.repository("repo").log(&head, 10).unwrap();
        assert_eq!(
            summary(&commits),
            [
                ("umlaut \u{fc}", "", vec!["\u{e4}/\u{f6}.ts"]),
                ("", "", vec!["c d.ts"]),
                ("nothing", "", vec![]),
                ("two", "why it was done", vec!["a.ts"]),
                ("one", "", vec!["a.ts", "b.ts"]),
            ]
        );
        assert_eq!(commits[0].id, head);
        assert!(commits.windows(2).all(|pair| pair[0].time > pair[1].time));
    }

    #[test]
    fn a_rename_and_a_deletion_name_every_path() {
        let scratch = Scratch::new();
        scratch.commit("one", &["a.ts", "gone.ts"]);
        fs::rename(scratch.path("repo/a.ts"), scratch.path("repo/b.ts")).unwrap();
        fs::remove_file(scratch.path("repo/gone.ts")).unwrap();
        let head = scratch.commit("two", &[]);
        let commits = scratch.repository("repo").log(&head, 1).unwrap();
        assert_eq!(summary(&commits), [("two", "", vec!["a.ts", "b.ts", "gone.ts"])]);
    }

    #[test]
    fn a_root_below_the_top_sees_its_own_files_alone() {
        let scratch = Scratch::new();
        let head = scratch.commit("one", &["packages/api/src/a.ts", "packages/api2/b.ts", "c.ts"]);
        let repository = scratch.repository("repo/packages/api");
        assert_eq!(repository.prefix(), "packages/api/");
        assert_eq!(summary(&repository.log(&head, 5).unwrap()), [("one", "", vec!["src/a.ts"])]);
    }

    #[test]
    fn merges_are_left_out_and_their_commits_are_not() {
        let scratch = Scratch::new();
        scratch.commit("base", &["a.ts"]);
        scratch.git("repo", &["checkout", "-q", "-b", "side"]);
        scratch.commit("side", &["b.ts"]);
        scratch.git("repo", &["checkout", "-q", "main"]);
        scratch.commit("main", &["c.ts"]);
        scratch.git("repo", &["merge", "-q", "--no-ff", "-m", "merge", "side"]);
        let repository = scratch.repository("repo");
        let head = repository.head().unwrap().unwrap();
        let commits = repository.log(&head, 10).unwrap();
        assert_eq!(
            commits.iter().map(|commit| commit.subject.as_str()).collect::<Vec<_>>(),
            ["main", "side", "base"]
        );
    }

    #[test]
    fn the_list_and_the_commits_of_a_part_of_it_agree_with_the_log() {
        let scratch = Scratch::new();
        let mut head = String::new();
        for n in 0..6 {
            head = scratch.commit(&format!("number {n}"), &[&format!("f{n}.ts")]);
        }
        let repository = scratch.repository("repo");
        let log = repository.log(&head, 4).unwrap();
        let list = repository.rev_list(&head, 4).unwrap();
        assert_eq!(list, log.iter().map(|commit| commit.id.clone()).collect::<Vec<_>>());
        assert_eq!(
            repository.log_of(&[&list[2], &list[0]]).unwrap(),
            [log[2].clone(), log[0].clone()]
        );
        assert_eq!(repository.log_of(&[]).unwrap(), []);
        assert_eq!(repository.log(&head, 0).unwrap(), []);
    }

    #[test]
    fn settings_of_the_repository_do_not_change_the_answer() {
        let scratch = Scratch::new();
        scratch.commit("one", &["pkg/a.ts"]);
        let head = scratch.commit("two", &["pkg/a.ts"]);
        let repository = scratch.repository("repo/pkg");
        let plain = repository.log(&head, 5).unwrap();
        for (key, value) in [
            ("log.showRoot", "false"),
            ("log.showSignature", "true"),
            ("diff.orderFile", "nowhere"),
            ("diff.relative", "true"),
            ("diff.renames", "copies"),
            ("color.ui", "always"),
            ("format.pretty", "oneline"),
            ("log.decorate", "full"),
            ("i18n.logOutputEncoding", "UTF-16"),
        ] {
            scratch.git("repo", &["config", key, value]);
        }
        assert_eq!(plain.len(), 2);
        assert_eq!(repository.log(&head, 5).unwrap(), plain);
    }

    #[test]
    fn variables_that_point_at_another_repository_are_taken_out() {
        let scratch = Scratch::new();
        let head = scratch.commit("one", &["a.ts"]);
        let repository = scratch.repository("repo");
        let command = repository.command();
        let removed: Vec<_> =
            command.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
            assert!(removed.contains(&std::ffi::OsStr::new(variable)), "{variable}");
        }
        assert_eq!(repository.log(&head, 1).unwrap().len(), 1);
    }

    #[test]
    fn a_repository_of_another_user_is_an_error_that_names_the_remedy() {
        let scratch = Scratch::new();
        let head = scratch.commit("one", &["a.ts"]);
        let mut repository = scratch.repository("repo");
        // Git's own switch for testing this, since a test cannot give a folder to another user.
        repository.environment.push(("GIT_TEST_ASSUME_DIFFERENT_OWNER".into(), "1".into()));
        let error = repository.log(&head, 1).unwrap_err();
        assert!(matches!(error, Error::GitOwnership { .. }), "{error}");
        assert!(error.to_string().contains("safe.directory"), "{error}");
        assert_eq!(repository.head().unwrap(), Some(head));
    }

    #[test]
    fn names_that_are_not_commits_are_errors() {
        let scratch = Scratch::new();
        scratch.commit("one", &["a.ts"]);
        let repository = scratch.repository("repo");
        let error = repository.log("--all", 5).unwrap_err().to_string();
        assert!(error.contains("`--all` is not the full name of a commit"), "{error}");
        let unknown = "0123456789012345678901234567890123456789";
        assert!(matches!(repository.log_of(&[unknown]), Err(Error::Git { .. })));
    }
}
