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
