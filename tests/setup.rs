//! `reseek setup`: what it prints, what it writes, and that it keeps what is there.

use std::fs;

use serde_json::{Value, json};

use crate::util::project;

const CLIENTS: [&str; 7] =
    ["claude-code", "claude-desktop", "cursor", "vscode", "windsurf", "zed", "codex"];

#[test]
fn without_write_every_client_is_told_its_file_and_nothing_is_written() {
    let world = project();
    let before = world.files();
    for client in CLIENTS {
        let text = world.run(&["setup", client]).expect(0).stdout;
        assert!(text.contains("reseek") && text.contains("mcp"), "{client}: {text}");
        let document = world.run(&["setup", client, "--json"]).expect(0).json();
        assert_eq!(document["outcome"], "printed");
        assert!(document["file"].as_str().unwrap().starts_with('/'), "{document}");
    }
    assert_eq!(world.files(), before);
}

#[test]
fn with_write_every_client_gets_the_entry_that_is_printed_once() {
    let world = project();
    for client in CLIENTS {
        let printed = world.run(&["setup", client, "--json"]).expect(0).json();
        let written = world.run(&["setup", client, "--write", "--json"]).expect(0).json();
        assert_eq!(written["outcome"], "written", "{client}");
        let text = fs::read_to_string(written["file"].as_str().unwrap()).unwrap();
        assert_eq!(text, printed["entry"].as_str().unwrap(), "{client}");
        let again = world.run(&["setup", client, "--write", "--json"]).expect(0).json();
        assert_eq!(again["outcome"], "kept", "{client}");
        assert_eq!(fs::read_to_string(written["file"].as_str().unwrap()).unwrap(), text);
    }
}

#[test]
fn what_is_in_the_file_stays() {
    let world = project();
    let text = "{\n    \"zz\":  [1,2],\n    \"mcpServers\": { \"mine\": { \"command\": \"x\" } },\n    \"aa\": null\n}\n";
    world.write(".mcp.json", text);
    world.run(&["setup", "claude-code", "--write"]).expect(0);
    let merged = fs::read_to_string(world.root().join(".mcp.json")).unwrap();
    for part in
        ["    \"zz\":  [1,2],\n", "\"mine\": { \"command\": \"x\" }", "    \"aa\": null\n}\n"]
    {
        assert!(merged.contains(part), "{merged}");
    }
    let value: Value = serde_json::from_str(&merged).unwrap();
    assert_eq!(value["mcpServers"]["reseek"], json!({ "command": "reseek", "args": ["mcp"] }));
}

#[test]
fn a_file_that_cannot_be_read_is_never_overwritten() {
    let world = project();
    for text in
        ["{ // my servers\n}\n", "{\"mcpServers\": {\"reseek\": {\"command\": \"old\"}}}", "no"]
    {
        world.write(".mcp.json", text);
        let run = world.run(&["setup", "claude-code", "--write", "--json"]).expect(2);
        let advice = run.json()["error"]["advice"].as_str().unwrap().to_owned();
        assert!(advice.contains("\"mcpServers\""), "the entry is printed: {advice}");
        assert_eq!(fs::read_to_string(world.root().join(".mcp.json")).unwrap(), text);
    }
}

#[test]
fn clients_that_start_elsewhere_are_given_the_root() {
    let world = project();
    let root = world.root();
    for client in ["claude-desktop", "windsurf"] {
        let document = world.run(&["setup", client, "--json"]).expect(0).json();
        let entry: Value = serde_json::from_str(document["entry"].as_str().unwrap()).unwrap();
        let arguments = &entry["mcpServers"]["reseek"]["args"];
        assert_eq!(*arguments, json!(["mcp", "--root", root.to_str().unwrap()]), "{client}");
    }
}
