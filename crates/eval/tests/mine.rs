//! Mining of topics from a small git repository, made anew for each test with fixed dates.

use std::{
    fs,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    process::Command,
};

use reseek_eval::{
    Topic, TopicFormat,
    mine::{self, Options, Skip, check_snapshot, export, mine, mine_again},
    topic,
};
use tempfile::TempDir;

/// A repository under construction; each commit is a minute after the one before.
struct Repo {
    folder: TempDir,
    n_commits: u32,
}

impl Repo {
    fn new() -> Repo {
        let repo = Repo { folder: TempDir::new().expect("a folder"), n_commits: 0 };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        git_at(self.path(), arguments, self.n_commits)
    }

    /// Writes files (`None` deletes) and commits them; answers the commit's id.
    fn commit(&mut self, message: &str, files: &[(&str, Option<&str>)]) -> String {
        self.n_commits += 1;
        for (name, text) in files {
            let path = self.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            match text {
                Some(text) => fs::write(&path, text).expect("a file"),
                None => fs::remove_file(&path).expect("no file"),
            }
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }
}

fn git_at(path: &Path, arguments: &[&str], minute: u32) -> String {
    let date = format!("2024-01-01T00:{minute:02}:00Z");
    let output = Command::new("git")
        .arg("-C")
        .arg(path)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "Test")
        .env("GIT_AUTHOR_EMAIL", "test@example.test")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_NAME", "Test")
        .env("GIT_COMMITTER_EMAIL", "test@example.test")
        .env("GIT_COMMITTER_DATE", &date)
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

const CART: &str = "import { tax } from './tax';\n\nexport class Cart {\n  total() {\n    return 1;\n  }\n  count() {\n    return 2;\n  }\n}\n";

/// Every `class NAME` and `NAME() {` with its lines, told by indentation: enough for [`CART`].
fn symbols_of(_: &str, source: &[u8]) -> Vec<(String, RangeInclusive<u32>)> {
    let text = String::from_utf8_lossy(source);
    let lines: Vec<&str> = text.lines().collect();
    let end_of = |start: usize, close: &str| {
        let length = lines[start..].iter().position(|line| *line == close).unwrap_or(0);
        (start + length + 1) as u32
    };
    let mut symbols = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let start = i as u32 + 1;
        if line.contains("class Cart") {
            symbols.push(("Cart".to_owned(), start..=end_of(i, "}")));
        } else if let Some(name) = line.strip_suffix("() {") {
            symbols.push((format!("Cart.{}", name.trim()), start..=end_of(i, "  }")));
        }
    }
    symbols
}

/// A repository with a snapshot and later commits of every sort; answers the snapshot.
fn sample() -> (Repo, String) {
    let mut repo = Repo::new();
    let snapshot = repo.commit(
        "Start the shop",
        &[
            ("src/cart.ts", Some(CART)),
            ("src/tax.ts", Some("export const tax = 1;\n")),
            ("src/my page.ts", Some("export const page = 1;\n")),
            ("README.md", Some("shop\n")),
            ("src/cart.test.ts", Some("test\n")),
        ],
    );
    let total = CART.replace("return 1", "return 10");
    repo.commit("fix(cart): add shipping to the total (#12)\n\nIt was missing.\n\nCo-authored-by: Test <test@example.test>",
        &[("src/cart.ts", Some(&total)), ("src/tax.ts", Some("// rate\nexport const tax = 1;\n")),
          ("src/cart.test.ts", Some("test 2\n"))]);
    repo.commit("docs: say what the shop sells", &[("README.md", Some("shop of tea\n"))]);
    repo.commit(
        "Explain the tax rate properly",
        &[("src/tax.ts", Some("// the rate\nexport const tax = 1;\n"))],
    );
    repo.commit(
        "Show a page for the visitors",
        &[("src/my page.ts", Some("export const page = 2;\n"))],
    );
    repo.commit("Describe the shop in the readme", &[("README.md", Some("tea\n"))]);
    repo.commit(
        "Add coupons to the whole shop",
        &[
            ("src/tax.ts", Some("// the rate\nexport const tax = 3;\n")),
            ("src/a.ts", Some("a\n")),
            ("src/b.ts", Some("b\n")),
            ("src/c.ts", Some("c\n")),
        ],
    );
    repo.commit(
        "Show a page for the Visitors",
        &[("src/my page.ts", Some("export const page = 3;\n"))],
    );
    repo.commit("Count the items in coupons", &[("src/a.ts", Some("a2\n"))]);
    (repo, snapshot)
}

