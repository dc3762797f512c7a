//! Context packs: never above the budget, no line cut, and what was left out is told.

use std::fmt::Write as _;
use std::fs;

use reseek_mcp::tokens;

use crate::util::{World, project};

/// The pack for a task, after a look at the cap and at the shape of its lines.
#[track_caller]
fn pack(world: &World, task: &str, budget: usize) -> String {
    let budget_text = budget.to_string();
    let args =
        ["retrieve", task, "--threshold", "0", "--format", "context", "--budget", &budget_text];
    let pack = world.run(&args).expect(0).stdout;
    let cost = tokens::estimate(&pack);
    assert!(cost <= budget, "{cost} is above {budget}");
    check_lines(world, &pack);
    pack
}

/// Every numbered line is that line of its file, whole.
#[track_caller]
fn check_lines(world: &World, pack: &str) {
    let mut lines: Vec<String> = Vec::new();
    for line in pack.lines() {
        if let Some(rest) = line.strip_prefix("## ") {
            let path = rest.split(" (").next().unwrap();
            let text = fs::read_to_string(world.root().join(path)).unwrap();
            lines = text.lines().map(str::to_owned).collect();
        } else if let Some((number, text)) = line.split_once('\t')
            && let Ok(number) = number.parse::<usize>()
            && !text.starts_with("... a line of ")
        {
            assert_eq!(text, lines[number - 1]);
        }
    }
}

/// A class of so many lines.
fn long_class(n_methods: usize) -> String {
    let mut text = "/** Keeps every rate limit. */\nexport class RateLimiter {\n".to_owned();
    for i in 0..n_methods {
        let _ = writeln!(
            text,
            "  limitRate{i}(request: Request): boolean {{\n    return request.count < {i};\n  }}"
        );
    }
    text + "}\n"
}

#[test]
fn a_pack_holds_header_reason_and_numbered_source() {
    let world = project();
    let pack = pack(&world, "access token expired", 8_000);
    assert!(pack.starts_with("# Context for: access token expired\n"), "{pack}");
    assert!(pack.contains("up to date"), "{pack}");
    assert!(pack.contains("## src/auth/token.ts ("), "{pack}");
    assert!(
        pack.contains(
            "\n4\texport function isTokenExpired(token: Token, clock: Clock): boolean {\n"
        ),
        "{pack}"
    );
}

#[test]
fn a_class_of_five_thousand_lines_stays_within_any_budget() {
    let world = World::new(&[
        ("src/limit.ts", &long_class(1_700)),
        ("src/b.ts", "export const rate = 1;\n"),
    ]);
    for budget in [300, 500, 1_000, 3_000, 8_000, 20_000] {
        let pack = pack(&world, "rate limiter", budget);
        assert!(pack.contains("src/limit.ts"), "{budget}: {pack}");
        assert!(pack.contains("Left out: "), "{budget}");
        assert!(pack.contains("  limitRate0(request: Request): boolean {"), "{budget}: {pack}");
    }
}

#[test]
fn a_long_symbol_gets_what_no_other_needs_and_its_rest_is_told() {
    let body: String =
        (0..800).fold(String::new(), |text, i| text + &format!("  record({i}, flags);\n"));
    let world = World::new(&[
        (
            "src/flush.ts",
            &format!("export function flushJournal(flags: Flags): void {{\n{body}}}\n"),
        ),
        ("src/other.ts", "export const journal = 1;\n"),
    ]);
    let pack = pack(&world, "flush journal", 3_000);
    assert!(tokens::estimate(&pack) > 2_900, "{pack}");
    assert!(pack.contains("the rest of 1 long symbol"), "{pack}");
    assert!(pack.contains("export const journal = 1;"), "the others have their turn first: {pack}");
}

#[test]
fn many_files_share_the_budget_best_first() {
    let files: Vec<(String, String)> = (0..40)
        .map(|i| {
            (
                format!("src/queue{i:02}.ts"),
                format!("export class JobQueue{i} {{\n{}}}\n", "  push() {}\n".repeat(100)),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::new(&files);
    for budget in [300, 600, 2_000, 8_000] {
        let pack = pack(&world, "job queue", budget);
        let n_files = pack.matches("\n## ").count();
        assert!(n_files >= 1, "{budget}");
        let named = pack.contains("Left out: ");
        assert!(named, "{budget}: {pack}");
    }
}

#[test]
fn a_broad_query_on_a_broad_tree_stays_within_the_default() {
    let files: Vec<(String, String)> = (0..300)
        .map(|i| {
            (
                format!("src/m{i}/e.ts"),
                format!("// e\nexport const e{i} = {{ e: '{}' }};\n", "e ".repeat(150)),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::new(&files);
    let args = ["retrieve", "e", "--threshold", "0", "--limit", "300", "--format", "context"];
    let run = world.run(&args);
    assert!(tokens::estimate(&run.stdout) <= 8_000);
}

#[test]
fn lines_of_data_are_left_out_whole_and_counted() {
    let data = format!(
        "export const table = '{}';\nexport function lookUp() {{\n  return table;\n}}\n",
        "x".repeat(900)
    );
    let world = World::new(&[("src/table.ts", &data)]);
    let pack = pack(&world, "look up table", 2_000);
    assert!(!pack.contains("xxxxxxxx"), "{pack}");
    assert!(pack.contains("1\t... a line of 924 bytes"), "{pack}");
    assert!(pack.contains("1 line over 400 bytes"), "{pack}");
    assert!(pack.contains("\n3\t  return table;\n"), "{pack}");
}

#[test]
fn a_file_that_changed_since_is_marked_and_its_lines_are_those_of_now() {
    let world = project();
    world.run(&["index"]).expect(0);
    let path = world.root().join("src/auth/token.ts");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("// one\n// two\n{text}")).unwrap();
    let args = [
        "retrieve",
        "access token expired",
        "--threshold",
        "0",
        "--format",
        "context",
        "--no-refresh",
    ];
    let pack = world.run(&args).expect(0).stdout;
    assert!(pack.contains("changed since it was indexed"), "{pack}");
    assert!(pack.contains("\n6\texport function isTokenExpired"), "{pack}");
    check_lines(&world, &pack);
}

#[test]
fn a_file_that_is_gone_is_told_and_not_shown() {
    let world = project();
    world.run(&["index"]).expect(0);
    fs::remove_file(world.root().join("src/auth/token.ts")).unwrap();
    let args = [
        "retrieve",
        "access token expired",
        "--threshold",
        "0",
        "--format",
        "context",
        "--no-refresh",
    ];
    let pack = world.run(&args).expect(0).stdout;
    assert!(pack.contains("not shown: it is gone"), "{pack}");
}

#[test]
fn a_long_task_and_a_long_root_leave_room_for_the_frame() {
    let world = project();
    let task = format!("token {}", "word ".repeat(2_000));
    let pack = pack(&world, &task, 300);
    assert!(pack.len() < 1_500, "{pack}");
}

#[test]
fn a_budget_that_holds_no_frame_is_refused() {
    let run =
        project().run(&["retrieve", "token", "--format", "context", "--budget", "10"]).expect(2);
    assert!(run.stderr.contains("300"), "{}", run.stderr);
}

#[test]
fn a_pack_without_results_says_so() {
    let run =
        project().run(&["retrieve", "quantum chromodynamics", "--format", "context"]).expect(1);
    assert!(run.stdout.contains("No file reached the threshold among 5 files"), "{}", run.stdout);
}
