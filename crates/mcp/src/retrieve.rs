//! `retrieve_context`: the loop, packed under a budget, and how a later call goes on from an earlier answer.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use reseek_query::retrieve::retrieve_until;
use reseek_query::task::DEFAULT_THRESHOLD;
use reseek_query::{Lexicon, Retrieval, Task};

use crate::answers::{Answer, info};
use crate::context::{self, Pack, Reader, Source};
use crate::engine::Ready;
use crate::surroundings::Refusal;
use crate::tools::Call;
use crate::wire::{ContextFile, RetrieveInput, RetrieveOutput};

/// Answers that are kept to go on from.
const MAX_KEPT: usize = 64;
/// Relevance from which files are shown when none is relevant enough.
const NEAR: f32 = 0.3;
/// Files shown when none is relevant enough.
const MAX_NEAR: usize = 5;
/// How much lower the threshold is for each time that a task is gone on with.
const STEP: f32 = 0.2;
/// Names that useful files need and that are looked for.
const MAX_NEEDED: usize = 12;
/// Missing things that are named.
const MAX_MISSING: usize = 10;
/// Files that are named although the budget had no room for them; the text tells how many there are.
const MAX_UNSHOWN: usize = 5;
/// Attempts to fit a pack and its frame into the budget.
const MAX_FITS: usize = 8;

/// Earlier answers of this server, for all its clients.
#[derive(Default)]
pub(crate) struct Kept {
    answers: Mutex<Answers>,
}

#[derive(Default)]
struct Answers {
    n_given: u64,
    kept: VecDeque<Earlier>,
}

/// An answer that can be gone on from.
#[derive(Clone)]
struct Earlier {
    id: String,
    root: PathBuf,
    task: Task,
    /// What each of its files needs and no result provided.
    needs: BTreeMap<String, Vec<String>>,
    /// Files that were given so far, by this answer and those before it.
    seen: BTreeSet<String>,
}

impl Kept {
    fn next_id(&self) -> String {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.n_given += 1;
        format!("a{}", answers.n_given)
    }

    fn keep(&self, answer: Earlier) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.kept.len() == MAX_KEPT {
            answers.kept.pop_front();
        }
        answers.kept.push_back(answer);
    }

    fn get(&self, id: &str) -> Option<Earlier> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.kept.iter().find(|answer| answer.id == id).cloned()
    }
}

/// Answers a task.
pub(crate) fn run(
    call: &Call<'_>,
    ready: &Ready,
    input: &RetrieveInput,
    kept: &Kept,
) -> Result<Answer, Refusal> {
    let mut notes = call.notes.to_vec();
    let earlier = earlier(ready, input, kept)?;
    let task = task(input, earlier.as_ref(), &mut notes);
    let lexicon = lexicon(ready);
    let ask = |task: &Task| {
        retrieve_until(&ready.snapshot, task, &lexicon, call.stop)
            .map_err(|error| call.refusal(&error))
    };
    let mut retrieval = ask(&task)?;
    let is_below = retrieval.results.is_empty() && task.threshold > NEAR;
    if is_below {
        let mut near = task.clone();
        near.threshold = NEAR;
        near.limit = MAX_NEAR;
        retrieval = ask(&near)?;
    }
    // What the answer before has given is not missing, though this one leaves it out.
    if earlier.is_some() && retrieval.results.is_empty() {
        retrieval.gaps.clear();
        notes.push("nothing further is near the task".to_owned());
    }
    let answer_id = kept.next_id();
    let source = Source {
        root: &ready.place.root,
        options: &ready.place.walk_options(),
        snapshot: &ready.snapshot,
        status: &ready.status,
        reader: Reader::Agent,
    };
    let loaded = context::load(&source, &retrieval).map_err(|error| call.explain(&error))?;
    let frame = Frame {
        answer_id: &answer_id,
        retrieval: &retrieval,
        is_below: is_below && !retrieval.results.is_empty(),
        notes: &notes,
        ready,
    };
    let (answer, pack) = fit(&frame, &loaded, input.budget as usize)?;
    let mut seen = earlier.map(|earlier| earlier.seen).unwrap_or_default();
    seen.extend(pack.shown);
    kept.keep(Earlier {
        id: answer_id.clone(),
        root: ready.place.root.clone(),
        task,
        needs: retrieval
            .results
            .iter()
            .map(|file| (file.path.clone(), file.missing_context.clone()))
            .collect(),
        seen,
    });
    Ok(answer)
}

