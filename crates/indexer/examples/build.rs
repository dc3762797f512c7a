//! Builds an index and prints times; a development aid.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a development aid")]
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reseek_indexer::Config;
use reseek_indexer::update::{UpdateOptions, update};

fn main() {
    let mut args = std::env::args().skip(1);
    let root = std::path::PathBuf::from(args.next().expect("root")).canonicalize().expect("root");
    let folder = std::path::PathBuf::from(args.next().expect("index folder"));
    let now_ns = SystemTime::now().duration_since(UNIX_EPOCH).expect("time").as_nanos() as i64;
    let started = Instant::now();
    let options = UpdateOptions {
        threads: 2,
        rebuild: args.next().is_some(),
        now_ns,
        patience: Duration::from_secs(1),
        progress: &|_| {},
        cancel: &AtomicBool::new(false),
    };
    let config = Config::load(&root).expect("config");
    let (index, report) = update(&root, &folder, &config, &options).expect("update");
    let snapshot = index.snapshot().expect("snapshot");
    println!(
        "{:?} {report:?}\n{:?} segments {}",
        started.elapsed(),
        snapshot.meta(),
        snapshot.n_segments()
    );
}
