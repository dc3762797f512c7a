//! A world of its own for each test: a root to index, a home folder, and the binary run between them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A root and a home folder that go away with the value.
pub(crate) struct World {
    folder: TempDir,
}

/// What a run of the binary came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Standard output as the one JSON document that it must be.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {:?} {:?}", self.stdout, self.stderr))
    }

    /// The same run, if it ended with that code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// Standard output as lines.
    pub(crate) fn lines(&self) -> Vec<&str> {
        self.stdout.lines().collect()
    }
}

impl World {
    /// A world whose root holds these files.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let world = Self { folder: TempDir::new().unwrap() };
        fs::create_dir_all(world.home()).unwrap();
        fs::create_dir_all(world.root()).unwrap();
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A path beside the root.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file below the root.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The binary with its surroundings cut off, to be run in `dir`.
    pub(crate) fn command(&self, dir: &Path, args: &[&str]) -> Command {
        let mut command = self.isolated(env!("CARGO_BIN_EXE_reseek"), dir);
        command.args(args);
        command
    }

    fn isolated(&self, program: &str, dir: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(dir)
            .env_clear()
            .env("PATH", env!("PATH"))
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_AUTHOR_NAME", "a")
            .env("GIT_AUTHOR_EMAIL", "a@example.com")
            .env("GIT_COMMITTER_NAME", "a")
            .env("GIT_COMMITTER_EMAIL", "a@example.com")
            .stdin(Stdio::null());
        command
    }

    /// Runs the binary in the root.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_in(&self.root(), args)
    }

    /// Runs the binary in a folder.
    pub(crate) fn run_in(&self, dir: &Path, args: &[&str]) -> Run {
        run(&mut self.command(dir, args))
    }

    /// Runs git in a folder.
    pub(crate) fn git(&self, dir: &Path, args: &[&str]) {
        let run = run(self.isolated("git", dir).args(args));
        assert_eq!(run.code, 0, "git {args:?}: {run:?}");
    }

    /// All files of root and home outside of the index, with their contents.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.ends_with(".reseek") {
                    folders.push(path);
                } else if path.is_file() {
                    let bytes = fs::read(&path).unwrap();
                    files.insert(path, bytes);
                }
            }
        }
        files
    }
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A small project with a task that three of its files answer.
pub(crate) fn project() -> World {
    World::new(&[
        (
            "src/auth/token.ts",
            "import { Clock } from '../clock';\n\n/** Checks whether an access token has expired. */\n\
             export function isTokenExpired(token: Token, clock: Clock): boolean {\n  \
             return token.expiresAt <= clock.now();\n}\n\nexport interface Token {\n  value: string;\n  \
             expiresAt: number;\n}\n",
        ),
        (
            "src/auth/session.ts",
            "import { isTokenExpired } from './token';\n\nexport class Session {\n  \
             refreshToken(): void {\n    if (isTokenExpired(this.token, this.clock)) this.renew();\n  }\n}\n",
        ),
        ("src/clock.ts", "export interface Clock {\n  now(): number;\n}\n"),
        ("src/color.ts", "export const palette = ['red', 'green'];\n"),
        ("README.md", "# Project\n\nA project about sessions.\n"),
    ])
}

/// The top of the repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
