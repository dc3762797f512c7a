//! The watcher against a real tree and the real operating system: after each kind of change, whoever waits finds what a
//! fresh index says.
//!
//! Nothing here sleeps: every wait is for a condition, with a deadline that a working watcher never comes near. The tests run
//! one at a time, because each needs the machine for its times.

#![expect(clippy::unwrap_used, reason = "a test: a panic is how it fails")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reseek_indexer::watch::{
    Waited, WatchEnd, WatchEvent, WatchMode, WatchOptions, Watching, wait_fresh, watch, watching,
};
use reseek_indexer::{Config, Error};

use crate::common::{difference, dump, now_ns, open, paths, refresh};

/// Far more than a watcher needs.
const DEADLINE: Duration = Duration::from_mins(1);

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new(files: &[(&str, &str)]) -> Scratch {
        let scratch = Scratch(tempfile::tempdir().unwrap());
        fs::create_dir_all(scratch.root()).unwrap();
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

    fn at(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .arg("-C")
            .arg(self.root())
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.org"])
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

    /// Waits until the index has everything, and compares it with a fresh one.
    fn check_fresh(&self) {
        assert_eq!(wait_fresh(&self.folder(), DEADLINE).unwrap(), Waited::Fresh);
        let ours = dump(&open(&self.folder()).snapshot().unwrap()).unwrap();
        let folder = self.0.path().join("fresh");
        let _ = fs::remove_dir_all(&folder);
        let (fresh, _) = refresh(&self.root(), &folder, self.0.path()).unwrap();
        assert_eq!(difference(&ours, &dump(&fresh.snapshot().unwrap()).unwrap()), "");
    }

    fn paths(&self) -> Vec<String> {
        paths(&open(&self.folder()).snapshot().unwrap())
    }

    fn generation(&self) -> u64 {
        open(&self.folder()).snapshot().unwrap().meta().generation
    }
}

/// What a running watcher is seen to do.
#[derive(Default)]
struct Seen {
    stop: AtomicBool,
    is_ready: AtomicBool,
    updates: AtomicU64,
}

fn lock_tests() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run_watcher(scratch: &Scratch, poll: bool, seen: &Seen) -> Result<WatchEnd, Error> {
    let root = scratch.root();
    let options = WatchOptions {
        root: &root,
        folder: &scratch.folder(),
        config: &|| Config::load(&root),
        threads: 2,
        now_ns: &|| now_ns(scratch.0.path()),
        poll,
        progress: &|_| {},
    };
    let mut tell = |event: WatchEvent<'_>| match event {
        WatchEvent::Ready(_) => seen.is_ready.store(true, Ordering::SeqCst),
        WatchEvent::Updated { .. } => {
            seen.updates.fetch_add(1, Ordering::SeqCst);
        }
        WatchEvent::Problem(_) => {}
    };
    watch(&options, &mut tell, &seen.stop)
}

/// Runs `body` while a watcher watches the tree, then stops the watcher; gives how it ended.
fn while_watching(scratch: &Scratch, poll: bool, body: impl FnOnce(&Seen)) -> WatchEnd {
    let _one = lock_tests();
    let seen = Seen::default();
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| run_watcher(scratch, poll, &seen));
        // Stops the watcher also when the body fails, else the scope would wait for ever.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            while !seen.is_ready.load(Ordering::SeqCst) {
                assert!(!watcher.is_finished(), "the watcher did not start");
                std::thread::yield_now();
            }
            body(&seen);
        }));
        seen.stop.store(true, Ordering::SeqCst);
        let end = watcher.join().unwrap();
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
        end.unwrap()
    })
}

const SMALL: &[(&str, &str)] = &[
    ("packages/a/src/a.ts", "export function parseToken() { return 1; }\n"),
    ("packages/a/src/b.ts", "export class RateLimiter {}\n"),
    ("readme.md", "# Words\n"),
];