fn mined(repo: &Repo, snapshot: &str) -> mine::Mined {
    mine(repo.path(), &Options::new("shop", snapshot, "main"), &mut symbols_of).expect("mined")
}

fn text(topics: &[Topic]) -> String {
    topic::to_text(topics, TopicFormat::Jsonl).expect("text")
}

#[test]
fn a_commit_becomes_a_topic_with_files_symbols_and_scope() {
    let (repo, snapshot) = sample();
    let topic = &mined(&repo, &snapshot).topics[0];
    assert_eq!(topic.query, "add shipping to the total");
    assert_eq!((topic.kind.as_str(), topic.scope.as_str()), ("fix", "cart"));
    assert_eq!(topic.body, "It was missing.");
    assert_eq!(topic.relevant, ["src/cart.ts"]);
    assert_eq!(topic.minor, ["src/tax.ts"]);
    assert_eq!(topic.symbols, ["src/cart.ts#Cart.total"]);
    assert_eq!(topic.snapshot, snapshot);
    assert_eq!(topic.topic.id, format!("shop-{}", &topic.commit[..10]));
}

#[test]
fn every_commit_is_a_topic_or_counted_as_skipped() {
    let (repo, snapshot) = sample();
    let mined = mined(&repo, &snapshot);
    let queries: Vec<&str> = mined.topics.iter().map(|topic| topic.query.as_str()).collect();
    assert_eq!(queries, ["add shipping to the total", "Show a page for the visitors"]);
    let skipped: Vec<(Skip, usize)> = mined.skipped.into_iter().collect();
    let expected = [
        (Skip::Subject, 1),
        (Skip::NoFile, 2),
        (Skip::MostlyNew, 1),
        (Skip::Duplicate, 1),
        (Skip::Minor, 1),
    ];
    assert_eq!(skipped, expected);
}

#[test]
fn a_path_with_a_space_is_mined() {
    let (repo, snapshot) = sample();
    assert_eq!(mined(&repo, &snapshot).topics[1].relevant, ["src/my page.ts"]);
}

#[test]
fn mining_twice_gives_identical_bytes() {
    let (first, snapshot) = sample();
    let (second, same_snapshot) = sample();
    assert_eq!(snapshot, same_snapshot);
    let (a, b) = (mined(&first, &snapshot), mined(&second, &snapshot));
    assert_eq!(text(&a.topics), text(&b.topics));
    assert_eq!(a.manifest.to_text(), b.manifest.to_text());
}

#[test]
fn a_manifest_mines_the_same_topics_again() {
    let (repo, snapshot) = sample();
    let mined = mined(&repo, &snapshot);
    let manifest =
        mine::Manifest::parse(&mined.manifest.to_text(), Path::new("manifest")).expect("ok");
    let again = mine_again(repo.path(), &manifest, &mut symbols_of).expect("mined again");
    assert_eq!(text(&again), text(&mined.topics));
}

#[test]
fn a_manifest_of_other_rules_is_refused() {
    let (repo, snapshot) = sample();
    let mut manifest = mined(&repo, &snapshot).manifest;
    manifest.filter_version += 1;
    let error = mine_again(repo.path(), &manifest, &mut symbols_of).expect_err("version");
    assert_eq!(
        error.to_string(),
        "manifest: filter_version is 2, and this program mines by version 1"
    );
}

#[test]
fn the_number_of_topics_can_be_limited() {
    let (repo, snapshot) = sample();
    let options = Options { max_topics: Some(1), ..Options::new("shop", &snapshot, "main") };
    let mined = mine(repo.path(), &options, &mut symbols_of).expect("mined");
    assert_eq!(mined.topics[0].query, "add shipping to the total");
    assert_eq!(mined.topics.len(), 1);
}

