//! Small corpora, written to a folder, indexed and searched.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use reseek_indexer::update::{UpdateOptions, update};
use reseek_indexer::{Config, Index, Snapshot};
use reseek_query::search::{SearchAnswer, SearchHit, search_with};
use reseek_query::syntax::SearchQuery;
use tempfile::TempDir;

/// A tree of files with its index.
pub(crate) struct Corpus {
    root: TempDir,
    index_folder: TempDir,
    index: Index,
}

pub(crate) fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn refresh(root: &Path, folder: &Path, threads: usize) -> Index {
    let options = UpdateOptions {
        threads,
        rebuild: false,
        now_ns: i64::MAX / 2,
        patience: Duration::ZERO,
        progress: &|_| {},
        cancel: &AtomicBool::new(false),
    };
    update(root, folder, &Config::default(), &options).unwrap().0
}

impl Corpus {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with_threads(files, 1)
    }

    pub(crate) fn with_threads(files: &[(&str, &str)], threads: usize) -> Self {
        let (root, index_folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        write(root.path(), files);
        let index = refresh(root.path(), index_folder.path(), threads);
        Self { root, index_folder, index }
    }

    /// Writes further files and brings the index up to date.
    pub(crate) fn add(&mut self, files: &[(&str, &str)]) {
        write(self.root.path(), files);
        self.index = refresh(self.root.path(), self.index_folder.path(), 1);
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.index.snapshot().unwrap()
    }

    pub(crate) fn answer(&self, query: &str, limit: usize) -> SearchAnswer {
        let texts = |path: &str| std::fs::read_to_string(self.root.path().join(path)).ok();
        let query = SearchQuery::parse(query).unwrap();
        search_with(&self.snapshot(), &query, limit, &texts).unwrap()
    }

    pub(crate) fn hits(&self, query: &str) -> Vec<SearchHit> {
        self.answer(query, 20).hits
    }

    /// The names of the hits: symbols with their containers, files by their paths.
    pub(crate) fn names(&self, query: &str) -> Vec<String> {
        self.hits(query).iter().map(name).collect()
    }
}

/// What a hit is called in expectations.
pub(crate) fn name(hit: &SearchHit) -> String {
    match &hit.symbol {
        Some(symbol) if symbol.container.is_empty() => symbol.name.clone(),
        Some(symbol) => format!("{}.{}", symbol.container, symbol.name),
        None => hit.path.clone(),
    }
}

/// The first hits of each query are `first`, in that order.
#[track_caller]
pub(crate) fn check(files: &[(&str, &str)], queries: &[&str], first: &[&str]) {
    let corpus = Corpus::new(files);
    for query in queries {
        let names = corpus.names(query);
        assert_eq!(
            names.iter().take(first.len()).collect::<Vec<_>>(),
            first,
            "`{query}` gives {names:?}"
        );
    }
}

/// Each query finds all of `wanted`, anywhere.
#[track_caller]
pub(crate) fn check_found(files: &[(&str, &str)], queries: &[&str], wanted: &[&str]) {
    let corpus = Corpus::new(files);
    for query in queries {
        let names = corpus.names(query);
        for wanted in wanted {
            assert!(
                names.iter().any(|name| name == wanted),
                "`{query}` gives {names:?}, not {wanted}"
            );
        }
    }
}
