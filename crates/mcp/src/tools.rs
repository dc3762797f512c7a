//! The tools: what each is for, in the words that an agent decides by, and the way from a call to its answer.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use reseek_indexer::Error as IndexError;
use reseek_query::Error as QueryError;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answers::{self, Answer, building, building_text};
use crate::arguments::{self, output_schema_of, schema_of};
use crate::engine::{Engine, Ready, View, slashed};
use crate::look;
use crate::retrieve::{self, Kept};
use crate::roots::{Engines, Named};
use crate::surroundings::{Refusal, Surroundings};
use crate::wire::{
    FindInput, FindOutput, OutlineInput, OutlineOutput, ReadInput, ReadOutput, RetrieveInput,
    RetrieveOutput, SearchInput, SearchOutput, StatusInput, StatusOutput,
};

const RETRIEVE: &str = "\
Finds the files and symbols that a task needs, and gives their source within a token budget, best first. \
Call it first when you start on a bug, a feature or a question and do not know the files yet: it also finds code that uses \
other words than the task does. Afterwards go on with continue_from for more, or read_symbols for the rest of a file. \
Use grep instead for an exact string, a log message or a regular expression, and read a file directly when you know its path.";

const SEARCH: &str = "\
Ranked search in names, signatures, comments and code, with filters (kind:, lang:, path:, name:, test:no, \"phrase\", -word). \
Use it when you know a word of the code: it puts definitions first, tests and generated code last, and knows camelCase parts. \
Use grep instead to list every occurrence, for regular expressions, punctuation, and files that are not indexed.";

const FIND: &str = "\
Finds where a name is defined, with kind, lines and the number of other files that use it. \
Use it instead of grep to get from a name to its definition; use grep to list every place that uses it.";

const OUTLINE: &str = "\
Lists the symbols of one file with their lines. Use it before reading a long file, to choose what to read; \
a short file is better read whole.";

const READ: &str = "\
Gives the exact source, with line numbers, of symbols or line ranges of indexed files, as they are on disk now. \
Use it for the pieces that other answers name, several in one call.";

const STATUS: &str = "\
Tells which roots are served, how fresh each index is, and how many files are not indexed and why; with path, why one \
file is in the index or not. Use it when a file that should be found is not.";

/// What one call has to do with.
pub(crate) struct Call<'a> {
    pub(crate) surroundings: &'a dyn Surroundings,
    /// Whether the caller went away or the time is over.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    /// What was changed about the arguments.
    pub(crate) notes: &'a [String],
}

impl Call<'_> {
    pub(crate) fn explain(&self, error: &IndexError) -> Refusal {
        self.surroundings.explain(error)
    }

    pub(crate) fn refusal(&self, error: &QueryError) -> Refusal {
        match error {
            QueryError::Index(error) => self.explain(error),
            QueryError::Query { .. } => Refusal::new(
                "query",
                error.to_string(),
                "write words and filters such as `kind:class path:packages/api`",
            ),
            QueryError::Cancelled => Refusal::new(
                "time-limit",
                "the answer took too long and was given up",
                "narrow it with patterns, or ask for less",
            ),
            _ => Refusal::new("other", error.to_string(), "ask in another way"),
        }
    }
}

/// What a call came to, if it is not its answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request is wrong.
    Arguments(String),
    /// There is no such tool.
    NoTool,
    /// The tool cannot answer.
    Refused(Refusal),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// Everything that calls share.
pub(crate) struct Desk {
    pub(crate) surroundings: Arc<dyn Surroundings>,
    pub(crate) engines: Engines,
    pub(crate) kept: Kept,
    /// How long a call waits for an update before it answers without.
    pub(crate) patience: Duration,
}

/// A tool call on its way.
pub(crate) struct Request {
    pub(crate) tool: String,
    pub(crate) arguments: Option<JsonObject>,
    pub(crate) named: Named,
}

