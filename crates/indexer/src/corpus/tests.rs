//! The walk on small trees: ignore rules, borders, secrets, and that a single check agrees with it everywhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proptest::prelude::*;
use tempfile::TempDir;

use super::check::{Checker, Verdict, explain};
use super::walk::{FoundFile, SkipReason, Walk, WalkOptions, check_root, walk};
use crate::error::Error;

/// A root in a scratch folder of its own, so that nothing above it speaks.
struct Tree {
    _scratch: TempDir,
    root: PathBuf,
    options: WalkOptions,
}

/// An empty tree with these files; a file's text is after the first `=`, an empty text makes one line of code.
fn tree(files: &[&str]) -> Tree {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().join("root");
    fs::create_dir(&root).unwrap();
    let tree = Tree {
        _scratch: scratch,
        root,
        options: WalkOptions { threads: 2, ..WalkOptions::default() },
    };
    for file in files {
        tree.write(file);
    }
    tree
}

impl Tree {
    fn write(&self, file: &str) {
        let (path, text) = file.split_once('=').unwrap_or((file, "export const a = 1;\n"));
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, folder: &str, arguments: &[&str]) {
        git(&self.root.join(folder), arguments);
    }

    /// Walks, and holds every path of the tree against a single check.
    fn walk(&self) -> Walk {
        let found = walk(&self.root, &self.options).unwrap();
        let mut checker = Checker::new(&self.root, &self.options).unwrap();
        for path in all_paths(&self.root, &self.root) {
            let walked = found.files.iter().find(|file| file.path == path);
            let skipped = found.skipped.iter().find(|skipped| skipped.path == path);
            match checker.check(&path) {
                Verdict::Indexed(file) => assert_eq!(Some(&file), walked, "{path}"),
                Verdict::Skipped { reason: SkipReason::Unsupported, .. } => {
                    assert!(walked.is_none() && skipped.is_none(), "{path}");
                }
                Verdict::Skipped { reason, path: at, .. } if at == path => {
                    assert_eq!(skipped.map(|skipped| skipped.reason), Some(reason), "{path}");
                }
                verdict => assert!(walked.is_none() && skipped.is_none(), "{path}: {verdict:?}"),
            }
        }
        found
    }

    fn paths(&self) -> Vec<String> {
        self.walk().files.into_iter().map(|file| file.path).collect()
    }

    fn skipped(&self) -> Vec<(String, SkipReason)> {
        self.walk().skipped.into_iter().map(|skipped| (skipped.path, skipped.reason)).collect()
    }

    fn explained(&self, path: &str) -> String {
        let explanation = explain(&self.root, path, &self.options).unwrap();
        explanation.to_string().replace(&format!("{}/", self.root.display()), "")
    }
}

/// Runs git apart from the user's settings, with fixed names and dates.
fn git(folder: &Path, arguments: &[&str]) {
    let output = git_command(folder, arguments).output().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn git_command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "Test")
        .env("GIT_AUTHOR_EMAIL", "test@example.test")
        .env("GIT_AUTHOR_DATE", "2020-01-01T00:00:00Z")
        .env("GIT_COMMITTER_NAME", "Test")
        .env("GIT_COMMITTER_EMAIL", "test@example.test")
        .env("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z");
    command
}

/// Every file and link below a folder, `.git` folders left out.
fn all_paths(root: &Path, folder: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return paths };
    for entry in entries {
        let entry = entry.unwrap();
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != ".git" {
                paths.extend(all_paths(root, &path));
            }
        } else if let Some(relative) = path.strip_prefix(root).unwrap().to_str() {
            paths.push(relative.to_owned());
        }
    }
    paths
}

#[test]
fn node_modules_is_out_without_git_or_any_configuration() {
    let tree = tree(&["node_modules/x/index.ts", "packages/a/node_modules/y.ts", "src/a.ts"]);
    assert_eq!(tree.paths(), ["src/a.ts"]);
    assert_eq!(tree.walk().n_ignored, 2);
    assert_eq!(
        tree.explained("node_modules/x/index.ts"),
        "node_modules/x/index.ts: left out with node_modules by built in: left out unless .reseekignore or `exclude` say `!`"
    );
}

