//! `git` as a process.
//!
//! Only plumbing commands, with every option that a configuration file could change spelled out and
//! the configuration of user and system switched off, so that the same repository answers the same
//! bytes everywhere. Hooks and file-system monitors of the repository are never run.
//!
//! Paths come out raw (`-z`); those that are not UTF-8 cannot be named in a topic and are passed over.

use std::{
    collections::BTreeSet,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::error::{Error, Result};

/// Variables by which a calling git or shell would redirect ours.
const FOREIGN: [&str; 7] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_CEILING_DIRECTORIES",
];

/// A repository.
pub(super) struct Git {
    path: PathBuf,
}

/// What a commit says of itself.
pub(super) struct Message {
    pub(super) parents: Vec<String>,
    pub(super) author: String,
    /// Subject and body; `None` if not UTF-8.
    pub(super) text: Option<String>,
}

/// A file that a commit touches.
pub(super) struct Change {
    pub(super) path: String,
    /// Modified as a regular file, neither added nor deleted.
    pub(super) modified: bool,
}

impl Git {
    pub(super) fn new(path: &Path) -> Git {
        Git { path: path.to_owned() }
    }

    /// Runs git and answers its stdout.
    pub(super) fn bytes(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        self.bytes_with_input(arguments, "")
    }

    fn bytes_with_input(&self, arguments: &[&str], input: &str) -> Result<Vec<u8>> {
        let fail = |message: String| Error::Git {
            repository: self.path.clone(),
            command: arguments.join(" "),
            message,
        };
        let mut command = Command::new("git");
        command
            .args(["-c", "safe.directory=*", "-c", "core.fsmonitor=false"])
            .args(["-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false"])
            .args(["-c", "core.autocrlf=false", "-c", "advice.detachedHead=false"])
            .arg("-C")
            .arg(&self.path)
            .args(arguments)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("LC_ALL", "C");
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| fail(error.to_string()))?;
        let stdin = child.stdin.take();
        // Input is written beside the reading of output, for either pipe may fill up first.
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                if let Some(mut stdin) = stdin {
                    // A git that stops reading says why through its exit status.
                    let _ = stdin.write_all(input.as_bytes());
                }
            });
            child.wait_with_output()
        })
        .map_err(|error| fail(error.to_string()))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let stderr = String::from_utf8_lossy(&output.stderr);
        let last = stderr.lines().rfind(|line| !line.trim().is_empty());
        Err(fail(last.map_or_else(|| output.status.to_string(), str::to_owned)))
    }

    /// Runs git and answers its stdout as text, without white space at the end.
    pub(super) fn text(&self, arguments: &[&str]) -> Result<String> {
        let bytes = self.bytes(arguments)?;
        Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
    }

    /// The full id of a revision.
    pub(super) fn commit_id(&self, revision: &str) -> Result<String> {
        let spec = format!("{revision}^{{commit}}");
        self.text(&["rev-parse", "--verify", "--end-of-options", &spec])
    }

    /// All files of a commit whose paths are UTF-8.
    pub(super) fn files(&self, commit: &str) -> Result<BTreeSet<String>> {
        let bytes = self.bytes(&["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit])?;
        let paths = bytes.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.filter_map(|path| String::from_utf8(path.to_vec()).ok()).collect())
    }

    /// The messages of the commits whose ids stand in `ids`, one a line, in that order.
    pub(super) fn messages(&self, ids: &str) -> Result<Vec<(String, Message)>> {
        const FORMAT: &str = "--format=%H%x00%P%x00%an%x00%B";
        const N_FIELDS: usize = 4;
        if ids.trim().is_empty() {
            return Ok(Vec::new());
        }
        let arguments = ["log", "--no-walk=unsorted", "--stdin", "-z", "--encoding=UTF-8", FORMAT];
        let arguments = [&arguments[..], &["--no-show-signature", "--no-notes", "--no-decorate"]];
        let bytes = self.bytes_with_input(&arguments.concat(), ids)?;
        let fields: Vec<&[u8]> = bytes.split(|byte| *byte == 0).collect();
        let records = fields.chunks_exact(N_FIELDS).map(|record| {
            let text = |i: usize| String::from_utf8_lossy(record[i]).into_owned();
            let parents = text(1).split_whitespace().map(str::to_owned).collect();
            let message = String::from_utf8(record[3].to_vec()).ok();
            (text(0), Message { parents, author: text(2), text: message })
        });
        Ok(records.collect())
    }

    /// The files that differ between two commits. A rename is a deletion and an addition.
    pub(super) fn changes(&self, from: &str, to: &str) -> Result<Vec<Change>> {
        let bytes = self.bytes(&["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to])?;
        let mut cells = bytes.split(|byte| *byte == 0);
        let mut changes = Vec::new();
        while let (Some(meta), Some(path)) = (cells.next(), cells.next()) {
            // `:100644 100644 OLD NEW M`
            let meta = String::from_utf8_lossy(meta);
            let regular = |mode: &str| mode.trim_start_matches(':').starts_with("100");
            let columns: Vec<&str> = meta.split(' ').collect();
            let modified =
                matches!(columns[..], [old, new, _, _, "M"] if regular(old) && regular(new));
            if let Ok(path) = String::from_utf8(path.to_vec()) {
                changes.push(Change { path, modified });
            }
        }
        Ok(changes)
    }

    /// The changed lines of one file as a unified diff without context.
    pub(super) fn diff(&self, from: &str, to: &str, path: &str) -> Result<String> {
        let bytes = self.bytes(&[
            "--literal-pathspecs",
            "diff-tree",
            "-p",
            "--unified=0",
            "--inter-hunk-context=0",
            "--diff-algorithm=myers",
            "--no-indent-heuristic",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--text",
            from,
            to,
            "--",
            path,
        ])?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The content of a file at a commit.
    pub(super) fn blob(&self, commit: &str, path: &str) -> Result<Vec<u8>> {
        self.bytes(&["cat-file", "blob", &format!("{commit}:{path}")])
    }
}
