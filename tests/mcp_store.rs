//! The index behind the tools: the first build, freshness, damage, and many servers on one root.

use std::fs;

use serde_json::{Value, json};

use crate::mcp::hold_lock;
use crate::mcp_client::Client;
use crate::mcp_roots::every_tool;
use crate::util::{World, project};

/// A server that waits for nothing.
fn impatient(world: &World) -> Client {
    let root = world.root();
    let mut client = Client::start(world, &["--wait", "0", "--root", root.to_str().unwrap()]);
    client.shake_hands(&json!({}));
    client
}

#[test]
fn while_the_index_is_being_built_every_tool_says_so_as_data() {
    let world = project();
    let lock = hold_lock(&world);
    let mut client = impatient(&world);
    for (tool, arguments) in every_tool() {
        let reply = client.get(tool, &arguments);
        let info =
            if tool == "index_status" { &reply.data["roots"][0] } else { &reply.data["index"] };
        assert_eq!(info["state"], "building", "{tool}: {reply:?}");
        assert!(info["building"]["total"].is_u64(), "{tool}: {reply:?}");
        assert!(reply.text.contains("Ask again") && reply.text.contains("grep"), "{}", reply.text);
    }
    drop(lock);
    let root = world.root();
    let mut patient = Client::start(&world, &["--wait", "100", "--root", root.to_str().unwrap()]);
    patient.shake_hands(&json!({}));
    let reply = patient.get("search_code", &json!({ "query": "Session" }));
    assert_eq!(reply.data["index"]["state"], "ready");
    patient.finish();
    client.finish();
}

#[test]
fn a_first_build_goes_on_between_calls_and_its_counts_only_grow() {
    let world = project();
    for i in 0..400 {
        world.write(&format!("src/many/f{i}.ts"), format!("export function many{i}() {{}}\n"));
    }
    let mut client = impatient(&world);
    let mut last = 0;
    loop {
        let reply = client.get("search_code", &json!({ "query": "many7" }));
        let info = &reply.data["index"];
        if info["state"] == "ready" {
            assert_eq!(reply.data["hits"][0]["path"], "src/many/f7.ts");
            break;
        }
        let done = info["building"]["done"].as_u64().unwrap();
        assert!(done >= last && done <= 405, "{done} after {last}");
        last = done;
    }
    client.finish();
}

#[test]
fn a_first_build_outlives_a_client_that_asks_once_and_goes() {
    let world = project();
    let mut client = impatient(&world);
    client.get("search_code", &json!({ "query": "Session" }));
    client.finish();
    assert!(world.root().join(".reseek/CURRENT").is_file());
}

#[test]
fn progress_is_told_to_who_asks_for_it_and_only_grows() {
    let world = project();
    for i in 0..3_000 {
        let text = format!(
            "/** Text {i}. */\nexport class Part{i} {{\n  run(a: string) {{ return a + {i}; }}\n}}\n"
        );
        world.write(&format!("src/parts/p{i}.ts"), text);
    }
    let root = world.root();
    let mut client = Client::start(&world, &["--wait", "100", "--root", root.to_str().unwrap()]);
    client.shake_hands(&json!({}));
    let params = json!({
        "name": "search_code",
        "arguments": { "query": "Part7" },
        "_meta": { "progressToken": "here" },
    });
    let answer = client.ask("tools/call", &params);
    assert_eq!(answer["result"]["structuredContent"]["hits"][0]["name"], "Part7");
    let mut last = 0.0;
    for message in &client.others {
        assert_eq!(message["method"], "notifications/progress", "{message}");
        assert_eq!(message["params"]["progressToken"], "here");
        let progress = message["params"]["progress"].as_f64().unwrap();
        assert!(progress > last, "{progress} after {last}");
        last = progress;
    }
    // A build of a second or two has no more notes than seconds.
    assert!(client.others.len() < 60, "{} notes", client.others.len());
    client.finish();
}

#[test]
fn an_edit_is_in_the_next_answer() {
    let world = project();
    let mut client = Client::of(&world);
    client.get("search_code", &json!({ "query": "Session" }));
    world.write("src/clock.ts", "export function brandNewClock() {}\n");
    let reply = client.get("find_symbol", &json!({ "name": "brandNewClock" }));
    assert_eq!(reply.data["symbols"][0]["path"], "src/clock.ts", "{reply:?}");
    assert_eq!(reply.data["index"]["behind"], false);
    fs::remove_file(world.root().join("src/clock.ts")).unwrap();
    let reply = client.get("find_symbol", &json!({ "name": "brandNewClock" }));
    assert_eq!(reply.data["symbols"], json!([]));
    client.finish();
}

#[test]
fn an_edit_that_cannot_be_indexed_now_is_told_and_its_lines_are_those_on_disk() {
    let world = project();
    let mut client = Client::of(&world);
    client.get("index_status", &json!({}));
    let lock = hold_lock(&world);
    world.write("src/clock.ts", "// one\n\nexport interface Clock {\n  later(): number;\n}\n");
    let reply = client.get("find_symbol", &json!({ "name": "Clock" }));
    let info = &reply.data["index"];
    assert_eq!((&info["behind"], &info["n_changed"]), (&json!(true), &json!(1)), "{reply:?}");
    assert!(reply.text.contains("BEHIND by 1 file"), "{}", reply.text);
    let target = json!({ "path": "src/clock.ts", "symbol": "Clock" });
    let reply = client.get("read_symbols", &json!({ "targets": [target] }));
    let piece = &reply.data["pieces"][0];
    assert_eq!(piece["text"], "3\texport interface Clock {\n4\t  later(): number;\n5\t}\n");
    assert!(piece["note"].as_str().unwrap().contains("changed since it was indexed"), "{piece}");
    drop(lock);
    let reply = client.get("find_symbol", &json!({ "name": "Clock" }));
    assert_eq!(reply.data["index"]["behind"], false);
    assert_eq!(reply.data["symbols"][0]["start_line"], 3);
    client.finish();
}

