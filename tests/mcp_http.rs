//! The server over HTTP: it answers who has the token, on a loopback address, and no page of elsewhere.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::util::{World, project};

/// A running server.
struct HttpServer {
    child: Child,
    address: String,
    token: Option<String>,
}

/// What was answered.
#[derive(Debug)]
struct Answered {
    status: u16,
    head: String,
    body: String,
}

impl HttpServer {
    fn start(world: &World, args: &[&str]) -> Self {
        let root = world.root();
        let mut command = world.command(&world.home(), &["mcp", "--http", "127.0.0.1:0"]);
        command.args(["--root", root.to_str().unwrap()]).args(args);
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut token = None;
        let mut address = None;
        for line in BufReader::new(child.stderr.take().unwrap()).lines() {
            let line = line.unwrap();
            if let Some(told) = line.strip_prefix("reseek: token ") {
                token = Some(told.to_owned());
            }
            if let Some(told) = line.strip_prefix("reseek: listening on http://") {
                address = Some(told.trim_end_matches("/mcp").to_owned());
                break;
            }
        }
        Self { child, address: address.expect("the address is told"), token }
    }

    /// Posts a message with these further lines of the head.
    fn post(&self, path: &str, head: &[String], message: &Value) -> Answered {
        let body = message.to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let host = if head.iter().any(|line| line.starts_with("Host:")) {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let head = head.iter().fold(String::new(), |head, line| head + line + "\r\n");
        let request = format!(
            "POST {path} HTTP/1.1\r\n{host}{head}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answered { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token.as_deref().unwrap_or_default())
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    })
}

#[test]
fn with_the_token_a_session_is_opened_and_tools_are_called() {
    let world = project();
    let server = HttpServer::start(&world, &[]);
    let opened = server.post("/mcp", &[server.bearer()], &initialize());
    assert_eq!(opened.status, 200, "{opened:?}");
    assert!(opened.body.contains("\"serverInfo\""), "{opened:?}");
    let session = opened
        .head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("a session");
    let head = [
        server.bearer(),
        format!("Mcp-Session-Id: {session}"),
        "Mcp-Protocol-Version: 2025-06-18".to_owned(),
    ];
    let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(server.post("/mcp", &head, &told).status, 202);
    let call = json!({
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": { "name": "find_symbol", "arguments": { "name": "isTokenExpired" } },
    });
    let called = server.post("/mcp", &head, &call);
    assert!(called.body.contains("src/auth/token.ts"), "{called:?}");
}

#[test]
fn without_the_token_nothing_is_answered() {
    let world = project();
    let server = HttpServer::start(&world, &[]);
    for head in [
        vec![],
        vec!["Authorization: Bearer wrong".to_owned()],
        vec![format!("{}x", server.bearer())],
        vec![format!("Authorization: Basic {}", server.token.as_deref().unwrap())],
    ] {
        let answered = server.post("/mcp", &head, &initialize());
        assert_eq!(answered.status, 401, "{head:?}: {answered:?}");
        assert!(answered.head.contains("www-authenticate: bearer"), "{answered:?}");
    }
    assert_eq!(server.post("/other", &[server.bearer()], &initialize()).status, 404);
}

#[test]
fn a_page_of_elsewhere_is_refused_although_it_has_the_token() {
    let world = project();
    let server = HttpServer::start(&world, &[]);
    for line in ["Origin: https://evil.example", "Origin: null", "Host: evil.example"] {
        let answered = server.post("/mcp", &[server.bearer(), line.to_owned()], &initialize());
        assert_eq!(answered.status, 403, "{line}: {answered:?}");
    }
    let own = "Origin: http://localhost:3000".to_owned();
    assert_eq!(server.post("/mcp", &[server.bearer(), own], &initialize()).status, 200);
}

#[test]
fn a_token_file_is_made_once_for_its_owner_and_then_used() {
    let world = project();
    let file = world.home().join("token");
    let mut first = HttpServer::start(&world, &["--token-file", file.to_str().unwrap()]);
    assert_eq!(first.token, None, "it is not printed");
    let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    first.token = Some(token.clone());
    assert_eq!(first.post("/mcp", &[first.bearer()], &initialize()).status, 200);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
    let mut second = HttpServer::start(&world, &["--token-file", file.to_str().unwrap()]);
    second.token = Some(token);
    assert_eq!(second.post("/mcp", &[second.bearer()], &initialize()).status, 200);
    std::fs::write(&file, "short\n").unwrap();
    let args = ["mcp", "--http", "127.0.0.1:0", "--token-file", file.to_str().unwrap()];
    let run = world.run(&args).expect(2);
    assert!(run.stderr.contains("at least 16 characters"), "{run:?}");
}

#[test]
fn an_address_that_others_can_reach_is_refused() {
    let world = project();
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80"] {
        let run = world.run(&["mcp", "--http", address]).expect(2);
        assert!(run.stderr.contains("loopback"), "{address}: {run:?}");
    }
}
