//! The tools: what they answer, that they keep to the budget, and how they read their arguments.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::mcp_client::{Client, Reply};
use crate::mcp_roots::every_tool;
use crate::util::{World, project};
use reseek_mcp::tokens::{estimate, estimate_json};

/// A project with a class of five thousand lines, a bundle-like line, carriage returns, and many small files.
fn large() -> World {
    let world = project();
    let mut class =
        String::from("/** Everything about everything. */\nexport class Everything {\n");
    for i in 0..1_700 {
        let _ = write!(
            class,
            "  method{i}(token: string): number {{\n    return {i} + token.length;\n  }}\n"
        );
    }
    class.push_str("}\n");
    world.write("src/everything.ts", &class);
    let data = format!(
        "export const table = '{}';\nexport function afterTable() {{\n  return 1;\n}}\n{}",
        "x".repeat(3_000),
        "// a note\n".repeat(30)
    );
    world.write("src/table.ts", data);
    world.write("src/crlf.ts", "export function carriage() {\r\n  return 'é';\r\n}\r\n");
    for i in 0..60 {
        let text = format!("export function element{i}(e: Event) {{ return e; }}\n");
        world.write(&format!("src/many/element{i}.ts"), text);
    }
    world
}

/// Data has every field that its schema requires, and none that the schema does not know.
#[track_caller]
fn check_schema(schema: &Value, data: &Value) {
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(data.get(name.as_str().unwrap()).is_some(), "{name} is missing in {data}");
    }
    if let (Some(fields), Some(members)) = (schema["properties"].as_object(), data.as_object()) {
        for (name, value) in members {
            let field = fields.get(name).unwrap_or_else(|| panic!("{name} is not in {fields:?}"));
            check_schema(field, value);
        }
    }
    for item in data.as_array().into_iter().flatten() {
        check_schema(&schema["items"], item);
    }
}

#[test]
fn every_answer_is_as_its_schema_says() {
    let world = large();
    let mut client = Client::of(&world);
    let tools = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    for (tool, arguments) in every_tool() {
        let reply = client.get(tool, &arguments);
        let listed = tools.as_array().unwrap().iter().find(|listed| listed["name"] == tool);
        check_schema(&listed.unwrap()["outputSchema"], &reply.data);
    }
    client.finish();
}

/// Text and data are both within the budget.
#[track_caller]
fn check_budget(reply: &Reply, budget: usize) {
    let (text, data) = (estimate(&reply.text), estimate_json(&reply.data));
    assert!(text <= budget && data <= budget, "{text} and {data} of {budget}: {}", reply.text);
}

#[test]
fn every_answer_keeps_to_its_budget() {
    let world = large();
    let mut client = Client::of(&world);
    for budget in [500, 1_000, 3_000, 6_000] {
        for (tool, mut arguments) in [
            ("retrieve_context", json!({ "task": "everything about the token" })),
            ("search_code", json!({ "query": "e", "limit": 100 })),
            ("search_code", json!({ "query": "element", "limit": 100 })),
            ("outline", json!({ "path": "src/everything.ts" })),
            ("read_symbols", json!({ "targets": [{ "path": "src/everything.ts" }] })),
            (
                "read_symbols",
                json!({ "targets": [{ "path": "src/everything.ts", "symbol": "Everything" }] }),
            ),
        ] {
            if tool == "retrieve_context" && budget < 1_000 {
                let refused = client.invalid(tool, &json!({ "task": "a", "budget": budget }));
                assert!(refused.contains("`budget`"), "{refused}");
                continue;
            }
            arguments["budget"] = budget.into();
            let reply = client.get(tool, &arguments);
            check_budget(&reply, budget);
        }
    }
    let reply = client.get("find_symbol", &json!({ "name": "method", "limit": 100 }));
    check_budget(&reply, 6_000);
    client.finish();
}

#[test]
fn a_long_class_is_cut_between_lines_and_the_rest_can_be_read() {
    let world = large();
    let mut client = Client::of(&world);
    let target = json!({ "path": "src/everything.ts", "symbol": "Everything" });
    let reply = client.get("read_symbols", &json!({ "targets": [target], "budget": 1_000 }));
    let piece = &reply.data["pieces"][0];
    assert_eq!(piece["complete"], false);
    let (start, end) = (piece["start_line"].as_u64().unwrap(), piece["end_line"].as_u64().unwrap());
    assert_eq!(start, 1, "the doc comment is a part of it");
    let text = piece["text"].as_str().unwrap();
    assert_eq!(text.lines().count() as u64, end - start + 1);
    assert!(text.ends_with('\n'), "{text}");
    let note = piece["note"].as_str().unwrap();
    assert!(note.contains(&format!("start_line {}", end + 1)), "{note}");
    let rest = json!({ "path": "src/everything.ts", "start_line": end + 1, "end_line": end + 3 });
    let reply = client.get("read_symbols", &json!({ "targets": [rest] }));
    let piece = &reply.data["pieces"][0];
    assert_eq!((&piece["start_line"], &piece["complete"]), (&json!(end + 1), &json!(true)));
    client.finish();
}

