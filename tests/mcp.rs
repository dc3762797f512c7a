//! The protocol: what is on standard output, versions, malformed messages, cancellation, the end of the input.

use std::fs::File;

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::util::{World, project, repository};

/// The version that the server answers an `initialize` with.
#[track_caller]
fn version_for(params: &Value) -> String {
    let world = project();
    let mut client = Client::start(&world, &[]);
    let answer = client.ask("initialize", params);
    client.finish();
    answer["result"]["protocolVersion"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn initialize(version: &str) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    })
}

/// Holds the lock of an index that is not there, so that no server can build it.
pub(crate) fn hold_lock(world: &World) -> File {
    std::fs::create_dir_all(world.root().join(".reseek")).unwrap();
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .read(true)
        .open(world.root().join(".reseek/lock"))
        .unwrap();
    file.lock().unwrap();
    file
}

#[test]
fn a_known_version_is_echoed() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(version_for(&initialize(version)), version);
    }
}

#[test]
fn an_unknown_version_is_answered_with_the_newest_that_has_a_handshake() {
    for version in ["9999-01-01", "1999-01-01", ""] {
        assert_eq!(version_for(&initialize(version)), "2025-11-25", "{version:?}");
    }
}

#[test]
fn an_initialize_without_its_parts_is_answered_all_the_same() {
    assert_eq!(version_for(&json!({})), "2025-11-25");
    assert_eq!(version_for(&json!({ "protocolVersion": "2025-06-18" })), "2025-06-18");
}

