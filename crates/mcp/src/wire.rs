//! Everything that goes over the wire: the arguments and the answers of the tools.
//!
//! The comments are the descriptions that agents read, so they speak to them. Lines are one-based and inclusive.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments of `retrieve_context`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct RetrieveInput {
    /// What is to be done, in plain words, with every name, message and symptom that you know. Required unless
    /// `continue_from` is given.
    #[schemars(length(max = 20_000))]
    pub(crate) task: String,
    /// Most tokens of the answer.
    #[schemars(range(min = 1_000, max = 50_000))]
    pub(crate) budget: u32,
    /// Search only in files that match these paths, folders or globs, such as `packages/api/**`.
    #[schemars(length(max = 100))]
    pub(crate) patterns: Vec<String>,
    /// Leave out files that match these paths, folders or globs.
    #[schemars(length(max = 500))]
    pub(crate) excludes: Vec<String>,
    /// Further words that the code may use for the task.
    #[schemars(length(max = 50))]
    pub(crate) keywords: Vec<String>,
    /// Paths of files that you have read already; they are left out of the answer.
    #[schemars(length(max = 1_000))]
    pub(crate) known_files: Vec<String>,
    /// The `answer_id` of an earlier answer: search on for the same task, without the files that it gave.
    #[schemars(length(max = 20))]
    pub(crate) continue_from: String,
    /// With `continue_from`: the files of the earlier answer that helped; what they need is looked for.
    #[schemars(length(max = 100))]
    pub(crate) useful: Vec<String>,
    /// With `continue_from`: the files of the earlier answer that did not help.
    #[schemars(length(max = 100))]
    pub(crate) not_useful: Vec<String>,
    /// The root to search, or a path below it; needed only if there are several.
    #[schemars(length(max = 4_096))]
    pub(crate) root: String,
}

impl Default for RetrieveInput {
    fn default() -> Self {
        Self {
            task: String::new(),
            budget: 6_000,
            patterns: Vec::new(),
            excludes: Vec::new(),
            keywords: Vec::new(),
            known_files: Vec::new(),
            continue_from: String::new(),
            useful: Vec::new(),
            not_useful: Vec::new(),
            root: String::new(),
        }
    }
}

fn twenty() -> u32 {
    20
}

fn budget() -> u32 {
    6_000
}

/// Arguments of `search_code`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct SearchInput {
    /// Words, names and filters: `rate limiter`, `"exact phrase"`, `kind:class,interface`, `lang:tsx`,
    /// `path:packages/**/src`, `file:router`, `name:Router`, `exported:yes`, `test:no`, `-word`.
    #[schemars(length(min = 1, max = 2_000))]
    pub(crate) query: String,
    /// Most hits.
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: u32,
    /// Most tokens of the answer.
    #[serde(default = "budget")]
    #[schemars(range(min = 500, max = 50_000))]
    pub(crate) budget: u32,
    /// The root to search, or a path below it; needed only if there are several.
    #[serde(default)]
    #[schemars(length(max = 4_096))]
    pub(crate) root: String,
}

/// Arguments of `find_symbol`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FindInput {
    /// A name, `Container.name` for a member, the beginning of a name, or its parts in any order.
    #[schemars(length(min = 1, max = 500))]
    pub(crate) name: String,
    /// Only symbols of this kind.
    #[serde(default)]
    pub(crate) kind: Kind,
    /// Only files that match this path, folder or glob.
    #[serde(default)]
    #[schemars(length(max = 4_096))]
    pub(crate) path: String,
    /// Only symbols that another module can import.
    #[serde(default)]
    pub(crate) exported: bool,
    /// Most symbols.
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: u32,
    /// The root to search, or a path below it; needed only if there are several.
    #[serde(default)]
    #[schemars(length(max = 4_096))]
    pub(crate) root: String,
}