#[test]
fn each_spelling_of_an_excluded_folder_works() {
    for spelling in ["vendor", "vendor/", "vendor/**", "./vendor"] {
        let mut tree = tree(&["vendor/x/index.ts", "src/a.ts"]);
        tree.options.exclude = vec![spelling.to_owned()];
        assert_eq!(tree.paths(), ["src/a.ts"], "{spelling}");
        assert_eq!(
            tree.explained("vendor/x/index.ts"),
            format!("vendor/x/index.ts: left out with vendor by exclude pattern `{spelling}`")
        );
    }
}

#[test]
fn one_package_of_node_modules_can_be_brought_back() {
    let mut tree = tree(&[
        "node_modules/@acme/ui/index.ts",
        "node_modules/x/index.ts",
        "node_modules/top.ts",
        "src/a.ts",
    ]);
    tree.options.exclude = vec!["!node_modules/@acme".to_owned()];
    assert_eq!(tree.paths(), ["node_modules/@acme/ui/index.ts", "src/a.ts"]);
}

#[test]
fn the_own_ignore_file_brings_back_what_others_leave_out() {
    let tree = tree(&[
        ".gitignore=gen/\n",
        ".ignore=docs/\n",
        ".reseekignore=!gen/\n!docs/\n!node_modules/\n!.storybook/\nsrc/old/\n!yarn.js.map\n!lib.min.js\n",
        "gen/api.ts",
        "docs/a.md",
        "node_modules/x.ts",
        ".storybook/main.ts",
        ".github/x.yml",
        "src/old/a.ts",
        "src/a.ts",
        "lib.min.js",
        "other.min.js",
    ]);
    assert_eq!(
        tree.paths(),
        [
            ".storybook/main.ts",
            "docs/a.md",
            "gen/api.ts",
            "lib.min.js",
            "node_modules/x.ts",
            "src/a.ts"
        ]
    );
    assert_eq!(tree.skipped(), [("other.min.js".to_owned(), SkipReason::Minified)]);
}

#[test]
fn a_gitignore_in_the_root_speaks_with_and_without_a_repository() {
    let tree = tree(&[".gitignore=out/\n", "out/a.ts", "b.ts"]);
    assert_eq!(tree.paths(), ["b.ts"]);
    assert_eq!(tree.explained("out/a.ts"), "out/a.ts: left out with out by .gitignore:1: `out/`");
    tree.git("", &["init", "-q"]);
    assert_eq!(tree.paths(), ["b.ts"]);
}

#[test]
fn a_gitignore_above_the_root_speaks_only_inside_the_same_repository() {
    let mut tree =
        tree(&[".gitignore=*.gen.ts\n/pkg/out/\n", "pkg/a.ts", "pkg/a.gen.ts", "pkg/out/b.ts"]);
    let top = tree.root.clone();
    tree.root = top.join("pkg");
    assert_eq!(tree.paths(), ["a.gen.ts", "a.ts", "out/b.ts"]);
    git(&top, &["init", "-q"]);
    assert_eq!(tree.paths(), ["a.ts"]);
}

#[test]
fn a_repository_below_an_ignore_file_does_not_hear_it() {
    // The folder above stands for a home folder with ignore files of its own.
    let mut tree = tree(&[".gitignore=*.ts\n", ".ignore=*.ts\n", "clone/a.ts"]);
    tree.root = tree.root.join("clone");
    tree.git("", &["init", "-q"]);
    assert_eq!(tree.paths(), ["a.ts"]);
}

#[test]
fn everything_out_and_folders_back_in_leaves_the_files_of_folders() {
    let tree = tree(&[
        ".gitignore=/*\n!/*/\n",
        "scratch.ts",
        "pkg/src/a.ts",
        ".hidden/b.ts",
        "node_modules/c.ts",
        ".git/hooks/d.ts",
    ]);
    assert_eq!(tree.paths(), ["pkg/src/a.ts"]);
}

#[test]
fn nearer_ignore_files_and_later_lines_win() {
    let tree = tree(&[
        ".gitignore=*.gen.ts\n",
        "a/.gitignore=!keep.gen.ts\n",
        "a/keep.gen.ts",
        "a/drop.gen.ts",
        "b/keep.gen.ts",
        "b/.ignore=!keep.gen.ts\n",
    ]);
    assert_eq!(tree.paths(), ["a/keep.gen.ts", "b/keep.gen.ts"]);
}

