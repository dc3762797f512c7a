//! Time of one answer from a warm index of 20 copies of the projects in `eval/gate` (about 1,100 files).
//!
//! `search` with 1, 3 and 10 words and with filters; `retrieve` with one cycle and with three.
//!
//! Run with `cargo bench --bench query`.

#[path = "corpus.rs"]
mod corpus;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use reseek_query::search::search;
use reseek_query::syntax::SearchQuery;
use reseek_query::{Lexicon, Task, retrieve};

fn answers(criterion: &mut Criterion) {
    let scratch = tempfile::tempdir().expect("a folder");
    let root = scratch.path().join("root");
    corpus::write(&root, 20);
    let index = corpus::index(&root, &scratch.path().join("index"), true);
    let snapshot = index.snapshot().expect("a view");

    let mut group = criterion.benchmark_group("search");
    for (name, query) in [
        ("1 word", "breaker"),
        ("3 words", "retry delivery attempt"),
        (
            "10 words",
            "open circuit breaker after failed delivery attempts and wait before retry again",
        ),
        ("filters", "kind:class path:packages/copy1 queue"),
    ] {
        let query = SearchQuery::parse(query).expect("a query");
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(search(&snapshot, &query, 20).expect("an answer")));
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("retrieve");
    for n_cycles in [1, 3] {
        let task = Task::new("parcels that nobody could deliver should be tried again later")
            .max_cycles(n_cycles);
        group.bench_function(format!("{n_cycles} cycles"), |bencher| {
            bencher.iter(|| {
                black_box(retrieve(&snapshot, &task, Lexicon::builtin()).expect("an answer"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, answers);
criterion_main!(benches);