#[test]
fn merged_branches_are_looked_into_on_the_full_history_only() {
    let (mut repo, snapshot) = sample();
    repo.git(&["checkout", "--quiet", "-b", "side", &snapshot]);
    repo.commit(
        "Round the total to cents",
        &[("src/cart.ts", Some(&CART.replace("return 1", "return 11")))],
    );
    repo.git(&["checkout", "--quiet", "main"]);
    repo.n_commits += 1;
    repo.git(&[
        "merge",
        "--quiet",
        "--no-ff",
        "--strategy-option=ours",
        "--message",
        "Merge the side branch",
        "side",
    ]);
    let n_topics = |history| {
        let options = Options { history, ..Options::new("shop", &snapshot, "main") };
        let mined = mine(repo.path(), &options, &mut symbols_of).expect("mined");
        assert_eq!(mined.skipped[&Skip::Merge], 1);
        mined.topics.len()
    };
    assert_eq!(n_topics(mine::History::FirstParent), 2);
    assert_eq!(n_topics(mine::History::Full), 3);
}

#[test]
fn an_unknown_revision_is_an_error_that_names_it() {
    let (repo, _) = sample();
    let options = Options::new("shop", "no-such-revision", "main");
    let error = mine(repo.path(), &options, &mut symbols_of).expect_err("unknown").to_string();
    assert!(error.contains("no-such-revision"), "{error}");
}

fn exported() -> (Repo, String, TempDir, PathBuf) {
    let (repo, snapshot) = sample();
    let folder = TempDir::new().expect("a folder");
    let tree = folder.path().join("tree");
    assert_eq!(export(repo.path(), &snapshot, &tree).expect("exported"), snapshot);
    (repo, snapshot, folder, tree)
}

#[test]
fn an_exported_tree_shows_the_history_up_to_the_snapshot_only() {
    let (repo, snapshot, _folder, tree) = exported();
    let visible = git_at(&tree, &["log", "--all", "--reflog", "--format=%H", "HEAD"], 0);
    assert_eq!(visible, snapshot);
    assert_eq!(git_at(&tree, &["rev-list", "HEAD"], 0), repo.git(&["rev-list", &snapshot]));
    assert_eq!(git_at(&tree, &["for-each-ref"], 0), "");
    assert_eq!(git_at(&tree, &["remote"], 0), "");
}

#[test]
fn an_exported_tree_holds_the_files_of_the_snapshot() {
    let (_repo, _, _folder, tree) = exported();
    assert_eq!(fs::read_to_string(tree.join("src/cart.ts")).expect("a file"), CART);
    assert!(!tree.join("src/a.ts").exists());
}

#[test]
fn a_tree_that_shows_later_commits_is_refused() {
    let (repo, snapshot, _folder, tree) = exported();
    let tip = repo.git(&["rev-parse", "main"]);
    git_at(&tree, &["update-ref", "refs/remotes/origin/main", &tip], 0);
    let error = check_snapshot(&tree, &snapshot).expect_err("a leak").to_string();
    assert!(error.ends_with(&format!("{tip} is visible and not part of the snapshot")), "{error}");
}

#[test]
fn a_tree_with_a_changed_or_new_file_is_refused() {
    let (_repo, snapshot, _folder, tree) = exported();
    fs::write(tree.join("README.md"), "touched\n").expect("a file");
    let error = check_snapshot(&tree, &snapshot).expect_err("a changed file").to_string();
    assert!(error.ends_with("the tree differs from the snapshot: M README.md"), "{error}");
    git_at(&tree, &["checkout", "--quiet", "--", "README.md"], 0);
    fs::write(tree.join("new.ts"), "new\n").expect("a file");
    let error = check_snapshot(&tree, &snapshot).expect_err("a new file").to_string();
    assert!(error.ends_with("the tree differs from the snapshot: ?? new.ts"), "{error}");
}

#[test]
fn a_tree_at_another_commit_is_refused() {
    let (repo, snapshot) = sample();
    let error = check_snapshot(repo.path(), &snapshot).expect_err("at main").to_string();
    assert!(error.contains("and not the snapshot"), "{error}");
}

#[test]
fn a_folder_that_is_not_empty_is_left_alone() {
    let (repo, snapshot, _folder, tree) = exported();
    let error = export(repo.path(), &snapshot, &tree).expect_err("not empty").to_string();
    assert!(error.starts_with("cannot write "), "{error}");
}