#[test]
fn committed_files_that_an_ignore_rule_matches_stay_out() {
    let tree = tree(&["gen/api.ts", "src/a.ts"]);
    tree.git("", &["init", "-q"]);
    tree.git("", &["add", "."]);
    tree.git("", &["commit", "-qm", "all"]);
    tree.write(".gitignore=gen/\n");
    assert_eq!(tree.paths(), ["src/a.ts"]);
    assert_eq!(
        tree.explained("gen/api.ts"),
        "gen/api.ts: left out with gen by .gitignore:1: `gen/`"
    );
}

#[test]
fn excludes_of_the_repository_and_of_the_user_speak_inside_it() {
    let mut tree = tree(&["a.ts", "mine.ts", "yours.ts"]);
    let global = tree.root.parent().unwrap().join("global");
    fs::write(&global, "yours.ts\n").unwrap();
    tree.options.global_excludes = Some(global);
    assert_eq!(tree.paths(), ["a.ts", "mine.ts", "yours.ts"]);
    tree.git("", &["init", "-q"]);
    tree.write(".git/info/exclude=/mine.ts\n");
    assert_eq!(tree.paths(), ["a.ts"]);
}

#[test]
fn linked_work_trees_are_a_border_and_submodules_are_indexed_once() {
    let tree = tree(&["a.ts"]);
    let library = tree.root.parent().unwrap().join("library");
    fs::create_dir(&library).unwrap();
    fs::write(library.join("lib.ts"), "export const lib = 1;\n").unwrap();
    for folder in [&library, &tree.root] {
        git(folder, &["init", "-q"]);
        git(folder, &["add", "."]);
        git(folder, &["commit", "-qm", "all"]);
    }
    tree.git("", &["submodule", "--quiet", "add", "../library", "sub"]);
    tree.git("", &["commit", "-qm", "submodule"]);
    tree.git("", &["worktree", "add", "-q", "trees/t1"]);
    tree.git("sub", &["worktree", "add", "-q", "../trees/t2"]);
    assert_eq!(tree.paths(), ["a.ts", "sub/lib.ts"]);
    assert_eq!(
        tree.skipped(),
        [
            ("trees/t1".to_owned(), SkipReason::Worktree),
            ("trees/t2".to_owned(), SkipReason::Worktree)
        ]
    );
    assert_eq!(tree.explained("trees/t1/a.ts"), "trees/t1/a.ts: skipped, trees/t1 is worktree");

    // As a root of its own, a linked work tree is a corpus like any other.
    let linked = walk(&tree.root.join("trees/t1"), &tree.options).unwrap();
    assert_eq!(linked.files.iter().map(|file| &file.path).collect::<Vec<_>>(), ["a.ts"]);
}

#[test]
fn a_submodule_below_a_folder_named_worktrees_is_no_border() {
    let tree = tree(&[
        "worktrees/sub/.git=gitdir: ../../.git/modules/worktrees/sub\n",
        "worktrees/sub/a.ts",
    ]);
    fs::create_dir_all(tree.root.join(".git/modules/worktrees/sub")).unwrap();
    assert_eq!(tree.paths(), ["worktrees/sub/a.ts"]);
}

#[test]
fn a_linked_work_tree_whose_repository_moved_is_still_a_border() {
    let tree = tree(&["t1/.git=gitdir: /nowhere/repo/.git/worktrees/t1\n", "t1/a.ts", "b.ts"]);
    assert_eq!(tree.paths(), ["b.ts"]);
}

#[test]
fn a_nested_repository_is_indexed_by_its_own_rules() {
    let tree = tree(&[
        ".gitignore=*.gen.ts\n",
        "nested/a.gen.ts",
        "nested/b.ts",
        "nested/.gitignore=b.ts\n",
        "c.ts",
    ]);
    tree.git("", &["init", "-q"]);
    assert_eq!(tree.paths(), ["c.ts"]);
    tree.git("nested", &["init", "-q"]);
    assert_eq!(tree.paths(), ["c.ts", "nested/a.gen.ts"]);
}

