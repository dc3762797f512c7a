//! What an update comes to when something is in its way: each trouble has one outcome, and none of them loses the index.

#![expect(clippy::unwrap_used, reason = "a test: a panic is how it fails")]

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reseek_indexer::store::WriteLock;
use reseek_indexer::update::{Progress, UpdateOptions, UpdateReport, plan, update, walk_options};
use reseek_indexer::{Config, Error, Index, IndexState};

use crate::common::{difference, dump, now_ns, open, paths, refresh};

/// A scratch folder with a tree in `tree` and its index in `tree/.reseek`.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new(files: &[(&str, &str)]) -> Scratch {
        let scratch = Scratch(tempfile::tempdir().unwrap());
        // Some tests look at it as another user.
        fs::set_permissions(scratch.0.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(scratch.root()).unwrap();
        for (path, text) in files {
            scratch.write(path, text);
        }
        scratch
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("tree")
    }

    fn folder(&self) -> PathBuf {
        self.root().join(".reseek")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn refresh(&self) -> UpdateReport {
        refresh(&self.root(), &self.folder(), self.0.path()).unwrap().1
    }

    fn update<'a>(
        &self,
        change: impl FnOnce(&mut UpdateOptions<'a>),
    ) -> Result<(Index, UpdateReport), Error> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let mut options = UpdateOptions {
            threads: 1,
            rebuild: false,
            now_ns: now_ns(self.0.path()),
            patience: Duration::from_secs(20),
            progress: &|_| {},
            cancel: &NEVER,
        };
        change(&mut options);
        update(&self.root(), &self.folder(), &Config::load(&self.root())?, &options)
    }

    fn dump(&self) -> Vec<String> {
        dump(&open(&self.folder()).snapshot().unwrap()).unwrap()
    }

    fn paths(&self) -> Vec<String> {
        paths(&open(&self.folder()).snapshot().unwrap())
    }

    /// The index says what a fresh one says.
    fn check_fresh(&self) {
        let folder = self.0.path().join("fresh");
        let _ = fs::remove_dir_all(&folder);
        let (fresh, _) = refresh(&self.root(), &folder, self.0.path()).unwrap();
        assert_eq!(difference(&self.dump(), &dump(&fresh.snapshot().unwrap()).unwrap()), "");
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .arg("-C")
            .arg(self.root())
            .args([
                "-c",
                "user.name=Test",
                "-c",
                "user.email=test@example.org",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "@1600000000 +0000")
            .env("GIT_COMMITTER_DATE", "@1600000000 +0000")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "git {arguments:?}");
    }
}

const SMALL: &[(&str, &str)] = &[
    ("src/a.ts", "export function parseToken() { return 1; }\n"),
    ("src/b.ts", "export class RateLimiter {}\n"),
    ("readme.md", "# Words\n"),
];

// Parts that run in a process of their own, because they are killed, lack rights or have a limit.

const CHILD: &str = "RESEEK_TEST_CHILD";

/// Not a test: the other side of [`child`]. Without the variable it has nothing to do.
#[test]
#[expect(clippy::disallowed_methods, reason = "how the process learns that it is the other side")]
fn other_side() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (task, rest) = task.split_once('\n').unwrap();
    let (root, scratch) = rest.split_once('\n').unwrap();
    let (root, scratch) = (Path::new(root), Path::new(scratch));
    let folder = root.join(".reseek");
    match task {
        "lock" => {
            let _lock = WriteLock::acquire(&folder, Duration::ZERO).unwrap();
            eprintln!("locked");
            // Until the other side kills this process or goes itself.
            let _ = std::io::stdin().read(&mut [0]);
        }
        "refresh" => match refresh(root, &folder, scratch) {
            Ok((_, report)) => eprintln!("{report:?}"),
            Err(error) => eprintln!("failed: {error}"),
        },
        "open" => match Index::open(&folder) {
            IndexState::Ready(index) => eprintln!("{:?}", paths(&index.snapshot().unwrap())),
            _ => eprintln!("not ready"),
        },
        task => panic!("no task {task}"),
    }
}

