//! `reseek verify`: compares the index with the contents of all files and with itself; with `--repair` it mends what differs.
//!
//! Exit code 0 for a sound index, also after a repair, and 1 otherwise.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use reseek_indexer::update::UpdateOptions;
use reseek_indexer::verify::{VerifyReport, repair, verify};
use serde::Serialize;

use crate::args::{Format, Global, VerifyArgs};
use crate::environment;
use crate::freshness::Place;
use crate::output::{Answer, Output, count};
use crate::progress::Bar;

/// Paths shown of each kind.
const MAX_EXAMPLES: usize = 5;
/// How long a repair waits for another writer.
const PATIENCE: Duration = Duration::from_mins(10);

/// The JSON of `verify`.
#[derive(Serialize)]
struct Document<'a> {
    sound: bool,
    repaired: bool,
    #[serde(flatten)]
    report: &'a VerifyReport,
}

/// Checks, and mends if asked to.
pub(crate) fn run(global: &Global, output: &Output, args: &VerifyArgs) -> anyhow::Result<Answer> {
    let format = output.one_of("verify", &[Format::Text, Format::Json])?;
    let place = Place::find(global)?;
    place.check_owner()?;
    let report = verify(&place.root, &place.folder, &place.config, place.threads)?;
    let mut sound = report.is_sound();
    let repaired = args.repair && !sound;
    if repaired {
        let bar = Bar::new(global.quiet);
        let options = UpdateOptions {
            threads: place.threads,
            rebuild: false,
            now_ns: environment::now_ns(),
            patience: PATIENCE,
            progress: &|progress| bar.update(progress),
            cancel: &AtomicBool::new(false),
        };
        let result = repair(&place.root, &place.folder, &place.config, &options, &report);
        bar.finish();
        result?;
        sound = verify(&place.root, &place.folder, &place.config, place.threads)?.is_sound();
    }
    if format == Format::Json {
        return Answer::json(&Document { sound, repaired, report: &report }, sound);
    }
    Ok(Answer { text: told(&report, sound, repaired), found: sound })
}

fn told(report: &VerifyReport, sound: bool, repaired: bool) -> String {
    let mut text = String::new();
    let mut list = |what: &str, items: &[String]| {
        if !items.is_empty() {
            let _ = writeln!(text, "{what}: {}", items.len());
            for item in items.iter().take(MAX_EXAMPLES) {
                let _ = writeln!(text, "  {item}");
            }
        }
    };
    list("faults of the index", &report.faults);
    list("not in the index", &report.missing);
    list("no longer there", &report.surplus);
    list("other contents than in the index", &report.different);
    list("unreadable, so not compared", &report.unreadable);
    if report.history_differs {
        text.push_str("the history is not that of the work tree\n");
    }
    if report.options_differ {
        text.push_str("the index was built by another configuration\n");
    }
    let _ = writeln!(text, "{} compared", count(report.n_files, "file"));
    text.push_str(match (sound, repaired) {
        (true, false) => "the index is sound\n",
        (true, true) => "the index is repaired\n",
        (false, true) => "the index still differs; the files may be changing\n",
        (false, false) => "the index is not sound; `reseek verify --repair` mends it\n",
    });
    text
}