/// Makes a change while a watcher runs and checks that the index is then a fresh one.
fn check(change: impl FnOnce(&Scratch)) {
    let scratch = Scratch::new(SMALL);
    let end = while_watching(&scratch, false, |_| {
        change(&scratch);
        scratch.check_fresh();
    });
    assert_eq!(end, WatchEnd::Stopped);
    assert_eq!(watching(&scratch.folder()), None);
}

#[test]
fn an_edit_is_seen() {
    check(|scratch| scratch.write("packages/a/src/a.ts", "export function other() {}\n"));
}

#[test]
fn atomic_saves_are_seen_time_and_again_and_leave_no_other_name() {
    check(|scratch| {
        for n in 0..3 {
            scratch.write("packages/a/src/.a.ts.swp", &format!("export const n{n} = 1;\n"));
            scratch.rename("packages/a/src/.a.ts.swp", "packages/a/src/a.ts");
            scratch.check_fresh();
            scratch.rename("packages/a/src/b.ts", "packages/a/src/b.ts~");
            scratch.write("packages/a/src/b.ts", &format!("export const m{n} = 1;\n"));
            fs::remove_file(scratch.at("packages/a/src/b.ts~")).unwrap();
            scratch.check_fresh();
        }
        assert_eq!(scratch.paths().len(), 3);
    });
}

#[test]
fn files_made_right_after_their_folders_are_seen() {
    check(|scratch| {
        for n in 0..300 {
            scratch.write(
                &format!("new/{}/deep/{n}.ts", n % 7),
                &format!("export const made{n} = 1;\n"),
            );
        }
    });
}

#[test]
fn folders_that_are_moved_within_the_tree_and_out_and_back_are_seen() {
    check(|scratch| {
        scratch.rename("packages/a", "packages/b");
        scratch.check_fresh();
        scratch.write("packages/b/src/later.ts", "export const later = 1;\n");
        scratch.check_fresh();
        let outside = scratch.0.path().join("outside");
        fs::rename(scratch.at("packages/b"), &outside).unwrap();
        scratch.check_fresh();
        assert_eq!(scratch.paths(), ["readme.md"]);
        fs::rename(&outside, scratch.at("packages/c")).unwrap();
        scratch.check_fresh();
        scratch.write("packages/c/src/again.ts", "export const again = 1;\n");
    });
}

#[test]
fn two_files_that_swap_names_are_seen() {
    check(|scratch| {
        scratch.rename("packages/a/src/a.ts", "packages/a/src/t.ts");
        scratch.rename("packages/a/src/b.ts", "packages/a/src/a.ts");
        scratch.rename("packages/a/src/t.ts", "packages/a/src/b.ts");
    });
}

#[test]
fn a_folder_that_is_removed_and_made_again_is_watched_again() {
    check(|scratch| {
        fs::remove_dir_all(scratch.at("packages")).unwrap();
        scratch.write("packages/a/src/a.ts", "export const again = 1;\n");
        scratch.check_fresh();
        scratch.write("packages/a/src/a.ts", "export const and_again = 1;\n");
    });
}

#[test]
fn an_edit_that_keeps_size_and_time_is_seen() {
    check(|scratch| {
        let path = scratch.at("packages/a/src/a.ts");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        scratch.write("packages/a/src/a.ts", "export function parseTokex() { return 1; }\n");
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    });
}

#[test]
fn a_change_of_the_ignore_rules_or_of_the_configuration_is_followed() {
    check(|scratch| {
        scratch.write(".reseekignore", "packages/a/src/b.ts\n");
        scratch.check_fresh();
        assert!(!scratch.paths().contains(&"packages/a/src/b.ts".to_owned()));
        scratch.write("packages/.ignore", "a\n");
        scratch.check_fresh();
        fs::remove_file(scratch.at("packages/.ignore")).unwrap();
        scratch.check_fresh();
        // The folder was out, and its watches with it.
        scratch.write("packages/a/src/c.ts", "export const c = 1;\n");
        scratch.check_fresh();
        scratch.write("reseek.toml", "exclude = [\"readme.md\"]\n");
        scratch.check_fresh();
        assert_eq!(scratch.paths(), ["packages/a/src/a.ts", "packages/a/src/c.ts", "reseek.toml"]);
    });
}

