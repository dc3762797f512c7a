//! Path patterns of the configuration, the command line and queries: a literal path or a glob.
//!
//! Route folders such as `app/(auth)/[[...slug]]` are full of glob characters, so a text that exists as a path
//! is that path, and a glob is only what exists under no such name. Anchoring follows `.gitignore`: a text
//! without a slash (other than a last one) matches a name at any depth, any other starts at the root. A
//! pattern that matches a folder matches all below it, so `node_modules`, `node_modules/` and
//! `node_modules/**` mean the same folder.

use globset::{GlobBuilder, GlobMatcher};

use crate::error::Error;

/// A path or a glob; see the module for the rules.
#[derive(Debug, Clone)]
pub struct PathPattern {
    text: String,
    matcher: Matcher,
}

#[derive(Debug, Clone)]
enum Matcher {
    /// Every path.
    Everything,
    /// A path from the root.
    Path(String),
    /// One name at any depth.
    Name(String),
    /// A glob, tried on the path and each of its folders. `fixed` are the folders before its first glob
    /// character, with a last slash unless empty; nothing outside them can match.
    Glob { glob: Box<GlobMatcher>, fixed: String },
}

impl PathPattern {
    /// Reads a pattern. `exists` says whether the text, relative to the root and without a last slash, is the
    /// path of a file or folder; it is only asked when the text holds glob characters.
    ///
    /// # Errors
    ///
    /// [`Error::Glob`] for a text that is empty or is not a glob.
    pub fn parse(text: &str, exists: impl Fn(&str) -> bool) -> Result<PathPattern, Error> {
        let clean = normalise(text);
        let matcher = if clean.path.is_empty() {
            if !clean.anchored {
                return Err(Error::Glob {
                    pattern: text.to_owned(),
                    message: "it is empty".to_owned(),
                });
            }
            Matcher::Everything
        } else if clean.path == "**" {
            Matcher::Everything
        } else if !has_glob_characters(&clean.path) || exists(&clean.path) {
            if clean.anchored { Matcher::Path(clean.path) } else { Matcher::Name(clean.path) }
        } else {
            let body = if clean.anchored || clean.path.starts_with("**/") {
                clean.path.clone()
            } else {
                format!("**/{}", clean.path)
            };
            let glob =
                GlobBuilder::new(&body).literal_separator(true).build().map_err(|error| {
                    Error::Glob { pattern: text.to_owned(), message: error.kind().to_string() }
                })?;
            Matcher::Glob { glob: Box::new(glob.compile_matcher()), fixed: fixed_folders(&body) }
        };
        Ok(PathPattern { text: text.to_owned(), matcher })
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the text was taken as a path or name rather than as a glob.
    pub fn is_literal(&self) -> bool {
        matches!(self.matcher, Matcher::Path(_) | Matcher::Name(_))
    }

    /// Whether `path` (relative to the root, `/` between names) matches, itself or by a folder that holds it.
    pub fn matches(&self, path: &str) -> bool {
        match &self.matcher {
            Matcher::Everything => true,
            Matcher::Path(literal) => is_within(path, literal),
            Matcher::Name(name) => path.split('/').any(|component| component == name),
            Matcher::Glob { glob, fixed } => {
                path.starts_with(fixed.as_str())
                    && (glob.is_match(path)
                        || path.rmatch_indices('/').any(|(end, _)| glob.is_match(&path[..end])))
            }
        }
    }

    /// Whether something below the folder `dir` could match. May say yes where nothing does, never no where
    /// something does; a walk uses it to leave whole folders out.
    pub fn may_match_below(&self, dir: &str) -> bool {
        match &self.matcher {
            Matcher::Everything | Matcher::Name(_) => true,
            Matcher::Path(literal) => {
                dir.is_empty() || is_within(literal, dir) || is_within(dir, literal)
            }
            Matcher::Glob { fixed, .. } => {
                let fixed = fixed.trim_end_matches('/');
                dir.is_empty() || fixed.is_empty() || is_within(fixed, dir) || is_within(dir, fixed)
            }
        }
    }
}

/// Whether `path` is `folder` or lies below it.
fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

struct Normalised {
    path: String,
    anchored: bool,
}

/// Takes off `./`, doubled and last slashes and a last `/**`, and tells whether the text is tied to the root.
fn normalise(text: &str) -> Normalised {
    let mut path = text.to_owned();
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    let mut rest = path.as_str();
    let mut anchored = false;
    loop {
        if let Some(after) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
            anchored = true;
            rest = after;
        } else if rest == "." {
            anchored = true;
            rest = "";
        } else {
            break;
        }
    }
    rest = rest.strip_suffix('/').unwrap_or(rest);
    anchored |= rest.contains('/');
    while let Some(before) = rest.strip_suffix("/**") {
        rest = before;
    }
    Normalised { path: rest.to_owned(), anchored }
}

