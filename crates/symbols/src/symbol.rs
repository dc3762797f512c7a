//! The shared vocabulary: what a symbol, an import and a parsed file are.
//!
//! Everything here is plain data without references into the source, so that the indexer may send
//! it between threads. Byte spans are zero-based and half-open; lines are one-based and inclusive,
//! because that is how people, editors and every surface of `reseek` name them.

use std::fmt;

use crate::language::Language;

/// A half-open range of bytes in the source text, zero-based.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte; never below `start`.
    pub end: u32,
}

impl Span {
    /// Length in bytes.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether `other` lies inside this span (equal spans do).
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The bytes of `source` under the span; empty if the span does not fit.
    pub fn slice(self, source: &[u8]) -> &[u8] {
        source.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// A range of lines, one-based and inclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lines {
    /// First line.
    pub start: u32,
    /// Last line; never below `start`.
    pub end: u32,
}

/// What a symbol is. The names are those of the language server protocol where it has one.
///
/// The discriminants are stored in indexes; append only, never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum SymbolKind {
    /// A function, or a variable bound straight to one (also through `memo`, `forwardRef` and the like).
    Function = 0,
    /// A class, abstract or not.
    Class = 1,
    /// A method, a class field or object-literal member bound to a function, an interface method.
    Method = 2,
    /// A `get` accessor.
    Getter = 3,
    /// A `set` accessor.
    Setter = 4,
    /// A constructor.
    Constructor = 5,
    /// A class field or an interface member that holds data.
    Property = 6,
    /// An interface.
    Interface = 7,
    /// A type alias; printed as `type`.
    TypeAlias = 8,
    /// An enum.
    Enum = 9,
    /// A member of an enum; printed as `enum-member`.
    EnumMember = 10,
    /// A variable or constant of a module or namespace.
    Variable = 11,
    /// A namespace or declared module.
    Namespace = 12,
    /// A test block (`describe`, `it`, `test`) of a test file; its name is the title.
    Test = 13,
}

impl SymbolKind {
    /// Every kind, in the order of the discriminants.
    pub const ALL: [SymbolKind; 14] = [
        Self::Function,
        Self::Class,
        Self::Method,
        Self::Getter,
        Self::Setter,
        Self::Constructor,
        Self::Property,
        Self::Interface,
        Self::TypeAlias,
        Self::Enum,
        Self::EnumMember,
        Self::Variable,
        Self::Namespace,
        Self::Test,
    ];

    /// The kind's name in output and in `kind:` filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Class => "class",
            Self::Method => "method",
            Self::Getter => "getter",
            Self::Setter => "setter",
            Self::Constructor => "constructor",
            Self::Property => "property",
            Self::Interface => "interface",
            Self::TypeAlias => "type",
            Self::Enum => "enum",
            Self::EnumMember => "enum-member",
            Self::Variable => "variable",
            Self::Namespace => "namespace",
            Self::Test => "test",
        }
    }

    /// The kind of that name, as [`SymbolKind::name`] prints it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of that stored discriminant.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The discriminant to store.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A named definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name as written, without quotes; `default` for a default export without a name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Names of the enclosing symbols, outermost first, joined by dots; empty at the top.
    pub container: String,
    /// Place of the nearest enclosing symbol in [`ParsedFile::symbols`]; always below this symbol's own place.
    pub parent: Option<u32>,
    /// The declaration without its body, white space folded, at most
    /// [`MAX_SIGNATURE_BYTES`](crate::limits::MAX_SIGNATURE_BYTES) long.
    pub signature: String,
    /// The doc comment without comment marks; empty if there is none.
    pub doc: String,
    /// The whole declaration with `export`, modifiers and decorators, without the doc comment above.
    pub span: Span,
    /// The part of [`Symbol::span`] that [`Symbol::signature`] was made from.
    pub signature_span: Span,
    /// The comment that [`Symbol::doc`] was made from, if any; lies outside of `span`.
    pub doc_span: Option<Span>,
    /// The lines of `span`.
    pub lines: Lines,
    /// Whether another module can import it: exported itself or member of an exported symbol.
    pub exported: bool,
    /// Whether it is the module's default export.
    pub default_export: bool,
}

/// An import, a re-export or a `require`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The module as written, without quotes.
    pub module: String,
    /// The names as the other module exports them (`default` and `*` included).
    pub names: Vec<String>,
    /// Whether it is `export ... from`.
    pub re_export: bool,
    /// The line that it starts on, one-based.
    pub line: u32,
}

/// Why a part of a file could not be read as its author meant it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What happened.
    pub kind: DiagnosticKind,
    /// Where.
    pub lines: Lines,
}

/// The kinds of [`Diagnostic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// The grammar found no meaning for these lines, or had to insert something; symbols around them are kept.
    SyntaxError,
    /// The source is larger than [`MAX_SOURCE_BYTES`](crate::limits::MAX_SOURCE_BYTES) and was not parsed.
    TooLarge,
    /// Nesting beyond [`MAX_DEPTH`](crate::limits::MAX_DEPTH) was not visited.
    TooDeep,
    /// Reading took longer than [`MAX_PARSE_TIME`](crate::limits::MAX_PARSE_TIME) and was given up;
    /// what was read before these lines is kept.
    TimedOut,
    /// The file has more than [`MAX_SYMBOLS`](crate::limits::MAX_SYMBOLS) symbols; the rest was left out.
    TooManySymbols,
}

/// All that was read from one source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedFile {
    /// The language that the source was read as; `None` only in the default value.
    pub language: Option<&'static Language>,
    /// Length of the source in bytes.
    pub source_len: u32,
    /// Definitions, sorted by start ascending, end descending; a parent stands before its children.
    pub symbols: Vec<Symbol>,
    /// Imports and re-exports in the order of the text.
    pub imports: Vec<Import>,
    /// Spans of all comments, sorted, not overlapping.
    pub comments: Vec<Span>,
    /// Spans of all string and template literals with their quotes, of regular expressions, and of the
    /// text between JSX tags, sorted. The code inside `${}` of a template is not part of any of them;
    /// a piece of a template ends with `${` or starts with `}` where it would have a quote.
    pub strings: Vec<Span>,
    /// What could not be read.
    pub diagnostics: Vec<Diagnostic>,
}