/// A kind of symbol, or any.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub(crate) enum Kind {
    #[default]
    Any,
    Function,
    Class,
    Method,
    Getter,
    Setter,
    Constructor,
    Property,
    Interface,
    Type,
    Enum,
    EnumMember,
    Variable,
    Namespace,
    Test,
}

/// Arguments of `outline`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct OutlineInput {
    /// The file, relative to the root.
    #[schemars(length(min = 1, max = 4_096))]
    pub(crate) path: String,
    /// Most tokens of the answer.
    #[serde(default = "budget")]
    #[schemars(range(min = 500, max = 50_000))]
    pub(crate) budget: u32,
    /// The root of the file; needed only if there are several.
    #[serde(default)]
    #[schemars(length(max = 4_096))]
    pub(crate) root: String,
}

/// Arguments of `read_symbols`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ReadInput {
    /// What to read, most important first.
    #[schemars(length(min = 1, max = 50))]
    pub(crate) targets: Vec<Target>,
    /// Most tokens of the answer.
    #[serde(default = "budget")]
    #[schemars(range(min = 500, max = 50_000))]
    pub(crate) budget: u32,
    /// The root of the files; needed only if there are several.
    #[serde(default)]
    #[schemars(length(max = 4_096))]
    pub(crate) root: String,
}

fn one() -> u32 {
    1
}

fn endless() -> u32 {
    u32::MAX
}

/// A piece of a file: a symbol, a range of lines, or all of it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Target {
    /// The file, relative to the root.
    #[schemars(length(min = 1, max = 4_096))]
    pub(crate) path: String,
    /// A symbol of the file: `name`, or `Container.name` for a member.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub(crate) symbol: String,
    /// First line; the first of the file if left out.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    pub(crate) start_line: u32,
    /// Last line; the last of the file if left out.
    #[serde(default = "endless")]
    #[schemars(range(min = 1, max = 4_294_967_295_u32))]
    pub(crate) end_line: u32,
}

/// Arguments of `index_status`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct StatusInput {
    /// Tell why this file or folder is in the index or not.
    #[schemars(length(max = 4_096))]
    pub(crate) path: String,
    /// Only this root; all if left out.
    #[schemars(length(max = 4_096))]
    pub(crate) root: String,
}

/// What every answer says of the index behind it.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct IndexInfo {
    /// `ready`, or `building` while the first build is under way and there is nothing to answer from yet.
    pub(crate) state: &'static str,
    /// The root; all paths are relative to it.
    pub(crate) root: String,
    /// Counts the commits of the index.
    pub(crate) generation: u64,
    /// The git commit that the index was built at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<String>,
    /// Whether files are known to have changed since.
    pub(crate) behind: bool,
    /// How many files are known to have changed since.
    pub(crate) n_changed: u64,
    /// Files in the index.
    pub(crate) n_files: u64,
    /// Symbols in the index.
    pub(crate) n_symbols: u64,
    /// Files that are not in the index, by reason. A name that is not found may be in one of them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) not_indexed: BTreeMap<String, u64>,
    /// Files with syntax errors, whose other symbols are in the index.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) n_partly_parsed: u64,
    /// How far the first build has come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) building: Option<BuildingInfo>,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// How far the first build has come.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct BuildingInfo {
    /// Files done.
    pub(crate) done: u64,
    /// Files in all; 0 while they are being counted.
    pub(crate) total: u64,
}

/// Answer of `retrieve_context`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct RetrieveOutput {
    /// What to pass as `continue_from`.
    pub(crate) answer_id: String,
    /// The source, best file first, with line numbers.
    pub(crate) context: String,
    /// The files, most relevant first.
    pub(crate) files: Vec<ContextFile>,
    /// Whether the files are only the nearest ones, none being relevant enough.
    pub(crate) below_threshold: bool,
    /// What the task or a relevant file needs and none of the files provides.
    pub(crate) missing: Vec<String>,
    /// The index behind the answer.
    pub(crate) index: IndexInfo,
}