/// A command that runs a task of [`other_side`], behind a shell line such as a limit.
fn child(scratch: &Scratch, task: &str, before: &str) -> Command {
    let line = format!("{before} exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &line]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", "other_side", "--nocapture", "--test-threads=1"]);
    // Where another user can write the probe of the clock.
    let probe = scratch.0.path().join("probe");
    fs::create_dir_all(&probe).unwrap();
    fs::set_permissions(&probe, fs::Permissions::from_mode(0o777)).unwrap();
    let _ = fs::remove_file(probe.join("clock"));
    command.env(CHILD, format!("{task}\n{}\n{}", scratch.root().display(), probe.display()));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn said(mut command: Command) -> String {
    let output = command.output().unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a task as a user without special rights, for whom the rights of files count.
fn said_without_rights(scratch: &Scratch, task: &str) -> String {
    let mut command = child(scratch, task, "");
    if fs::metadata(scratch.0.path()).unwrap().uid() == 0 {
        give_to_nobody(&scratch.root());
        command.uid(NOBODY).gid(NOBODY);
    }
    said(command)
}

const NOBODY: u32 = 65_534;

fn give_to_nobody(path: &Path) {
    std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_to_nobody(&entry.unwrap().path());
        }
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_first_build_that_is_cancelled_leaves_no_index_and_the_next_completes_it() {
    let scratch = Scratch::new(SMALL);
    let cancel = AtomicBool::new(false);
    let stop = |progress| {
        if matches!(progress, Progress::Indexing { .. }) {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let result = scratch.update(|options| {
        options.progress = &stop;
        options.cancel = &cancel;
    });
    assert!(matches!(result, Err(Error::Cancelled)));
    assert!(matches!(Index::open(&scratch.folder()), IndexState::Missing));
    assert_eq!(scratch.refresh().added, 3);
    scratch.check_fresh();
}

#[test]
fn an_update_that_is_cancelled_leaves_the_index_as_it_was() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    let before = scratch.dump();
    scratch.write("src/a.ts", "export const other = 1;\n");
    fs::remove_file(scratch.root().join("src/b.ts")).unwrap();
    let cancel = AtomicBool::new(false);
    let stop = |progress| {
        if progress == Progress::Committing || matches!(progress, Progress::Indexing { .. }) {
            cancel.store(true, Ordering::Relaxed);
        }
    };
    let result = scratch.update(|options| {
        options.progress = &stop;
        options.cancel = &cancel;
    });
    assert!(matches!(result, Err(Error::Cancelled)));
    assert_eq!(scratch.dump(), before);
    scratch.refresh();
    scratch.check_fresh();
}

/// Runs a first build with one thread and does something to `src/b.ts` after the file before it was read.
fn check_change_between_walk_and_read(change: impl Fn(&Path) + Sync) -> Scratch {
    let scratch = Scratch::new(&[
        ("src/a.ts", "a;\n"),
        ("src/b.ts", "export const b = 1;\n"),
        ("src/c.ts", "c;\n"),
    ]);
    let path = scratch.root().join("src/b.ts");
    let act = |progress| {
        if matches!(progress, Progress::Indexing { done: 1, .. }) {
            change(&path);
        }
    };
    scratch.update(|options| options.progress = &act).unwrap();
    scratch
}

#[test]
fn a_file_that_vanishes_between_walk_and_read_is_not_in_the_index() {
    let scratch = check_change_between_walk_and_read(|path| fs::remove_file(path).unwrap());
    assert_eq!(scratch.paths(), ["src/a.ts", "src/c.ts"]);
    scratch.check_fresh();
}

#[test]
fn a_file_that_grows_between_walk_and_read_is_indexed_as_read() {
    let scratch = check_change_between_walk_and_read(|path| {
        fs::write(path, "export const b = 1;\nexport const longer = 2;\n").unwrap();
    });
    scratch.check_fresh();
    assert!(!scratch.refresh().committed);
}

#[test]
fn a_file_that_becomes_a_folder_between_walk_and_read_is_skipped_and_then_walked() {
    let scratch = check_change_between_walk_and_read(|path| {
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        fs::write(path.join("inner.ts"), "export const inner = 1;\n").unwrap();
    });
    scratch.refresh();
    assert_eq!(scratch.paths(), ["src/a.ts", "src/b.ts/inner.ts", "src/c.ts"]);
    scratch.check_fresh();
}

#[test]
fn edits_of_the_same_size_in_quick_succession_are_all_seen() {
    let scratch = Scratch::new(&[("a.ts", "export const value0 = 1;\n")]);
    scratch.refresh();
    let path = scratch.root().join("a.ts");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    for n in 1..40 {
        scratch.write("a.ts", &format!("export const value{} = 1;\n", n % 10));
        // As tools do that keep the times of what they copy.
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        scratch.refresh();
        let snapshot = open(&scratch.folder()).snapshot().unwrap();
        let entry = snapshot.entry(snapshot.file("a.ts").unwrap().unwrap()).unwrap();
        assert_eq!(entry.symbols[0].name, format!("value{}", n % 10));
    }
}

#[test]
fn a_clock_that_is_set_back_hides_no_edit() {
    let scratch = Scratch::new(&[("a.ts", "export const value1 = 1;\n")]);
    let hour = 3_600_000_000_000;
    let now = now_ns(scratch.0.path());
    scratch.update(|options| options.now_ns = now + hour).unwrap();
    scratch.write("a.ts", "export const value2 = 1;\n");
    scratch.update(|options| options.now_ns = now).unwrap();
    scratch.check_fresh();
    scratch.write("a.ts", "export const value3 = 1;\n");
    scratch.update(|options| options.now_ns = now - hour).unwrap();
    scratch.check_fresh();
    let (_, report) = scratch.update(|options| options.now_ns = now - hour).unwrap();
    assert!(!report.committed);
}

#[test]
fn touched_files_are_not_written_again_and_not_read_twice() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    let generation = open(&scratch.folder()).snapshot().unwrap().meta().generation;
    for (path, _) in SMALL {
        let file = fs::File::options().write(true).open(scratch.root().join(path)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
    }
    let late = now_ns(scratch.0.path()) + 3_000_000_000;
    let (_, report) = scratch.update(|options| options.now_ns = late).unwrap();
    assert_eq!((report.touched, report.committed), (3, false));
    let index = open(&scratch.folder());
    let snapshot = index.snapshot().unwrap();
    assert_eq!(snapshot.meta().generation, generation);
    let options = walk_options(&scratch.root(), &scratch.folder(), &Config::default(), 1);
    assert!(plan(&scratch.root(), &index, &snapshot, &options).unwrap().is_empty());
}

#[test]
fn names_that_are_not_utf8_and_loops_of_links_are_counted_and_change_nothing_afterwards() {
    use std::os::unix::ffi::OsStrExt as _;
    let scratch = Scratch::new(SMALL);
    for name in [&b"caf\xe9.ts"[..], b"caf\xe8.ts"] {
        fs::write(scratch.root().join(std::ffi::OsStr::from_bytes(name)), "export const x = 1;\n")
            .unwrap();
    }
    std::os::unix::fs::symlink(".", scratch.root().join("loop")).unwrap();
    std::os::unix::fs::symlink("missing", scratch.root().join("dangling.ts")).unwrap();
    scratch.refresh();
    assert_eq!(scratch.paths(), ["readme.md", "src/a.ts", "src/b.ts"]);
    let skipped = open(&scratch.folder()).snapshot().unwrap().meta().skipped.clone();
    assert_eq!(skipped.get("symlink"), Some(&2));
    assert_eq!(skipped.get("non-utf8-name"), Some(&1));
    assert!(!scratch.refresh().committed);
}

#[test]
fn a_second_writer_waits_and_then_says_who_holds_the_lock() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    scratch.write("src/a.ts", "export const other = 1;\n");
    let lock = WriteLock::acquire(&scratch.folder(), Duration::ZERO).unwrap();
    let result = scratch.update(|options| options.patience = Duration::from_millis(50));
    let Err(Error::Busy { holder }) = result else { panic!("it must be busy") };
    assert_eq!(holder, format!("process {}", std::process::id()));
    // Looking and reading need no lock.
    assert_eq!(scratch.paths().len(), 3);
    drop(lock);
    assert_eq!(scratch.refresh().changed, 1);
}

#[test]
fn a_writer_that_is_killed_holds_no_lock() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    scratch.write("src/a.ts", "export const other = 1;\n");
    let mut child = child(&scratch, "lock", "").spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("locked") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "the other side ended");
    }
    let busy = scratch.update(|options| options.patience = Duration::ZERO);
    let Err(Error::Busy { holder }) = busy else { panic!("it must be busy") };
    assert_eq!(holder, format!("process {}", child.id()));
    child.kill().unwrap();
    child.wait().unwrap();
    let (_, report) = scratch.update(|options| options.patience = Duration::ZERO).unwrap();
    assert_eq!(report.changed, 1);
}