#[test]
fn the_source_that_is_read_is_that_on_disk() {
    let world = large();
    let mut client = Client::of(&world);
    let targets = json!([
        { "path": "src/auth/token.ts", "symbol": "isTokenExpired" },
        { "path": "src/crlf.ts" },
        { "path": "src/table.ts", "start_line": 1, "end_line": 2 },
    ]);
    let reply = client.get("read_symbols", &json!({ "targets": targets }));
    let texts: Vec<&str> = reply.data["pieces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| piece["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts[0],
        "3\t/** Checks whether an access token has expired. */\n\
         4\texport function isTokenExpired(token: Token, clock: Clock): boolean {\n\
         5\t  return token.expiresAt <= clock.now();\n6\t}\n"
    );
    assert_eq!(texts[1], "1\texport function carriage() {\n2\t  return 'é';\n3\t}\n");
    assert_eq!(texts[2], "1\t... a line of 3,024 bytes\n2\texport function afterTable() {\n");
    assert_eq!(reply.data["pieces"][2]["complete"], false);
    client.finish();
}

#[test]
fn a_target_that_is_not_there_is_told_beside_the_others() {
    let world = project();
    let mut client = Client::of(&world);
    let targets = json!([
        { "path": "src/clock.ts", "symbol": "Clock.now" },
        { "path": "src/clock.ts", "symbol": "Watch" },
        { "path": "src/clock.ts", "start_line": 90 },
        { "path": "src/nothing.ts" },
    ]);
    let reply = client.get("read_symbols", &json!({ "targets": targets }));
    let pieces = reply.data["pieces"].as_array().unwrap();
    assert_eq!(pieces[0]["text"], "2\t  now(): number;\n");
    for (piece, note) in [
        (&pieces[1], "no symbol `Watch`"),
        (&pieces[2], "The file has 3 lines"),
        (&pieces[3], "not an indexed file"),
    ] {
        assert_eq!(piece["complete"], false);
        assert!(piece["note"].as_str().unwrap().contains(note), "{piece}");
    }
    client.finish();
}

#[test]
fn the_context_of_a_task_holds_the_source_and_names_what_is_missing() {
    let world = project();
    let mut client = Client::of(&world);
    let reply = client.get(
        "retrieve_context",
        &json!({ "task": "Fix isTokenExpired in token.ts", "budget": 2_000 }),
    );
    assert_eq!(reply.data["files"][0]["path"], "src/auth/token.ts", "{reply:?}");
    assert_eq!(reply.data["files"][0]["shown"], true);
    let context = reply.data["context"].as_str().unwrap();
    assert!(context.contains("5\t  return token.expiresAt <= clock.now();\n"), "{context}");
    assert!(reply.text.contains(context), "the text holds the same source");
    assert_eq!(reply.data["index"]["behind"], false);
    client.finish();
}

#[test]
fn known_and_excluded_files_are_left_out_and_patterns_narrow() {
    let world = project();
    let mut client = Client::of(&world);
    let paths = |client: &mut Client, extra: Value| -> Vec<String> {
        let mut arguments = json!({ "task": "isTokenExpired token session" });
        arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let reply = client.get("retrieve_context", &arguments);
        let files = reply.data["files"].as_array().unwrap().clone();
        files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect()
    };
    let all = paths(&mut client, json!({}));
    assert!(all.contains(&"src/auth/token.ts".to_owned()), "{all:?}");
    for extra in [
        json!({ "known_files": ["src/auth/token.ts"] }),
        json!({ "excludes": ["**/token.ts"] }),
        json!({ "patterns": ["src/auth/session.ts"] }),
    ] {
        let narrowed = paths(&mut client, extra);
        assert!(!narrowed.contains(&"src/auth/token.ts".to_owned()), "{narrowed:?}");
    }
    client.finish();
}