#[test]
fn an_index_of_a_later_version_is_told_by_every_tool_after_a_handshake() {
    let world = project();
    world.run(&["index"]).expect(0);
    let current = world.root().join(".reseek/CURRENT");
    let mut record: Value = serde_json::from_str(&fs::read_to_string(&current).unwrap()).unwrap();
    record["format"] = 9_999.into();
    let text = record.to_string();
    fs::write(&current, &text).unwrap();
    let mut client = Client::of(&world);
    for (tool, arguments) in every_tool() {
        let refused = client.refused(tool, &arguments);
        assert!(refused.contains("index-newer") && refused.contains("--index-dir"), "{refused}");
    }
    client.finish();
    assert_eq!(fs::read_to_string(&current).unwrap(), text, "it is left alone");
}

#[test]
fn a_folder_of_somebody_else_is_left_alone_and_told() {
    let world = project();
    world.write(".reseek/precious.txt", "mine\n");
    let mut client = Client::of(&world);
    for (tool, arguments) in every_tool() {
        let refused = client.refused(tool, &arguments);
        assert!(refused.contains("index-foreign") && refused.contains("--index-dir"), "{refused}");
    }
    client.finish();
    assert_eq!(fs::read_dir(world.root().join(".reseek")).unwrap().count(), 1);
}

#[test]
fn a_damaged_index_is_rebuilt_and_that_is_told() {
    let world = project();
    world.run(&["index"]).expect(0);
    fs::write(world.root().join(".reseek/CURRENT"), "{ torn").unwrap();
    let mut client = Client::of(&world);
    let reply = client.get("search_code", &json!({ "query": "Session" }));
    assert_eq!(reply.data["hits"][0]["path"], "src/auth/session.ts");
    assert!(reply.data["index"]["notes"][0].as_str().unwrap().contains("damaged"), "{reply:?}");
    client.finish();
}

#[test]
fn every_kind_of_skip_is_counted_and_a_healthy_file_is_found_all_the_same() {
    let world = project();
    world.write("src/binary.ts", [0_u8, 1, 2].repeat(50));
    world.write("src/latin.ts", b"export const caf\xe9 = 1;\n");
    world.write("src/large.ts", "export const a = 1;\n".repeat(200_000));
    for i in 0..300 {
        world.write(&format!("node_modules/p{i}/index.ts"), "export const p = 1;\n");
    }
    let mut client = Client::of(&world);
    let reply = client.get("find_symbol", &json!({ "name": "Session" }));
    assert_eq!(reply.data["symbols"][0]["path"], "src/auth/session.ts");
    let skipped = reply.data["index"]["not_indexed"].as_object().unwrap();
    let n_skipped: u64 = skipped.values().map(|n| n.as_u64().unwrap()).sum();
    assert!(skipped.len() >= 3 && n_skipped >= 3, "{skipped:?}");
    let explained = client.get("index_status", &json!({ "path": "src/large.ts" }));
    assert!(explained.text.contains("too-large"), "{}", explained.text);
    client.finish();
}

#[test]
fn ten_servers_on_one_root_share_one_index() {
    let world = project();
    for i in 0..100 {
        world.write(&format!("src/many/f{i}.ts"), format!("export function many{i}() {{}}\n"));
    }
    let root = world.root();
    let mut clients: Vec<Client> = (0..10)
        .map(|_| Client::start(&world, &["--wait", "100", "--root", root.to_str().unwrap()]))
        .collect();
    for client in &mut clients {
        client.shake_hands(&json!({}));
    }
    let params = json!({ "name": "find_symbol", "arguments": { "name": "many42" } });
    let ids: Vec<u64> =
        clients.iter_mut().map(|client| client.send("tools/call", &params)).collect();
    for (client, id) in clients.iter_mut().zip(ids) {
        let answer = client.answer_to(&id.into());
        let data = &answer["result"]["structuredContent"];
        assert_eq!(data["symbols"][0]["path"], "src/many/f42.ts", "{answer}");
        assert_eq!(data["index"]["generation"], 1, "one of them has built it: {answer}");
        assert!(!answer.to_string().contains("is being written"), "{answer}");
    }
    world.write("src/many/f0.ts", "export function changedOnce() {}\n");
    let params = json!({ "name": "find_symbol", "arguments": { "name": "changedOnce" } });
    let ids: Vec<u64> =
        clients.iter_mut().map(|client| client.send("tools/call", &params)).collect();
    for (client, id) in clients.iter_mut().zip(ids) {
        let answer = client.answer_to(&id.into());
        let data = &answer["result"]["structuredContent"];
        assert_eq!(data["symbols"][0]["path"], "src/many/f0.ts", "{answer}");
    }
    for client in clients {
        // It ends well, and so that no process is left.
        client.finish();
    }
    let n_data = fs::read_dir(root.join(".reseek"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("data-"))
        .count();
    assert_eq!(n_data, 1);
}

#[test]
fn when_the_server_that_writes_is_gone_another_takes_over() {
    let world = project();
    let mut first = Client::of(&world);
    let mut second = Client::of(&world);
    first.get("index_status", &json!({}));
    second.get("index_status", &json!({}));
    drop(first);
    world.write("src/late.ts", "export function lateComer() {}\n");
    let reply = second.get("find_symbol", &json!({ "name": "lateComer" }));
    assert_eq!(reply.data["symbols"][0]["path"], "src/late.ts");
    second.finish();
}
