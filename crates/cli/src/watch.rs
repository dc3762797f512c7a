//! `reseek watch`: keeps the index fresh until it is interrupted or the root is gone.
//!
//! It says on standard output what happens, a line at a time: words for people, with `--json` one document a line. SIGINT
//! and SIGTERM end it cleanly, and the exit code is then 0.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use reseek_indexer::update::UpdateReport;
use reseek_indexer::watch::{WatchEnd, WatchEvent, WatchMode, WatchOptions, watch};
use serde::Serialize;

use crate::args::{Format, Global, WatchArgs};
use crate::environment;
use crate::errors::Explained;
use crate::freshness::{Place, slashed};
use crate::output::{Answer, Output, count};
use crate::progress::Bar;

/// One line of JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line<'a> {
    Ready {
        mode: WatchMode,
        root: String,
    },
    Updated {
        #[serde(flatten)]
        report: &'a UpdateReport,
        seconds: f64,
    },
    Problem {
        error: Explained,
    },
    Stopped,
    RootGone,
}

/// Watches.
pub(crate) fn run(global: &Global, output: &Output, args: &WatchArgs) -> anyhow::Result<Answer> {
    let format = output.one_of("watch", &[Format::Text, Format::Json])?;
    let place = Place::find(global)?;
    place.check_owner()?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop))
            .context("cannot listen to signals")?;
    }
    let bar = Bar::new(global.quiet);
    let options = WatchOptions {
        root: &place.root,
        folder: &place.folder,
        config: &|| place.reload(),
        threads: place.threads,
        now_ns: &environment::now_ns,
        poll: args.poll,
        progress: &|progress| bar.update(progress),
    };
    let mut tell = |event: WatchEvent<'_>| {
        let line = match event {
            WatchEvent::Ready(mode) => {
                bar.finish();
                Line::Ready { mode, root: slashed(&place.root) }
            }
            WatchEvent::Updated { report, took } => {
                Line::Updated { report, seconds: (took.as_secs_f64() * 1e3).round() / 1e3 }
            }
            WatchEvent::Problem(error) => Line::Problem { error: Explained::of_index(error) },
        };
        // A reader that went away does not end the watching.
        let _ = output.print(&written(&line, format));
    };
    let end = watch(&options, &mut tell, &stop)?;
    let line = match end {
        WatchEnd::Stopped => Line::Stopped,
        WatchEnd::RootGone => Line::RootGone,
    };
    Ok(Answer { text: written(&line, format), found: end == WatchEnd::Stopped })
}

fn written(line: &Line<'_>, format: Format) -> String {
    if format == Format::Json {
        // A line holds texts and numbers only, which always serialise.
        return serde_json::to_string(line).unwrap_or_default() + "\n";
    }
    match line {
        Line::Ready { mode: WatchMode::Events, root } => format!("watching {root}\n"),
        Line::Ready { mode: WatchMode::Polling, root } => {
            format!("watching {root} by a look every two seconds\n")
        }
        Line::Updated { report, seconds } => {
            let n = report.added + report.changed + report.removed + report.skipped;
            let mut text = format!("{} updated in {seconds:.3} s\n", count(n, "file"));
            for problem in &report.problems {
                let _ = writeln!(text, "note: {problem}");
            }
            text
        }
        Line::Problem { error } => format!("problem: {}; {}\n", error.message, error.advice),
        Line::Stopped => "stopped\n".to_owned(),
        Line::RootGone => "the root is gone\n".to_owned(),
    }
}
