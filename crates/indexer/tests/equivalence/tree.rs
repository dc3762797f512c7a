//! A scratch work tree with its git repository, and the random changes that are made to it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

/// Random numbers that are the same for the same seed everywhere (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

const FOLDERS: &[&str] = &[
    "",
    "src/",
    "src/auth/",
    "lib/",
    "packages/a/src/",
    "packages/b/",
    "app/(main)/[id]/",
    "test/",
];
const STEMS: &[&str] =
    &["index", "token", "rateLimit", "user.service", "Button", "helpers.test", "types.d", "readme"];
const EXTENSIONS: &[&str] =
    &["ts", "ts", "tsx", "js", "mjs", "md", "json", "png", "min.js", "lock"];
const WORDS: &[&str] = &[
    "parseToken",
    "RateLimiter",
    "expiry",
    "userName",
    "HTTPServer",
    "throttle",
    "cache",
    "fetch_all",
    "Color2D",
    "session",
];
const RULES: &[&str] = &[
    "lib/",
    "*.md",
    "!src/",
    "packages/*/src",
    "token.*",
    "/test",
    "!*.md",
    "index.ts",
    "**/auth/**",
    "user.*",
    "# words",
    "",
];
const CONFIGURATIONS: &[&str] = &[
    "",
    "exclude = [\"lib\"]\n",
    "include = [\"src/**\", \"lib\"]\n",
    "hidden = true\n",
    "max_file_size = 300\n",
    "languages = [\"typescript\", \"markdown\"]\n",
    "[history]\ndepth = 2\n",
    "[history]\ndepth = 0\n",
    "[lexicon]\nenabled = false\n",
    "secrets = true\nfollow_links = true\n",
];

/// What a path looked like: kind, mode, inode, size, times and a hash of the content.
type Look = (u32, u64, u64, i64, i64, u64);

/// A scratch folder with a work tree `tree` and an index `index` beside it or inside the tree.
pub(crate) struct Tree {
    scratch: tempfile::TempDir,
    clock: u64,
    n_branches: usize,
    /// What changed since the last refresh by an edit that may leave no trace in sizes and times.
    pub(crate) edited: BTreeSet<String>,
    looks: BTreeMap<String, Look>,
    has_odd_names: bool,
}

impl Tree {
    pub(crate) fn new(random: &mut Random) -> Tree {
        // Memory is faster than a disk; nothing here hangs on the kind of file system.
        let memory = Path::new("/dev/shm");
        let mut builder = tempfile::Builder::new();
        builder.prefix("reseek-equivalence-");
        let scratch =
            if memory.is_dir() { builder.tempdir_in(memory) } else { builder.tempdir() }.unwrap();
        let mut tree = Tree {
            scratch,
            clock: 0,
            n_branches: 0,
            edited: BTreeSet::new(),
            looks: BTreeMap::new(),
            has_odd_names: false,
        };
        fs::create_dir(tree.root()).unwrap();
        if !random.one_in(8) {
            tree.git(&["init", "-q", "-b", "main"]);
        }
        for _ in 0..random.below(14) {
            tree.write_new(random);
        }
        tree
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.scratch.path().join("tree")
    }

