//! Time of making and refreshing an index, and of its parts.
//!
//! `extract` and `analyse` run over the sources of `eval/gate` (about 60 files) and report bytes per second. `full` builds the index of
//! 20 copies of them (about 1,100 files) in a temporary folder; `unchanged` refreshes it with nothing to do; `one file`
//! edits one file between refreshes. `walk` is the floor that both refreshes are held against.
//!
//! Run with `cargo bench --bench index`.

#[path = "corpus.rs"]
mod corpus;

use std::fs;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use reseek_indexer::analyzer::{Analyzer, Mode};
use reseek_indexer::corpus::WalkOptions;
use reseek_indexer::corpus::walk::walk;
use reseek_symbols::{Extractor, Language};

fn parts(criterion: &mut Criterion) {
    let gate = corpus::gate();
    let n_bytes: u64 = gate.iter().map(|(_, text)| text.len() as u64).sum();
    let mut group = criterion.benchmark_group("parts");
    group.throughput(Throughput::Bytes(n_bytes));
    let mut extractor = Extractor::new();
    group.bench_function("extract", |bencher| {
        bencher.iter(|| {
            for (path, text) in &gate {
                let language = Language::of_path(path).expect("a language");
                black_box(extractor.extract(text.as_bytes(), language, false));
            }
        });
    });
    let mut analyzer = Analyzer::new();
    group.bench_function("analyse", |bencher| {
        bencher.iter(|| {
            let mut n_terms = 0_usize;
            for (_, text) in &gate {
                analyzer.terms(text, Mode::Code, |_, _| n_terms += 1);
            }
            black_box(n_terms)
        });
    });
    group.finish();
}

fn whole(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().expect("a folder");
    let (root, folder) = (scratch.path().join("root"), scratch.path().join("index"));
    corpus::write(&root, 20);
    let mut group = criterion.benchmark_group("index");
    group.sample_size(10);
    group.bench_function("full", |bencher| {
        bencher.iter(|| black_box(corpus::index(&root, &folder, true)));
    });
    let options = WalkOptions { threads: 2, ..WalkOptions::default() };
    group.bench_function("walk", |bencher| {
        bencher.iter(|| black_box(walk(&root, &options).expect("a walk")));
    });
    group.bench_function("unchanged", |bencher| {
        bencher.iter(|| black_box(corpus::index(&root, &folder, false)));
    });
    let file = root.join("packages/copy0/edited.ts");
    let mut edit = 0_u64;
    group.bench_function("one file", |bencher| {
        bencher.iter(|| {
            edit += 1;
            fs::write(&file, format!("export const edited = {edit};\n")).expect("a file");
            black_box(corpus::index(&root, &folder, false))
        });
    });
    group.finish();
}

criterion_group!(benches, parts, whole);
criterion_main!(benches);
