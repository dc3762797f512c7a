//! Messages over a pair of pipes, one JSON object a line, and the only writer to standard output besides the command line's.
//!
//! A thread reads and a thread writes, so neither blocks the server. Every line gets what the protocol owes it: what is no
//! JSON, no object or no message is answered with an error and never ends the server. When the input ends, what was
//! asked before is still answered.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

/// Longest message in bytes; the longest sensible one is a fraction of it.
pub const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// Messages that may wait to be written or handled.
const QUEUE: usize = 256;
/// How long the last answers may take to be written when the client does not read.
const LAST_WRITE: Duration = Duration::from_secs(2);

/// What a line holds.
#[derive(Debug)]
pub enum Decoded {
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// Nothing that is to be answered: an empty line, or a notification that is not known.
    Nothing,
    /// No message; the answer to it.
    Wrong(Value),
}

/// Reads one line, without its line end.
pub fn decode(line: &[u8]) -> Decoded {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Decoded::Nothing;
    }
    let mut value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return wrong(&Value::Null, -32700, &format!("not JSON: {error}")),
    };
    if value.is_array() {
        return wrong(&Value::Null, -32600, "batches are not supported; send one message a line");
    }
    complete_initialize(&mut value);
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let is_notification = value.get("id").is_none() && value.get("method").is_some();
    if let (Some(id), Some(params)) = (&id, value.get("params"))
        && value.get("method").is_some()
        && !params.is_object()
    {
        return wrong(id, -32602, "`params` must be an object, and so must its `arguments`");
    }
    match serde_json::from_value(value) {
        Ok(message) => Decoded::Message(Box::new(message)),
        // Nobody waits for an answer to a notification.
        Err(_) if is_notification => Decoded::Nothing,
        Err(_) => wrong(&id.unwrap_or_default(), -32600, "not a message of JSON-RPC 2.0"),
    }
}

/// Gives an `initialize` without some of its parts what they would say at least, so that the client learns what the server
/// speaks instead of an error.
fn complete_initialize(value: &mut Value) {
    if value.get("method").and_then(Value::as_str) != Some("initialize") {
        return;
    }
    let Some(message) = value.as_object_mut() else { return };
    let parameters = message.entry("params").or_insert_with(|| json!({}));
    let Some(parameters) = parameters.as_object_mut() else { return };
    parameters.entry("protocolVersion").or_insert_with(|| json!("unknown"));
    parameters.entry("capabilities").or_insert_with(|| json!({}));
    parameters
        .entry("clientInfo")
        .or_insert_with(|| json!({ "name": "unknown", "version": "unknown" }));
}

fn wrong(id: &Value, code: i32, message: &str) -> Decoded {
    Decoded::Wrong(json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": { "code": code, "message": message },
    }))
}

/// Requests that are not answered yet.
#[derive(Default)]
struct Open {
    ids: Mutex<BTreeSet<String>>,
    changed: Notify,
}

impl Open {
    fn key(id: &RequestId) -> String {
        // Number 1 and text "1" are different ids.
        serde_json::to_string(id).unwrap_or_default()
    }