#[test]
fn a_long_lived_reader_sees_commits_and_rebuilds_and_its_old_view_stays_whole() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    let mut index = open(&scratch.folder());
    let old = index.snapshot().unwrap();
    let old_dump = dump(&old).unwrap();
    scratch.write("src/c.ts", "export function added() {}\n");
    scratch.refresh();
    assert!(!index.is_superseded());
    assert!(index.current().unwrap().file("src/c.ts").unwrap().is_some());
    assert_eq!(dump(&old).unwrap(), old_dump);

    scratch.write("src/d.ts", "export function later() {}\n");
    scratch.update(|options| options.rebuild = true).unwrap();
    assert!(index.is_superseded());
    assert!(index.current().unwrap().file("src/d.ts").unwrap().is_some());
    assert!(!index.is_superseded());
    assert_eq!(dump(&old).unwrap(), old_dump);
}

#[test]
fn a_rebuild_goes_on_counting_generations() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    let (index, report) = scratch.update(|options| options.rebuild = true).unwrap();
    assert_eq!(report.rebuilt.as_deref(), Some("asked for"));
    assert_eq!(index.snapshot().unwrap().meta().generation, 2);
}

#[test]
fn many_first_builds_at_once_make_one_index() {
    let scratch = Scratch::new(SMALL);
    let reports = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let (index, report) = scratch.update(|_| {}).unwrap();
                assert_eq!(index.snapshot().unwrap().meta().generation, 1);
                reports.lock().unwrap().push(report.added);
            });
        }
    });
    let mut added = reports.into_inner().unwrap();
    added.sort_unstable();
    assert_eq!(added, [0, 0, 0, 0, 0, 0, 0, 3]);
    scratch.check_fresh();
}

