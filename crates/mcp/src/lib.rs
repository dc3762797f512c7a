//! The Model Context Protocol server, and the context packs that it shares with the command line.
//!
//! [`serve::serve_stdio`] answers one client, [`serve::serve_http`] several. A call goes from [`stdio`] or [`http`] through the protocol (`server`) to a tool
//! (`tools`), whose root has an engine that keeps its index fresh; the answer is text and data, both within the budget of the
//! caller. Everything that has a shape on the wire is in `wire`, and nothing else of the workspace knows the protocol.

mod answers;
mod arguments;
pub mod context;
mod engine;
pub mod http;
mod look;
mod retrieve;
mod roots;
pub mod serve;
mod server;
pub mod status;
pub mod stdio;
pub mod surroundings;
pub mod text;
pub mod tokens;
mod tools;
mod wire;

/// The tools with their schemas, as `tools/list` gives them, as one JSON document for the repository.
pub fn tools_document() -> serde_json::Result<String> {
    serde_json::to_string_pretty(&tools::list()).map(|text| text + "\n")
}

/// Reads a line of a client as far as it is read before a tool runs: as a message, and if that calls a tool, its arguments.
/// Tells whether a tool would run. For tests that try anything.
#[doc(hidden)]
pub fn read_request(line: &[u8]) -> bool {
    use rmcp::model::{ClientRequest, JsonRpcMessage};

    let stdio::Decoded::Message(message) = stdio::decode(line) else { return false };
    let JsonRpcMessage::Request(request) = *message else { return false };
    let ClientRequest::CallToolRequest(call) = request.request else { return false };
    tools::reads(&call.params.name, call.params.arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_call_with_arguments_that_fit_would_run() {
        let call = |tool: &str, arguments: &str| {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
            );
            read_request(line.as_bytes())
        };
        assert!(call("search_code", r#"{"query":"a","limit":"3"}"#));
        assert!(call("index_status", "{}"));
        assert!(!call("search_code", "{}") && !call("nonsense", "{}"));
        assert!(!read_request(b"{}") && !read_request(b"\xff\xfe"));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_of_a_client_end_the_server(line: Vec<u8>) {
            read_request(&line);
        }

        #[test]
        fn no_line_that_is_nearly_a_call_ends_the_server(
            cut in 0_usize..200,
            replaced in 0_usize..200,
            byte: u8,
            number: f64,
            text: String,
        ) {
            let line = serde_json::json!({
                "jsonrpc": "2.0",
                "id": number,
                "method": "tools/call",
                "params": {
                    "name": "read_symbols",
                    "arguments": { "targets": [{ "path": text, "start_line": number }], "budget": text },
                },
            });
            let mut line = line.to_string().into_bytes();
            read_request(&line);
            if let Some(at) = line.get_mut(replaced) {
                *at = byte;
            }
            read_request(&line);
            line.truncate(cut);
            read_request(&line);
        }
    }
}
