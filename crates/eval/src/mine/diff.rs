//! What a commit changed inside one file: hunks, changed symbols, and whether it matters.
//!
//! Whether a line is comment or import is told line by line with a small state machine, without a
//! parser. Where it is in doubt the line counts as code, so a file is called minor only if it surely
//! is. Known limits: a comment behind code on the same line is code, and a line of a template string
//! that looks like a comment is taken for one.

use std::{collections::BTreeSet, ops::RangeInclusive};

/// Lines that a hunk takes away and brings, one-based: first line and count on either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) old: (u32, u32),
    pub(super) new: (u32, u32),
}

/// The hunks of a unified diff of one file.
pub(super) fn hunks(diff: &str) -> Vec<Hunk> {
    diff.lines().filter_map(parse_header).collect()
}

/// `@@ -3,2 +3 @@ context`; a missing count is 1.
fn parse_header(line: &str) -> Option<Hunk> {
    let mut cells = line.strip_prefix("@@ -")?.split(' ');
    let side = |cell: &str| -> Option<(u32, u32)> {
        match cell.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((cell.parse().ok()?, 1)),
        }
    };
    let old = side(cells.next()?)?;
    let new = side(cells.next()?.strip_prefix('+')?)?;
    Some(Hunk { old, new })
}

/// Whether all changed lines, old and new, are blank, comment or import. A change without hunks (of
/// the mode, say) is minor.
pub(super) fn is_minor(hunks: &[Hunk], before: &[u8], after: &[u8]) -> bool {
    let (before, after) = (minor_lines(before), minor_lines(after));
    let all_minor = |lines: &[bool], (start, count): (u32, u32)| {
        (start..start + count).all(|line| {
            let place = (line as usize).checked_sub(1);
            place.and_then(|place| lines.get(place)).copied().unwrap_or(false)
        })
    };
    hunks.iter().all(|hunk| all_minor(&before, hunk.old) && all_minor(&after, hunk.new))
}

/// For each line whether it is blank, comment or import.
fn minor_lines(source: &[u8]) -> Vec<bool> {
    enum State {
        Code,
        BlockComment,
        Import,
    }
    let mut state = State::Code;
    let mut minor = Vec::new();
    for line in String::from_utf8_lossy(source).lines() {
        let line = line.trim();
        let in_comment = matches!(state, State::BlockComment)
            || (matches!(state, State::Code) && ["/*", "{/*"].iter().any(|s| line.starts_with(s)));
        let in_import = matches!(state, State::Import) || is_import_start(line);
        let is_minor;
        (is_minor, state) = if in_comment {
            match line.split_once("*/") {
                None => (true, State::BlockComment),
                Some((_, rest)) => (nothing_follows(rest.trim()), State::Code),
            }
        } else if in_import {
            (true, if import_ends(line) { State::Code } else { State::Import })
        } else {
            (line.is_empty() || line.starts_with("//"), State::Code)
        };
        minor.push(is_minor);
    }
    minor
}

/// Whether what follows a block comment on its line is no code; `}` closes a comment of JSX.
fn nothing_follows(rest: &str) -> bool {
    rest.is_empty() || rest == "}" || rest.starts_with("//")
}

/// Whether a line starts an import or a re-export.
fn is_import_start(line: &str) -> bool {
    let import = line.strip_prefix("import").is_some_and(|rest| {
        // `import(...)` and `import.meta` are expressions.
        rest.starts_with([' ', '{', '*', '\'', '"'])
    });
    let list = ["export {", "export type {", "export *"];
    let re_export = list.iter().any(|start| line.starts_with(start))
        && (line.contains(" from ") || !line.contains('}'));
    let require = (line.starts_with("const ") || line.starts_with("var "))
        && line.contains("= require(")
        && line.trim_end_matches(';').ends_with(')');
    import || re_export || require
}