#[test]
fn an_index_that_may_not_be_written_answers_and_the_error_names_the_folder() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    let mut folders = vec![scratch.folder()];
    folders.extend(fs::read_dir(scratch.folder()).unwrap().map(|entry| entry.unwrap().path()));
    let change = |scratch: &Scratch, mode: u32, file_mode: u32| {
        for path in fs::read_dir(scratch.folder()).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                for file in fs::read_dir(&path).unwrap() {
                    set_mode(&file.unwrap().path(), file_mode);
                }
                set_mode(&path, mode);
            } else {
                set_mode(&path, file_mode);
            }
        }
        set_mode(&scratch.folder(), mode);
    };
    said_without_rights(&scratch, "open");
    change(&scratch, 0o555, 0o444);
    assert!(said_without_rights(&scratch, "open").contains("src/a.ts"));
    assert!(said_without_rights(&scratch, "refresh").contains("unchanged: "));
    scratch.write("src/c.ts", "export const c = 1;\n");
    let error = said_without_rights(&scratch, "refresh");
    assert!(error.contains("failed: cannot access"), "{error}");
    assert!(error.contains(".reseek"), "{error}");
    assert!(said_without_rights(&scratch, "open").contains("src/a.ts"));
    change(&scratch, 0o755, 0o644);
    assert_eq!(scratch.refresh().added, 1);
}

#[test]
fn a_file_that_may_not_be_read_keeps_its_last_content_and_is_told() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    let before = scratch.dump();
    said_without_rights(&scratch, "open");
    set_mode(&scratch.root().join("src/a.ts"), 0o000);
    let report = said_without_rights(&scratch, "refresh");
    assert!(report.contains("src/a.ts: unreadable"), "{report}");
    assert!(report.contains("removed: 0"), "{report}");
    assert_eq!(scratch.dump(), before);
    set_mode(&scratch.root().join("src/a.ts"), 0o644);
    said_without_rights(&scratch, "refresh");
    scratch.check_fresh();
}

#[test]
fn files_of_a_folder_that_may_not_be_listed_are_not_taken_for_deleted() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    said_without_rights(&scratch, "open");
    set_mode(&scratch.root().join("src"), 0o000);
    let report = said_without_rights(&scratch, "refresh");
    assert!(report.contains("src: the folder is unreadable"), "{report}");
    assert!(report.contains("removed: 0"), "{report}");
    assert_eq!(scratch.paths(), ["readme.md", "src/a.ts", "src/b.ts"]);
    set_mode(&scratch.root().join("src"), 0o755);
    said_without_rights(&scratch, "refresh");
    scratch.check_fresh();
}

