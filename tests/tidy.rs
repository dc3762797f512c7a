//! The rules that the repository keeps for itself: who may import whom, and how large a file may be.
//!
//! The table of imports is that of `ARCHITECTURE.md`. It is read from the manifests and from the source,
//! test modules left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::util::repository;

/// Lines that a file may have.
const MAX_LINES: usize = 800;
/// Longer files, each a flat table.
const LONG_FILES: [(&str, &str); 0] = [];

/// All Rust sources of the repository outside of `target`, with their text.
pub(crate) fn sources() -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders: Vec<PathBuf> =
        ["crates", "tests", "benches"].iter().map(|name| repository().join(name)).collect();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.insert(path, text);
            }
        }
    }
    found
}

/// The text without its test module and without comments.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end]
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// No source below `folder` names any of `banned`.
#[track_caller]
fn check_sources(folder: &str, banned: &[&str]) {
    let folder = repository().join(folder);
    let mut n_files = 0;
    for (path, text) in sources().iter().filter(|(path, _)| path.starts_with(&folder)) {
        if path.file_name().is_some_and(|name| name == "tests.rs") {
            continue;
        }
        n_files += 1;
        let code = code(text);
        for name in banned {
            assert!(!code.contains(name), "{} names {name}", path.display());
        }
    }
    assert!(n_files > 0, "there is no source in {}", folder.display());
}

/// The dependencies of a crate are among these.
#[track_caller]
fn check_manifest(folder: &str, allowed: &[&str]) {
    let manifest = fs::read_to_string(repository().join(folder).join("Cargo.toml")).unwrap();
    let start = manifest.find("\n[dependencies]\n").unwrap() + "\n[dependencies]\n".len();
    let end = manifest[start..].find("\n[").map_or(manifest.len(), |end| start + end);
    for line in manifest[start..end].lines().filter(|line| !line.trim().is_empty()) {
        let name = line.split(['.', ' ', '=']).next().unwrap();
        assert!(
            ["serde", "thiserror", "tracing"].contains(&name) || allowed.contains(&name),
            "{folder} depends on {name}"
        );
    }
}

#[test]
fn symbols_is_pure() {
    check_manifest(
        "crates/symbols",
        &["regex", "tree-sitter", "tree-sitter-javascript", "tree-sitter-typescript"],
    );
    check_sources(
        "crates/symbols/src",
        &["std::fs", "std::env", "tantivy", "rayon", "tokio", "clap"],
    );
}

#[test]
fn the_indexer_knows_neither_queries_nor_surfaces() {
    check_manifest(
        "crates/indexer",
        &[
            "blake3",
            "frostem",
            "globset",
            "ignore",
            "notify",
            "notify-debouncer-full",
            "postcard",
            "rustc-hash",
            "rayon",
            "reseek-symbols",
            "serde_json",
            "tantivy",
            "toml",
        ],
    );
    check_sources(
        "crates/indexer/src",
        &["reseek_query", "reseek_eval", "clap::", "anyhow", "tokio", "rmcp"],
    );
}

#[test]
fn the_corpus_knows_no_index() {
    check_sources("crates/indexer/src/corpus", &["tantivy", "crate::snapshot", "crate::store"]);
}

#[test]
fn queries_read_no_file_and_parse_nothing() {
    check_manifest(
        "crates/query",
        &["globset", "postcard", "reseek-indexer", "reseek-symbols", "serde_json", "tantivy"],
    );
    check_sources(
        "crates/query/src",
        &[
            "std::fs",
            "std::env",
            "std::time::SystemTime",
            "tree_sitter",
            "notify",
            "clap::",
            "anyhow",
            "tokio",
        ],
    );
}

#[test]
fn evaluation_knows_no_index() {
    let manifest = fs::read_to_string(repository().join("crates/eval/Cargo.toml")).unwrap();
    assert!(!manifest.contains("reseek-indexer") && !manifest.contains("reseek-query"));
    check_sources(
        "crates/eval/src",
        &["reseek_indexer", "reseek_query", "tantivy", "clap::", "anyhow"],
    );
}

#[test]
fn the_server_knows_no_command_line() {
    check_manifest(
        "crates/mcp",
        &[
            "getrandom",
            "http-body-util",
            "hyper",
            "hyper-util",
            "percent-encoding",
            "reseek-indexer",
            "reseek-query",
            "reseek-symbols",
            "rmcp",
            "schemars",
            "serde_json",
            "tokio",
        ],
    );
    check_sources(
        "crates/mcp/src",
        &["clap::", "anyhow", "std::env", "std::time::SystemTime", "tantivy", "reseek_eval"],
    );
}

#[test]
fn standard_output_has_one_writer() {
    for (path, text) in sources() {
        let is_library = path.components().any(|part| part.as_os_str() == "src");
        let is_writer =
            path.ends_with("crates/cli/src/output.rs") || path.ends_with("crates/mcp/src/stdio.rs");
        if is_library && !is_writer {
            let code = code(&text);
            assert!(
                !code.contains("stdout()") && !code.contains("println!("),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn no_file_is_too_long() {
    for (path, text) in sources() {
        let is_listed = LONG_FILES.iter().any(|(file, _)| path.ends_with(Path::new(file)));
        let n_lines = text.lines().count();
        assert!(is_listed || n_lines <= MAX_LINES, "{} has {n_lines} lines", path.display());
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (path, text) in sources() {
        assert!(text.starts_with("//! "), "{} opens without a `//!`", path.display());
    }
}
