//! From a commit's subject to a task: what is stripped, what is kept, what is no task.
//!
//! Stripped, in this order: a gitmoji (`:bug:`), a conventional prefix (`fix(router)!: ` or `[fix]`, its
//! kind and scope are kept), a scope alone (`router: `), tickets (`[ABC-123]`), and numbers of issues and pull
//! requests (`(#12)`, `#12`).
//!
//! Refused, because nobody would search for it:
//!
//! - fewer than 3 words, or fewer than 15 or more than 160 characters;
//! - kinds of change that concern no behaviour: `docs`, `style`, `test`, `ci`, `build`, `release`,
//!   `revert`, `merge`, `deps`, `lint`, `wip`, and every scope of `deps`, `release`, `lint` or `ci`;
//! - subjects that start with merging, reverting, bumping, publishing or work in progress;
//! - subjects that speak of typos, dependencies, linters, formatters or changelogs;
//! - subjects of three words or fewer that start with `release` or `format`; subjects that name a
//!   version number and start with `release` or `version`, or end in the number and hold such a word.

/// A subject that describes a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The task.
    pub query: String,
    /// Kind of change from the conventional prefix, lower case, or empty.
    pub kind: String,
    /// Scope from the prefix, as written, or empty.
    pub scope: String,
}

const MIN_WORDS: usize = 3;
const MIN_CHARS: usize = 15;
const MAX_CHARS: usize = 160;

/// Kinds of the conventional prefix, with the ones that make no topic.
const KINDS: [&str; 13] = [
    "bug",
    "feat",
    "feature",
    "fix",
    "bugfix",
    "hotfix",
    "perf",
    "refactor",
    "chore",
    "improvement",
    "enhancement",
    "enhance",
    "types",
];
const REFUSED_KINDS: [&str; 17] = [
    "docs", "doc", "style", "test", "tests", "ci", "build", "release", "revert", "merge", "deps",
    "dep", "lint", "wip", "bump", "format", "typo",
];
const REFUSED_SCOPES: [&str; 8] =
    ["deps", "deps-dev", "dependencies", "release", "lint", "ci", "changelog", "format"];
const REFUSED_FIRST: [&str; 15] = [
    "merge",
    "merged",
    "merging",
    "revert",
    "reverts",
    "reverted",
    "bump",
    "bumps",
    "bumped",
    "publish",
    "wip",
    "changeset",
    "changesets",
    "reformat",
    "backport",
];
const REFUSED_WORDS: [&str; 22] = [
    "typo",
    "typos",
    "misspelling",
    "deps",
    "dep",
    "dependency",
    "dependencies",
    "devdependencies",
    "lint",
    "linter",
    "linting",
    "eslint",
    "tslint",
    "oxlint",
    "biome",
    "prettier",
    "formatting",
    "changelog",
    "lockfile",
    "codeowners",
    "renovate",
    "dependabot",
];

/// The task of a subject, or `None` if it describes none.
pub fn clean(subject: &str) -> Option<Subject> {
    let (kind, scope, rest) = split_prefix(strip_emoji(subject.trim()));
    // The picture may stand on either side of the prefix.
    let query = strip_numbers(strip_emoji(rest));
    let refused_prefix = REFUSED_KINDS.contains(&kind.as_str())
        || REFUSED_SCOPES.contains(&scope.to_lowercase().as_str());
    let n_chars = query.chars().count();
    if refused_prefix || !(MIN_CHARS..=MAX_CHARS).contains(&n_chars) || refused(&query) {
        return None;
    }
    Some(Subject { query, kind, scope })
}

fn refused(query: &str) -> bool {
    let words: Vec<String> = query
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    let first = words.first().map_or("", String::as_str);
    let last = words.last().map_or("", String::as_str);
    let names_version = words.iter().any(|word| is_version(word));
    let of_release = |word: &String| matches!(word.as_str(), "release" | "version");
    words.len() < MIN_WORDS
        || REFUSED_FIRST.contains(&first)
        || words.iter().any(|word| REFUSED_WORDS.contains(&word.as_str()))
        || (matches!(first, "release" | "format") && words.len() <= MIN_WORDS)
        || (names_version && matches!(first, "release" | "version"))
        || (is_version(last) && words.iter().any(of_release))
}

/// `1.2`, `v1.2.3`, `2.0.0-beta.1`.
fn is_version(word: &str) -> bool {
    let word = word.strip_prefix('v').unwrap_or(word);
    let (major, rest) = word.split_once('.').unwrap_or((word, ""));
    !major.is_empty()
        && major.bytes().all(|byte| byte.is_ascii_digit())
        && rest.starts_with(|c: char| c.is_ascii_digit())
}

/// Drops leading `:shortcode:` and pictures.
fn strip_emoji(mut subject: &str) -> &str {
    loop {
        let rest = subject.trim_start_matches(|c: char| !c.is_ascii() && !c.is_alphanumeric());
        let rest = rest.trim_start();
        let shortcode = rest.strip_prefix(':').and_then(|rest| rest.split_once(':'));
        subject = match shortcode {
            Some((name, rest))
                if !name.is_empty()
                    && name
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) =>
            {
                rest
            }
            _ => return rest,
        };
    }
}