#[test]
fn a_file_that_never_could_be_read_is_skipped_and_indexed_once_it_can() {
    let scratch = Scratch::new(SMALL);
    set_mode(&scratch.root().join("src/a.ts"), 0o000);
    said_without_rights(&scratch, "refresh");
    let skipped = open(&scratch.folder()).snapshot().unwrap().meta().skipped.clone();
    assert_eq!(skipped.get("unreadable"), Some(&1));
    set_mode(&scratch.root().join("src/a.ts"), 0o644);
    said_without_rights(&scratch, "refresh");
    assert_eq!(scratch.paths(), ["readme.md", "src/a.ts", "src/b.ts"]);
    scratch.check_fresh();
}

#[test]
fn a_write_that_fails_leaves_the_old_index_and_the_next_update_completes_it() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    let before = scratch.dump();
    let text: Vec<String> =
        (0..4_000).map(|n| format!("export function made{n}() {{ return {n}; }}\n")).collect();
    scratch.write("src/large.ts", &text.concat());
    // No file may grow beyond 16 blocks of 512 bytes; the signal of that is turned into an error of the write.
    let said = said(child(&scratch, "refresh", "trap '' XFSZ; ulimit -f 16;"));
    assert!(said.contains("failed: "), "{said}");
    assert_eq!(scratch.dump(), before);
    assert_eq!(scratch.refresh().added, 1);
    scratch.check_fresh();
}

#[test]
fn a_first_build_that_cannot_write_leaves_no_index() {
    let text: Vec<String> =
        (0..4_000).map(|n| format!("export function made{n}() {{ return {n}; }}\n")).collect();
    let scratch = Scratch::new(&[("large.ts", &text.concat())]);
    let said = said(child(&scratch, "refresh", "trap '' XFSZ; ulimit -f 16;"));
    assert!(said.contains("failed: "), "{said}");
    assert!(matches!(Index::open(&scratch.folder()), IndexState::Missing));
    assert_eq!(scratch.refresh().added, 1);
}

/// Damages a file of the index by `damage`, and checks that the next update builds it anew.
fn check_damage(name: &str, damage: impl Fn(&Path)) {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    let mut files: Vec<PathBuf> = vec![scratch.folder().join("CURRENT")];
    files.extend(
        fs::read_dir(scratch.folder().join("data-1")).unwrap().map(|entry| entry.unwrap().path()),
    );
    files.sort_unstable();
    let file = files.iter().find(|path| path.to_string_lossy().ends_with(name)).unwrap();
    damage(file);
    let report = scratch.refresh();
    assert_eq!(report.rebuilt.as_deref(), Some("the index was damaged"), "{name}");
    scratch.check_fresh();
}

#[test]
fn a_damaged_index_is_built_anew() {
    check_damage("CURRENT", |path| fs::write(path, "{").unwrap());
    check_damage("meta.json", |path| fs::write(path, "").unwrap());
    check_damage(".store", |path| fs::remove_file(path).unwrap());
    check_damage(".fast", |path| fs::write(path, "short").unwrap());
}

fn set_versions(scratch: &Scratch, format: u32, analyzer: u32) {
    let text = format!(
        "{{\"reseek_index\":true,\"format\":{format},\"analyzer\":{analyzer},\"data\":\"data-1\"}}"
    );
    fs::write(scratch.folder().join("CURRENT"), text).unwrap();
}

#[test]
fn an_index_of_an_earlier_version_is_built_anew_and_says_so() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    let open_reader = open(&scratch.folder());
    let view = open_reader.snapshot().unwrap();
    let before = dump(&view).unwrap();
    set_versions(&scratch, 0, 1);
    assert!(
        matches!(Index::open(&scratch.folder()), IndexState::Older { found } if found == "0.1")
    );
    let report = scratch.refresh();
    assert_eq!(report.rebuilt.as_deref(), Some("the index was written by an earlier version"));
    // A reader that had the old one open is not harmed.
    assert_eq!(dump(&view).unwrap(), before);
    scratch.check_fresh();
}