#[test]
fn route_folders_with_brackets_are_taken_by_name() {
    check(|scratch| {
        scratch.write(
            "app/(auth)/sign-in/[[...slug]]/page.tsx",
            "export default function Page() {}\n",
        );
        scratch.check_fresh();
        scratch.write(
            "app/(auth)/sign-in/[[...slug]]/page.tsx",
            "export default function SignIn() {}\n",
        );
        scratch.write("app/@modal/[id]/page.tsx", "export const Modal = 1;\n");
    });
}

#[test]
fn what_is_ignored_and_the_index_itself_cause_no_commit() {
    let scratch = Scratch::new(SMALL);
    scratch.write(".gitignore", "out/\n");
    while_watching(&scratch, false, |_| {
        let before = scratch.generation();
        for n in 0..20 {
            scratch.write(&format!("out/{n}.ts"), "export const built = 1;\n");
            scratch.write(&format!("node_modules/x/{n}.ts"), "export const foreign = 1;\n");
        }
        scratch.write("out/0.ts", "export const again = 1;\n");
        scratch.check_fresh();
        scratch.check_fresh();
        assert_eq!(scratch.generation(), before);
    });
}

#[test]
fn a_checkout_of_another_branch_is_one_commit_and_fresh() {
    let scratch = Scratch::new(SMALL);
    scratch.git(&["init", "-q", "-b", "main"]);
    scratch.write(".gitignore", ".reseek\n");
    for n in 0..200 {
        scratch.write(&format!("lib/f{n}.ts"), &format!("export const first{n} = 1;\n"));
    }
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", "first"]);
    scratch.git(&["checkout", "-q", "-b", "other"]);
    for n in 0..150 {
        scratch.write(&format!("lib/f{n}.ts"), &format!("export const second{n} = 1;\n"));
    }
    fs::remove_file(scratch.at("packages/a/src/a.ts")).unwrap();
    scratch.git(&["add", "-A"]);
    scratch.git(&["commit", "-q", "-m", "second"]);
    while_watching(&scratch, false, |seen| {
        for branch in ["main", "other", "main"] {
            let before = seen.updates.load(Ordering::SeqCst);
            scratch.git(&["checkout", "-q", branch]);
            scratch.check_fresh();
            let n_updates = seen.updates.load(Ordering::SeqCst) - before;
            assert!((1..=2).contains(&n_updates), "{n_updates} updates");
        }
        scratch.git(&["commit", "-q", "--amend", "--allow-empty", "-m", "first in other words"]);
        scratch.check_fresh();
        scratch.git(&["stash", "-q", "-u"]);
        scratch.check_fresh();
    });
}

#[test]
fn what_changed_while_nobody_watched_is_in_the_index_when_the_watcher_is_ready() {
    let scratch = Scratch::new(SMALL);
    refresh(&scratch.root(), &scratch.folder(), scratch.0.path()).unwrap();
    scratch.write("packages/a/src/a.ts", "export const changed = 1;\n");
    fs::remove_file(scratch.at("readme.md")).unwrap();
    scratch.write("new.ts", "export const new = 1;\n");
    while_watching(&scratch, false, |_| {
        assert_eq!(scratch.paths(), ["new.ts", "packages/a/src/a.ts", "packages/a/src/b.ts"]);
        scratch.check_fresh();
    });
}

