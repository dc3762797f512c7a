//! Query files compiled into what the visitor needs: marks per node kind, and queries whose patterns
//! are rooted on few node kinds.
//!
//! A query over a whole tree tests every node against every pattern. Here the visitor looks up one
//! byte per node, and runs a query only on nodes of a kind that some pattern starts with, without
//! descending further than that pattern asks. The vocabulary of captures and properties is
//! closed: an unknown word is an error, which a test raises for every language.

use std::num::NonZeroU16;

use tree_sitter::{Language as Grammar, Query};

use crate::language::Sources;
use crate::symbol::SymbolKind;

/// What a node kind means to the visitor, as bits.
pub(crate) mod mark {
    /// A comment.
    pub(crate) const COMMENT: u16 = 1;
    /// A string, template, regular expression, or text for people.
    pub(crate) const STRING: u16 = 1 << 1;
    /// Code inside a string.
    pub(crate) const CODE: u16 = 1 << 2;
    /// Decorators and the like, which belong to the definition that follows.
    pub(crate) const LEADING: u16 = 1 << 3;
    /// A statement that lends its span to the only definition in it.
    pub(crate) const WRAPPER: u16 = 1 << 4;
    /// Variables below it are local ones.
    pub(crate) const LOCAL: u16 = 1 << 5;
    /// All members of a namespace in it are exported.
    pub(crate) const AMBIENT: u16 = 1 << 6;
    /// Patterns of the main query start here.
    pub(crate) const MAIN: u16 = 1 << 7;
    /// Patterns of the query for what is outside of function bodies start here.
    pub(crate) const MODULE: u16 = 1 << 8;
    /// Patterns of the test query start here.
    pub(crate) const TESTS: u16 = 1 << 9;
}

/// What a captured node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capture {
    /// The node of a definition.
    Definition(SymbolKind),
    /// Its name.
    Name,
    /// Its body, before which the signature ends.
    Body,
    /// A node whose field `body` is that.
    BodyOf,
    /// Its initial value, of which the signature shows the start.
    Value,
    /// Text that names its container, though it stands elsewhere.
    ContainerText,
    /// A node that gives a name to the container of what is in it, without being a symbol.
    Container,
    /// That name.
    ContainerName,
    /// What the wrapper holds is exported.
    Export,
    /// What the wrapper holds is the default export.
    ExportDefault,
    /// A name that is exported.
    ExportName,
    /// A name that is exported as the default.
    ExportDefaultName,
    /// The node of an import.
    Import,
    /// The module of an import.
    ImportModule,
    /// A name that an import takes.
    ImportName,
    /// A node whose own patterns define nothing, or a name that is not one.
    Covered,
    /// Used by predicates only (`@_...`).
    Private,
}

/// The properties of a pattern (`#set!`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a word of the query files, and they combine freely"
)]
pub(crate) struct Properties {
    /// `level "outer"`: belongs to what encloses the enclosing symbol.
    pub(crate) outer_level: bool,
    /// `exported "true"`.
    pub(crate) exported: bool,
    /// `default "true"`: the default export.
    pub(crate) default_export: bool,
    /// `re_export "true"`.
    pub(crate) re_export: bool,
    /// `name "..."`: stands for the text of the captured name.
    pub(crate) name: Option<&'static str>,
}

/// A query with its captures and properties understood.
pub(crate) struct RuleSet {
    /// Its place among the queries of the language: what a lower one defines wins.
    pub(crate) rank: u8,
    pub(crate) query: Query,
    /// By the query's capture index.
    pub(crate) captures: Vec<Capture>,
    /// By the query's pattern index.
    pub(crate) properties: Vec<Properties>,
    /// By node kind id: words, one of which the text of the node must start with for any pattern to
    /// match; empty where there is no such condition.
    starts: Vec<Vec<Box<str>>>,
}

/// Everything compiled for one language.
pub(crate) struct Rules {
    /// Definitions, exports and imports.
    pub(crate) main: RuleSet,
    /// Definitions that count only outside of function bodies.
    pub(crate) module: RuleSet,
    /// Test blocks.
    pub(crate) tests: RuleSet,
    /// The grammar's field `body`.
    pub(crate) body_field: Option<NonZeroU16>,
    /// Marks by node kind id.
    marks: Vec<u16>,
    /// Sorted.
    reserved: Vec<&'static [u8]>,
}

impl Rules {
    /// Compiles the query files of a language; an error names the pattern.
    pub(crate) fn compile(grammar: &Grammar, sources: &Sources) -> Result<Self, String> {
        let mut marks = vec![0; grammar.node_kind_count()];
        for source in sources.tokens {
            mark_tokens(grammar, source, &mut marks)?;
        }
        let main_text = [sources.definitions, sources.imports].concat().join("\n");
        let main = RuleSet::compile(grammar, &main_text, (1, mark::MAIN), &mut marks)?;
        let module =
            RuleSet::compile(grammar, &sources.module.join("\n"), (2, mark::MODULE), &mut marks)?;
        let tests =
            RuleSet::compile(grammar, &sources.tests.join("\n"), (0, mark::TESTS), &mut marks)?;
        let mut reserved: Vec<_> = sources
            .reserved
            .iter()
            .flat_map(|text| text.lines())
            .map(|line| line.trim().as_bytes())
            .filter(|word| !word.is_empty())
            .collect();
        reserved.sort_unstable();
        reserved.dedup();
        let body_field = grammar.field_id_for_name("body");
        Ok(Self { main, module, tests, body_field, marks, reserved })
    }

    /// The marks of a node kind; none for the kind of error nodes.
    pub(crate) fn marks(&self, kind: u16) -> u16 {
        self.marks.get(usize::from(kind)).copied().unwrap_or(0)
    }

