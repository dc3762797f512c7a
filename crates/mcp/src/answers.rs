//! What an answer is made of, whatever the tool: text for reading, data for programs, both within the budget.

use serde::Serialize;
use serde_json::Value;

use crate::engine::{Building, slashed};
use crate::status::Status;
use crate::surroundings::Refusal;
use crate::text::grouped;
use crate::tokens::{estimate, estimate_json};
use crate::wire::{BuildingInfo, IndexInfo};

/// The answer of a tool.
#[derive(Debug)]
pub(crate) struct Answer {
    /// For reading.
    pub(crate) text: String,
    /// The same as data, as the output schema describes it.
    pub(crate) data: Value,
}

impl Answer {
    pub(crate) fn new(text: String, data: &impl Serialize) -> Result<Self, Refusal> {
        let data = serde_json::to_value(data)
            .map_err(|error| Refusal::new("internal", error.to_string(), "report this"))?;
        Ok(Self { text, data })
    }

    /// Tokens of the form that costs more; clients show their model the one or the other.
    pub(crate) fn cost(&self) -> usize {
        estimate(&self.text).max(estimate_json(&self.data))
    }
}

/// The largest answer within the budget: `make` gives the answer with so many of its parts, best first.
pub(crate) fn within(
    budget: usize,
    n_parts: usize,
    make: &dyn Fn(usize) -> Result<Answer, Refusal>,
) -> Result<Answer, Refusal> {
    let all = make(n_parts)?;
    if all.cost() <= budget || n_parts == 0 {
        return Ok(all);
    }
    let mut best = make(0)?;
    let (mut low, mut high) = (0, n_parts);
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        let answer = make(middle)?;
        if answer.cost() <= budget {
            (low, best) = (middle, answer);
        } else {
            high = middle;
        }
    }
    Ok(best)
}

/// What an answer says of its index.
pub(crate) fn info(status: &Status, notes: &[String]) -> IndexInfo {
    IndexInfo {
        state: "ready",
        root: status.root.clone(),
        generation: status.generation,
        head: status.head.clone(),
        behind: status.behind == Some(true),
        n_changed: status.n_changed.unwrap_or(0),
        n_files: status.n_files,
        n_symbols: status.n_symbols,
        not_indexed: status.skipped.clone(),
        n_partly_parsed: status.n_partly_parsed,
        building: None,
        notes: notes.iter().chain(&status.notes).cloned().collect(),
    }
}

/// The last line of an answer's text: how fresh it is, and what there is to know.
pub(crate) fn footer(status: &Status, notes: &[String]) -> String {
    let mut text = status.freshness();
    for note in notes.iter().chain(&status.notes) {
        text.push_str("; ");
        text.push_str(note);
    }
    text.push('\n');
    text
}

/// What an answer says while there is no index yet.
pub(crate) fn building(root: &std::path::Path, building: &Building, notes: &[String]) -> IndexInfo {
    IndexInfo {
        state: "building",
        root: slashed(root),
        behind: true,
        building: Some(BuildingInfo { done: building.done, total: building.total }),
        notes: notes.to_vec(),
        ..IndexInfo::default()
    }
}

/// The same in words.
pub(crate) fn building_text(info: &IndexInfo, progress: &Building) -> String {
    let how_far = match (&progress.holder, progress.total) {
        (Some(holder), _) => format!("by {holder}"),
        (None, 0) => "the files are being counted".to_owned(),
        (None, total) => format!("{} of {} files", grouped(progress.done), grouped(total)),
    };
    format!(
        "The index of {} is being built for the first time: {how_far}.\n\
         There is nothing to answer from yet. Ask again in a few seconds; until then, use grep.\n",
        info.root
    )
}
