//! The Model Context Protocol server, and the context packs that it shares with the command line.
pub mod context;
pub mod status;
pub mod text;
pub mod tokens;
