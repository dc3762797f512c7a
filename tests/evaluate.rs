//! `reseek eval` from outside: the same suite gives the same bytes, a corpus that moved or that knows the answers is refused,
//! and quality and cost stand apart.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::util::{Run, World, project, repository};

/// Files that tell of times; all others must not differ between two runs.
const OF_TIMES: [&str; 3] = ["cost.csv", "machine.txt", "report.json"];

/// A repository with two commits after its snapshot, each of which makes a topic, and what was mined from it.
struct Lab {
    world: World,
}

impl Lab {
    fn new() -> Self {
        let world = project();
        let lab = Self { world };
        lab.git(&["init", "--quiet", "--initial-branch=main"]);
        lab.commit("Add tokens and sessions");
        lab.edit("src/auth/token.ts", "expiresAt <= clock.now()", "expiresAt < clock.now()");
        lab.commit("Keep a token alive until the very second of its expiry");
        lab.edit("src/auth/session.ts", "this.renew()", "this.renewQuietly()");
        lab.commit("Refresh the token of a session without asking the user");
        lab
    }

    fn git(&self, args: &[&str]) {
        self.world.git(&self.world.root(), args);
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        edit(&self.world.root().join(path), from, to);
    }

    fn run(&self, args: &[&str]) -> Run {
        self.world.run_in(&self.world.beside("home"), args)
    }

    fn mine(&self, out: &str) -> PathBuf {
        let out = self.world.beside(out);
        let (root, folder) = (self.world.root(), text(&out));
        let args =
            ["eval", "mine", "--repo", &text(&root), "--name", "shop", "--snapshot", "HEAD~2"];
        self.run(&[&args[..], &["--out", &folder]].concat()).expect(0);
        out
    }