/// Whether an import that goes on up to this line ends with it: at the module's name, or at the
/// brace that closes a local export list.
fn import_ends(line: &str) -> bool {
    let line = line.split(" //").next().unwrap_or(line).trim_end().trim_end_matches(';');
    line.ends_with(['\'', '"', ')']) || line.ends_with('}')
}

/// The innermost symbols whose lines a commit changed, by name.
pub(super) fn changed_symbols(
    hunks: &[Hunk],
    symbols: &[(String, RangeInclusive<u32>)],
) -> BTreeSet<String> {
    let innermost = |contains: &dyn Fn(&RangeInclusive<u32>) -> bool| {
        symbols
            .iter()
            .filter(|(_, lines)| contains(lines))
            .min_by_key(|(name, lines)| (lines.end() - lines.start(), name))
            .map(|(name, _)| name.clone())
    };
    let mut changed = BTreeSet::new();
    for Hunk { old: (start, count), .. } in hunks {
        if *count == 0 {
            // New lines between `start` and the line after it.
            changed.extend(innermost(&|lines| lines.contains(start) && start < lines.end()));
        }
        for line in *start..start + count {
            changed.extend(innermost(&|lines| lines.contains(&line)));
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        let marks: String =
            minor_lines(source.as_bytes()).iter().map(|m| if *m { 'm' } else { 'c' }).collect();
        assert_eq!(marks, expected, "{source}");
    }

    #[test]
    fn hunk_headers_are_read_with_and_without_counts() {
        let diff = "--- a\n+++ b\n@@ -3,2 +3 @@ fn\n-a\n-b\n+c\n@@ -9,0 +9,3 @@\n";
        assert_eq!(
            hunks(diff),
            [Hunk { old: (3, 2), new: (3, 1) }, Hunk { old: (9, 0), new: (9, 3) }]
        );
    }

    #[test]
    fn comments_and_blank_lines_are_minor() {
        check("// a\n\n/* b */\n/**\n * c\n */\nlet a = 1; // d\n", "mmmmmmc");
    }

    #[test]
    fn code_behind_a_comment_is_code() {
        check("/* a */ let b = 1\n/* a\n b */ let c\n", "cmc");
    }

    #[test]
    fn imports_over_several_lines_are_minor() {
        check("import a from 'a'\nimport {\n  b,\n  c,\n} from \"b\";\nlet d\n", "mmmmmc");
        check("import 'side-effect'\nexport { x } from './x'\nexport * from './y'\n", "mmm");
        check("const fs = require('fs');\nlet a\n", "mc");
    }

    #[test]
    fn dynamic_imports_and_exported_code_are_code() {
        check(
            "import('a')\nimport.meta.url\nexport const a = {\n}\nexport function f() {\n",
            "ccccc",
        );
        check("const a = require('a').b\n", "c");
    }

    #[test]
    fn a_change_of_comments_only_is_minor_and_any_line_of_code_is_not() {
        let (before, after) = (b"// a\nlet x = 1\n", b"// b\nlet x = 2\n");
        let first = Hunk { old: (1, 1), new: (1, 1) };
        assert!(is_minor(&[first], before, after));
        assert!(!is_minor(&[first, Hunk { old: (2, 1), new: (2, 1) }], before, after));
        assert!(is_minor(&[Hunk { old: (0, 0), new: (1, 1) }], b"let x\n", b"// new\nlet x\n"));
    }

    #[test]
    fn the_innermost_symbol_of_a_changed_line_counts() {
        let symbols =
            [("C".to_owned(), 1..=10), ("C.m".to_owned(), 2..=4), ("f".to_owned(), 12..=13)];
        let changed = |old| {
            let hunks = [Hunk { old, new: (1, 1) }];
            changed_symbols(&hunks, &symbols).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(changed((3, 1)), ["C.m"]);
        assert_eq!(changed((4, 2)), ["C", "C.m"]);
        assert_eq!(changed((4, 0)), ["C"]);
        assert_eq!(changed((11, 1)), [""; 0]);
        assert_eq!(changed((13, 0)), [""; 0]);
    }
}