#[test]
fn an_index_of_a_later_version_is_refused_and_left_alone() {
    for (format, analyzer) in [(99, 1), (1, 99)] {
        let scratch = Scratch::new(SMALL);
        scratch.refresh();
        set_versions(&scratch, format, analyzer);
        for rebuild in [false, true] {
            let result = scratch.update(|options| options.rebuild = rebuild);
            let Err(Error::Newer { found, .. }) = result else { panic!("it must be refused") };
            assert_eq!(found, format!("{format}.{analyzer}"));
        }
        assert!(scratch.folder().join("data-1/meta.json").exists());
    }
}

#[test]
fn a_later_format_that_tells_less_is_still_known_as_later() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    fs::write(
        scratch.folder().join("CURRENT"),
        "{\"reseek_index\":true,\"format\":7,\"parts\":[1]}",
    )
    .unwrap();
    assert!(
        matches!(Index::open(&scratch.folder()), IndexState::Newer { found } if found == "7.0")
    );
}

#[test]
fn a_folder_of_somebody_else_is_refused_and_nothing_in_it_is_touched() {
    let scratch = Scratch::new(SMALL);
    fs::create_dir(scratch.folder()).unwrap();
    fs::write(scratch.folder().join("letter.txt"), "mine").unwrap();
    assert!(matches!(scratch.update(|_| {}), Err(Error::Foreign { .. })));
    assert_eq!(fs::read_to_string(scratch.folder().join("letter.txt")).unwrap(), "mine");
    let names: Vec<String> = fs::read_dir(scratch.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, ["letter.txt"]);
}

#[test]
fn leftovers_of_an_interrupted_build_are_removed() {
    let scratch = Scratch::new(SMALL);
    fs::create_dir_all(scratch.folder().join("data-7")).unwrap();
    fs::write(scratch.folder().join("data-7/rest"), "x").unwrap();
    fs::write(scratch.folder().join("CURRENT.new"), "x").unwrap();
    scratch.refresh();
    assert!(!scratch.folder().join("data-7").exists());
    scratch.check_fresh();
}

#[test]
fn options_of_the_corpus_rebuild_and_others_do_not() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    scratch.write("reseek.toml", "[lexicon]\nenabled = false\n");
    assert_eq!(scratch.refresh().rebuilt, None);
    scratch.write("reseek.toml", "exclude = [\"src/b.ts\"]\n");
    assert_eq!(scratch.refresh().rebuilt.as_deref(), Some("the configuration changed"));
    assert!(!scratch.paths().contains(&"src/b.ts".to_owned()));
    scratch.check_fresh();
}

#[test]
fn a_commit_that_touches_no_indexed_file_moves_the_head_of_the_index() {
    let scratch = Scratch::new(SMALL);
    scratch.git(&["init", "-q", "-b", "main"]);
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", "first"]);
    scratch.refresh();
    scratch.git(&["commit", "-q", "--allow-empty", "-m", "second"]);
    let report = scratch.refresh();
    assert_eq!((report.commits_added, report.committed), (1, true));
    assert!(!scratch.refresh().committed);
    scratch.check_fresh();
}

#[test]
fn commits_that_are_gone_after_an_amend_leave_the_history() {
    let scratch = Scratch::new(SMALL);
    scratch.git(&["init", "-q", "-b", "main"]);
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", "first"]);
    scratch.refresh();
    scratch.git(&["commit", "-q", "--amend", "-m", "first in other words"]);
    scratch.git(&["reflog", "expire", "--expire=all", "--all"]);
    scratch.git(&["gc", "-q", "--prune=all"]);
    let report = scratch.refresh();
    assert_eq!((report.commits_added, report.commits_removed), (1, 1));
    scratch.check_fresh();
}

#[test]
fn deepening_a_shallow_clone_brings_the_older_commits_though_the_head_stays() {
    let scratch = Scratch::new(SMALL);
    scratch.git(&["init", "-q", "-b", "main"]);
    scratch.git(&["add", "-A"]);
    for n in 0..4 {
        scratch.git(&["commit", "-q", "--allow-empty", "-m", &format!("number {n}")]);
    }
    let source = scratch.0.path().join("source");
    fs::rename(scratch.root(), &source).unwrap();
    fs::create_dir(scratch.root()).unwrap();
    let url = format!("file://{}", source.display());
    scratch.git(&["clone", "-q", "--depth", "2", &url, "."]);
    scratch.refresh();
    assert_eq!(open(&scratch.folder()).snapshot().unwrap().meta().n_commits, 2);
    scratch.git(&["fetch", "-q", "--unshallow"]);
    assert_eq!(scratch.refresh().commits_added, 2);
    scratch.check_fresh();
}

