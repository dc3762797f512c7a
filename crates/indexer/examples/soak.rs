//! Wears an index: kills builds, edits under load, measures how soon an edit is found. A development aid.
//!
//! ```text
//! soak kills ROOT COUNT [SEED]    kills COUNT first builds or rebuilds at random times; each must leave an index that opens
//! soak edits ROOT SECONDS         random edits, 20 a second, a watcher and four readers; ROOT is written to
//! soak latency ROOT FILE          50 edits of FILE under a watcher: time until a reader finds each
//! ```
//!
//! The index lies beside the root, in a scratch folder. Ends with an error at the first thing that is not as it must be.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a development aid")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reseek_indexer::update::{UpdateOptions, update};
use reseek_indexer::verify::verify;
use reseek_indexer::watch::{Waited, WatchOptions, wait_fresh, watch, watching};
use reseek_indexer::{Config, Index, IndexState};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let path = |at: usize| PathBuf::from(&args[at]);
    let number = |at: usize| args.get(at).map_or(1, |text| text.parse().expect("a number"));
    match args.first().map(String::as_str) {
        Some("kills") => kills(&path(1), number(2), number(3)),
        Some("edits") => edits(&path(1), Duration::from_secs(number(2))),
        Some("latency") => latency(&path(1), &args[2]),
        Some("--build") => drop(build(&path(1), &path(2), args[3] == "rebuild")),
        Some("--watch") => run_watch(&path(1), &path(2)),
        _ => println!("soak kills|edits|latency ROOT ..."),
    }
}

fn now_ns() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("time").as_nanos() as i64
}

fn build(root: &Path, folder: &Path, rebuild: bool) -> Index {
    let options = UpdateOptions {
        threads: 2,
        rebuild,
        now_ns: now_ns(),
        patience: Duration::from_secs(20),
        progress: &|_| {},
        cancel: &AtomicBool::new(false),
    };
    update(root, folder, &Config::load(root).expect("config"), &options).expect("update").0
}

fn run_watch(root: &Path, folder: &Path) {
    let options = WatchOptions {
        root,
        folder,
        config: &|| Config::load(root),
        threads: 2,
        now_ns: &now_ns,
        poll: false,
        progress: &|_| {},
    };
    watch(&options, &mut |event| println!("{event:?}"), &AtomicBool::new(false)).expect("watch");
}

/// This program as another process.
fn start(args: &[&str], root: &Path, folder: &Path, rest: &[&str]) -> Child {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(args).args([root, folder]).args(rest);
    command.stdout(Stdio::null()).spawn().expect("another process")
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}

fn kills(root: &Path, count: u64, seed: u64) {
    let scratch = tempfile::tempdir().expect("scratch");
    let folder = scratch.path().join("index");
    let started = Instant::now();
    start(&["--build"], root, &folder, &["rebuild"]).wait().expect("build");
    let whole = started.elapsed();
    let expected = summary(&folder);
    println!("a whole build takes {:.2} s: {expected}", whole.as_secs_f64());
    let mut random = Random(seed);
    let (mut n_missing, mut n_killed) = (0, 0);
    for n in 0..count {
        // Every fourth is a first build: there is no index yet that could answer.
        if n % 4 == 0 {
            std::fs::remove_dir_all(&folder).expect("remove");
        }
        let was_there = folder.exists();
        let mut child = start(&["--build"], root, &folder, &["rebuild"]);
        std::thread::sleep(Duration::from_micros(random.below(whole.as_micros() as u64)));
        n_killed += u64::from(child.try_wait().expect("state").is_none());
        child.kill().expect("kill");
        child.wait().expect("end");
        match Index::open(&folder) {
            IndexState::Ready(_) => assert_eq!(summary(&folder), expected, "kill {n}"),
            IndexState::Missing => {
                assert!(!was_there, "kill {n} lost the index");
                n_missing += 1;
            }
            _ => panic!("kill {n}: neither an index nor none"),
        }
        // The next run completes it.
        start(&["--build"], root, &folder, &["update"]).wait().expect("completion");
        assert_eq!(summary(&folder), expected, "completion after kill {n}");
        let leftovers: Vec<_> = std::fs::read_dir(&folder)
            .expect("folder")
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("data-"))
            .collect();
        assert!(leftovers.len() <= 2, "leftovers after kill {n}");
    }
    println!(
        "{count} builds, {n_killed} of them killed, {n_missing} before there was any index: each opened, answered as of the \
         last commit and was completed"
    );
}

/// What an index says of itself, without its age.
fn summary(folder: &Path) -> String {
    let IndexState::Ready(index) = Index::open(folder) else { return "no index".to_owned() };
    let snapshot = index.snapshot().expect("snapshot");
    let meta = snapshot.meta();
    let n_files = snapshot.manifest().expect("manifest").len();
    format!("{n_files} paths, {} commits, {:?}", meta.n_commits, meta.totals)
}