    /// Whether `word` is in the language's list of reserved words.
    pub(crate) fn is_reserved(&self, word: &[u8]) -> bool {
        // Most identifiers are told apart by their case alone.
        word.iter().all(u8::is_ascii_lowercase) && self.reserved.binary_search(&word).is_ok()
    }
}

impl RuleSet {
    fn compile(
        grammar: &Grammar,
        text: &str,
        (rank, bit): (u8, u16),
        marks: &mut [u16],
    ) -> Result<Self, String> {
        let query = Query::new(grammar, text).map_err(|error| error.to_string())?;
        let captures = query
            .capture_names()
            .iter()
            .map(|name| capture(name).ok_or_else(|| format!("unknown capture @{name}")))
            .collect::<Result<_, _>>()?;
        let mut properties = Vec::with_capacity(query.pattern_count());
        let mut starts = vec![None; marks.len()];
        for pattern in 0..query.pattern_count() {
            let from = query.start_byte_for_pattern(pattern);
            let root = root_kind(text.get(from..).unwrap_or_default());
            if kinds_named(grammar, root).is_empty() {
                return Err("a pattern must start with a named node".to_owned());
            }
            let words: Vec<Box<str>> = query
                .property_settings(pattern)
                .iter()
                .filter(|property| &*property.key == "starts")
                .filter_map(|property| property.value.as_deref())
                .flat_map(str::split_whitespace)
                .map(Box::from)
                .collect();
            for kind in kinds_named(grammar, root) {
                marks[usize::from(kind)] |= bit;
                let known: &mut Option<Vec<Box<str>>> = &mut starts[usize::from(kind)];
                match known {
                    Some(known) if known.is_empty() || words.is_empty() => known.clear(),
                    Some(known) => known.extend(words.iter().cloned()),
                    None => *known = Some(words.clone()),
                }
            }
            properties.push(pattern_properties(&query, pattern)?);
        }
        let starts = starts.into_iter().map(Option::unwrap_or_default).collect();
        Ok(Self { rank, query, captures, properties, starts })
    }

    /// Whether any pattern can match a node of that kind with that text.
    pub(crate) fn may_match(&self, kind: u16, text: &[u8]) -> bool {
        let Some(words) = self.starts.get(usize::from(kind)) else { return true };
        words.is_empty() || words.iter().any(|word| text.starts_with(word.as_bytes()))
    }
}

/// Reads a file of `(kind) @mark` lines.
fn mark_tokens(grammar: &Grammar, source: &str, marks: &mut [u16]) -> Result<(), String> {
    for line in source.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        let (kind, name) = line
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(") @"))
            .ok_or_else(|| format!("not a `(kind) @mark` line: {line}"))?;
        let bits = match name {
            "comment" => mark::COMMENT,
            "string" => mark::STRING,
            "code" => mark::CODE,
            "leading" => mark::LEADING,
            "wrapper" => mark::WRAPPER,
            "local" => mark::LOCAL,
            "ambient" => mark::AMBIENT,
            _ => return Err(format!("unknown mark @{name}")),
        };
        let ids = kinds_named(grammar, kind);
        if ids.is_empty() {
            return Err(format!("the grammar has no node ({kind})"));
        }
        for id in ids {
            marks[usize::from(id)] |= bits;
        }
    }
    Ok(())
}

/// Every id of a named node kind; a grammar may give one name to several ids.
fn kinds_named(grammar: &Grammar, kind: &str) -> Vec<u16> {
    (0..grammar.node_kind_count() as u16)
        .filter(|id| grammar.node_kind_is_named(*id) && grammar.node_kind_for_id(*id) == Some(kind))
        .collect()
}

/// The kind of node that a pattern's text starts with, past the parentheses of a group.
fn root_kind(pattern: &str) -> &str {
    let from = pattern.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
    let end = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len());
    &from[..end]
}

fn capture(name: &str) -> Option<Capture> {
    if name.starts_with('_') {
        return Some(Capture::Private);
    }
    if let Some(kind) = name.strip_prefix("definition.") {
        return SymbolKind::from_name(kind).map(Capture::Definition);
    }
    Some(match name {
        "name" => Capture::Name,
        "body" => Capture::Body,
        "body.of" => Capture::BodyOf,
        "value" => Capture::Value,
        "container" => Capture::Container,
        "container.name" => Capture::ContainerName,
        "container.text" => Capture::ContainerText,
        "covered" => Capture::Covered,
        "export" => Capture::Export,
        "export.default" => Capture::ExportDefault,
        "export.name" => Capture::ExportName,
        "export.default-name" => Capture::ExportDefaultName,
        "import" => Capture::Import,
        "import.module" => Capture::ImportModule,
        "import.name" => Capture::ImportName,
        _ => return None,
    })
}

fn pattern_properties(query: &Query, pattern: usize) -> Result<Properties, String> {
    let mut properties = Properties::default();
    for property in query.property_settings(pattern) {
        let value = property.value.as_deref().unwrap_or_default();
        match (&*property.key, value) {
            // Understood by `RuleSet::compile`, as it belongs to node kinds.
            ("starts", _) => {}
            ("level", "outer") => properties.outer_level = true,
            ("exported", "true") => properties.exported = true,
            ("default", "true") => properties.default_export = true,
            ("re_export", "true") => properties.re_export = true,
            ("name", "default") => properties.name = Some("default"),
            ("name", "*") => properties.name = Some("*"),
            (key, value) => return Err(format!("unknown property {key} \"{value}\"")),
        }
    }
    Ok(properties)
}