/// Kind, scope and the rest of a subject.
fn split_prefix(subject: &str) -> (String, String, &str) {
    let none = (String::new(), String::new(), subject);
    let is_kind = |kind: &str| KINDS.contains(&kind) || REFUSED_KINDS.contains(&kind);
    if let Some((kind, rest)) = subject.strip_prefix('[').and_then(|s| s.split_once(']')) {
        let kind = kind.to_lowercase();
        if is_kind(&kind) {
            return (kind, String::new(), rest.trim_start_matches([':', ' ']));
        }
    }
    let Some((prefix, rest)) = subject.split_once(": ") else { return none };
    let prefix = prefix.trim_end_matches('!');
    let (head, scope) = match prefix.strip_suffix(')').and_then(|prefix| prefix.split_once('(')) {
        Some((head, scope)) => (head.trim_end_matches('!'), scope),
        None => (prefix, ""),
    };
    let plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_/.@,&*+".contains(c))
    };
    let kind = head.to_lowercase();
    if is_kind(&kind) {
        (kind, scope.trim().to_owned(), rest.trim_start())
    } else if plain(head) && scope.is_empty() {
        (String::new(), head.to_owned(), rest.trim_start())
    } else {
        none
    }
}

/// Drops tickets and the numbers of issues and pull requests, and tidies what is left.
fn strip_numbers(subject: &str) -> String {
    let mut text = String::new();
    let mut rest = subject;
    // Brackets that hold a number of an issue, or nothing but a ticket, go as a whole.
    while let Some(open) = rest.find(['(', '[']) {
        let close = if rest[open..].starts_with('(') { ')' } else { ']' };
        let Some(length) = rest[open..].find(close) else { break };
        let inside = &rest[open + 1..open + length];
        text.push_str(&rest[..open]);
        if !inside.split_whitespace().any(is_number) && !is_ticket(inside) {
            text.push_str(&rest[open..=open + length]);
        }
        rest = &rest[open + length + 1..];
    }
    text.push_str(rest);
    let mut words: Vec<&str> = text.split_whitespace().filter(|word| !is_number(word)).collect();
    if words.first().is_some_and(|word| is_ticket(word.trim_end_matches(':'))) {
        words.remove(0);
    }
    let joined = words.join(" ");
    joined
        .trim_start_matches(['-', ' '])
        .trim_end_matches(['.', ',', ';', ':', '-', '('])
        .trim_end()
        .to_owned()
}

/// `#12`, `gh-12`, with punctuation or half a pair of brackets around it.
fn is_number(word: &str) -> bool {
    let word = word.trim_matches(|c| matches!(c, ',' | '.' | ';' | ':' | '(' | ')'));
    let digits = word.strip_prefix('#').or_else(|| word.strip_prefix("gh-"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// `ABC-123`.
fn is_ticket(word: &str) -> bool {
    word.trim().split_once('-').is_some_and(|(key, number)| {
        2 <= key.len()
            && key.bytes().all(|byte| byte.is_ascii_uppercase())
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(subject: &str, kind: &str, scope: &str, query: &str) {
        let expected =
            Subject { query: query.to_owned(), kind: kind.to_owned(), scope: scope.to_owned() };
        assert_eq!(clean(subject), Some(expected), "{subject}");
    }

    fn check_refused(subject: &str) {
        assert_eq!(clean(subject), None, "{subject}");
    }

    #[test]
    fn a_conventional_prefix_becomes_kind_and_scope() {
        check(
            "fix(router)!: keep the query string (#123)",
            "fix",
            "router",
            "keep the query string",
        );
        check("[Bug] Keep the query string", "bug", "", "Keep the query string");
        check("Feat: keep the query string", "feat", "", "keep the query string");
    }

    #[test]
    fn a_scope_alone_is_kept_as_scope() {
        check("@acme/router: keep the query string", "", "@acme/router", "keep the query string");
    }

    #[test]
    fn a_colon_inside_a_sentence_is_no_prefix() {
        check("Show the right error: not found", "", "", "Show the right error: not found");
    }

    #[test]
    fn emoji_tickets_and_numbers_are_stripped() {
        check(":bug: Keep the query string #12, gh-13", "", "", "Keep the query string");
        check("fix: :bug: Keep the query string (#12", "fix", "", "Keep the query string");
        check("fix: - keep the query string", "fix", "", "keep the query string");
        check("🐛 [ABC-12] Keep the query string.", "", "", "Keep the query string");
        check("ABC-12: Keep the query string (fixes #3)", "", "ABC-12", "Keep the query string");
    }

    #[test]
    fn brackets_that_say_something_stay() {
        check("Keep (most of) the query string", "", "", "Keep (most of) the query string");
        check("Sort arrays by items[0] first", "", "", "Sort arrays by items[0] first");
    }

    #[test]
    fn subjects_that_nobody_would_search_for_are_refused() {
        for subject in [
            "Merge pull request #12 from acme/router",
            "Revert \"Keep the query string\"",
            "chore(deps): update the whole toolchain",
            "docs: explain how the router works",
            "Bump typescript from 4.9.5 to 5.0.2",
            "Release version 1.2.3 of the router",
            "release the packages",
            "Set the version to v2.0.0-beta.1",
            "fix: typo in the router's name",
            "chore: run prettier on all files",
            "fix things",
            "refactor",
        ] {
            check_refused(subject);
        }
    }

    #[test]
    fn a_very_long_subject_is_refused() {
        check_refused(&"word ".repeat(40));
    }

    #[test]
    fn tasks_that_only_sound_like_chores_stay() {
        check("Format dates in the local time zone", "", "", "Format dates in the local time zone");
        check("Release the lock when a worker dies", "", "", "Release the lock when a worker dies");
        check(
            "Support the 1.1 version header field",
            "",
            "",
            "Support the 1.1 version header field",
        );
    }
}
