//! `search`, `retrieve`, `symbols` and `outline` as people and editors see them.

use crate::util::project;

#[test]
fn retrieve_names_file_reason_and_symbols() {
    let run = project()
        .run(&["retrieve", "fix the access token expiry check", "--threshold", "0.3"])
        .expect(0);
    assert!(run.lines()[0].ends_with("src/auth/token.ts"), "{}", run.stdout);
    assert!(run.stdout.contains("4-6  function isTokenExpired"), "{}", run.stdout);
    assert!(run.stdout.contains("index generation 1"), "{}", run.stdout);
}

#[test]
fn a_trace_shows_each_cycle_with_the_origin_of_its_terms() {
    let run =
        project().run(&["retrieve", "token expired", "--threshold", "0.3", "--trace"]).expect(0);
    assert!(run.stdout.starts_with("cycle 1: "), "{}", run.stdout);
    assert!(run.stdout.contains("(task)"), "{}", run.stdout);
}

#[test]
fn a_task_can_come_from_standard_input() {
    let world = project();
    world.run(&["index"]).expect(0);
    let task = world.beside("task.txt");
    std::fs::write(&task, "check whether an access token has expired\n").unwrap();
    let mut command =
        world.command(&world.root(), &["retrieve", "-", "--format", "paths", "--threshold", "0.3"]);
    command.stdin(std::fs::File::open(task).unwrap());
    assert_eq!(crate::util::run(&mut command).expect(0).lines()[0], "src/auth/token.ts");
}

#[test]
fn patterns_and_excludes_bound_the_answer() {
    let world = project();
    let paths = |args: &[&str]| {
        let all = ["retrieve", "token session", "--threshold", "0", "--format", "paths"];
        world.run(&[&all, args].concat()).stdout
    };
    assert!(paths(&[]).contains("src/auth/session.ts"));
    assert_eq!(paths(&["--pattern", "src/auth/token.ts"]), "src/auth/token.ts\n");
    assert!(!paths(&["--exclude", "src/auth/session.ts"]).contains("session.ts"));
}

#[test]
fn the_limit_holds_and_the_rest_is_counted() {
    let world = project();
    let args = ["retrieve", "token session", "--threshold", "0", "--limit", "1", "--json"];
    let document = world.run(&args).expect(0).json();
    assert_eq!(document["results"].as_array().unwrap().len(), 1);
    assert!(document["n_cut"].as_u64().unwrap() > 0, "{document}");
}

#[test]
fn equal_questions_have_equal_answers_whatever_the_threads_and_the_order_of_indexing() {
    let files: Vec<(String, String)> = (0..30)
        .map(|i| (format!("src/helper{i:02}.ts"), "export function helperTool() {}\n".to_owned()))
        .collect();
    let world = crate::util::World::new(&[]);
    for (path, text) in files.iter().rev() {
        world.write(path, text);
    }
    let ask = |threads: &str| {
        let args = [
            "retrieve",
            "helper tool",
            "--threshold",
            "0",
            "--format",
            "vimgrep",
            "--threads",
            threads,
        ];
        world.run(&args).expect(0).stdout
    };
    let first = ask("1");
    assert_eq!(first.lines().count(), 20);
    for threads in ["8", "1", "3"] {
        world.run(&["index", "--force", "--threads", threads]).expect(0);
        assert_eq!(ask(threads), first);
    }
}

#[test]
fn editors_get_path_line_column_and_text() {
    let world = project();
    for args in [
        &["search", "isTokenExpired"][..],
        &["symbols", "isTokenExpired"],
        &["outline", "src/auth/token.ts"],
        &["retrieve", "token expired", "--threshold", "0.3"],
    ] {
        let run = world.run(&[args, &["--format", "vimgrep"]].concat()).expect(0);
        assert!(
            run.lines()
                .iter()
                .any(|line| line.starts_with("src/auth/token.ts:4:1:function isTokenExpired")),
            "{args:?}: {}",
            run.stdout
        );
    }
}

#[test]
fn symbols_are_filtered_by_kind_path_and_export() {
    let world = project();
    let names = |args: &[&str]| -> Vec<String> {
        let document = world.run(&[&["symbols", "--json"], args].concat()).json();
        let symbols = document["symbols"].as_array().unwrap().iter();
        symbols.map(|found| found["symbol"]["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["--kind", "class"]), ["Session"]);
    assert_eq!(names(&["--kind", "interface", "--path", "src/auth"]), ["Token"]);
    assert_eq!(names(&["Session"])[0], "Session");
    assert!(names(&["--exported"]).contains(&"palette".to_owned()));
}

#[test]
fn a_limit_of_symbols_says_that_there_are_more() {
    let document = project().run(&["symbols", "--limit", "1", "--json"]).expect(0).json();
    assert_eq!(document["symbols"].as_array().unwrap().len(), 1);
    assert_eq!(document["more"], true);
}

#[test]
fn an_outline_is_a_tree_with_lines() {
    let run = project().run(&["outline", "src/auth/session.ts"]).expect(0);
    assert_eq!(
        run.lines(),
        [
            "src/auth/session.ts",
            "        3-7  class Session",
            "        4-6    method refreshToken",
            "2 symbols"
        ]
    );
}

#[test]
fn an_outline_shows_the_file_as_it_is_now_and_needs_no_index() {
    let world = project();
    world.write("src/color.ts", "export class {\nexport function repaint() {}\n");
    let document = world.run(&["outline", "src/color.ts", "--json"]).expect(0).json();
    assert_eq!(document["symbols"].as_array().unwrap().last().unwrap()["name"], "repaint");
    assert!(!document["diagnostics"].as_array().unwrap().is_empty());
    assert!(!world.root().join(".reseek").exists());
}

#[test]
fn a_phrase_is_checked_against_the_text() {
    let world = project();
    world.run(&["search", "\"token.expiresAt <= clock.now()\""]).expect(0);
    world.run(&["search", "\"clock.now() token.expiresAt\""]).expect(1);
}

#[test]
fn a_query_after_an_edit_sees_the_edit() {
    let world = project();
    world.run(&["search", "repaintEverything"]).expect(1);
    world.write("src/color.ts", "export function repaintEverything() {}\n");
    world.run(&["search", "repaintEverything"]).expect(0);
    std::fs::remove_file(world.root().join("src/color.ts")).unwrap();
    world.run(&["search", "repaintEverything"]).expect(1);
}

#[test]
fn route_folders_with_brackets_are_taken_literally() {
    let world = crate::util::World::new(&[
        ("app/(auth)/sign-in/[[...slug]]/page.tsx", "export function SignIn() {}\n"),
        ("app/@modal/[id]/page.tsx", "export function Modal() {}\n"),
    ]);
    for (path, name) in [
        ("app/(auth)", "SignIn"),
        ("app/(auth)/sign-in/[[...slug]]/page.tsx", "SignIn"),
        ("app/@modal/[id]/page.tsx", "Modal"),
    ] {
        let run = world.run(&["symbols", "--path", path, "--json"]).expect(0);
        let document = run.json();
        assert_eq!(document["symbols"].as_array().unwrap().len(), 1, "{path}");
        assert_eq!(document["symbols"][0]["symbol"]["name"], name, "{path}");
        let file = document["symbols"][0]["path"].as_str().unwrap();
        world.run(&["outline", file]).expect(0);
        let explained = world.run(&["status", "--explain", file, "--json"]).expect(0).json();
        assert_eq!(explained["verdict"], "indexed", "{path}");
    }
}
