//! The only place that writes to standard output, and the styles of what is written for people.
//!
//! Commands return their whole answer as text; it is written once, at the end. A reader that went away
//! (`reseek ... | head`) is success. Standard output carries the answer and nothing else; notes go to standard error.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

pub(crate) use reseek_mcp::text::{count, grouped};

use crate::args::{Format, Global};
use crate::errors::Problem;

/// Style of paths.
pub(crate) const PATH: Style = AnsiColor::Magenta.on_default();
/// Style of what is highly relevant, and of names.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Style of what is less relevant.
pub(crate) const FAIR: Style = AnsiColor::Yellow.on_default();
/// Style of what is of least interest.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Style of problems.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// The answer of a command, in the form that was asked for.
pub(crate) struct Answer {
    /// What to print, with its last line end.
    pub(crate) text: String,
    /// Whether there was anything to find; tells exit code 0 from 1.
    pub(crate) found: bool,
}

impl Answer {
    /// An answer of one JSON document.
    pub(crate) fn json(value: &impl serde::Serialize, found: bool) -> anyhow::Result<Self> {
        let mut text = serde_json::to_string(value)?;
        text.push('\n');
        Ok(Self { text, found })
    }

    /// An answer of which something was found.
    pub(crate) fn text(text: String) -> Self {
        Self { text, found: true }
    }
}

/// How to write.
pub(crate) struct Output {
    /// The form of the answer.
    pub(crate) format: Format,
    color: ColorChoice,
    quiet: bool,
}

impl Output {
    /// As the command line says.
    pub(crate) fn new(global: &Global) -> Self {
        Self::plain(global.format(), global.color, global.quiet)
    }

    /// From the single choices.
    pub(crate) fn plain(format: Format, color: clap::ColorChoice, quiet: bool) -> Self {
        let color = match color {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        };
        Self { format, color, quiet }
    }

    /// The form of the answer, if the command has it.
    pub(crate) fn one_of(&self, command: &str, formats: &[Format]) -> anyhow::Result<Format> {
        if formats.contains(&self.format) {
            return Ok(self.format);
        }
        let known: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        Err(Problem::Usage {
            message: format!("`{command}` has no format `{}`", self.format.name()),
            advice: format!("choose one of: {}", known.join(", ")),
        }
        .into())
    }

    /// Writes the answer.
    pub(crate) fn print(&self, text: &str) -> io::Result<()> {
        let mut stdout = AutoStream::new(io::stdout().lock(), self.color);
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Tells a person something beside the answer.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.complain(&format!("reseek: {text}"));
        }
    }

    /// Writes a line to standard error, also when quiet.
    pub(crate) fn complain(&self, text: &str) {
        let mut stderr = AutoStream::new(io::stderr().lock(), self.color);
        // Nobody is left to be told when standard error is closed.
        let _ = writeln!(stderr, "{text}");
    }
}

/// A number of bytes as people read it.
pub(crate) fn bytes(n: u64) -> String {
    match n {
        0..1_000 => format!("{n} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.1} GB", n as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_choose_their_unit() {
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(1_500), "1.5 kB");
        assert_eq!(bytes(2_000_000_000), "2.0 GB");
    }
}
