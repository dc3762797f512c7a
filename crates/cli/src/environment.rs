//! The only reader of the process's surroundings: working directory, home folder, clock.
//!
//! Everything else takes these as values, so that answers and tests are repeatable.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;

/// The working directory.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is the place that the lint keeps it for"
)]
pub(crate) fn working_dir() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("the working directory cannot be read; give `--root`")
}

/// The user's home folder, if there is one.
pub(crate) fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

/// Where programs of this platform keep a user's settings.
pub(crate) fn settings_folder(home: &Path) -> PathBuf {
    if cfg!(windows) {
        home.join("AppData/Roaming")
    } else if cfg!(target_os = "macos") {
        home.join("Library/Application Support")
    } else {
        home.join(".config")
    }
}

/// Nanoseconds since 1970; 0 on a clock before that.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is the place that the lint keeps it for"
)]
pub(crate) fn now_ns() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}