#[test]
fn route_folders_with_glob_characters_are_literal() {
    let routes = ["app/(auth)/sign-in/[[...slug]]/page.tsx", "app/@modal/[id]/page.tsx"];
    let mut tree = tree(&[routes[0], routes[1], "app/@modal/i/page.tsx"]);
    tree.options.include = vec!["app/(auth)".to_owned(), "app/@modal/[id]/page.tsx".to_owned()];
    assert_eq!(tree.paths(), routes);
    tree.options.include.clear();
    tree.options.exclude = vec!["app/@modal/[id]".to_owned()];
    assert_eq!(tree.paths(), [routes[0], "app/@modal/i/page.tsx"]);
}

#[test]
fn include_narrows_and_names_itself() {
    let mut tree = tree(&["packages/a/src/x.ts", "packages/b/src/y.ts", "z.ts"]);
    tree.options.include = vec!["packages/a/**/*.ts".to_owned()];
    assert_eq!(tree.paths(), ["packages/a/src/x.ts"]);
    assert_eq!(tree.explained("z.ts"), "z.ts: left out by no include pattern matches");
    tree.options.exclude = vec!["!z.ts".to_owned()];
    assert_eq!(tree.paths(), ["packages/a/src/x.ts"]);
}

#[test]
fn hidden_names_are_out_until_the_option_admits_them() {
    let mut tree = tree(&[".github/ci.yml", ".eslintrc.js", "a.ts", ".git/x.ts", ".reseek/y.ts"]);
    assert_eq!(tree.paths(), ["a.ts"]);
    tree.options.hidden = true;
    assert_eq!(tree.paths(), [".eslintrc.js", ".github/ci.yml", "a.ts"]);
}

#[test]
fn an_index_folder_of_another_name_is_out() {
    let mut tree = tree(&["cache/idx/meta.json", "cache/a.ts"]);
    tree.options.index_dir = Some("cache/idx".to_owned());
    assert_eq!(tree.paths(), ["cache/a.ts"]);
}

#[test]
fn secrets_are_skipped_with_their_reason_and_admitted_by_the_option() {
    let mut tree = tree(&[
        ".env",
        ".env.local.ts",
        "id_rsa",
        "service.pem",
        "config.ts",
        "credentials.json",
        ".npmrc",
    ]);
    assert_eq!(tree.paths(), ["config.ts"]);
    let secret = |path: &str| (path.to_owned(), SkipReason::Secret);
    assert_eq!(
        tree.skipped(),
        [".env", ".env.local.ts", ".npmrc", "credentials.json", "id_rsa", "service.pem"]
            .map(secret)
    );
    assert_eq!(tree.explained(".env.local.ts"), ".env.local.ts: skipped, secret");
    tree.options.secrets = true;
    tree.options.hidden = true;
    assert_eq!(tree.paths(), [".env.local.ts", "config.ts", "credentials.json"]);
}

#[test]
fn large_files_lock_files_and_unknown_kinds_are_told_apart() {
    let mut tree = tree(&[
        "package-lock.json",
        "a.ts.map",
        "a.snap",
        "logo.png",
        "small.ts=1",
        "large.ts=12345",
        "t.md=123",
    ]);
    tree.options.max_source_bytes = 4;
    tree.options.max_text_bytes = 2;
    let found = tree.walk();
    assert_eq!(tree.paths(), ["small.ts"]);
    assert_eq!(
        found
            .skipped
            .iter()
            .map(|s| (s.path.as_str(), s.reason.as_str(), s.size))
            .collect::<Vec<_>>(),
        [
            ("a.snap", "generated", 20),
            ("a.ts.map", "generated", 20),
            ("large.ts", "too-large", 5),
            ("package-lock.json", "generated", 20),
            ("t.md", "too-large", 3),
        ]
    );
    let counts =
        found.counts().into_iter().map(|(reason, n)| (reason.as_str(), n)).collect::<Vec<_>>();
    assert_eq!(counts, [("too-large", 2), ("generated", 3), ("unsupported", 1)]);
}

#[test]
fn languages_that_are_not_enabled_are_skipped_with_that_reason() {
    let mut tree = tree(&["a.ts", "b.js", "c.md"]);
    tree.options.languages = Some(vec!["typescript".to_owned()]);
    assert_eq!(tree.paths(), ["a.ts"]);
    assert_eq!(tree.skipped().len(), 2);
    assert!(tree.skipped().iter().all(|(_, reason)| *reason == SkipReason::LanguageDisabled));
}

