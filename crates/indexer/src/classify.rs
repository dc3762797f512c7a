//! What a path and a table of symbols say about a file's role: test, declarations, barrel, aside.

use reseek_symbols::{ParsedFile, SymbolKind};

use crate::entry::FileFlags;

/// Folder names whose files are tests. Sorted.
const TEST_FOLDERS: &[&str] = &[
    "__mocks__",
    "__test__",
    "__tests__",
    "cypress",
    "e2e",
    "integration-tests",
    "playwright-tests",
    "spec",
    "specs",
    "test",
    "test-utils",
    "testing",
    "tests",
];

/// Folder names whose files are rarely what a task is about. Sorted.
#[rustfmt::skip]
const ASIDE_FOLDERS: &[&str] = &[
    "__fixtures__", "archive", "benchmark", "benchmarks", "compat", "demo", "demos", "deprecated", "example", "examples",
    "fixture", "fixtures", "legacy", "old", "playground", "playgrounds", "sample", "samples", "sandbox", "scripts", "template",
    "templates", "third-party", "third_party", "vendor", "vendored", "website", "www",
];

/// Whether the path is that of a test: by its folders or by `.test.`, `.spec.`, `.e2e.` and the like in its name.
pub fn is_test_path(path: &str) -> bool {
    let mut parts = path.split('/').rev();
    let name = parts.next().unwrap_or_default();
    let marked = name.split('.').skip(1).any(|part| {
        matches!(
            part,
            "test" | "tests" | "spec" | "specs" | "e2e" | "test-d" | "stories" | "story" | "cy"
        )
    });
    let stem = name.split('.').next().unwrap_or_default();
    let suffixed = ["-test", "_test", "-spec", "_spec"].iter().any(|suffix| stem.ends_with(suffix));
    marked
        || suffixed
        || parts.any(|folder| TEST_FOLDERS.binary_search(&folder.to_lowercase().as_str()).is_ok())
}

fn is_aside(path: &str) -> bool {
    path.split('/')
        .rev()
        .skip(1)
        .any(|folder| ASIDE_FOLDERS.binary_search(&folder.to_lowercase().as_str()).is_ok())
}

/// Whether the file does little more than export what others define.
fn is_barrel(parsed: &ParsedFile) -> bool {
    let n_re_exports = parsed.imports.iter().filter(|import| import.re_export).count();
    let n_definitions = parsed
        .symbols
        .iter()
        .filter(|symbol| symbol.parent.is_none() && symbol.kind != SymbolKind::Variable)
        .count();
    n_re_exports > 0 && n_definitions < n_re_exports
}

/// The flags of an indexed file.
pub fn flags(path: &str, parsed: Option<&ParsedFile>, generated: bool) -> FileFlags {
    let mut bits = 0;
    let mut set = |flag: u64, on: bool| bits |= if on { flag } else { 0 };
    set(FileFlags::TEST, is_test_path(path));
    set(FileFlags::ASIDE, is_aside(path));
    set(
        FileFlags::DECLARATION,
        [".d.ts", ".d.mts", ".d.cts"].iter().any(|suffix| path.ends_with(suffix)),
    );
    set(FileFlags::GENERATED, generated);
    set(FileFlags::TEXT, parsed.is_none());
    if let Some(parsed) = parsed {
        set(FileFlags::BARREL, is_barrel(parsed));
        set(FileFlags::PARTLY_PARSED, !parsed.diagnostics.is_empty());
    }
    FileFlags(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_tables_are_sorted_for_binary_search() {
        assert!(TEST_FOLDERS.is_sorted());
        assert!(ASIDE_FOLDERS.is_sorted());
    }

    #[test]
    fn tests_are_known_by_whole_words_only() {
        for path in [
            "src/a.test.ts",
            "a/__tests__/b.ts",
            "test/x.js",
            "src/x.spec.tsx",
            "e2e/login.ts",
            "a/b_test.ts",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in [
            "src/latest.ts",
            "src/contest/a.ts",
            "src/testimonial.tsx",
            "src/inspect.ts",
            "src/spectrum.ts",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }

    #[test]
    fn aside_folders_count_only_as_folders() {
        assert!(is_aside("examples/minimal/src/a.ts"));
        assert!(!is_aside("src/examples.ts"));
    }
}
