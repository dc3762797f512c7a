//! The real binary, driven from outside in folders of its own, and the rules that the repository keeps for itself.
//!
//! Every test has its own root, home folder and git configuration. None uses the network, the clock or a pause.

#[cfg(test)]
mod budget;
#[cfg(test)]
mod documents;
#[cfg(test)]
mod encodings;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod evaluate;
#[cfg(test)]
mod json;
#[cfg(test)]
mod local;
#[cfg(test)]
mod mcp;
#[cfg(test)]
mod mcp_calls;
#[cfg(test)]
mod mcp_client;
#[cfg(test)]
mod mcp_http;
#[cfg(test)]
mod mcp_roots;
#[cfg(test)]
mod mcp_store;
#[cfg(test)]
mod place;
#[cfg(test)]
mod query;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod setup;
#[cfg(test)]
mod status;
#[cfg(test)]
mod store;
#[cfg(test)]
mod stories;
#[cfg(test)]
mod tidy;
#[cfg(test)]
mod util;
#[cfg(test)]
mod watching;
