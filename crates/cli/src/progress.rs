//! Progress of long work, on standard error and only where a person sees it.
//!
//! Nothing appears in the first half second, so that a fast refresh stays silent; and nothing at all unless standard
//! error is a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use reseek_indexer::update::Progress;

/// Work shorter than this shows nothing.
const SILENCE: Duration = Duration::from_millis(500);

/// A bar that appears when work takes long.
pub(crate) struct Bar {
    inner: ProgressBar,
    started: Instant,
    wanted: bool,
}

impl Bar {
    /// A bar that is not to be seen yet.
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            inner: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
            started: Instant::now(),
            wanted: !quiet && std::io::stderr().is_terminal(),
        }
    }

    /// Takes note of what an update tells; called from several threads.
    pub(crate) fn update(&self, progress: Progress) {
        if !self.wanted || self.started.elapsed() < SILENCE {
            return;
        }
        match progress {
            Progress::Walking => self.say("looking for files"),
            Progress::Indexing { done, total } => {
                if self.inner.length() != Some(total) {
                    self.style("indexing {wide_bar} {human_pos} of {human_len} files, {eta} left");
                    self.inner.set_length(total);
                }
                self.inner.set_position(done);
            }
            Progress::Committing => self.say("writing the index"),
        }
        if self.inner.is_hidden() {
            self.inner.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
    }

    fn say(&self, message: &'static str) {
        self.style("{msg}");
        self.inner.set_message(message);
    }

    fn style(&self, template: &str) {
        // The templates are constants; were one wrong, the plain bar would serve.
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.inner.set_style(style);
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.inner.finish_and_clear();
    }
}
