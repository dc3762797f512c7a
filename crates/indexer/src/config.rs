//! stub
/// Name.
pub const FILE_NAME: &str = "reseek.toml";