/// The tools, in the order of their use.
pub(crate) fn list() -> Vec<Tool> {
    fn tool<I: JsonSchema, O: JsonSchema>(
        name: &'static str,
        title: &'static str,
        description: &'static str,
    ) -> Tool {
        let mut tool = Tool::new(name, description, schema_of::<I>());
        tool.title = Some(title.to_owned());
        tool.output_schema = Some(Arc::new(output_schema_of::<O>()));
        // A call may bring the index up to date, which changes nothing that the user sees.
        tool.annotations = Some(
            ToolAnnotations::new()
                .read_only(true)
                .destructive(false)
                .idempotent(true)
                .open_world(false),
        );
        tool
    }
    vec![
        tool::<RetrieveInput, RetrieveOutput>("retrieve_context", "Context for a task", RETRIEVE),
        tool::<SearchInput, SearchOutput>("search_code", "Search code", SEARCH),
        tool::<FindInput, FindOutput>("find_symbol", "Find a definition", FIND),
        tool::<OutlineInput, OutlineOutput>("outline", "Outline of a file", OUTLINE),
        tool::<ReadInput, ReadOutput>("read_symbols", "Read source", READ),
        tool::<StatusInput, StatusOutput>("index_status", "State of the index", STATUS),
    ]
}

/// Whether there is a tool of that name.
pub(crate) fn exists(name: &str) -> bool {
    list().iter().any(|tool| tool.name == name)
}

/// Answers a call; runs on a thread that may block. `watched` is told of the root before its index is waited for.
pub(crate) fn run(
    desk: &Desk,
    request: Request,
    stop: &(dyn Fn() -> bool + Sync),
    watched: &dyn Fn(&Arc<Engine>),
) -> Result<Answer, Failure> {
    let Request { tool, arguments, named } = request;
    let way = Way { desk, named: &named, stop, watched };
    match tool.as_str() {
        "retrieve_context" => {
            let (input, notes) = read::<RetrieveInput>(arguments)?;
            if input.task.trim().is_empty() && input.continue_from.is_empty() {
                return Err(Failure::Arguments(
                    "`task` is missing: say in plain words what is to be done".to_owned(),
                ));
            }
            let engine = desk.engines.one(&named, &input.root)?;
            way.answer::<RetrieveOutput>(&engine, &notes, &|call, ready| {
                retrieve::run(call, ready, &input, &desk.kept)
            })
        }
        "search_code" => {
            let (input, notes) = read::<SearchInput>(arguments)?;
            let engine = desk.engines.one(&named, &input.root)?;
            way.answer::<SearchOutput>(&engine, &notes, &|call, ready| {
                look::search_code(call, ready, &input)
            })
        }
        "find_symbol" => {
            let (input, notes) = read::<FindInput>(arguments)?;
            let engine = desk.engines.one(&named, &input.root)?;
            way.answer::<FindOutput>(&engine, &notes, &|call, ready| {
                look::find_symbol(call, ready, &input)
            })
        }
        "outline" => {
            let (input, notes) = read::<OutlineInput>(arguments)?;
            let engine = desk.engines.for_paths(&named, &input.root, &[&input.path])?;
            way.answer::<OutlineOutput>(&engine, &notes, &|call, ready| {
                look::outline(call, ready, &input)
            })
        }
        "read_symbols" => {
            let (input, notes) = read::<ReadInput>(arguments)?;
            let paths: Vec<&str> =
                input.targets.iter().map(|target| target.path.as_str()).collect();
            let engine = desk.engines.for_paths(&named, &input.root, &paths)?;
            way.answer::<ReadOutput>(&engine, &notes, &|call, ready| {
                look::read_symbols(call, ready, &input)
            })
        }
        "index_status" => {
            let (input, notes) = read::<StatusInput>(arguments)?;
            way.status(&input, &notes).map_err(Failure::Refused)
        }
        _ => Err(Failure::NoTool),
    }
}

/// Whether a tool of that name can read these arguments.
pub(crate) fn reads(tool: &str, arguments: Option<JsonObject>) -> bool {
    match tool {
        "retrieve_context" => read::<RetrieveInput>(arguments).is_ok(),
        "search_code" => read::<SearchInput>(arguments).is_ok(),
        "find_symbol" => read::<FindInput>(arguments).is_ok(),
        "outline" => read::<OutlineInput>(arguments).is_ok(),
        "read_symbols" => read::<ReadInput>(arguments).is_ok(),
        "index_status" => read::<StatusInput>(arguments).is_ok(),
        _ => false,
    }
}

fn read<T: DeserializeOwned + JsonSchema>(
    arguments: Option<JsonObject>,
) -> Result<(T, Vec<String>), Failure> {
    arguments::read(arguments).map_err(Failure::Arguments)
}