#[test]
fn an_answer_is_gone_on_from_without_the_files_that_it_gave() {
    let world = project();
    let mut client = Client::of(&world);
    let first =
        client.get("retrieve_context", &json!({ "task": "Fix isTokenExpired in token.ts" }));
    let id = first.data["answer_id"].as_str().unwrap();
    let given: Vec<&Value> =
        first.data["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert!(!given.is_empty());
    let arguments = json!({
        "continue_from": id,
        "useful": ["src/auth/token.ts"],
        "not_useful": ["src/never.ts"],
    });
    let second = client.get("retrieve_context", &arguments);
    assert_ne!(second.data["answer_id"], id);
    for file in second.data["files"].as_array().unwrap() {
        assert!(!given.contains(&&file["path"]), "{second:?}");
    }
    assert!(second.text.contains("`src/never.ts` is no file of answer"), "{}", second.text);
    let unknown = client.refused("retrieve_context", &json!({ "continue_from": "a99" }));
    assert!(unknown.contains("`a99`") && unknown.contains("ask anew"), "{unknown}");
    client.finish();
}

#[test]
fn a_task_that_nothing_is_relevant_for_is_given_what_is_nearest_and_told() {
    let world = project();
    let mut client = Client::of(&world);
    let reply =
        client.get("retrieve_context", &json!({ "task": "payment of invoices by sessions" }));
    assert_eq!(reply.data["below_threshold"], true, "{reply:?}");
    assert!(reply.text.starts_with("No file is clearly relevant"), "{}", reply.text);
    client.finish();
}

#[test]
fn a_definition_comes_first_with_the_number_of_files_that_use_it() {
    let world = project();
    let mut client = Client::of(&world);
    let reply = client.get("find_symbol", &json!({ "name": "isTokenExpired" }));
    let first = &reply.data["symbols"][0];
    assert_eq!(first["path"], "src/auth/token.ts");
    assert_eq!((&first["start_line"], &first["end_line"]), (&json!(4), &json!(6)));
    assert_eq!((&first["kind"], &first["exported"]), (&json!("function"), &json!(true)));
    assert_eq!(first["n_references"], 1, "session.ts uses it");
    let members = client.get("find_symbol", &json!({ "name": "Clock.now" }));
    assert_eq!(members.data["symbols"][0]["path"], "src/clock.ts");
    let kinds = client.get("find_symbol", &json!({ "name": "Clock", "kind": "class" }));
    assert_eq!(kinds.data["symbols"], json!([]));
    client.finish();
}

#[test]
fn an_empty_answer_says_what_was_searched_and_what_to_do() {
    let world = project();
    world.write("assets/large.bin.ts", [0_u8, 1, 2, 3].repeat(100));
    let mut client = Client::of(&world);
    let reply = client.get("search_code", &json!({ "query": "kubernetes" }));
    assert!(reply.text.contains("5 files") && reply.text.contains("1 binary"), "{}", reply.text);
    assert!(
        reply.text.contains("retrieve_context") && reply.text.contains("grep"),
        "{}",
        reply.text
    );
    let reply = client.get("find_symbol", &json!({ "name": "Kubernetes" }));
    assert!(reply.text.contains("search_code") && reply.text.contains("grep"), "{}", reply.text);
    client.finish();
}

#[test]
fn phrases_and_filters_work_as_on_the_command_line() {
    let world = project();
    let mut client = Client::of(&world);
    let reply = client.get("search_code", &json!({ "query": "\"access token has expired\"" }));
    assert_eq!(reply.data["hits"][0]["path"], "src/auth/token.ts", "{reply:?}");
    let reply = client.get("search_code", &json!({ "query": "kind:class" }));
    assert_eq!(reply.data["hits"][0]["name"], "Session", "{reply:?}");
    let refused = client.refused("search_code", &json!({ "query": "kind:nonsense" }));
    assert!(refused.contains("nonsense"), "{refused}");
    client.finish();
}

#[test]
fn numbers_are_taken_in_every_spelling() {
    let world = large();
    let mut client = Client::of(&world);
    for limit in [json!(3), json!(3.0), json!("3")] {
        let reply = client.get("search_code", &json!({ "query": "element", "limit": limit }));
        assert_eq!(reply.data["hits"].as_array().unwrap().len(), 3, "{limit}");
    }
    client.finish();
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let world = project();
    let mut client = Client::of(&world);
    for value in [json!(-1), json!(0), json!(1.5), json!(true), json!(null), json!([3])] {
        let message = client.invalid("search_code", &json!({ "query": "a", "limit": value }));
        assert!(message.contains("`limit`"), "{value}: {message}");
    }
    for (tool, arguments, named) in [
        ("search_code", json!({}), "`query`"),
        ("search_code", json!({ "query": "  " }), "`query`"),
        ("search_code", json!({ "query": 3 }), "`query`"),
        ("search_code", json!({ "query": "a", "limits": 3 }), "`limits`"),
        ("retrieve_context", json!({}), "`task`"),
        ("retrieve_context", json!({ "task": "a", "patterns": "src" }), "`patterns`"),
        ("retrieve_context", json!({ "task": "a", "patterns": [1] }), "`patterns[0]`"),
        ("retrieve_context", json!({ "task": "x".repeat(30_000) }), "`task`"),
        ("find_symbol", json!({ "name": "a", "kind": "struct" }), "`kind`"),
        ("find_symbol", json!({ "name": "a", "exported": "yes" }), "`exported`"),
        ("read_symbols", json!({ "targets": [] }), "`targets`"),
        ("read_symbols", json!({ "targets": [{ "symbol": "a" }] }), "`targets[0].path`"),
        ("read_symbols", json!({ "targets": [{ "path": "a", "start_line": 0 }] }), "start_line"),
    ] {
        let message = client.invalid(tool, &arguments);
        assert!(message.contains(named), "{tool} {named}: {message}");
    }
    client.finish();
}

#[test]
fn a_number_above_its_maximum_is_lowered_and_told() {
    let world = project();
    let mut client = Client::of(&world);
    let reply = client.get("search_code", &json!({ "query": "token", "limit": 1e9 }));
    let note = "`limit` was lowered to its maximum, 100";
    assert_eq!(reply.data["index"]["notes"], json!([note]));
    assert!(reply.text.contains(note), "{}", reply.text);
    client.finish();
}