#[cfg(unix)]
#[test]
fn links_are_skipped_and_followed_only_out_of_the_trees_that_are_walked() {
    use std::os::unix::fs::symlink;
    let mut tree = tree(&["src/a.ts"]);
    let outside = tree.root.parent().unwrap().join("outside");
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("deep/o.ts"), "export const o = 1;\n").unwrap();
    symlink(&outside, outside.join("deep/loop")).unwrap();
    symlink(&tree.root, outside.join("back")).unwrap();
    symlink(&outside, tree.root.join("out")).unwrap();
    symlink(tree.root.join("src"), tree.root.join("again")).unwrap();
    symlink("a.ts", tree.root.join("src/b.ts")).unwrap();
    symlink("nowhere.ts", tree.root.join("dangling.ts")).unwrap();
    symlink("/", tree.root.join("disk")).unwrap();

    assert_eq!(tree.paths(), ["src/a.ts"]);
    let link = |path: &str| (path.to_owned(), SkipReason::Symlink);
    assert_eq!(tree.skipped(), ["again", "dangling.ts", "disk", "out", "src/b.ts"].map(link));

    tree.options.follow_links = true;
    assert_eq!(tree.paths(), ["out/deep/o.ts", "src/a.ts"]);
    assert_eq!(
        tree.skipped(),
        ["again", "dangling.ts", "disk", "out/back", "out/deep/loop", "src/b.ts"].map(link)
    );
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf8_is_skipped_with_that_reason() {
    use std::os::unix::ffi::OsStrExt;
    let tree = tree(&["a.ts"]);
    let name = std::ffi::OsStr::from_bytes(b"b\xff.ts");
    fs::write(tree.root.join(name), "export {};\n").unwrap();
    assert_eq!(tree.paths(), ["a.ts"]);
    assert_eq!(tree.skipped(), [("b\u{fffd}.ts".to_owned(), SkipReason::NonUtf8Name)]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_listed_is_told_so_that_its_files_are_not_taken_for_deleted() {
    // A path longer than the system takes cannot be listed, whoever asks.
    let tree = tree(&["a.ts"]);
    let mut deep = String::new();
    while tree.root.as_os_str().len() + deep.len() < 4_000 {
        if !deep.is_empty() {
            deep.push('/');
        }
        deep.push_str(&"d".repeat(60));
    }
    fs::create_dir_all(tree.root.join(&deep)).unwrap();
    let last = "e".repeat(200);
    let made =
        Command::new("mkdir").arg(&last).current_dir(tree.root.join(&deep)).status().unwrap();
    assert!(made.success());

    let found = walk(&tree.root, &tree.options).unwrap();
    assert_eq!(found.unreadable_dirs, [format!("{deep}/{last}")]);
    assert_eq!(found.skipped.len(), 1);
    assert_eq!(found.skipped[0].reason, SkipReason::Unreadable);
    assert_eq!(found.files.len(), 1);
}

#[test]
fn a_bad_line_of_an_ignore_file_is_told_and_the_others_work() {
    let tree = tree(&[".gitignore=out/\n[z-a]\n", "out/a.ts", "b.ts"]);
    let found = tree.walk();
    assert_eq!(found.files.len(), 1);
    assert_eq!(found.problems.len(), 1);
    let message = found.problems[0].to_string();
    assert!(message.contains(".gitignore:2: [z-a]"), "{message}");
}

#[test]
fn a_bad_exclude_pattern_is_an_error() {
    let mut tree = tree(&["a.ts"]);
    tree.options.exclude = vec!["src/{a".to_owned()];
    assert!(matches!(walk(&tree.root, &tree.options), Err(Error::Glob { .. })));
}

#[test]
fn the_result_is_the_same_with_any_number_of_threads() {
    let files: Vec<String> = (0..200).map(|n| format!("p{}/q{}/f{n}.ts", n % 7, n % 11)).collect();
    let mut tree = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let walk_with = |tree: &mut Tree, threads| -> Vec<FoundFile> {
        tree.options.threads = threads;
        walk(&tree.root, &tree.options).unwrap().files
    };
    let one = walk_with(&mut tree, 1);
    assert_eq!(one.len(), 200);
    assert!(one.is_sorted_by(|a, b| a.path < b.path));
    assert_eq!(walk_with(&mut tree, 8), one);
}

#[test]
fn a_found_file_carries_size_language_and_times() {
    let tree = tree(&["src/Page.TSX=1234"]);
    let file = &tree.walk().files[0];
    assert_eq!((file.path.as_str(), file.size, file.language), ("src/Page.TSX", 4, "tsx"));
    assert!(file.mtime_ns > 1_500_000_000_000_000_000, "{}", file.mtime_ns);
    assert!(!cfg!(unix) || file.ctime_ns >= file.mtime_ns);
}

#[test]
fn single_checks_refuse_paths_that_leave_the_root() {
    let tree = tree(&["src/a.ts"]);
    let mut checker = Checker::new(&tree.root, &tree.options).unwrap();
    for path in ["../x.ts", "/etc/passwd", "src/../../x", "a\0b"] {
        assert_eq!(checker.check(path), Verdict::Outside, "{path}");
    }
    for path in ["src/a.ts", "./src//a.ts", "src/./a.ts"] {
        assert!(
            matches!(checker.check(path), Verdict::Indexed(file) if file.path == "src/a.ts"),
            "{path}"
        );
    }
    assert_eq!(checker.check("src"), Verdict::Folder);
    assert_eq!(checker.check("src/b.ts"), Verdict::Missing);
    assert_eq!(checker.check("src/a.ts/b.ts"), Verdict::Missing);
}

#[test]
fn the_disk_and_the_home_folder_are_refused_as_root_and_short_paths_are_not() {
    let scratch = tempfile::tempdir().unwrap();
    let home = scratch.path().join("home");
    let project = home.join("p").join("q");
    fs::create_dir_all(&project).unwrap();
    let refused = |root: &Path, allow| match check_root(root, Some(&home), allow) {
        Err(Error::RootRefused { what, .. }) => Some(what),
        Ok(_) => None,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(refused(Path::new("/"), false), Some("the whole disk"));
    assert_eq!(refused(&home, false), Some("your home folder"));
    assert_eq!(refused(&home.join("p").join(".."), false), Some("your home folder"));
    assert_eq!(refused(&project, false), None);
    assert_eq!(refused(&home.join("p"), false), None);
    assert_eq!(refused(Path::new("/"), true), None);
    assert_eq!(refused(&home, true), None);
    assert!(matches!(check_root(&home.join("none"), None, false), Err(Error::RootNotFound { .. })));
}

#[test]
fn a_root_that_is_missing_or_a_file_is_an_error() {
    let tree = tree(&["a.ts"]);
    for path in ["none", "a.ts"] {
        let error = walk(&tree.root.join(path), &tree.options).unwrap_err();
        assert!(matches!(error, Error::RootNotFound { .. }), "{path}: {error}");
    }
}

/// Text lines that git prints, sorted.
fn git_lines(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = git_command(folder, arguments).output().unwrap();
    let mut lines: Vec<String> =
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

fn ignore_lines() -> impl Strategy<Value = Vec<String>> {
    let line = "!?/?([ab]|\\*|a\\*|\\*\\*/[ab]|[ab]/[ab]|[ab]/\\*|[ab]/\\*\\*)(\\.ts|/)?";
    proptest::collection::vec(line, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_walk_finds_what_git_finds_and_single_checks_agree(
        paths in proptest::collection::btree_set("([ab]/){0,3}[ab]{1,2}\\.ts", 1..12),
        top in ignore_lines(),
        inner in ignore_lines(),
    ) {
        let tree = tree(&paths.iter().map(String::as_str).collect::<Vec<_>>());
        tree.write(&format!(".gitignore={}\n", top.join("\n")));
        tree.write(&format!("a/.gitignore={}\n", inner.join("\n")));
        tree.git("", &["init", "-q"]);
        let known = git_lines(&tree.root, &["ls-files", "--others", "--exclude-standard"]);
        let known: Vec<_> = known.into_iter().filter(|path| !path.ends_with(".gitignore")).collect();
        prop_assert_eq!(tree.paths(), known);
    }
}