#[test]
fn before_the_handshake_a_ping_is_answered_and_a_notification_is_not() {
    let world = project();
    let mut client = Client::start(&world, &[]);
    client.tell("notifications/initialized", &json!({}));
    client.tell("notifications/cancelled", &json!({ "requestId": 7 }));
    client.write(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#);
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    let early = client.ask("tools/list", &json!({}));
    assert!(early["error"]["code"].is_i64(), "{early}");
    assert_eq!(client.shake_hands(&json!({}))["serverInfo"]["name"], "reseek");
    assert_eq!(client.others.len(), 0, "{:?}", client.others);
    client.finish();
}

#[test]
fn an_unknown_method_is_told_and_an_unknown_notification_is_not() {
    let world = project();
    let mut client = Client::of(&world);
    client.tell("notifications/nonsense", &json!({ "a": 1 }));
    client.tell("$/setTrace", &json!({ "value": "off" }));
    let answer = client.ask("nonsense/do", &json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let answer = client.ask("resources/read", &json!({ "uri": "file:///etc/passwd" }));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    assert_eq!(client.others.len(), 0, "{:?}", client.others);
    client.finish();
}

#[test]
fn what_is_no_message_is_an_error_and_the_server_lives() {
    let world = project();
    let mut client = Client::of(&world);
    for (line, code) in [
        ("{not json", -32700),
        ("\"text\"", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (r#"{"jsonrpc":"2.0"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
    ] {
        client.write(line);
        let answer = client.answer_to(&Value::Null);
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    client.write(&format!("{{\"a\":\"{}\"}}", "x".repeat(5 << 20)));
    assert_eq!(client.answer_to(&Value::Null)["error"]["code"], -32600);
    client.write("");
    client.write("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"text\",\"method\":\"ping\"}\r");
    assert_eq!(client.answer_to(&json!("text"))["result"], json!({}));
    client.finish();
}

#[test]
fn parameters_of_another_shape_are_named() {
    let world = project();
    let mut client = Client::of(&world);
    for params in [
        json!({ "name": "search_code", "arguments": "query" }),
        json!({ "name": "search_code", "arguments": ["query"] }),
        json!({ "name": 3 }),
        json!({}),
        json!([]),
    ] {
        let answer = client.ask("tools/call", &params);
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("`arguments`"), "{message}");
    }
    client.get("index_status", &json!({}));
    client.finish();
}

#[test]
fn an_unknown_tool_is_told_with_those_that_there_are() {
    let world = project();
    let mut client = Client::of(&world);
    let message = client.invalid("grep", &json!({}));
    assert!(message.contains("`grep`") && message.contains("search_code"), "{message}");
    client.finish();
}

#[test]
fn with_every_log_on_standard_output_still_carries_messages_only() {
    let world = project();
    let root = world.root();
    // Every line is read as a message by the client.
    let mut client = Client::start(&world, &["-v", "-v", "--root", root.to_str().unwrap()]);
    client.shake_hands(&json!({}));
    client.get("retrieve_context", &json!({ "task": "expired token" }));
    client.get("search_code", &json!({ "query": "Session" }));
    client.refused("outline", &json!({ "path": "../x" }));
    client.invalid("outline", &json!({}));
    client.finish();
}

#[test]
fn the_list_of_tools_is_the_one_in_the_repository() {
    let world = project();
    let mut client = Client::of(&world);
    let listed = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let path = repository().join("schemas/mcp-tools.json");
    let committed: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(listed == committed, "run `reseek generate tools > schemas/mcp-tools.json`");
    client.finish();
}

#[test]
fn the_standing_cost_of_the_tools_is_small() {
    let world = project();
    let mut client = Client::of(&world);
    let mut tools = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    for tool in tools.as_array_mut().unwrap() {
        // Models are shown names, descriptions and input; the schema of the output is for programs.
        tool.as_object_mut().unwrap().remove("outputSchema");
    }
    let cost = reseek_mcp::tokens::estimate(&tools.to_string());
    assert!(cost < 3_500, "{cost} tokens for every session");
    client.finish();
}

#[test]
fn the_prompt_is_a_guide_with_the_task_in_it() {
    let world = project();
    let mut client = Client::of(&world);
    let prompts = client.ask("prompts/list", &json!({}));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "retrieve_then_read");
    let params = json!({ "name": "retrieve_then_read", "arguments": { "task": "mend the clock" } });
    let prompt = client.ask("prompts/get", &params);
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("continue_from") && text.contains("mend the clock"), "{text}");
    let unknown = client.ask("prompts/get", &json!({ "name": "nonsense" }));
    assert_eq!(unknown["error"]["code"], -32602);
    client.finish();
}

#[test]
fn a_cancelled_call_gets_no_answer_and_the_server_goes_on() {
    let world = project();
    let lock = hold_lock(&world);
    let root = world.root();
    let mut client = Client::start(&world, &["--wait", "100", "--root", root.to_str().unwrap()]);
    client.shake_hands(&json!({}));
    let params = json!({ "name": "search_code", "arguments": { "query": "Session" } });
    let id = client.send("tools/call", &params);
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    client.tell("notifications/cancelled", &json!({ "requestId": id, "reason": "enough" }));
    assert_eq!(client.ask("ping", &json!({}))["result"], json!({}));
    drop(lock);
    client.get("search_code", &json!({ "query": "Session" }));
    assert!(client.others.iter().all(|message| message["id"] != id), "{:?}", client.others);
    assert!(client.finish().iter().all(|message| message["id"] != id));
}

#[test]
fn requests_that_are_all_sent_before_the_end_of_the_input_are_all_answered() {
    let world = project();
    let root = world.root();
    let mut client = Client::start(&world, &["--root", root.to_str().unwrap()]);
    client.send("initialize", &initialize("2025-06-18"));
    client.tell("notifications/initialized", &json!({}));
    for query in ["Session", "Clock", "token"] {
        let params = json!({ "name": "search_code", "arguments": { "query": query } });
        client.send("tools/call", &params);
    }
    let mut ids: Vec<u64> =
        client.finish().iter().filter_map(|message| message["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4]);
}

#[test]
fn calls_at_the_same_time_are_all_answered() {
    let world = project();
    let mut client = Client::of(&world);
    let params = json!({ "name": "search_code", "arguments": { "query": "isTokenExpired" } });
    let ids: Vec<u64> = (0..32).map(|_| client.send("tools/call", &params)).collect();
    let mut answered = Vec::new();
    while answered.len() < ids.len() {
        let message = client.next().unwrap();
        assert_eq!(message["result"]["isError"], false, "{message}");
        let hit = &message["result"]["structuredContent"]["hits"][0];
        assert_eq!(hit["path"], "src/auth/token.ts", "{message}");
        answered.push(message["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, ids);
    client.finish();
}