/// A file of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ContextFile {
    /// The path.
    pub(crate) path: String,
    /// 0 to 1; 0.8 and more directly implements the task, 0.5 and more is related.
    pub(crate) relevance: f32,
    /// Whether the budget had room for it in `context`.
    pub(crate) shown: bool,
}

/// Answer of `search_code`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct SearchOutput {
    /// Best first.
    pub(crate) hits: Vec<Hit>,
    /// How many symbols and files match; those that are not among the hits included.
    pub(crate) n_matching: u64,
    /// Words of the query that were not looked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ignored: Vec<String>,
    /// The index behind the answer.
    pub(crate) index: IndexInfo,
}

/// A hit of `search_code`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hit {
    /// The path.
    pub(crate) path: String,
    /// First line; absent for a file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_line: Option<u32>,
    /// Last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_line: Option<u32>,
    /// The kind of symbol, or `file`.
    pub(crate) kind: &'static str,
    /// The name with what is around it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    /// How well it matches: `exact` for the whole name, `strong` for all words, `partial` for some.
    #[serde(rename = "match")]
    pub(crate) band: &'static str,
}

/// Answer of `find_symbol`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct FindOutput {
    /// Definitions: whole names first, then beginnings, then parts.
    pub(crate) symbols: Vec<FoundSymbol>,
    /// Whether there are more than the limit or the budget had room for.
    pub(crate) more: bool,
    /// The index behind the answer.
    pub(crate) index: IndexInfo,
}

/// A definition.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FoundSymbol {
    /// The path.
    pub(crate) path: String,
    /// First line.
    pub(crate) start_line: u32,
    /// Last line.
    pub(crate) end_line: u32,
    /// The kind.
    pub(crate) kind: &'static str,
    /// The name with what is around it.
    pub(crate) name: String,
    /// Whether another module can import it.
    pub(crate) exported: bool,
    /// How many other files use or import a symbol of that name; known for whole names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) n_references: Option<u64>,
}

/// Answer of `outline`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct OutlineOutput {
    /// The path.
    pub(crate) path: String,
    /// The language; empty if it is none with symbols.
    pub(crate) language: &'static str,
    /// Lines of the file.
    pub(crate) n_lines: u64,
    /// Symbols in the order of the file, parents first.
    pub(crate) symbols: Vec<OutlineSymbol>,
    /// Symbols that the budget had no room for.
    pub(crate) n_left_out: u64,
    /// Ranges of lines that could not be read as meant, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<String>,
    /// The index behind the answer.
    pub(crate) index: IndexInfo,
}

/// A symbol of an outline.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OutlineSymbol {
    /// The name with what is around it.
    pub(crate) name: String,
    /// The kind.
    pub(crate) kind: &'static str,
    /// First line.
    pub(crate) start_line: u32,
    /// Last line.
    pub(crate) end_line: u32,
    /// Whether another module can import it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) exported: bool,
}

/// Answer of `read_symbols`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct ReadOutput {
    /// One for each target, in their order.
    pub(crate) pieces: Vec<Piece>,
    /// The index behind the answer.
    pub(crate) index: IndexInfo,
}

/// What came of a target.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Piece {
    /// The path.
    pub(crate) path: String,
    /// The symbol that was asked for, with its kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) symbol: String,
    /// First line of `text`; 0 if there is none.
    pub(crate) start_line: u32,
    /// Last line of `text`.
    pub(crate) end_line: u32,
    /// The source, each line after its number and a tab.
    pub(crate) text: String,
    /// Whether the text is all that was asked for.
    pub(crate) complete: bool,
    /// Why it is not, and how to get the rest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
}

/// Answer of `index_status`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct StatusOutput {
    /// One for each root.
    pub(crate) roots: Vec<IndexInfo>,
    /// Roots that cannot be served, with the reason and the command that helps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<String>,
    /// Why the path that was asked for is in the index or not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) explanation: String,
}