#[test]
fn others_see_who_watches_and_a_second_watcher_is_refused() {
    let scratch = Scratch::new(SMALL);
    assert_eq!(wait_fresh(&scratch.folder(), DEADLINE).unwrap(), Waited::NotWatching);
    while_watching(&scratch, false, |_| {
        let expected = Watching { pid: std::process::id(), mode: WatchMode::Events };
        assert_eq!(watching(&scratch.folder()), Some(expected));
        let second = run_watcher(&scratch, false, &Seen::default());
        let Err(Error::Busy { holder }) = second else { panic!("it must be refused") };
        assert!(holder.contains(&std::process::id().to_string()), "{holder}");
    });
    assert_eq!(watching(&scratch.folder()), None);
    assert_eq!(wait_fresh(&scratch.folder(), DEADLINE).unwrap(), Waited::NotWatching);
}

#[test]
fn whoever_waits_after_a_write_always_finds_it() {
    let scratch = Scratch::new(SMALL);
    while_watching(&scratch, false, |_| {
        for n in 0..60 {
            scratch.write("packages/a/src/a.ts", &format!("export function found{n}() {{}}\n"));
            assert_eq!(wait_fresh(&scratch.folder(), DEADLINE).unwrap(), Waited::Fresh);
            let snapshot = open(&scratch.folder()).snapshot().unwrap();
            let entry =
                snapshot.entry(snapshot.file("packages/a/src/a.ts").unwrap().unwrap()).unwrap();
            assert_eq!(entry.symbols[0].name, format!("found{n}"));
        }
        let left: Vec<_> = fs::read_dir(scratch.folder())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name.to_string_lossy().starts_with("sync-"))
            .collect();
        assert_eq!(left, Vec::<std::ffi::OsString>::new());
    });
}

#[test]
fn waiting_ends_at_its_deadline() {
    let scratch = Scratch::new(SMALL);
    while_watching(&scratch, false, |_| {
        assert_eq!(wait_fresh(&scratch.folder(), Duration::ZERO).unwrap(), Waited::TimedOut);
    });
}

#[test]
fn polling_is_as_fresh_for_whoever_waits() {
    let scratch = Scratch::new(SMALL);
    while_watching(&scratch, true, |_| {
        assert_eq!(
            watching(&scratch.folder()).map(|watching| watching.mode),
            Some(WatchMode::Polling)
        );
        scratch.rename("packages/a", "packages/b");
        scratch.check_fresh();
    });
}

#[test]
fn the_end_of_the_root_ends_the_watcher() {
    for poll in [false, true] {
        let _one = lock_tests();
        let scratch = Scratch::new(SMALL);
        let seen = Seen::default();
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| run_watcher(&scratch, poll, &seen));
            while !seen.is_ready.load(Ordering::SeqCst) && !watcher.is_finished() {
                std::thread::yield_now();
            }
            fs::rename(scratch.root(), scratch.0.path().join("elsewhere")).unwrap();
            assert_eq!(watcher.join().unwrap().unwrap(), WatchEnd::RootGone);
        });
    }
}

#[test]
fn an_index_folder_that_is_removed_is_built_anew_and_watched_again() {
    let scratch = Scratch::new(SMALL);
    while_watching(&scratch, false, |seen| {
        seen.is_ready.store(false, Ordering::SeqCst);
        fs::remove_dir_all(scratch.folder()).unwrap();
        while !seen.is_ready.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        scratch.write("packages/a/src/a.ts", "export const again = 1;\n");
        scratch.check_fresh();
    });
}

#[test]
fn a_root_that_is_reached_by_a_link_is_watched() {
    let scratch = Scratch::new(SMALL);
    let real = scratch.0.path().join("real");
    fs::rename(scratch.root(), &real).unwrap();
    std::os::unix::fs::symlink(&real, scratch.root()).unwrap();
    while_watching(&scratch, false, |_| {
        scratch.write("packages/a/src/a.ts", "export const by_link = 1;\n");
        scratch.check_fresh();
        fs::write(Path::new(&real).join("packages/a/src/b.ts"), "export const directly = 1;\n")
            .unwrap();
        scratch.check_fresh();
    });
}