    fn add(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).insert(Self::key(id));
    }

    fn remove(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(&Self::key(id));
        self.changed.notify_one();
    }

    fn is_empty(&self) -> bool {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// The pipes as the server sees them.
pub(crate) struct Pipes {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: Option<mpsc::Sender<Vec<u8>>>,
    open: Arc<Open>,
    written: Option<std::sync::mpsc::Receiver<()>>,
}

impl Pipes {
    /// Starts the two threads.
    pub(crate) fn new(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let (to_server, incoming) = mpsc::channel(QUEUE);
        let (outgoing, to_write) = mpsc::channel(QUEUE);
        let (all_written, written) = std::sync::mpsc::channel();
        let open = Arc::new(Open::default());
        let answers = outgoing.clone();
        let asked = Arc::clone(&open);
        let thread = |name: &str| std::thread::Builder::new().name(name.to_owned());
        thread("mcp-read").spawn(move || {
            read_all(BufReader::new(input), &to_server, &answers, &asked);
        })?;
        thread("mcp-write").spawn(move || {
            write_all(output, to_write);
            // Nobody waits any more if the server is gone already.
            let _ = all_written.send(());
        })?;
        Ok(Self { incoming, outgoing: Some(outgoing), open, written: Some(written) })
    }

    /// Takes what tells that the last answer is written.
    pub(crate) fn take_last_write(&mut self) -> Option<LastWrite> {
        self.written.take().map(LastWrite)
    }
}

/// Tells that the last answer is written.
pub(crate) struct LastWrite(std::sync::mpsc::Receiver<()>);

impl LastWrite {
    /// Waits for it, for a while.
    pub(crate) fn wait(self) {
        let _ = self.0.recv_timeout(LAST_WRITE);
    }
}

/// Standard input and output as pipes.
pub(crate) fn pipes() -> io::Result<Pipes> {
    Pipes::new(io::stdin(), io::stdout())
}

fn write_all(mut output: impl Write, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.blocking_recv() {
        if output.write_all(&line).and_then(|()| output.flush()).is_err() {
            // The client is gone; its end of the input will close as well.
            return;
        }
    }
}

fn read_all(
    mut input: impl BufRead,
    to_server: &mpsc::Sender<ClientJsonRpcMessage>,
    answers: &mpsc::Sender<Vec<u8>>,
    open: &Open,
) {
    let mut has_begun = false;
    let mut line = Vec::new();
    loop {
        let decoded = match read_line(&mut input, &mut line) {
            Ok(Line::End) => return,
            Ok(Line::TooLong) => {
                let message = format!("a message may have {MAX_MESSAGE_BYTES} bytes");
                wrong(&Value::Null, -32600, &message)
            }
            Ok(Line::Whole) => decode(&line),
            Err(error) => {
                tracing::debug!("standard input cannot be read: {error}");
                return;
            }
        };
        let is_handled = match decoded {
            Decoded::Nothing => Ok(()),
            Decoded::Wrong(answer) => answers.blocking_send(line_of(&answer)).map_err(|_| ()),
            Decoded::Message(message) => {
                match message.as_ref() {
                    JsonRpcMessage::Request(request) => {
                        has_begun |= matches!(request.request, ClientRequest::InitializeRequest(_))
                            || !request_meta_is_empty(&request.request);
                        open.add(&request.id);
                    }
                    // Before the beginning there is nothing that these could belong to.
                    _ if !has_begun => continue,
                    JsonRpcMessage::Notification(notification) => {
                        if let ClientNotification::CancelledNotification(cancelled) =
                            &notification.notification
                            && let Some(id) = &cancelled.params.request_id
                        {
                            // A cancelled request gets no answer.
                            open.remove(id);
                        }
                    }
                    _ => {}
                }
                to_server.blocking_send(*message).map_err(|_| ())
            }
        };
        if is_handled.is_err() {
            return;
        }
    }
}

/// Whether a request says nothing of its own protocol version, as those after a handshake do.
fn request_meta_is_empty(request: &ClientRequest) -> bool {
    use rmcp::model::GetMeta as _;
    request.get_meta().protocol_version().is_none()
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads up to the next line feed; a line that is too long is read to its end and dropped.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let mut is_too_long = false;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            // A last message without its line end is one all the same.
            return Ok(if line.is_empty() { Line::End } else { Line::Whole });
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let n_bytes = end.map_or(available.len(), |end| end + 1);
        if line.len() + n_bytes > MAX_MESSAGE_BYTES {
            is_too_long = true;
            line.clear();
        } else if !is_too_long {
            line.extend_from_slice(&available[..n_bytes]);
        }
        input.consume(n_bytes);
        if end.is_some() {
            return Ok(if is_too_long { Line::TooLong } else { Line::Whole });
        }
    }
}

fn line_of(value: &impl serde::Serialize) -> Vec<u8> {
    // Messages are made of texts and numbers, which always serialise.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

impl Transport<RoleServer> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        let open = Arc::clone(&self.open);
        async move {
            let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
            let line = line_of(&message);
            let sent = match outgoing {
                Some(outgoing) => outgoing.send(line).await.map_err(|_| gone()),
                None => Err(gone()),
            };
            match &message {
                JsonRpcMessage::Response(answer) => open.remove(&answer.id),
                JsonRpcMessage::Error(error) => {
                    if let Some(id) = &error.id {
                        open.remove(id);
                    }
                }
                _ => {}
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if let Some(message) = self.incoming.recv().await {
            return Some(message);
        }
        // The input has ended. Every call has a time limit, so what is open will be answered.
        while !self.open.is_empty() {
            self.open.changed.notified().await;
        }
        None
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.outgoing = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_wrong(line: &str, id: &Value, code: i32) {
        let Decoded::Wrong(answer) = decode(line.as_bytes()) else { panic!("{line} is right") };
        assert_eq!((&answer["id"], &answer["error"]["code"]), (id, &json!(code)), "{answer}");
    }

    #[test]
    fn what_is_no_message_is_answered() {
        check_wrong("{", &Value::Null, -32700);
        check_wrong("[]", &Value::Null, -32600);
        check_wrong("3", &Value::Null, -32600);
        check_wrong(r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#, &json!(4), -32600);
        check_wrong(r#"{"jsonrpc":"2.0","id":"x"}"#, &json!("x"), -32600);
    }

    #[test]
    fn blank_lines_and_unknown_notifications_are_not_answered() {
        for line in ["", "  ", "\u{feff}", r#"{"method":"notifications/x"}"#] {
            assert!(matches!(decode(line.as_bytes()), Decoded::Nothing), "{line}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_dropped_and_the_next_one_read() {
        let mut text = vec![b'x'; MAX_MESSAGE_BYTES + 10];
        text.extend_from_slice(b"\n{}\nlast");
        let mut input = BufReader::new(text.as_slice());
        let mut line = Vec::new();
        assert!(matches!(read_line(&mut input, &mut line), Ok(Line::TooLong)));
        assert!(matches!(read_line(&mut input, &mut line), Ok(Line::Whole)));
        assert_eq!(line, b"{}\n");
        assert!(matches!(read_line(&mut input, &mut line), Ok(Line::Whole)));
        assert_eq!(line, b"last");
        assert!(matches!(read_line(&mut input, &mut line), Ok(Line::End)));
    }
}
