//! Which roots are served and what of them: nothing outside, nothing that is not indexed, no secrets.

use std::fs;

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::util::{World, project};

/// Every way to a file is refused for a path, with one reason.
#[track_caller]
fn check_refused(client: &mut Client, path: &str) {
    let outline = client.refused("outline", &json!({ "path": path }));
    let read = client.refused("read_symbols", &json!({ "targets": [{ "path": path }] }));
    for text in [outline, read] {
        assert!(text.contains("not-served") || text.contains("outside"), "{path:?}: {text}");
        assert!(!text.contains("hidden_word"), "{path:?}: {text}");
    }
}

/// A project with files around it that must not be served.
fn guarded() -> World {
    let world = project();
    let secret = "export const hidden_word = 1;\n";
    for name in ["secret.ts", "root-evil/x.ts"] {
        let path = world.beside(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, secret).unwrap();
    }
    world.write(".gitignore", "ignored.ts\n");
    world.write("ignored.ts", secret);
    world.write("picture.png", secret);
    world
}

#[test]
fn nothing_outside_of_the_root_is_served() {
    let world = guarded();
    let mut client = Client::of(&world);
    client.get("index_status", &json!({}));
    let evil = world.beside("root-evil/x.ts");
    let secret = world.beside("secret.ts");
    for path in [
        "../secret.ts",
        "src/../../secret.ts",
        "./../secret.ts",
        "/etc/passwd",
        evil.to_str().unwrap(),
        secret.to_str().unwrap(),
        "../root-evil/x.ts",
        "C:\\x",
        "\\\\server\\share",
        "src/clock.ts\0",
        "%2e%2e/secret.ts",
        "..%2fsecret.ts",
        "file:///etc/passwd",
        "~/secret.ts",
        "src",
        "/",
    ] {
        check_refused(&mut client, path);
    }
    client.finish();
}

