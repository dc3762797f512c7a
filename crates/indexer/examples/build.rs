//! Builds an index and prints its cost beside the floor: the same walk, reads and parses without an index. A development aid.
//!
//! Usage: `build ROOT INDEX_FOLDER [THREADS]`. The floor runs first and warms the file cache for both.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a development aid")]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rayon::prelude::*;
use reseek_indexer::Config;
use reseek_indexer::corpus::{self, Outcome, WalkOptions};
use reseek_indexer::update::{UpdateOptions, update, walk_options};
use reseek_symbols::{Extractor, Language};

fn main() {
    let mut args = std::env::args().skip(1);
    let root = std::path::PathBuf::from(args.next().expect("root")).canonicalize().expect("root");
    let folder = std::path::PathBuf::from(args.next().expect("index folder"));
    let threads = args.next().map_or(2, |text| text.parse().expect("threads"));
    let config = Config::load(&root).expect("config");
    let walk_options = walk_options(&root, &folder, &config, threads);
    for _ in 0..2 {
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let (n_files, n_bytes) = floor(&root, &walk_options, threads);
        println!(
            "floor: {:.2} s, {:.2} s of processor, {n_files} files, {} KiB",
            started.elapsed().as_secs_f64(),
            cpu_seconds() - cpu,
            n_bytes / 1024
        );
    }
    let now_ns = SystemTime::now().duration_since(UNIX_EPOCH).expect("time").as_nanos() as i64;
    let (started, cpu) = (Instant::now(), cpu_seconds());
    let options = UpdateOptions {
        threads,
        rebuild: true,
        now_ns,
        patience: Duration::from_secs(1),
        progress: &|_| {},
        cancel: &AtomicBool::new(false),
    };
    let (index, report) = update(&root, &folder, &config, &options).expect("update");
    println!(
        "index: {:.2} s, {:.2} s of processor, peak {} MiB",
        started.elapsed().as_secs_f64(),
        cpu_seconds() - cpu,
        peak_kib() / 1024
    );
    let snapshot = index.snapshot().expect("snapshot");
    println!("{report:?}\n{:?}\n{} segments", snapshot.meta(), snapshot.n_segments());
}

/// Files and bytes of a walk whose files are all read, and parsed where there is a grammar.
fn floor(root: &Path, options: &WalkOptions, threads: usize) -> (u64, u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let walk = corpus::walk::walk(root, options).expect("walk");
    pool.install(|| {
        walk.files
            .par_chunks(16)
            .map_init(Extractor::new, |extractor, files| {
                let mut sums = (0, 0);
                for file in files {
                    let Outcome::Read(contents) = corpus::read::read(root, file, options) else {
                        continue;
                    };
                    if let Some(language) = Language::of_path(&file.path) {
                        extractor.parse_only(contents.text.as_bytes(), language);
                    }
                    sums = (sums.0 + 1, sums.1 + contents.text.len() as u64);
                }
                sums
            })
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    })
}

/// Processor time of this process, all threads and both modes.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}