/// The way of a call that has been read.
struct Way<'a> {
    desk: &'a Desk,
    named: &'a Named,
    stop: &'a (dyn Fn() -> bool + Sync),
    watched: &'a dyn Fn(&Arc<Engine>),
}

/// An answer without anything in it, for a root whose index is not there yet.
trait Empty: Default + Serialize {
    fn of(index: crate::wire::IndexInfo) -> Self;
}

macro_rules! empty {
    ($($output:ident),*) => {$(
        impl Empty for $output {
            fn of(index: crate::wire::IndexInfo) -> Self {
                Self { index, ..Self::default() }
            }
        }
    )*};
}

empty!(RetrieveOutput, SearchOutput, FindOutput, OutlineOutput, ReadOutput);

impl Way<'_> {
    fn call<'a>(&'a self, notes: &'a [String]) -> Call<'a> {
        Call { surroundings: self.desk.surroundings.as_ref(), stop: self.stop, notes }
    }

    fn answer<O: Empty>(
        &self,
        engine: &Arc<Engine>,
        notes: &[String],
        make: &dyn Fn(&Call<'_>, &Ready) -> Result<Answer, Refusal>,
    ) -> Result<Answer, Failure> {
        (self.watched)(engine);
        match engine.view(self.desk.patience, self.stop)? {
            View::Ready(ready) => Ok(make(&self.call(notes), &ready)?),
            View::Building(progress) => {
                let info = building(engine.root(), &progress, notes);
                let text = building_text(&info, &progress);
                Ok(Answer::new(text, &O::of(info))?)
            }
        }
    }

    fn status(&self, input: &StatusInput, notes: &[String]) -> Result<Answer, Refusal> {
        let all = if input.root.is_empty() {
            self.desk.engines.all(self.named)?
        } else {
            vec![self.desk.engines.one(self.named, &input.root)?]
        };
        let mut output = StatusOutput::default();
        let mut text = String::new();
        for engine in &all {
            (self.watched)(engine);
            match engine.view(self.desk.patience, self.stop) {
                Ok(View::Ready(ready)) => {
                    let info = answers::info(&ready.status, notes);
                    let _ = writeln!(
                        text,
                        "{}: {}; {}",
                        info.root,
                        ready.status.freshness(),
                        ready.status.coverage()
                    );
                    for note in &info.notes {
                        let _ = writeln!(text, "  {note}");
                    }
                    if !input.path.is_empty() && (all.len() == 1 || output.explanation.is_empty()) {
                        output.explanation = look::explain(&self.call(notes), &ready, &input.path)?;
                        let _ = writeln!(text, "{}", output.explanation);
                    }
                    output.roots.push(info);
                }
                Ok(View::Building(progress)) => {
                    let info = building(engine.root(), &progress, notes);
                    text.push_str(&building_text(&info, &progress));
                    output.roots.push(info);
                }
                Err(refusal) if all.len() == 1 => return Err(refusal),
                Err(refusal) => {
                    let problem = format!(
                        "{}: {}; {}",
                        slashed(engine.root()),
                        refusal.message,
                        refusal.advice
                    );
                    let _ = writeln!(text, "{problem}");
                    output.problems.push(problem);
                }
            }
        }
        if all.is_empty() {
            text.push_str("The client names no root. Open a folder in it, or start the server with `--root DIR`.\n");
        }
        Answer::new(text, &output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_says_when_to_use_it_and_none_limits_the_number_of_calls() {
        for tool in list() {
            let text = tool.description.unwrap_or_default().to_lowercase();
            assert!(text.contains("use it") || text.contains("call it first"), "{}", tool.name);
            for word in ["at most", "only once", "cycles", "limit of"] {
                assert!(!text.contains(word), "{} says {word}", tool.name);
            }
        }
    }

    #[test]
    fn the_tools_that_search_say_when_grep_is_better() {
        for tool in list().into_iter().take(3) {
            assert!(tool.description.unwrap_or_default().contains("grep"), "{}", tool.name);
        }
    }

    #[test]
    fn every_schema_is_one_object_without_references() {
        for tool in list() {
            for schema in [&tool.input_schema, tool.output_schema.as_ref().unwrap()] {
                assert_eq!(schema["type"], "object", "{}", tool.name);
                let text = serde_json::to_string(schema).unwrap();
                assert!(!text.contains("$ref") && !text.contains("\"format\""), "{text}");
            }
        }
    }
}