    /// Runs a suite file with further arguments into a folder.
    fn measure(&self, suite: &Path, out: &str, more: &[&str]) -> Run {
        let out = text(&self.world.beside(out));
        let suite = text(suite);
        self.run(&[&["eval", "run", suite.as_str(), "--out", &out][..], more].concat())
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn edit(path: &Path, from: &str, to: &str) {
    let before = fs::read_to_string(path).unwrap();
    assert!(before.contains(from), "{from} is not in {}", path.display());
    fs::write(path, before.replace(from, to)).unwrap();
}

/// Adds another program to a suite.
fn add_external(suite: &Path, name: &str, command: &[&str]) {
    let before = fs::read_to_string(suite).unwrap();
    let system =
        format!("\n[[systems]]\nname = '{name}'\nkind = 'external'\ncommand = {command:?}\n");
    fs::write(suite, before + &system).unwrap();
}

/// All files below a folder but the indexes, by relative path.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for name in ["", "runs"] {
        for entry in fs::read_dir(folder.join(name)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let key = text(path.strip_prefix(folder).unwrap());
                found.insert(key, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

/// Rows of a CSV without quotes, by column name.
fn rows(csv: &str) -> Vec<BTreeMap<&str, &str>> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    lines.map(|cells| header.iter().copied().zip(cells).collect()).collect()
}

#[test]
fn a_suite_measured_twice_gives_the_same_bytes_and_a_touched_file_changes_nothing() {
    let lab = Lab::new();
    let suite = lab.mine("mined").join("suite.toml");
    lab.measure(&suite, "first", &[]).expect(0);
    let file = lab.world.beside("mined/snapshot/src/auth/token.ts");
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, bytes).unwrap();
    lab.measure(&suite, "second", &[]).expect(0);
    let (first, second) = (files(&lab.world.beside("first")), files(&lab.world.beside("second")));
    assert!(first.keys().eq(second.keys()) && first.len() > 10);
    for (name, text) in first.iter().filter(|(name, _)| !OF_TIMES.contains(&name.as_str())) {
        assert_eq!(text, &second[name], "{name}");
    }
}

#[test]
fn a_corpus_that_differs_from_its_revision_is_refused_before_anything_is_measured() {
    let lab = Lab::new();
    let suite = lab.mine("mined").join("suite.toml");
    edit(&lab.world.beside("mined/snapshot/src/clock.ts"), "now()", "today()");
    let run = lab.measure(&suite, "out", &[]).expect(2);
    assert!(run.stderr.contains("src/clock.ts is not as in"), "{}", run.stderr);
    assert!(!lab.world.beside("out").exists());
}

#[test]
fn a_corpus_pinned_by_a_hash_is_refused_when_a_byte_differs() {
    let lab = Lab::new();
    let suite = lab.world.beside("suite.toml");
    fs::write(
        &suite,
        "name = 's'\ntopics = 't.jsonl'\nmeasures = ['RR']\n[[corpora]]\nname = 'shop'\npath = 'root'\nhash = 'x'\n\
         [[systems]]\nname = 'a'\nkind = 'bm25'\n",
    )
    .unwrap();
    let topic = "{\"repo\": \"shop\", \"id\": \"1\", \"query\": \"clock\", \"relevant\": [\"src/clock.ts\"]}\n";
    fs::write(lab.world.beside("t.jsonl"), topic).unwrap();
    let run = lab.measure(&suite, "out", &["--json"]).expect(2);
    let message = run.json()["error"]["message"].as_str().unwrap().to_owned();
    let hash = message.split("has the hash ").nth(1).unwrap().split(',').next().unwrap();
    edit(&suite, "'x'", &format!("'{hash}'"));
    lab.measure(&suite, "out", &[]).expect(0);
    lab.edit("src/color.ts", "red", "blue");
    lab.measure(&suite, "out", &[]).expect(2);
}

#[test]
fn a_history_that_holds_the_commit_of_a_topic_is_refused() {
    let lab = Lab::new();
    let mined = lab.mine("mined");
    let tip = lab.world.beside("tip.toml");
    let suite = fs::read_to_string(mined.join("suite.toml")).unwrap();
    let snapshot = suite.split("revision = \"").nth(1).unwrap().split('"').next().unwrap();
    let head = fs::read_to_string(lab.world.root().join(".git/refs/heads/main")).unwrap();
    let uncut = suite
        .replace(snapshot, head.trim())
        .replace("path = \"snapshot\"", "path = \"root\"")
        .replace("topics.jsonl", "topics-of-tip.jsonl");
    fs::write(&tip, uncut).unwrap();
    let topics = fs::read_to_string(mined.join("topics.jsonl")).unwrap();
    fs::write(lab.world.beside("topics-of-tip.jsonl"), topics.replace(snapshot, head.trim()))
        .unwrap();
    let run = lab.measure(&tip, "out", &[]).expect(2);
    assert!(run.stderr.contains("was mined from, so the index knows the answer"), "{}", run.stderr);
    lab.measure(&mined.join("suite.toml"), "out", &[]).expect(0);
}

#[test]
fn the_message_of_a_later_commit_cannot_be_found_in_the_snapshot() {
    let lab = Lab::new();
    // A word that stands in the message of a later commit and nowhere else.
    lab.edit("src/color.ts", "green", "lime");
    lab.commit("Prefer the xylophone palette over the plain one");
    let root = text(&lab.world.root());
    let out = text(&lab.world.beside("mined"));
    lab.run(&[
        "eval",
        "mine",
        "--repo",
        &root,
        "--name",
        "shop",
        "--snapshot",
        "HEAD~2",
        "--out",
        &out,
    ])
    .expect(0);
    let search = |root: &str| lab.run(&["search", "xylophone", "--root", root]).code;
    let retrieve = |root: &str| {
        let run = lab.run(&["retrieve", "xylophone", "--root", root, "--threshold", "0", "--json"]);
        run.json()["results"].as_array().unwrap().len()
    };
    assert_eq!((search(&root), retrieve(&root)), (1, 1), "the uncut history speaks of one file");
    let snapshot = format!("{out}/snapshot");
    assert_eq!((search(&snapshot), retrieve(&snapshot)), (1, 0));
}

#[test]
fn the_output_says_all_that_a_repetition_needs() {
    let lab = Lab::new();
    let mined = lab.mine("mined");
    lab.measure(&mined.join("suite.toml"), "out", &[]).expect(0);
    let written = files(&lab.world.beside("out"));
    let summary: Value = serde_json::from_str(&written["summary.json"]).unwrap();
    let provenance = &summary["provenance"];
    let snapshot = &provenance["corpora"][0]["revision"];
    assert!(
        fs::read_to_string(mined.join("manifest.json"))
            .unwrap()
            .contains(snapshot.as_str().unwrap())
    );
    assert_eq!(provenance["corpora"][0]["path"], "snapshot");
    assert!(provenance["topics"].as_str().unwrap().starts_with("topics (blake3 "));
    assert!(provenance["version"].as_str().unwrap().contains(env!("CARGO_PKG_VERSION")));
    assert!(written["topics.jsonl"].contains("Refresh the token of a session"));
    assert!(written["qrels.txt"].contains("src/auth/session.ts 1"));
    for system in summary["systems"].as_array().unwrap() {
        assert!(system["settings"].as_str().unwrap().contains("depth 50"));
        assert_eq!(system["n_topics"], 2);
    }
    for (name, text) in &written {
        assert!(
            !text.contains(&self::text(&lab.world.root())),
            "{name} names a folder of this machine"
        );
    }
}

#[test]
fn quality_and_cost_stand_apart_and_a_grep_is_compared_by_both() {
    let lab = Lab::new();
    let suite = lab.mine("mined").join("suite.toml");
    let script = text(&repository().join("eval/baselines/grep"));
    add_external(&suite, "grep", &["sh", &script, "{task}", "{limit}"]);
    lab.measure(&suite, "out", &[]).expect(0);
    let written = files(&lab.world.beside("out"));
    let costs = rows(&written["cost.csv"]);
    let grep = costs.iter().find(|row| row["system"] == "grep").unwrap();
    assert_eq!((grep["calls"], grep["samples"]), ("2", "2"));
    for row in &costs {
        assert!(row["tokens"].parse::<u64>().unwrap() > 0, "{row:?}");
        assert!(row["tokens_per_relevant_file"].parse::<f64>().unwrap() > 0.0, "{row:?}");
    }
    assert!(rows(&written["per-topic.csv"]).iter().all(|row| !row.contains_key("tokens")));
    let out = text(&lab.world.beside("out"));
    let args = ["eval", "compare", &out, &out, "--baseline-system", "grep", "--system", "loop-3"];
    let compared = lab.run(&args).expect(0).stdout;
    assert!(
        compared.contains("loop-3 against grep") && compared.contains("win/tie/loss"),
        "{compared}"
    );
}

#[test]
fn per_topic_values_are_those_of_the_written_ranking() {
    let lab = Lab::new();
    let suite = lab.mine("mined").join("suite.toml");
    lab.measure(&suite, "out", &[]).expect(0);
    let written = files(&lab.world.beside("out"));
    let topics: Vec<Value> =
        written["topics.jsonl"].lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in rows(&written["per-topic.csv"]) {
        let run = &written[&format!("runs/{}.tsv", row["system"])];
        let ranking: Vec<&str> = run
            .lines()
            .map(|line| line.split('\t').collect::<Vec<_>>())
            .filter(|cells| cells[1] == row["id"])
            .map(|cells| cells[3])
            .collect();
        let topic = topics.iter().find(|topic| topic["id"] == row["id"]).unwrap();
        let relevant: Vec<&str> = topic["relevant"]
            .as_array()
            .unwrap()
            .iter()
            .map(|path| path.as_str().unwrap())
            .collect();
        let hits: Vec<bool> = ranking.iter().map(|path| relevant.contains(path)).collect();
        let discount = |i: usize| 1.0 / (i as f64 + 2.0).log2();
        let gain: f64 = (0..hits.len().min(10)).filter(|&i| hits[i]).map(discount).sum();
        let ideal: f64 = (0..relevant.len().min(10)).map(discount).sum();
        let found = hits.iter().take(10).filter(|hit| **hit).count() as f64;
        let first = hits.iter().position(|hit| *hit);
        for (measure, expected) in [
            ("nDCG@10", gain / ideal),
            ("R@10", found / relevant.len() as f64),
            ("RR", first.map_or(0.0, |i| 1.0 / (i + 1) as f64)),
        ] {
            let value: f64 = row[measure].parse().unwrap();
            assert!((value - expected).abs() < 1e-6, "{row:?}: {measure} {expected}");
        }
    }
}

#[test]
fn mining_twice_gives_the_same_bytes_and_the_manifest_mines_them_again() {
    let lab = Lab::new();
    let (first, second) = (lab.mine("first"), lab.mine("second"));
    let topics = |folder: &Path| fs::read(folder.join("topics.jsonl")).unwrap();
    assert_eq!(topics(&first), topics(&second));
    let root = text(&lab.world.root());
    let manifest = text(&first.join("manifest.json"));
    let third = text(&lab.world.beside("third"));
    lab.run(&["eval", "mine", "--repo", &root, "--manifest", &manifest, "--out", &third]).expect(0);
    assert_eq!(topics(&first), topics(Path::new(&third)));
}

#[test]
fn mined_topics_name_the_changed_symbols() {
    let lab = Lab::new();
    let topics = fs::read_to_string(lab.mine("mined").join("topics.jsonl")).unwrap();
    assert!(topics.contains("src/auth/token.ts#isTokenExpired"), "{topics}");
    assert!(topics.contains("src/auth/session.ts#Session.refreshToken"), "{topics}");
}

#[test]
fn a_history_without_a_task_says_why_each_commit_is_none() {
    let lab = Lab::new();
    let root = text(&lab.world.root());
    let out = text(&lab.world.beside("none"));
    lab.edit("src/color.ts", "red", "blue");
    lab.commit("wip");
    let run = lab
        .run(&["eval", "mine", "--repo", &root, "--snapshot", "HEAD~1", "--out", &out])
        .expect(2);
    assert!(run.stderr.contains("1 Subject"), "{}", run.stderr);
}

#[test]
fn a_report_is_one_page_with_its_plots() {
    let lab = Lab::new();
    let suite = lab.mine("mined").join("suite.toml");
    lab.measure(&suite, "out", &[]).expect(0);
    let out = text(&lab.world.beside("out"));
    let page = text(&lab.world.beside("page.html"));
    lab.run(&["eval", "report", &out, "-o", &page]).expect(0);
    let html = fs::read_to_string(page).unwrap();
    assert!(html.matches("<svg").count() >= 5, "quality, cycles, tokens, latency, calibration");
    assert!(!html.contains("<script") && !html.contains("http://") && !html.contains("https://"));
}

#[test]
fn features_have_a_row_per_judged_file_in_the_columns_of_the_ranker() {
    let lab = Lab::new();
    let suite = text(&lab.mine("mined").join("suite.toml"));
    let table = text(&lab.world.beside("features.tsv"));
    let run = lab.run(&["eval", "features", &suite, "--out", &table, "--json"]).expect(0).json();
    let tsv = fs::read_to_string(&table).unwrap();
    let model = fs::read_to_string(repository().join("crates/query/model/ranker.txt")).unwrap();
    let names = model.lines().find_map(|line| line.strip_prefix("features ")).unwrap();
    let header = format!("repo\tid\tpath\tlabel\t{}", names.replace(' ', "\t"));
    assert_eq!(tsv.lines().next().unwrap(), header);
    assert_eq!(run["n_rows"].as_u64().unwrap() as usize, tsv.lines().count() - 1);
    let relevant: Vec<&str> = tsv.lines().filter(|line| line.contains("\t1\t")).collect();
    assert!(relevant.iter().any(|line| line.contains("\tsrc/auth/token.ts\t1\t")), "{relevant:?}");
}

#[test]
fn tuning_prints_the_table_and_the_figure_that_was_held_out() {
    let world = project();
    let suite = text(&repository().join("eval/gate/suite.toml"));
    let indexes = text(&world.beside("indexes"));
    let args =
        ["eval", "tune", &suite, "--index-dir", &indexes, "--weight", "k1", "--steps", "0.4"];
    let run = world.run(&args).expect(0);
    assert!(run.stdout.starts_with("k1 = "), "{}", run.stdout);
    assert!(
        run.stdout.contains("held out") && run.stdout.contains("without lending"),
        "{}",
        run.stdout
    );
    let json = world.run(&[&args[..], &["--json"]].concat()).expect(0).json();
    assert_eq!(json["result"]["folds"].as_array().unwrap().len(), 2);
}

#[test]
fn the_committed_figures_of_the_gate_are_those_of_this_program() {
    let world = project();
    let suite = text(&repository().join("eval/gate/suite.toml"));
    let out = text(&world.beside("out"));
    let run = world.run(&["eval", "gate", &suite, "--out", &out]);
    assert_eq!(
        run.code, 0,
        "ranking changed; look at it, then `reseek eval gate eval/gate/suite.toml --update`\n{}",
        run.stdout
    );
}

#[test]
fn the_gate_shows_a_change_of_a_topic_and_a_broken_floor() {
    let world = project();
    let gate = repository().join("eval/gate");
    let committed = fs::read_to_string(gate.join("per-topic.csv")).unwrap();
    let row = committed.lines().nth(1).unwrap();
    let (key, _) = row.rsplit_once(',').unwrap();
    let other = world.beside("committed.csv");
    fs::write(&other, committed.replace(row, &format!("{key},0.123456"))).unwrap();
    let suite = world.beside("suite.toml");
    let mut strict = fs::read_to_string(gate.join("suite.toml")).unwrap();
    strict = strict.replace("topics = \"", &format!("topics = \"{}/", text(&gate)));
    strict.push_str("\n[[floors]]\nsystem = \"bm25\"\nmeasure = \"RR\"\nat_least = 1.0\n");
    fs::write(&suite, strict).unwrap();
    let (suite, other, out) = (text(&suite), text(&other), text(&world.beside("out")));
    let corpora = text(&gate);
    let args =
        ["eval", "gate", &suite, "--corpora", &corpora, "--committed", &other, "--out", &out];
    let run = world.run(&args).expect(1);
    assert!(run.stdout.contains("Judged@10: 0.123456 -> "), "{}", run.stdout);
    assert!(run.stdout.contains("floor   bm25 RR"), "{}", run.stdout);
    assert!(run.stdout.contains("1 values differ, 1 floors broken"), "{}", run.stdout);
}

#[test]
fn a_suite_that_names_an_unknown_origin_or_a_missing_corpus_says_so() {
    let lab = Lab::new();
    let suite = lab.mine("mined").join("suite.toml");
    edit(&suite, "[\"lexicon\"]", "[\"lexikon\"]");
    let run = lab.measure(&suite, "out", &[]).expect(2);
    assert!(run.stderr.contains("there is no origin `lexikon`"), "{}", run.stderr);
    edit(&suite, "[\"lexikon\"]", "[\"lexicon\"]");
    let run = lab.measure(&suite, "out", &["--corpora", "elsewhere"]).expect(2);
    assert!(run.stderr.contains("there is no folder"), "{}", run.stderr);
}

#[test]
fn an_external_program_that_fails_is_an_error_and_one_that_finds_nothing_is_an_answer() {
    let lab = Lab::new();
    let suite = lab.mine("mined").join("suite.toml");
    add_external(&suite, "nothing", &["sh", "-c", "exit 1", "{task}"]);
    lab.measure(&suite, "out", &["--system", "nothing"]).expect(0);
    let written = files(&lab.world.beside("out"));
    for row in rows(&written["per-topic.csv"]) {
        assert_eq!(row["nDCG@10"], "0.000000", "{row:?}");
    }
    add_external(&suite, "broken", &["sh", "-c", "echo no such thing >&2; exit 3", "{task}"]);
    let run = lab.measure(&suite, "out", &["--system", "broken"]).expect(2);
    assert!(run.stderr.contains("no such thing"), "{}", run.stderr);
}

#[test]
fn paths_of_an_external_program_that_lead_to_no_file_are_told() {
    let lab = Lab::new();
    let suite = lab.mine("mined").join("suite.toml");
    add_external(&suite, "wild", &["printf", "%s\\n", "src/clock.ts", "{task}"]);
    let run = lab.measure(&suite, "out", &["--system", "wild"]).expect(0);
    assert!(run.stderr.contains("wild: 2 paths in its rankings lead to no file"), "{}", run.stderr);
}

#[test]
fn a_longer_text_is_part_of_the_task_only_when_asked_for() {
    let world = project();
    let suite = world.beside("suite.toml");
    let gate = repository().join("eval/gate");
    let text_of = fs::read_to_string(gate.join("suite.toml")).unwrap();
    fs::write(&suite, text_of.split("\n# Below these").next().unwrap()).unwrap();
    let topic = "{\"repo\": \"courier\", \"id\": \"1\", \"query\": \"it is slow\", \"body\": \"The circuit breaker opens too late.\", \
                 \"relevant\": [\"packages/core/src/breaker.ts\"]}\n";
    fs::write(world.beside("topics.jsonl"), topic).unwrap();
    let (suite, corpora) = (text(&suite), text(&gate));
    let value = |out: &str, task: &str| {
        let out = text(&world.beside(out));
        let args = [
            "eval",
            "run",
            &suite,
            "--corpora",
            &corpora,
            "--corpus",
            "courier",
            "--task",
            task,
            "--out",
            &out,
        ];
        let json = world.run(&[&args[..], &["--json"]].concat()).expect(0).json();
        json["summary"]["systems"][2]["means"][0]["macro_mean"].as_f64().unwrap()
    };
    assert!(value("short", "query") < 0.5);
    assert!((value("long", "query+body") - 1.0).abs() < 1e-9);
}