fn start_watcher(root: &Path, folder: &Path) -> Child {
    drop(build(root, folder, false));
    let child = start(&["--watch"], root, folder, &[]);
    while watching(folder).is_none() {
        std::thread::sleep(Duration::from_millis(5));
    }
    while wait_fresh(folder, Duration::from_mins(1)).expect("wait") != Waited::Fresh {}
    child
}

fn latency(root: &Path, file: &str) {
    let root = &root.canonicalize().expect("root");
    let scratch = tempfile::tempdir().expect("scratch");
    let folder = scratch.path().join("index");
    let mut child = start_watcher(root, &folder);
    let path = root.join(file);
    let before = std::fs::read(&path).expect("file");
    let IndexState::Ready(mut index) = Index::open(&folder) else { panic!("no index") };
    for ask in [false, true] {
        let mut times: Vec<f64> = (0..50)
            .map(|n| {
                let name = format!("freshlyMade{n}{ask}");
                let text = format!("\nexport function {name}() {{ return {n}; }}\n");
                std::fs::write(&path, [before.as_slice(), text.as_bytes()].concat())
                    .expect("write");
                let started = Instant::now();
                if ask {
                    assert_eq!(
                        wait_fresh(&folder, Duration::from_mins(1)).expect("wait"),
                        Waited::Fresh
                    );
                }
                while !has(&mut index, &name.to_lowercase()) {
                    assert!(!ask, "fresh, and not found");
                    std::thread::sleep(Duration::from_millis(1));
                }
                let took = started.elapsed().as_secs_f64() * 1000.0;
                std::thread::sleep(Duration::from_millis(60));
                took
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let how = if ask { "asked for" } else { "by itself" };
        println!(
            "50 edits, {how}: median {:.1} ms, least {:.1}, most {:.1}",
            times[25], times[0], times[49]
        );
    }
    std::fs::write(&path, &before).expect("write");
    let ticks = cpu_ticks(child.id());
    std::thread::sleep(Duration::from_secs(2));
    let settled = cpu_ticks(child.id());
    std::thread::sleep(Duration::from_secs(20));
    let idle = cpu_ticks(child.id()) - settled;
    println!("processor while idle for 20 s: {:.3} % ({ticks} ticks before)", idle as f64 / 20.0);
    child.kill().expect("kill");
    child.wait().expect("end");
}

/// Whether the index has a symbol of that name, in lower case.
fn has(index: &mut Index, name: &str) -> bool {
    let snapshot = index.current().expect("snapshot");
    snapshot.contains(snapshot.fields().exact_name, name).expect("search")
}

fn edits(root: &Path, duration: Duration) {
    let root = &root.canonicalize().expect("root");
    let scratch = tempfile::tempdir().expect("scratch");
    let folder = scratch.path().join("index");
    let mut child = start_watcher(root, &folder);
    let stop = AtomicBool::new(false);
    let (n_queries, n_edits) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let IndexState::Ready(mut index) = Index::open(&folder) else { panic!("no index") };
                while !stop.load(Ordering::Relaxed) {
                    has(&mut index, "soakedfunction");
                    n_queries.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
        }
        let started = Instant::now();
        let mut next_report = Duration::from_secs(10);
        let mut random = Random(7);
        while started.elapsed() < duration {
            edit(root, &mut random);
            n_edits.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(50));
            if started.elapsed() > next_report {
                next_report += Duration::from_secs(30).min(duration / 4);
                println!(
                    "{:4} s: {} edits, {} queries, watcher {} KiB and {} files, readers {} KiB and {} files",
                    started.elapsed().as_secs(),
                    n_edits.load(Ordering::Relaxed),
                    n_queries.load(Ordering::Relaxed),
                    memory_kib(child.id()),
                    open_files(child.id()),
                    memory_kib(std::process::id()),
                    open_files(std::process::id()),
                );
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(wait_fresh(&folder, Duration::from_mins(1)).expect("wait"), Waited::Fresh);
    child.kill().expect("kill");
    child.wait().expect("end");
    let report = verify(root, &folder, &Config::load(root).expect("config"), 2).expect("verify");
    assert!(report.is_sound(), "{report:?}");
    println!("{} edits, then equal to the tree", n_edits.into_inner());
}

/// One random edit of a few hundred files below `soak`.
fn edit(root: &Path, random: &mut Random) {
    let path = root.join(format!("soak/{}/{}.ts", random.below(8), random.below(40)));
    std::fs::create_dir_all(path.parent().expect("folder")).expect("folder");
    match random.below(8) {
        0 => drop(std::fs::remove_file(&path)),
        1 => {
            let to = root.join(format!("soak/{}/moved{}.ts", random.below(8), random.below(40)));
            // Either may be absent.
            let _ = std::fs::rename(&path, to);
        }
        _ => {
            let text = format!("export function soakedFunction{}() {{}}\n", random.below(1000));
            std::fs::write(&path, text.repeat(1 + random.below(30) as usize)).expect("write");
        }
    }
}

fn memory_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}

fn open_files(pid: u32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

/// Processor time in hundredths of a second.
fn cpu_ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    ticks(11) + ticks(12)
}