#[test]
fn only_files_of_the_index_are_served() {
    let world = guarded();
    let mut client = Client::of(&world);
    for path in ["ignored.ts", "picture.png", ".gitignore", ".reseek/CURRENT", "src/nothing.ts"] {
        check_refused(&mut client, path);
    }
    client.get("outline", &json!({ "path": "src/clock.ts" }));
    let absolute = world.root().join("src/clock.ts");
    client.get("outline", &json!({ "path": absolute.to_str().unwrap() }));
    client.finish();
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_out_of_the_root_is_not_followed() {
    use std::os::unix::fs::symlink;

    let world = guarded();
    symlink(world.beside("secret.ts"), world.root().join("src/link.ts")).unwrap();
    symlink(world.beside("root-evil"), world.root().join("src/folder")).unwrap();
    let mut client = Client::of(&world);
    check_refused(&mut client, "src/link.ts");
    check_refused(&mut client, "src/folder/x.ts");
    let reply = client.get("search_code", &json!({ "query": "hidden_word" }));
    assert_eq!(reply.data["hits"], json!([]));
    // A file of the index that becomes a link later is no file of the index any more.
    fs::remove_file(world.root().join("src/color.ts")).unwrap();
    symlink(world.beside("secret.ts"), world.root().join("src/color.ts")).unwrap();
    check_refused(&mut client, "src/color.ts");
    client.finish();
}

#[test]
fn files_that_hold_secrets_are_never_given() {
    let world = project();
    for name in [".env", ".env.local", "id_rsa", "service.pem", "deploy/.npmrc"] {
        world.write(name, "hidden_word = topsecret\n");
    }
    let mut client = Client::of(&world);
    for path in [".env", ".env.local", "id_rsa", "service.pem", "deploy/.npmrc"] {
        check_refused(&mut client, path);
    }
    for (tool, arguments) in [
        ("search_code", json!({ "query": "hidden_word topsecret" })),
        ("retrieve_context", json!({ "task": "where is hidden_word topsecret" })),
        ("index_status", json!({ "path": ".env" })),
    ] {
        let reply = client.get(tool, &arguments);
        assert!(!reply.data.to_string().contains("= topsecret"), "{reply:?}");
    }
    client.finish();
}

#[test]
fn a_status_tells_which_rule_leaves_a_file_out_and_nothing_of_what_is_outside() {
    let world = guarded();
    let mut client = Client::of(&world);
    let explain = |client: &mut Client, path: &str| -> String {
        let reply = client.get("index_status", &json!({ "path": path }));
        reply.data["explanation"].as_str().unwrap().to_owned()
    };
    assert!(explain(&mut client, "ignored.ts").contains(".gitignore"));
    assert!(explain(&mut client, "src/clock.ts").contains("indexed as typescript"));
    for path in ["../secret.ts", "/etc/passwd", "a\0b"] {
        assert!(explain(&mut client, path).contains("not below the root"), "{path:?}");
    }
    client.finish();
}

#[test]
fn the_whole_disk_and_the_home_folder_are_refused_with_the_way_to_allow_them() {
    let world = project();
    for root in ["/", world.home().to_str().unwrap()] {
        let mut client = Client::start(&world, &["--root", root]);
        client.shake_hands(&json!({}));
        for (tool, arguments) in every_tool() {
            let text = client.refused(tool, &arguments);
            assert!(text.contains("root-refused") && text.contains("--allow-large-root"), "{text}");
        }
        client.finish();
    }
    assert!(!world.home().join(".reseek").exists());
}

/// A sensible call of every tool.
pub(crate) fn every_tool() -> [(&'static str, Value); 6] {
    [
        ("retrieve_context", json!({ "task": "expired token" })),
        ("search_code", json!({ "query": "token" })),
        ("find_symbol", json!({ "name": "Session" })),
        ("outline", json!({ "path": "src/clock.ts" })),
        ("read_symbols", json!({ "targets": [{ "path": "src/clock.ts" }] })),
        ("index_status", json!({})),
    ]
}

#[test]
fn a_root_that_is_missing_is_told_by_every_tool_after_a_handshake() {
    let world = project();
    let missing = world.beside("missing");
    let mut client = Client::start(&world, &["--root", missing.to_str().unwrap()]);
    client.shake_hands(&json!({}));
    for (tool, arguments) in every_tool() {
        let text = client.refused(tool, &arguments);
        assert!(text.contains("no folder at") && text.contains("--root DIR"), "{tool}: {text}");
    }
    client.finish();
}

/// Another project beside the root, with one file.
fn other_root(world: &World) -> String {
    let other = world.beside("other");
    fs::create_dir_all(other.join("lib")).unwrap();
    fs::write(other.join("lib/otter.ts"), "export function otterName() {}\n").unwrap();
    other.to_str().unwrap().to_owned()
}

fn uri(path: &str) -> String {
    format!("file://{}", path.replace(' ', "%20"))
}

#[test]
fn without_flags_the_roots_are_those_of_the_client() {
    let world = project();
    let mut client = Client::start(&world, &[]);
    client.roots = vec![uri(world.root().to_str().unwrap())];
    client.shake_hands(&json!({ "roots": { "listChanged": true } }));
    let reply = client.get("search_code", &json!({ "query": "isTokenExpired" }));
    assert_eq!(reply.data["hits"][0]["path"], "src/auth/token.ts");
    client.get("search_code", &json!({ "query": "isTokenExpired" }));
    assert_eq!(client.n_asked_for_roots, 1, "asked once, not for every call");
    client.finish();
    assert!(!world.home().join(".reseek").exists());
}

#[test]
fn a_change_of_the_clients_roots_is_followed() {
    let world = project();
    let other = other_root(&world);
    let mut client = Client::start(&world, &[]);
    client.roots = vec![uri(world.root().to_str().unwrap())];
    client.shake_hands(&json!({ "roots": { "listChanged": true } }));
    client.get("search_code", &json!({ "query": "isTokenExpired" }));
    client.roots = vec![uri(&other)];
    client.tell("notifications/roots/list_changed", &json!({}));
    let reply = client.get("search_code", &json!({ "query": "otterName" }));
    assert_eq!(reply.data["hits"][0]["path"], "lib/otter.ts", "{reply:?}");
    let root = world.root();
    let text =
        client.refused("search_code", &json!({ "query": "x", "root": root.to_str().unwrap() }));
    assert!(text.contains("outside"), "{text}");
    client.finish();
}

#[test]
fn the_roots_of_the_command_line_are_the_only_ones() {
    let world = project();
    let other = other_root(&world);
    let root = world.root();
    let mut client = Client::start(&world, &["--root", root.to_str().unwrap()]);
    client.roots = vec![uri(&other)];
    client.shake_hands(&json!({ "roots": {} }));
    let reply = client.get("search_code", &json!({ "query": "isTokenExpired" }));
    assert_eq!(reply.data["hits"][0]["path"], "src/auth/token.ts");
    assert_eq!(client.n_asked_for_roots, 0);
    let text = client.refused("search_code", &json!({ "query": "otterName", "root": other }));
    assert!(text.contains("outside") && text.contains(root.to_str().unwrap()), "{text}");
    client.finish();
}

#[test]
fn of_several_roots_the_longest_prefix_answers() {
    let world = project();
    let other = other_root(&world);
    let root = world.root();
    let inner = root.join("src/auth");
    let args =
        ["--root", root.to_str().unwrap(), "--root", &other, "--root", inner.to_str().unwrap()];
    let mut client = Client::start(&world, &args);
    client.shake_hands(&json!({}));
    let text = client.refused("search_code", &json!({ "query": "token" }));
    assert!(text.contains("several-roots") && text.contains(&other), "{text}");
    let asked = |client: &mut Client, root: &str| -> String {
        let reply = client.get("search_code", &json!({ "query": "token", "root": root }));
        reply.data["index"]["root"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    };
    let below = root.join("src/clock.ts");
    assert_eq!(asked(&mut client, root.to_str().unwrap()), "root");
    assert_eq!(asked(&mut client, below.to_str().unwrap()), "root");
    assert_eq!(asked(&mut client, inner.to_str().unwrap()), "auth");
    assert_eq!(asked(&mut client, inner.join("token.ts").to_str().unwrap()), "auth");
    assert_eq!(asked(&mut client, "other"), "other");
    assert_eq!(asked(&mut client, &uri(&other)), "other");
    let path = format!("{other}/lib/otter.ts");
    let reply = client.get("outline", &json!({ "path": path }));
    assert_eq!(reply.data["path"], "lib/otter.ts", "an absolute path says its root");
    let status = client.get("index_status", &json!({}));
    assert_eq!(status.data["roots"].as_array().unwrap().len(), 3);
    client.finish();
}

#[test]
fn without_any_root_named_the_working_directory_answers_or_the_folder_that_a_call_names() {
    let world = project();
    let other = other_root(&world);
    let mut client = Client::start_in(&world, &world.root(), &[]);
    client.shake_hands(&json!({}));
    let reply = client.get("search_code", &json!({ "query": "isTokenExpired" }));
    assert_eq!(reply.data["hits"][0]["path"], "src/auth/token.ts");
    let reply = client.get("search_code", &json!({ "query": "otterName", "root": other }));
    assert_eq!(reply.data["hits"][0]["path"], "lib/otter.ts");
    let text = client.refused("search_code", &json!({ "query": "x", "root": "/" }));
    assert!(text.contains("--allow-large-root"), "{text}");
    client.finish();
}

#[test]
fn a_useless_working_directory_is_refused_with_what_to_do() {
    let world = project();
    let mut client = Client::start(&world, &[]);
    client.shake_hands(&json!({}));
    let text = client.refused("search_code", &json!({ "query": "x" }));
    assert!(text.contains("--root DIR"), "{text}");
    client.finish();
    assert!(!world.home().join(".reseek").exists());
}

#[test]
fn nothing_is_written_outside_of_the_index_folder() {
    let world = project();
    let before = world.files();
    let mut client = Client::of(&world);
    for (tool, arguments) in every_tool() {
        client.get(tool, &arguments);
    }
    client.finish();
    assert_eq!(world.files(), before);
}
