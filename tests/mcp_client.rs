//! A small client of the Model Context Protocol that drives the real server over its pipes, one message a line.
//!
//! Everything that the server writes must be a message; a line that is none fails the test.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::util::World;

/// Nothing of these tests takes so long; a server that says nothing for that time hangs.
const PATIENCE: Duration = Duration::from_mins(2);

/// A running server and what was said so far.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    n_requests: u64,
    /// The roots that the client names when it is asked.
    pub(crate) roots: Vec<String>,
    /// How often it was asked.
    pub(crate) n_asked_for_roots: usize,
    /// Messages of the server that were not the answer that was waited for.
    pub(crate) others: VecDeque<Value>,
}

/// What a call of a tool came to.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) data: Value,
    pub(crate) is_error: bool,
}

impl Client {
    /// Starts a server that serves the root of the world, and shakes hands.
    pub(crate) fn of(world: &World) -> Self {
        let root = world.root();
        let mut client = Self::start(world, &["--root", root.to_str().unwrap()]);
        client.shake_hands(&json!({}));
        client
    }

    /// Starts a server with these arguments, in the home folder, without a word to it.
    pub(crate) fn start(world: &World, args: &[&str]) -> Self {
        Self::start_in(world, &world.home(), args)
    }

    /// Starts a server in a folder.
    pub(crate) fn start_in(world: &World, dir: &std::path::Path, args: &[&str]) -> Self {
        let mut command = world.command(dir, &["mcp"]);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                // A test that ended early no longer listens.
                let Ok(()) = sender.send(line.expect("what the server writes is UTF-8")) else {
                    return;
                };
            }
        });
        let input = child.stdin.take();
        Self {
            child,
            input,
            lines,
            n_requests: 0,
            roots: Vec::new(),
            n_asked_for_roots: 0,
            others: VecDeque::new(),
        }
    }

    /// Opens a session.
    pub(crate) fn shake_hands(&mut self, capabilities: &Value) -> Value {
        let answer = self.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        self.tell("notifications/initialized", &json!({}));
        answer["result"].clone()
    }

    /// Writes a line as it is.
    pub(crate) fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).unwrap();
        input.flush().unwrap();
    }

    /// Sends a notification.
    pub(crate) fn tell(&mut self, method: &str, params: &Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends a request and gives its id.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.n_requests += 1;
        let id = self.n_requests;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.write(&message.to_string());
        id
    }

    /// The next message of the server; `None` when it has closed its output.
    pub(crate) fn next(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                assert!(!line.starts_with('\u{feff}'), "{line}");
                let message: Value = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("{error}: not a message: {line}"));
                assert_eq!(message["jsonrpc"], "2.0", "{line}");
                Some(message)
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("the server says nothing"),
        }
    }

    /// The answer to a request; what else comes meanwhile is kept, and the server's own question is answered.
    #[track_caller]
    pub(crate) fn answer_to(&mut self, id: &Value) -> Value {
        loop {
            let message = self.next().expect("an answer before the end of the output");
            if message["method"] == "roots/list" {
                self.n_asked_for_roots += 1;
                let roots: Vec<Value> =
                    self.roots.iter().map(|uri| json!({ "uri": uri, "name": "x" })).collect();
                let answer =
                    json!({ "jsonrpc": "2.0", "id": message["id"], "result": { "roots": roots } });
                self.write(&answer.to_string());
            } else if message.get("method").is_none() && message["id"] == *id {
                return message;
            } else {
                self.others.push_back(message);
            }
        }
    }

    /// Sends a request and waits for its answer.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer_to(&id.into())
    }

    /// Calls a tool.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Reply {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        let result = &answer["result"];
        assert!(result.is_object(), "{answer}");
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{answer}");
        Reply {
            text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            data: result["structuredContent"].clone(),
            is_error: result["isError"].as_bool().unwrap_or(false),
        }
    }

    /// Calls a tool that answers.
    #[track_caller]
    pub(crate) fn get(&mut self, tool: &str, arguments: &Value) -> Reply {
        let reply = self.call(tool, arguments);
        assert!(!reply.is_error, "{reply:?}");
        reply
    }

    /// Calls a tool that refuses, and gives what it says.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let reply = self.call(tool, arguments);
        assert!(reply.is_error, "{reply:?}");
        reply.text
    }

    /// Calls a tool in a way that the protocol refuses, and gives what it says.
    #[track_caller]
    pub(crate) fn invalid(&mut self, tool: &str, arguments: &Value) -> String {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        answer["error"]["message"].as_str().unwrap().to_owned()
    }

    /// Closes the input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// Closes the input and waits for the end of the server, which must be a good one.
    pub(crate) fn finish(mut self) -> Vec<Value> {
        self.close();
        let mut rest = Vec::new();
        while let Some(message) = self.next() {
            rest.push(message);
        }
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
        rest
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        // A test that failed must leave no server; one that ended well has none.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