fn has_glob_characters(text: &str) -> bool {
    text.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// The folders of a glob before the first one with a glob character, each with its slash.
fn fixed_folders(glob: &str) -> String {
    let end = glob.find(['*', '?', '[', ']', '{', '}', '\\']).unwrap_or(glob.len());
    glob[..end].rfind('/').map_or(String::new(), |slash| glob[..=slash].to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, existing: &[&str], matched: &[&str], others: &[&str]) {
        let pattern = PathPattern::parse(text, |path| existing.contains(&path)).unwrap();
        for path in matched {
            assert!(pattern.matches(path), "`{text}` must match {path}");
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            assert!(pattern.may_match_below(parent), "`{text}` must enter {parent}");
        }
        for path in others {
            assert!(!pattern.matches(path), "`{text}` must not match {path}");
        }
    }

    #[test]
    fn three_spellings_of_a_folder_match_it_and_all_below() {
        for text in [
            "node_modules",
            "node_modules/",
            "node_modules/**",
            "./node_modules",
            "/node_modules//",
        ] {
            check(
                text,
                &[],
                &["node_modules", "node_modules/x/index.ts"],
                &["src/a.ts", "node_modules2/a.ts"],
            );
        }
    }

    #[test]
    fn a_bare_name_matches_at_any_depth_and_a_path_only_from_the_root() {
        check("dist", &[], &["dist/a.ts", "packages/a/dist/b.ts"], &["distance.ts"]);
        check("src/dist", &[], &["src/dist/a.ts"], &["packages/src/dist/a.ts"]);
        check("/dist", &[], &["dist/a.ts"], &["packages/dist/a.ts"]);
        check("*.gen.ts", &[], &["a.gen.ts", "src/b.gen.ts"], &["src/b.ts"]);
    }

    #[test]
    fn a_route_folder_that_exists_is_literal() {
        let existing = ["app/(auth)/sign-in/[[...slug]]/page.tsx", "app/@modal/[id]", "app/(auth)"];
        check(existing[0], &existing, &[existing[0]], &["app/(auth)/sign-in/s/page.tsx"]);
        check(
            "app/@modal/[id]",
            &existing,
            &["app/@modal/[id]/page.tsx"],
            &["app/@modal/i/page.tsx"],
        );
        check("app/(auth)", &existing, &[existing[0]], &["app/auth/page.tsx"]);
    }

    #[test]
    fn the_same_text_is_a_glob_where_no_such_path_exists() {
        check("app/@modal/[id]", &[], &["app/@modal/i/page.tsx"], &["app/@modal/[id]/page.tsx"]);
    }

    #[test]
    fn globs_cross_folders_only_with_two_stars() {
        check(
            "packages/**/src",
            &[],
            &["packages/a/src/x.ts", "packages/a/b/src/y.ts", "packages/src/z.ts"],
            &["packages/a/test/x.ts"],
        );
        check("packages/*/src", &[], &["packages/a/src/x.ts"], &["packages/a/b/src/x.ts"]);
        check("{a,b}/c.ts", &[], &["a/c.ts", "b/c.ts"], &["c/c.ts"]);
        check("**", &[], &["a.ts", "a/b.ts"], &[]);
        check("**/*.ts", &[], &["a.ts", "a/b.ts"], &["a.js"]);
    }

    #[test]
    fn folders_that_cannot_hold_a_match_are_known() {
        let pattern = PathPattern::parse("packages/api/**/*.ts", |_| false).unwrap();
        assert!(pattern.may_match_below(""));
        assert!(pattern.may_match_below("packages"));
        assert!(pattern.may_match_below("packages/api/src"));
        assert!(!pattern.may_match_below("packages/web"));
        assert!(!pattern.may_match_below("packages/api2"));
    }

    #[test]
    fn bad_globs_and_empty_texts_are_errors_that_name_the_pattern() {
        let error = PathPattern::parse("src/[z-a]", |_| false).unwrap_err();
        assert!(error.to_string().starts_with("bad pattern `src/[z-a]`: "), "{error}");
        let error = PathPattern::parse("", |_| false).unwrap_err();
        assert_eq!(error.to_string(), "bad pattern ``: it is empty");
    }

    fn joined(part: &'static str, n: std::ops::Range<usize>) -> impl Strategy<Value = String> {
        proptest::collection::vec(part, n).prop_map(|parts| parts.join("/"))
    }

    proptest! {
        #[test]
        fn no_folder_on_the_way_to_a_match_is_left_out(
            text in joined("[ab]|\\*|\\*\\*|a\\*|\\{a,b\\}|[?]", 1..5),
            path in joined("[ab]|ab", 1..6),
        ) {
            let Ok(pattern) = PathPattern::parse(&text, |_| false) else { return Ok(()) };
            if pattern.matches(&path) {
                prop_assert!(pattern.may_match_below(""));
                for (end, _) in path.match_indices('/') {
                    prop_assert!(pattern.may_match_below(&path[..end]), "{text} at {}", &path[..end]);
                }
                let below = format!("{path}/below.ts");
                prop_assert!(pattern.matches(&below));
            }
        }

        #[test]
        fn any_path_that_exists_matches_itself_and_all_below(path in joined("[a-c*?{}()@\\[\\]]{1,5}", 1..5)) {
            let pattern = PathPattern::parse(&path, |_| true).unwrap();
            let (below, longer) = (format!("{path}/below.ts"), format!("{path}z"));
            prop_assert!(pattern.matches(&path) && pattern.matches(&below));
            prop_assert!(!pattern.matches(&longer) || path.ends_with("**"));
        }
    }
}
