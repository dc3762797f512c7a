//! Query files compiled into what the visitor needs: marks per node kind, and patterns by the node
//! kind that they are rooted on.
//!
//! The visitor looks up one entry of a table per node, and tries patterns only on nodes of a kind
//! that some pattern starts with. The vocabulary of captures and properties is closed: an unknown
//! word is an error, which a test raises for every language.

use std::collections::HashMap;
use std::num::NonZeroU16;

use tree_sitter::Language as Grammar;

use crate::language::Sources;
use crate::pattern::Pattern;
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

impl Capture {
    /// What a capture of that name is for.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
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

impl Properties {
    /// Sets what a `#set!` says.
    pub(crate) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match (key, value) {
            ("level", "outer") => self.outer_level = true,
            ("exported", "true") => self.exported = true,
            ("default", "true") => self.default_export = true,
            ("re_export", "true") => self.re_export = true,
            ("name", "default") => self.name = Some("default"),
            ("name", "*") => self.name = Some("*"),
            (key, value) => return Err(format!("unknown property {key} \"{value}\"")),
        }
        Ok(())
    }
}

/// The ids of a grammar's node kinds and fields by name.
pub(crate) struct Names<'a> {
    grammar: &'a Grammar,
    /// Kinds by name: those of tokens, then those of named nodes.
    kinds: HashMap<&'a str, [Vec<u16>; 2]>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(grammar: &'a Grammar) -> Self {
        let mut kinds: HashMap<_, [Vec<u16>; 2]> = HashMap::new();
        for id in 0..grammar.node_kind_count() as u16 {
            if let Some(name) = grammar.node_kind_for_id(id) {
                let named = usize::from(grammar.node_kind_is_named(id));
                kinds.entry(name).or_default()[named].push(id);
            }
        }
        Self { grammar, kinds }
    }

    /// Every id of a node kind; a grammar may give one name to several.
    fn kinds(&self, name: &str, named: bool) -> &[u16] {
        self.kinds.get(name).map(|ids| ids[usize::from(named)].as_slice()).unwrap_or_default()
    }

    /// The id that nodes of a kind tell.
    pub(crate) fn kind(&self, name: &str, named: bool) -> Option<u16> {
        if name == "ERROR" && named {
            return Some(u16::MAX);
        }
        // Of several ids the parser makes all nodes tell the same one.
        let first = self.kinds(name, named).first()?;
        Some(if self.kinds(name, named).len() == 1 {
            *first
        } else {
            self.grammar.id_for_node_kind(name, named)
        })
    }

    pub(crate) fn field(&self, name: &str) -> Option<NonZeroU16> {
        self.grammar.field_id_for_name(name)
    }
}

/// The patterns of a query, by the kinds of node that they are rooted on.
pub(crate) struct RuleSet {
    /// Its place among the queries of the language: what a lower one defines wins.
    pub(crate) rank: u8,
    pub(crate) patterns: Vec<Pattern>,
    /// Places of patterns by node kind id.
    by_kind: Vec<Vec<u16>>,
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
        let names = Names::new(grammar);
        let mut marks = vec![0; grammar.node_kind_count()];
        for source in sources.tokens {
            mark_tokens(&names, source, &mut marks)?;
        }
        let main = [sources.definitions, sources.imports].concat();
        let main = RuleSet::compile(&names, &main, (1, mark::MAIN), &mut marks)?;
        let module = RuleSet::compile(&names, sources.module, (2, mark::MODULE), &mut marks)?;
        let tests = RuleSet::compile(&names, sources.tests, (0, mark::TESTS), &mut marks)?;
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
        names: &Names,
        texts: &[&str],
        (rank, bit): (u8, u16),
        marks: &mut [u16],
    ) -> Result<Self, String> {
        let mut patterns = Vec::new();
        for text in texts {
            patterns.extend(Pattern::read_all(names, text)?);
        }
        let mut by_kind = vec![Vec::new(); marks.len()];
        for (index, pattern) in patterns.iter().enumerate() {
            let kind = pattern.root_kind().map(usize::from).filter(|kind| *kind < marks.len());
            let kind = kind.ok_or("a pattern must start with a named node")?;
            marks[kind] |= bit;
            by_kind[kind].push(index as u16);
        }
        Ok(Self { rank, patterns, by_kind })
    }

    /// The places of the patterns that are rooted on a node kind.
    pub(crate) fn rooted_on(&self, kind: u16) -> &[u16] {
        self.by_kind.get(usize::from(kind)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Reads a file of `(kind) @mark` lines.
fn mark_tokens(names: &Names, source: &str, marks: &mut [u16]) -> Result<(), String> {
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
        let ids = names.kinds(kind, true);
        if ids.is_empty() {
            return Err(format!("the grammar has no node ({kind})"));
        }
        for id in ids {
            marks[usize::from(*id)] |= bits;
        }
    }
    Ok(())
}
