//! The law of the indexer: after any sequence of changes and crashes, the index answers exactly as a fresh one.
//!
//! Random scripts change a real tree in a real git repository, refresh the index in between, kill refreshes at random
//! moments, and compare everything that the index says with an index built from scratch. A script is a number, so a
//! failure is repeated by its number:
//!
//! ```text
//! cargo test -p reseek-indexer --test equivalence                              the scripts of every change
//! cargo test -p reseek-indexer --test equivalence -- --scripts 20000 --seed 7  a night
//! cargo test -p reseek-indexer --test equivalence -- --scripts 1 --seed 1234   one again
//! ```
//!
//! This is a program of its own and not a set of `#[test]`s, because it starts itself as the refresh that is killed, and
//! because it says how much it ran.

#![expect(clippy::unwrap_used, reason = "a test: a panic is how it fails")]
#![expect(clippy::print_stdout, reason = "a test with a main of its own says what it ran")]

#[path = "../common/mod.rs"]
mod common;
mod script;
mod tree;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use reseek_indexer::Config;
use reseek_indexer::update::{Progress, UpdateOptions, update};

use crate::script::Counts;

/// Scripts that run by default.
const SCRIPTS: u64 = 500;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "--refresh") {
        return refresh_to_be_killed(&arguments[1..]);
    }
    if arguments.iter().any(|argument| argument == "--list") {
        println!("equivalence: test");
        return ExitCode::SUCCESS;
    }
    let number = |name: &str, default: u64| {
        let at = arguments.iter().position(|argument| argument == name);
        at.and_then(|at| arguments.get(at + 1))
            .map_or(default, |text| text.parse().expect("a number"))
    };
    let (scripts, seed, threads) =
        (number("--scripts", SCRIPTS), number("--seed", 1), number("--threads", 2));
    let next = AtomicU64::new(seed);
    let failures = Mutex::new(Vec::new());
    let total = Mutex::new(Counts::default());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= seed + scripts || failures.lock().unwrap().len() >= 3 {
                        return;
                    }
                    // A panic of an assertion counts like any other difference and must name its script.
                    let result = std::panic::catch_unwind(|| script::run(number));
                    match result {
                        Ok(Ok(counts)) => total.lock().unwrap().add(&counts),
                        Ok(Err(text)) => {
                            failures.lock().unwrap().push(format!("script {number}:\n{text}"));
                        }
                        Err(_) => {
                            failures.lock().unwrap().push(format!("script {number} panicked"));
                        }
                    }
                }
            });
        }
    });
    println!("equivalence: {}", total.into_inner().unwrap());
    let failures = failures.into_inner().unwrap();
    for failure in &failures {
        println!("{failure}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A refresh in a process of its own, which writes a byte for each step so that it can be killed at a chosen one.
fn refresh_to_be_killed(arguments: &[String]) -> ExitCode {
    let root = PathBuf::from(&arguments[0]);
    let folder = PathBuf::from(&arguments[1]);
    let now_ns = arguments[2].parse().expect("a time");
    let tell = |progress: Progress| {
        let byte = match progress {
            Progress::Walking => b'w',
            Progress::Indexing { .. } => b'i',
            Progress::Committing => b'c',
        };
        let _ = std::io::stdout().write_all(&[byte]).and_then(|()| std::io::stdout().flush());
    };
    let options = UpdateOptions {
        threads: 2,
        rebuild: false,
        now_ns,
        patience: Duration::from_secs(20),
        progress: &tell,
        cancel: &AtomicBool::new(false),
    };
    match run_update(&root, &folder, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run_update(
    root: &Path,
    folder: &Path,
    options: &UpdateOptions<'_>,
) -> Result<(), reseek_indexer::Error> {
    update(root, folder, &Config::load(root)?, options)?;
    Ok(())
}