    pub(crate) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    /// Runs git apart from the user's settings, at a fixed time; refusals (nothing to commit, a conflict) are part of life.
    fn git(&mut self, arguments: &[&str]) {
        self.clock += 1;
        let date = format!("@{} +0000", 1_600_000_000 + self.clock);
        let who = [("NAME", "Test"), ("EMAIL", "test@example.org"), ("DATE", date.as_str())];
        let mut command = Command::new("git");
        command.arg("-C").arg(self.root()).args([
            "-c",
            "gc.auto=0",
            "-c",
            "advice.detachedHead=false",
        ]);
        command
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for (name, value) in who {
            command
                .env(format!("GIT_AUTHOR_{name}"), value)
                .env(format!("GIT_COMMITTER_{name}"), value);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().expect("git runs");
    }

    /// Files below the root, or folders, sorted; those of git and of the index left out.
    fn list(&self, folders: bool) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![String::new()];
        while let Some(folder) = open.pop() {
            let Ok(entries) = fs::read_dir(self.at(&folder)) else { continue };
            for entry in entries.flatten() {
                let Ok(name) = entry.file_name().into_string() else { continue };
                if [".git", ".reseek", "reseek.toml"].contains(&name.as_str()) {
                    continue;
                }
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder {
                    open.push(path.clone());
                }
                if is_folder == folders {
                    found.push(path);
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn any(&self, random: &mut Random, folders: bool) -> Option<String> {
        let mut all = self.list(folders);
        if all.is_empty() { None } else { Some(all.swap_remove(random.below(all.len()))) }
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.at(path);
        if let Some(folder) = path.parent() {
            // A file may stand where a folder is wanted; then nothing is written.
            let _ = fs::create_dir_all(folder);
        }
        let _ = fs::write(path, bytes);
    }

    fn new_path(random: &mut Random) -> String {
        format!("{}{}.{}", random.pick(FOLDERS), random.pick(STEMS), random.pick(EXTENSIONS))
    }

    pub(crate) fn write_new(&mut self, random: &mut Random) {
        let path = match random.below(16) {
            0 => format!("{}.env", random.pick(FOLDERS)),
            1 => format!("{}.hidden.ts", random.pick(FOLDERS)),
            2 => "package-lock.json".to_owned(),
            3 => format!("node_modules/{}", Self::new_path(random)),
            _ => Self::new_path(random),
        };
        let bytes = content(random);
        self.write(&path, &bytes);
    }

    /// Makes one random change and tells which.
    pub(crate) fn change(&mut self, random: &mut Random) -> String {
        let kind = random.below(32);
        match kind {
            0..=4 => {
                self.write_new(random);
                "write".to_owned()
            }
            5..=7 => self.edit(random),
            8 => self.edit_same_size(random),
            9 => {
                let Some(path) = self.any(random, false) else { return "nothing".to_owned() };
                let _ = fs::remove_file(self.at(&path));
                format!("remove {path}")
            }
            10 => {
                let (Some(from), to) = (self.any(random, false), Self::new_path(random)) else {
                    return "nothing".to_owned();
                };
                self.rename(&from, &to)
            }
            11 => {
                let (Some(from), Some(to)) = (self.any(random, true), self.any(random, true))
                else {
                    return "nothing".to_owned();
                };
                let to = format!("{to}/moved{}", random.below(3));
                self.rename(&from, &to)
            }
            12 => {
                let Some(path) = self.any(random, true) else { return "nothing".to_owned() };
                let _ = fs::remove_dir_all(self.at(&path));
                format!("remove folder {path}")
            }
            13 => {
                let (Some(a), Some(b)) = (self.any(random, false), self.any(random, false)) else {
                    return "nothing".to_owned();
                };
                self.rename(&a, "swap.tmp");
                self.rename(&b, &a);
                self.rename("swap.tmp", &b);
                format!("swap {a} {b}")
            }
            14 => {
                let Some(path) = self.any(random, false) else { return "nothing".to_owned() };
                let time = UNIX_EPOCH
                    + Duration::from_secs(1_500_000_000 + random.below(400_000_000) as u64);
                if let Ok(file) = fs::File::options().write(true).open(self.at(&path)) {
                    let _ = file.set_modified(time);
                }
                format!("touch {path}")
            }
            15 => {
                let Some(path) = self.any(random, false) else { return "nothing".to_owned() };
                let mode = if random.one_in(2) { 0o644 } else { 0o755 };
                let _ = fs::set_permissions(self.at(&path), fs::Permissions::from_mode(mode));
                format!("mode {path}")
            }
            16 | 17 => self.change_rules(random),
            18 => {
                let text = random.pick(CONFIGURATIONS);
                if text.is_empty() {
                    let _ = fs::remove_file(self.at("reseek.toml"));
                } else {
                    self.write("reseek.toml", text.as_bytes());
                }
                format!("configure {text:?}")
            }
            19 => self.odd_thing(random),
            20 => {
                let Some(path) = self.any(random, false) else { return "nothing".to_owned() };
                self.write("save.swp", &content(random));
                self.rename("save.swp", &path)
            }
            21 => {
                let Some(from) = self.any(random, true) else { return "nothing".to_owned() };
                let to = format!("copy{}", random.below(3));
                for file in
                    self.list(false).iter().filter(|file| file.starts_with(&format!("{from}/")))
                {
                    let bytes = fs::read(self.at(file)).unwrap_or_default();
                    self.write(&format!("{to}/{}", &file[from.len() + 1..]), &bytes);
                }
                format!("copy {from} to {to}")
            }
            _ => self.change_git(random),
        }
    }

    fn rename(&mut self, from: &str, to: &str) -> String {
        if let Some(folder) = self.at(to).parent() {
            let _ = fs::create_dir_all(folder);
        }
        let _ = fs::rename(self.at(from), self.at(to));
        format!("rename {from} to {to}")
    }

    fn edit(&mut self, random: &mut Random) -> String {
        let Some(path) = self.any(random, false) else { return "nothing".to_owned() };
        let Ok(mut bytes) = fs::read(self.at(&path)) else { return "nothing".to_owned() };
        match random.below(3) {
            0 => bytes.extend_from_slice(
                format!("\nexport const {} = 1;\n", random.pick(WORDS)).as_bytes(),
            ),
            1 => bytes.truncate(bytes.len() / 2),
            _ => bytes = content(random),
        }
        self.write(&path, &bytes);
        self.edited.insert(path.clone());
        format!("edit {path}")
    }

    /// Changes a byte and nothing that a listing shows, except the time of the change where the clock has moved on.
    fn edit_same_size(&mut self, random: &mut Random) -> String {
        let Some(path) = self.any(random, false) else { return "nothing".to_owned() };
        let at = self.at(&path);
        let (Ok(mut bytes), Ok(metadata)) = (fs::read(&at), fs::metadata(&at)) else {
            return "nothing".to_owned();
        };
        if let Some(byte) = bytes.iter_mut().find(|byte| byte.is_ascii_lowercase()) {
            *byte = if *byte == b'z' { b'a' } else { *byte + 1 };
        }
        self.write(&path, &bytes);
        if let (true, Ok(file), Ok(time)) =
            (random.one_in(2), fs::File::options().write(true).open(&at), metadata.modified())
        {
            let _ = file.set_modified(time);
        }
        self.edited.insert(path.clone());
        format!("edit {path} in place")
    }

    fn change_rules(&mut self, random: &mut Random) -> String {
        let name = random.pick(&[".gitignore", ".ignore", ".reseekignore", ".gitignore"]);
        let path = format!("{}{name}", random.pick(FOLDERS));
        if random.one_in(3) {
            let _ = fs::remove_file(self.at(&path));
            return format!("remove {path}");
        }
        let lines: Vec<&str> = (0..=random.below(3)).map(|_| random.pick(RULES)).collect();
        self.write(&path, lines.join("\n").as_bytes());
        format!("rules {path} {lines:?}")
    }

    /// Things that are rare in a tree and common among reports of trouble.
    fn odd_thing(&mut self, random: &mut Random) -> String {
        match random.below(6) {
            0 => {
                let name =
                    OsStr::from_bytes(if random.one_in(2) { b"caf\xe9.ts" } else { b"caf\xe8.ts" });
                let _ = fs::write(self.root().join(name), "export const bad = 1;\n");
                "name that is not UTF-8".to_owned()
            }
            1 => {
                let _ = std::os::unix::fs::symlink("..", self.at("lib/loop"));
                let _ = std::os::unix::fs::symlink("src", self.at("linked"));
                "links".to_owned()
            }
            2 => {
                let Some(path) = self.any(random, false) else { return "nothing".to_owned() };
                let _ = fs::remove_file(self.at(&path));
                self.write(&format!("{path}/inner.ts"), &content(random));
                format!("folder in place of {path}")
            }
            3 => {
                let Some(path) = self.any(random, true) else { return "nothing".to_owned() };
                let _ = fs::remove_dir_all(self.at(&path));
                self.write(&path, &content(random));
                format!("file in place of {path}")
            }
            4 => {
                self.git(&["init", "-q", "packages/a"]);
                "nested repository".to_owned()
            }
            _ => {
                for path in self.list(false) {
                    let _ = fs::remove_file(self.at(&path));
                }
                "remove every file".to_owned()
            }
        }
    }

    fn change_git(&mut self, random: &mut Random) -> String {
        let branch = format!("branch{}", random.below(self.n_branches + 1));
        match random.below(12) {
            0..=3 => {
                self.git(&["add", "-A"]);
                let subject = format!("{} the {}", random.pick(WORDS), random.pick(WORDS));
                self.git(&["commit", "-q", "-m", &subject]);
                "commit".to_owned()
            }
            4 => {
                self.n_branches += 1;
                let name = format!("branch{}", self.n_branches);
                self.git(&["checkout", "-q", "-b", &name]);
                format!("branch {name}")
            }
            5 | 6 => {
                self.git(&["checkout", "-q", "-f", &branch]);
                format!("checkout {branch}")
            }
            7 => {
                self.git(&["stash", "-q", "-u"]);
                "stash".to_owned()
            }
            8 => {
                self.git(&["stash", "pop", "-q"]);
                "unstash".to_owned()
            }
            9 => {
                self.git(&["reset", "-q", "--hard", "HEAD~1"]);
                "reset".to_owned()
            }
            10 => {
                self.git(&[
                    "commit",
                    "-q",
                    "--amend",
                    "--allow-empty",
                    "-m",
                    "amended session expiry",
                ]);
                "amend".to_owned()
            }
            _ => {
                if random.one_in(2) {
                    self.git(&["worktree", "add", "-q", "-f", "--detach", "trees/one"]);
                    "add work tree".to_owned()
                } else {
                    self.git(&["worktree", "remove", "-f", "trees/one"]);
                    "remove work tree".to_owned()
                }
            }
        }
    }

    /// Notes what changed so far for the next [`changed`](Self::changed): a refresh that is killed may have taken it in, and what
    /// is undone later leaves no trace.
    pub(crate) fn note_changed(&mut self) {
        let changed = self.changed();
        self.has_odd_names |= changed.is_none();
        self.edited.extend(changed.unwrap_or_default());
    }

    /// Paths that changed since the last call, as a watcher would tell them; `None` if a name is not UTF-8.
    pub(crate) fn changed(&mut self) -> Option<BTreeSet<String>> {
        let mut looks = BTreeMap::new();
        let mut is_utf8 = !std::mem::take(&mut self.has_odd_names);
        let mut open = vec![String::new()];
        while let Some(folder) = open.pop() {
            let Ok(entries) = fs::read_dir(self.at(&folder)) else { continue };
            for entry in entries.flatten() {
                let Ok(name) = entry.file_name().into_string() else {
                    is_utf8 = false;
                    continue;
                };
                if name == ".reseek" || (name == ".git" && folder.is_empty()) {
                    continue;
                }
                let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
                let Ok(metadata) = entry.metadata() else { continue };
                // What happens inside a folder does not count as a change of the folder.
                let look = if metadata.is_dir() {
                    (metadata.mode(), metadata.ino(), 0, 0, 0, 0)
                } else {
                    let bytes = fs::read(entry.path()).unwrap_or_default();
                    let hash = reseek_indexer::corpus::read::content_hash(&bytes);
                    (
                        metadata.mode(),
                        metadata.ino(),
                        metadata.size(),
                        metadata.mtime_nsec(),
                        metadata.ctime_nsec(),
                        hash,
                    )
                };
                if metadata.is_dir() {
                    open.push(path.clone());
                }
                looks.insert(path, look);
            }
        }
        let mut changed = std::mem::take(&mut self.edited);
        let all: BTreeSet<&String> = looks.keys().chain(self.looks.keys()).collect();
        changed.extend(
            all.into_iter().filter(|path| looks.get(*path) != self.looks.get(*path)).cloned(),
        );
        self.looks = looks;
        is_utf8.then_some(changed)
    }
}

/// The content of a file: most often code, sometimes what is skipped for a reason.
fn content(random: &mut Random) -> Vec<u8> {
    match random.below(20) {
        0 => b"PNG\0\0\x01".to_vec(),
        1 => b"const caf\xe9 = 1;\n".to_vec(),
        2 => "a=1;".repeat(6_000).into_bytes(),
        3 => Vec::new(),
        4 => "// long\n".repeat(random.below(200)).into_bytes(),
        _ => code(random).into_bytes(),
    }
}

fn code(random: &mut Random) -> String {
    let mut text = String::new();
    if random.one_in(4) {
        text.push_str("// Code generated by a tool. DO NOT EDIT.\n");
    }
    for _ in 0..random.below(5) {
        let (a, b, c) = (random.pick(WORDS), random.pick(WORDS), random.pick(WORDS));
        let n = random.below(10);
        let piece = match random.below(6) {
            0 => format!("import {{ {a} }} from './{b}';\n"),
            1 => format!(
                "/** The {b} of the {c}. */\nexport function {a}(x: {b}) {{ return {c}(x, {n}); }}\n"
            ),
            2 => format!("export class {a} {{\n  {b} = {n};\n  {c}() {{ return this.{b}; }}\n}}\n"),
            3 => format!("export const {a} = \"{b} {c}\"; // {n}\n"),
            4 => format!("export * from './{a}';\nexport interface {b} {{ {c}: string }}\n"),
            _ => format!("function {a}( {{ const {b} = ;\n"),
        };
        text.push_str(&piece);
    }
    text
}