/// The answer that a call goes on from.
fn earlier(ready: &Ready, input: &RetrieveInput, kept: &Kept) -> Result<Option<Earlier>, Refusal> {
    if input.continue_from.is_empty() {
        return Ok(None);
    }
    let earlier = kept.get(&input.continue_from).ok_or_else(|| {
        Refusal::new(
            "unknown-answer",
            format!("there is no answer `{}` to go on from", input.continue_from),
            format!(
                "the last {MAX_KEPT} answers are kept while the server lives; ask anew with `task`"
            ),
        )
    })?;
    if earlier.root != ready.place.root {
        return Err(Refusal::new(
            "other-root",
            format!("answer `{}` is of {}", input.continue_from, earlier.root.display()),
            "name that root in `root`, or ask anew with `task`",
        ));
    }
    Ok(Some(earlier))
}

/// The task of a call, with what it goes on from.
fn task(input: &RetrieveInput, earlier: Option<&Earlier>, notes: &mut Vec<String>) -> Task {
    let mut task = earlier.map_or_else(|| Task::new(""), |earlier| earlier.task.clone());
    if !input.task.trim().is_empty() {
        input.task.trim().clone_into(&mut task.text);
    }
    task.patterns.extend(input.patterns.iter().cloned());
    task.keywords.extend(input.keywords.iter().cloned());
    let left_out = input.excludes.iter().chain(&input.known_files).chain(&input.not_useful);
    task.excludes.extend(left_out.cloned());
    let Some(earlier) = earlier else { return task };
    task.excludes.extend(earlier.seen.iter().cloned());
    task.threshold = (task.threshold.min(DEFAULT_THRESHOLD) - STEP).max(NEAR);
    for path in input.useful.iter().chain(&input.not_useful) {
        if !earlier.needs.contains_key(path) {
            notes.push(format!("`{path}` is no file of answer {}", earlier.id));
        }
    }
    let needed = input.useful.iter().filter_map(|path| earlier.needs.get(path)).flatten();
    for name in needed {
        if task.focus_areas.len() < MAX_NEEDED && !task.focus_areas.contains(name) {
            task.focus_areas.push(name.clone());
        }
    }
    task
}

/// The lexicon that the configuration asks for.
fn lexicon(ready: &Ready) -> Lexicon {
    let lexicon = &ready.place.config.lexicon;
    if !lexicon.enabled {
        return Lexicon::default();
    }
    let entries = lexicon.entries.iter().map(|(phrase, terms)| (phrase.as_str(), terms.as_slice()));
    Lexicon::with_entries(true, entries)
}

/// What stands around a pack.
struct Frame<'a> {
    answer_id: &'a str,
    retrieval: &'a Retrieval,
    is_below: bool,
    notes: &'a [String],
    ready: &'a Ready,
}

impl Frame<'_> {
    fn answer(&self, pack: &Pack) -> Result<Answer, Refusal> {
        let mut text = String::new();
        if self.is_below {
            text.push_str("No file is clearly relevant; these are the nearest ones.\n");
        }
        text.push_str(&pack.text);
        let _ = writeln!(
            text,
            "\nAnswer {}. For more: retrieve_context with continue_from, and useful or not_useful files.",
            self.answer_id
        );
        for note in self.notes.iter().chain(&self.ready.status.notes) {
            let _ = writeln!(text, "Note: {note}.");
        }
        let mut n_unshown = 0;
        let files = self
            .retrieval
            .results
            .iter()
            .filter(|file| {
                let is_shown = pack.shown.contains(&file.path);
                n_unshown += usize::from(!is_shown);
                is_shown || n_unshown <= MAX_UNSHOWN
            })
            .map(|file| ContextFile {
                path: file.path.clone(),
                relevance: file.relevance,
                shown: pack.shown.contains(&file.path),
            })
            .collect();
        let missing =
            self.retrieval.gaps.iter().take(MAX_MISSING).map(|gap| gap.name.clone()).collect();
        let output = RetrieveOutput {
            answer_id: self.answer_id.to_owned(),
            context: pack.text.clone(),
            files,
            below_threshold: self.is_below,
            missing,
            index: info(&self.ready.status, self.notes),
        };
        Answer::new(text, &output)
    }
}

/// The answer whose text and data are both within the budget.
fn fit(
    frame: &Frame<'_>,
    loaded: &context::Loaded<'_>,
    budget: usize,
) -> Result<(Answer, Pack), Refusal> {
    let mut room = budget;
    for _ in 0..MAX_FITS {
        let pack = loaded.pack_within(room, budget);
        let answer = frame.answer(&pack)?;
        let cost = answer.cost();
        if cost <= budget {
            return Ok((answer, pack));
        }
        // The frame costs what it costs; the pack has to give way by what is too much, and by its share of escapes.
        room = (room * budget / cost).min(room.saturating_sub(cost - budget)).max(1);
    }
    let none = loaded.pack_within(0, budget);
    frame.answer(&none).map(|answer| (answer, none))
}
