//! Measures what a refresh costs: nothing changed, and one file changed. A development aid.
//!
//! Usage: `refresh ROOT INDEX_FOLDER FILE`; `FILE`, relative to the root, is appended to and put back.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a development aid")]

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reseek_indexer::update::{UpdateOptions, plan, update, update_paths, walk_options};
use reseek_indexer::{Config, corpus};

const ROUNDS: usize = 25;

fn main() {
    let mut args = std::env::args().skip(1);
    let root = std::path::PathBuf::from(args.next().expect("root")).canonicalize().expect("root");
    let folder = std::path::PathBuf::from(args.next().expect("index folder"));
    let file = args.next().expect("file");
    let config = Config::load(&root).expect("config");
    let walk_options = walk_options(&root, &folder, &config, 2);
    let cancel = AtomicBool::new(false);
    let options = || UpdateOptions {
        threads: 2,
        rebuild: false,
        now_ns: SystemTime::now().duration_since(UNIX_EPOCH).expect("time").as_nanos() as i64,
        patience: Duration::from_secs(1),
        progress: &|_| {},
        cancel: &cancel,
    };
    let run = || update(&root, &folder, &config, &options()).expect("update");
    run();
    let (index, _) = run();
    let snapshot = index.snapshot().expect("snapshot");
    println!("{} files, {} segments", snapshot.meta().totals.n_files, snapshot.n_segments());
    time("walk", || drop(corpus::walk::walk(&root, &walk_options).expect("walk")));
    time("open and snapshot", || {
        let reseek_indexer::IndexState::Ready(index) = reseek_indexer::Index::open(&folder) else {
            panic!("no index")
        };
        drop(index.snapshot().expect("snapshot"));
    });
    time("manifest", || drop(snapshot.manifest().expect("manifest")));
    time("plan", || drop(plan(&root, &index, &snapshot, &walk_options).expect("plan")));
    time("refresh, no change", || drop(run()));
    let path = root.join(&file);
    let before = std::fs::read(&path).expect("file");
    let mut n = 0;
    let mut edit = || {
        n += 1;
        let text = format!("\nexport function newlyMade{n}() {{ return {n}; }}\n");
        std::fs::write(&path, [before.as_slice(), text.as_bytes()].concat()).expect("write");
    };
    time("refresh, one edit", || {
        edit();
        let (index, report) = run();
        drop(index.snapshot().expect("snapshot"));
        assert!(report.committed);
    });
    let paths = BTreeSet::from([file.clone()]);
    time("refresh of the path, one edit", || {
        edit();
        let (index, report) =
            update_paths(&root, &folder, &config, &options(), &paths).expect("update");
        drop(index.snapshot().expect("snapshot"));
        assert!(report.committed);
    });
    std::fs::write(&path, &before).expect("write");
    run();
}

fn time(what: &str, mut run: impl FnMut()) {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{what:32} median {:7.2} ms, least {:7.2}, most {:7.2}",
        times[ROUNDS / 2],
        times[0],
        times[ROUNDS - 1]
    );
}