#[test]
fn a_head_that_cannot_be_read_leaves_the_history_alone() {
    let scratch = Scratch::new(SMALL);
    scratch.git(&["init", "-q", "-b", "main"]);
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", "first"]);
    scratch.refresh();
    said_without_rights(&scratch, "open");
    set_mode(&scratch.root().join(".git/HEAD"), 0o000);
    let report = said_without_rights(&scratch, "refresh");
    assert!(report.contains("the history stays as it was"), "{report}");
    assert_eq!(open(&scratch.folder()).snapshot().unwrap().meta().n_commits, 1);
    set_mode(&scratch.root().join(".git"), 0o000);
    let report = said_without_rights(&scratch, "refresh");
    assert!(report.contains("the history stays as it was"), "{report}");
    set_mode(&scratch.root().join(".git"), 0o755);
    set_mode(&scratch.root().join(".git/HEAD"), 0o644);
}

#[test]
fn an_emptied_tree_leaves_an_empty_index() {
    let scratch = Scratch::new(SMALL);
    scratch.refresh();
    for (path, _) in SMALL {
        fs::remove_file(scratch.root().join(path)).unwrap();
    }
    assert_eq!(scratch.refresh().removed, 3);
    assert_eq!(scratch.paths().len(), 0);
    assert_eq!(
        open(&scratch.folder()).snapshot().unwrap().meta().totals,
        reseek_indexer::format::Totals::default()
    );
}

#[test]
fn a_file_with_ten_thousand_functions_keeps_them_all() {
    let text: Vec<String> =
        (0..10_000).map(|n| format!("function f{n}() {{ return {n}; }}\n")).collect();
    let scratch = Scratch::new(&[("many.ts", &text.concat())]);
    scratch.refresh();
    let snapshot = open(&scratch.folder()).snapshot().unwrap();
    let file = snapshot.file("many.ts").unwrap().unwrap();
    assert_eq!(snapshot.entry(file).unwrap().symbols.len(), 10_000);
    assert_eq!(snapshot.ordinal(file + 10_000), 10_000);
}

#[test]
fn a_root_that_is_gone_is_an_error_and_not_an_empty_tree() {
    let scratch = Scratch::new(SMALL);
    let folder = scratch.0.path().join("index");
    refresh(&scratch.root(), &folder, scratch.0.path()).unwrap();
    fs::remove_dir_all(scratch.root()).unwrap();
    let result = refresh(&scratch.root(), &folder, scratch.0.path());
    assert!(matches!(result, Err(Error::RootNotFound { .. })));
    assert_eq!(paths(&open(&folder).snapshot().unwrap()).len(), 3);
}

fn deletion_lists(folder: &std::path::Path) -> Vec<PathBuf> {
    let data = folder.join("data-1");
    let lists = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path());
    lists.filter(|path| path.extension().is_some_and(|extension| extension == "del")).collect()
}

#[test]
fn a_deletion_list_that_a_killed_writer_left_does_not_stop_the_next_one() {
    let tree = Scratch::new(&[]);
    for n in 0..30 {
        tree.write(&format!("f{n}.ts"), &format!("export function u{n}() {{}}\n"));
    }
    tree.refresh();
    let before = tree.0.path().join("before");
    common::copy_folder(&tree.folder(), &before);
    tree.write("f7.ts", "export function later() {}\n");
    tree.refresh();
    let left = deletion_lists(&tree.folder());
    assert_eq!(left.len(), 1);
    // As a kill between the writing of that list and the commit leaves it.
    fs::remove_dir_all(tree.folder()).unwrap();
    common::copy_folder(&before, &tree.folder());
    fs::write(&left[0], "").unwrap();
    fs::write(left[0].with_file_name(".tmpleft"), "").unwrap();
    tree.refresh();
    tree.check_fresh();
    assert!(!left[0].with_file_name(".tmpleft").exists());
}
