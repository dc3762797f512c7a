//! Query files compiled into what the visitor needs: marks per node kind, and queries whose patterns
//! are rooted on few node kinds.
//!
//! A query over a whole tree tests every node against every pattern. Here the visitor looks up one
//! byte per node, and runs a query only on nodes of a kind that some pattern starts with, without
//! descending further than that pattern asks. The vocabulary of captures and properties is
//! closed: an unknown word is an error, which a test raises for every language.

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
    /// Patterns of the test query start here.
    pub(crate) const TESTS: u16 = 1 << 8;
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
pub(crate) struct Properties {
    /// `scope "module"`: not below nodes marked `@local`.
    pub(crate) module_scope: bool,
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
    pub(crate) query: Query,
    /// By the query's capture index.
    pub(crate) captures: Vec<Capture>,
    /// By the query's pattern index.
    pub(crate) properties: Vec<Properties>,
}

/// Everything compiled for one language.
pub(crate) struct Rules {
    /// Definitions, exports and imports.
    pub(crate) main: RuleSet,
    /// Test blocks.
    pub(crate) tests: RuleSet,
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
        let main = RuleSet::compile(grammar, &main_text, mark::MAIN, &mut marks)?;
        let tests = RuleSet::compile(grammar, &sources.tests.join("\n"), mark::TESTS, &mut marks)?;
        let mut reserved: Vec<_> = sources
            .reserved
            .iter()
            .flat_map(|text| text.lines())
            .map(|line| line.trim().as_bytes())
            .filter(|word| !word.is_empty())
            .collect();
        reserved.sort_unstable();
        reserved.dedup();
        Ok(Self { main, tests, marks, reserved })
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
        starts: u16,
        marks: &mut [u16],
    ) -> Result<Self, String> {
        let query = Query::new(grammar, text).map_err(|error| error.to_string())?;
        let captures = query
            .capture_names()
            .iter()
            .map(|name| capture(name).ok_or_else(|| format!("unknown capture @{name}")))
            .collect::<Result<_, _>>()?;
        let mut properties = Vec::with_capacity(query.pattern_count());
        for pattern in 0..query.pattern_count() {
            let from = query.start_byte_for_pattern(pattern);
            let root = root_kind(text.get(from..).unwrap_or_default());
            add_mark(grammar, root, starts, marks)?;
            properties.push(pattern_properties(&query, pattern)?);
        }
        Ok(Self { query, captures, properties })
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
        add_mark(grammar, kind, bits, marks)?;
    }
    Ok(())
}

/// Adds bits to every id of a named node kind; a grammar may give one name to several ids.
fn add_mark(grammar: &Grammar, kind: &str, bits: u16, marks: &mut [u16]) -> Result<(), String> {
    let mut found = false;
    for (id, marks) in marks.iter_mut().enumerate() {
        let id = id as u16;
        if grammar.node_kind_is_named(id) && grammar.node_kind_for_id(id) == Some(kind) {
            *marks |= bits;
            found = true;
        }
    }
    if found { Ok(()) } else { Err(format!("the grammar has no node ({kind})")) }
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
            ("scope", "module") => properties.module_scope = true,
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
