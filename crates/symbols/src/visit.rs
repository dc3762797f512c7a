//! One walk over the syntax tree, which turns matches of the rules into drafts of symbols.
//!
//! The walk is iterative, in the order of the text. It keeps a stack of open scopes (symbols,
//! containers, statements that wrap a definition, strings, function bodies), so that the rules need
//! not say how definitions nest. Docs, signatures and lines are made afterwards, once all comments
//! are known.

use std::collections::HashMap;

use tree_sitter::{Node, Tree};

use crate::limits::{MAX_DEPTH, MAX_SYMBOLS};
use crate::pattern::Matcher;
use crate::rules::{Capture, Properties, RuleSet, Rules, mark};
use crate::symbol::{Span, SymbolKind};

/// A symbol before its texts are made.
pub(crate) struct Draft {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    pub(crate) container: String,
    pub(crate) parent: Option<u32>,
    pub(crate) span: Span,
    /// Where the signature starts: after decorators.
    pub(crate) signature_start: u32,
    /// Where the body starts, if there is one.
    pub(crate) body: Option<u32>,
    /// Where the initial value starts, if there is one.
    pub(crate) value: Option<u32>,
    /// Where the first of several merged declarations ends.
    pub(crate) first_end: Option<u32>,
    pub(crate) exported: bool,
    pub(crate) default_export: bool,
    /// Whether members are exported by being members, as in a declared namespace.
    pub(crate) ambient: bool,
}

/// An import before its names are put in order.
pub(crate) struct ImportDraft {
    pub(crate) start: u32,
    pub(crate) module: String,
    /// With the byte where each stands.
    pub(crate) names: Vec<(u32, String)>,
    pub(crate) re_export: bool,
}

/// What the walk found.
#[derive(Default)]
pub(crate) struct Visited {
    pub(crate) drafts: Vec<Draft>,
    pub(crate) imports: Vec<ImportDraft>,
    pub(crate) comments: Vec<Span>,
    pub(crate) strings: Vec<Span>,
    /// Names that are exported by a statement of their own, and whether as the default.
    pub(crate) exports: Vec<(String, bool)>,
    /// Error nodes and missing ones.
    pub(crate) errors: Vec<Span>,
    /// The first node that was too deep to visit.
    pub(crate) too_deep: Option<Span>,
    /// The first symbol beyond the limit.
    pub(crate) too_many: Option<Span>,
    /// What was left when the time was over.
    pub(crate) timed_out: Option<Span>,
    /// Nodes visited, and steps of matching.
    pub(crate) work: u64,
}

/// How many nodes are visited between two looks at the clock, which cost more than a node does.
const NODES_PER_CHECK: u64 = 1_024;
/// The key of definitions without a name.
const UNNAMED: u32 = u32::MAX;

/// A definition that a match found.
struct Found {
    /// Place of its query in the order in which they are run, and of the pattern in the query; the
    /// lower one wins.
    pattern: (u8, usize),
    kind: SymbolKind,
    /// Where the name stands; definitions without a name share one key.
    key: u32,
    name: String,
    body: Option<(u32, usize)>,
    value: Option<u32>,
    container: Option<String>,
    properties: Properties,
}

/// What matches said about a node: those rooted at it, and those rooted at a node above.
#[derive(Default)]
struct Claim {
    found: Vec<Found>,
    container: Option<String>,
    /// Its own patterns define nothing.
    covered: bool,
}

/// The captures of one match.
#[derive(Default)]
struct Parts<'tree> {
    definition: Option<(Node<'tree>, SymbolKind)>,
    name: Option<Node<'tree>>,
    body: Option<Node<'tree>>,
    value: Option<Node<'tree>>,
    container: Option<Node<'tree>>,
    container_name: Option<Node<'tree>>,
    container_text: Option<Node<'tree>>,
    import: Option<Node<'tree>>,
    module: Option<Node<'tree>>,
    import_name: Option<Node<'tree>>,
}

/// An open scope: it ends with the node that opened it.
struct Scope {
    depth: usize,
    kind: ScopeKind,
}

enum ScopeKind {
    Symbol { index: u32, local: bool, path: usize, body: Option<usize> },
    Container { path: usize },
    Local,
    Text { from: u32, end: u32 },
    Wrapper(Wrapper),
}

/// A statement around definitions.
struct Wrapper {
    span: Span,
    signature_start: Option<u32>,
    exported: bool,
    default_export: bool,
    ambient: bool,
    /// How many of its children may define something.
    candidates: u32,
    /// The drafts of the child that did: first and one past the last.
    drafts: Option<(u32, u32)>,
}

struct Visitor<'a, 'tree> {
    source: &'a [u8],
    rules: &'a Rules,
    matcher: Matcher<'a, 'tree>,
    is_test: bool,
    out: Visited,
    scopes: Vec<Scope>,
    /// How many open scopes make variables local.
    locals: usize,
    /// The dotted name of the open symbols and containers.
    path: String,
    /// By node id; an entry is taken out when its node is reached.
    claims: HashMap<usize, Claim>,
    /// Place in `out.imports` by node id.
    imports: HashMap<usize, usize>,
    /// Depth and start of the decorators directly before the current node.
    leading: Option<(usize, u32)>,
}

/// Walks the whole tree, or as far as it comes until `out_of_time` says so.
pub(crate) fn visit(
    tree: &Tree,
    source: &[u8],
    rules: &Rules,
    is_test: bool,
    out_of_time: &mut dyn FnMut() -> bool,
) -> Visited {
    let mut visitor = Visitor {
        source,
        rules,
        matcher: Matcher::new(tree, source),
        is_test,
        out: Visited::default(),
        scopes: Vec::new(),
        locals: 0,
        path: String::new(),
        claims: HashMap::new(),
        imports: HashMap::new(),
        leading: None,
    };
    let has_error = tree.root_node().has_error();
    let mut walk = tree.walk();
    let mut depth = 0;
    let mut nodes = 0;
    'nodes: loop {
        let node = walk.node();
        nodes += 1;
        if nodes % NODES_PER_CHECK == 0 && out_of_time() {
            let start = node.start_byte() as u32;
            visitor.out.timed_out = Some(Span { start, end: source.len() as u32 });
            break;
        }
        visitor.close_scopes(depth);
        if has_error && (node.is_error() || node.is_missing()) {
            visitor.out.errors.push(span_of(node));
        }
        visitor.enter(node, depth);
        if depth < MAX_DEPTH {
            if walk.goto_first_child() {
                depth += 1;
                continue;
            }
        } else if node.child_count() > 0 && visitor.out.too_deep.is_none() {
            visitor.out.too_deep = Some(span_of(node));
        }
        while !walk.goto_next_sibling() {
            if !walk.goto_parent() {
                break 'nodes;
            }
            depth -= 1;
        }
    }
    visitor.close_scopes(0);
    visitor.out.work = nodes + visitor.matcher.work();
    visitor.out
}

fn span_of(node: Node<'_>) -> Span {
    Span { start: node.start_byte() as u32, end: node.end_byte() as u32 }
}

impl<'tree> Visitor<'_, 'tree> {
    /// Closes the scopes that a node at `depth` is not part of, innermost first.
    fn close_scopes(&mut self, depth: usize) {
        while let Some(scope) = self.scopes.pop_if(|scope| scope.depth >= depth) {
            match scope.kind {
                ScopeKind::Symbol { local, path, .. } => {
                    self.locals -= usize::from(local);
                    self.path.truncate(path);
                }
                ScopeKind::Container { path } => self.path.truncate(path),
                ScopeKind::Local => self.locals -= 1,
                ScopeKind::Text { from, end } => self.push_string(from, end),
                ScopeKind::Wrapper(wrapper) => self.close_wrapper(&wrapper, scope.depth),
            }
        }
    }

    /// Lends the wrapper's span to the only definition in it, and that to the wrapper around it.
    fn close_wrapper(&mut self, wrapper: &Wrapper, depth: usize) {
        let (Some((first, end)), 1) = (wrapper.drafts, wrapper.candidates) else { return };
        for draft in &mut self.out.drafts[first as usize..end as usize] {
            draft.span = wrapper.span;
            draft.signature_start = wrapper.signature_start.unwrap_or(wrapper.span.start);
        }
        if let Some(outer) = self.wrapper_at(depth) {
            outer.drafts = wrapper.drafts;
        }
    }

    /// The wrapper that is the parent of a node at `depth`.
    fn wrapper_at(&mut self, depth: usize) -> Option<&mut Wrapper> {
        match self.scopes.last_mut() {
            Some(Scope { depth: at, kind: ScopeKind::Wrapper(wrapper) }) if *at + 1 == depth => {
                Some(wrapper)
            }
            _ => None,
        }
    }

    fn push_string(&mut self, from: u32, end: u32) {
        let text = Span { start: from, end }.slice(self.source);
        let lead = text.len() - text.trim_ascii_start().len();
        let start = from + lead as u32;
        let end = start + text.trim_ascii().len() as u32;
        if start < end {
            self.out.strings.push(Span { start, end });
        }
    }

    fn enter(&mut self, node: Node<'tree>, depth: usize) {
        let marks = self.rules.marks(node.kind_id());
        if marks & mark::COMMENT != 0 {
            self.out.comments.push(span_of(node));
            return;
        }
        if marks & mark::LEADING != 0 {
            self.lead(node, depth);
            return;
        }
        let mut leading = None;
        if let Some((at, start)) = self.leading
            && at >= depth
        {
            leading = (at == depth).then_some(start);
            self.leading = None;
        }
        if marks == 0 && self.claims.is_empty() {
            return;
        }
        let claim = if self.claims.is_empty() { None } else { self.claims.remove(&node.id()) };
        if marks == 0 && claim.is_none() {
            return;
        }

        let span = span_of(node);
        if marks & mark::CODE != 0
            && let Some(Scope { depth: at, kind: ScopeKind::Text { from, .. } }) =
                self.scopes.last_mut()
            && *at + 1 == depth
        {
            // The marks around the code belong to the string, as its quotes do.
            let inner = delimited(node);
            let piece = std::mem::replace(from, inner.end);
            self.push_string(piece, inner.start);
        }
        if (claim.is_some() || marks & (mark::MAIN | mark::MODULE | mark::WRAPPER) != 0)
            && let Some(wrapper) = self.wrapper_at(depth)
        {
            wrapper.candidates += 1;
        }

        let mut wrapper = Wrapper {
            span,
            signature_start: None,
            exported: false,
            default_export: false,
            ambient: marks & mark::AMBIENT != 0,
            candidates: 0,
            drafts: None,
        };
        let above = claim.unwrap_or_default();
        let settled = above.covered || !above.found.is_empty();
        let mut claim = Claim::default();
        let rules = self.rules;
        if marks & mark::TESTS != 0 && self.is_test {
            self.run(&rules.tests, node, &mut wrapper, &mut claim);
        }
        if marks & mark::MAIN != 0 {
            self.run(&rules.main, node, &mut wrapper, &mut claim);
        }
        if marks & mark::MODULE != 0 && self.locals == 0 {
            self.run(&rules.module, node, &mut wrapper, &mut claim);
        }

        if settled {
            claim = above;
        } else if above.container.is_some() {
            claim.container = above.container;
        }
        let is_symbol = self.define(node, depth, claim.found, leading, wrapper.ambient);
        if marks & mark::WRAPPER != 0 && !is_symbol {
            self.scopes.push(Scope { depth, kind: ScopeKind::Wrapper(wrapper) });
        }
        if let Some(name) = claim.container {
            let path = self.path.len();
            extend_path(&mut self.path, &name);
            self.scopes.push(Scope { depth, kind: ScopeKind::Container { path } });
        }
        if marks & mark::STRING != 0 {
            let kind = ScopeKind::Text { from: span.start, end: span.end };
            self.scopes.push(Scope { depth, kind });
        }
        if marks & mark::LOCAL != 0 && !is_symbol && !self.is_namespace_body(node) {
            self.locals += 1;
            self.scopes.push(Scope { depth, kind: ScopeKind::Local });
        }
    }

    /// Remembers decorators for the definition that follows, or that they are part of.
    fn lead(&mut self, node: Node<'_>, depth: usize) {
        let span = span_of(node);
        if self.leading.is_none_or(|(at, _)| at != depth) {
            self.leading = Some((depth, span.start));
        }
        let signature_start = match self.scopes.last_mut() {
            Some(scope) if scope.depth + 1 == depth => match &mut scope.kind {
                ScopeKind::Symbol { index, .. } => {
                    Some(&mut self.out.drafts[*index as usize].signature_start)
                }
                ScopeKind::Wrapper(wrapper) => {
                    Some(wrapper.signature_start.get_or_insert(wrapper.span.start))
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(from) = signature_start {
            let before = Span { start: *from, end: span.start.max(*from) };
            if before.slice(self.source).trim_ascii().is_empty() {
                *from = span.end;
            }
        }
    }

    /// Whether the node is the body of the innermost symbol and that is a namespace.
    fn is_namespace_body(&self, node: Node<'_>) -> bool {
        let symbol = self.scopes.iter().rev().find_map(|scope| match scope.kind {
            ScopeKind::Symbol { body, .. } => Some(body),
            _ => None,
        });
        symbol.flatten() == Some(node.id())
    }

    /// Makes drafts of what was found at a node and opens the scope of the first one.
    fn define(
        &mut self,
        node: Node<'_>,
        depth: usize,
        mut found: Vec<Found>,
        leading: Option<u32>,
        ambient: bool,
    ) -> bool {
        if found.is_empty() {
            return false;
        }
        // Of the patterns that define the same name the lowest wins; of its matches, the first.
        found.sort_by_key(|found| (found.key, found.pattern));
        found.dedup_by_key(|found| found.key);
        // A definition stays without a name only if no pattern gives it one; those come last.
        if found[0].key != UNNAMED {
            found.retain(|found| found.key != UNNAMED);
        }
        let own = span_of(node);
        let span = Span { start: leading.unwrap_or(own.start), end: own.end };
        let (mut exported, mut default_export, mut ambient) = (false, false, ambient);
        for (up, scope) in self.scopes.iter().rev().enumerate() {
            match &scope.kind {
                ScopeKind::Wrapper(wrapper) if scope.depth + up + 1 == depth => {
                    exported |= wrapper.exported;
                    default_export |= wrapper.default_export;
                    ambient |= wrapper.ambient;
                }
                _ => break,
            }
        }
        let enclosing = self.scopes.iter().rev().find_map(|scope| match scope.kind {
            ScopeKind::Symbol { index, .. } => Some(index),
            _ => None,
        });
        let first = self.out.drafts.len() as u32;
        let path = self.path.clone();
        let mut opened = None;
        for found in found {
            if self.out.drafts.len() >= MAX_SYMBOLS {
                self.out.too_many.get_or_insert(span);
                break;
            }
            let (mut parent, mut container) = (enclosing, path.clone());
            if found.properties.outer_level
                && let Some(inner) = enclosing
            {
                let inner = &self.out.drafts[inner as usize];
                (parent, container) = (inner.parent, inner.container.clone());
            }
            if let Some(text) = &found.container {
                extend_path(&mut container, text);
            }
            if opened.is_none() {
                let path = self.path.len();
                if !found.properties.outer_level {
                    let container = found.container.iter().map(String::as_str);
                    for name in container.chain([found.name.as_str()]) {
                        extend_path(&mut self.path, name);
                    }
                }
                opened = Some((found.kind, found.body.map(|(_, id)| id), path));
            }
            let default_export = default_export || found.properties.default_export;
            self.out.drafts.push(Draft {
                name: found.name,
                kind: found.kind,
                container,
                parent,
                span,
                signature_start: own.start,
                body: found.body.map(|(start, _)| start),
                value: found.value,
                first_end: None,
                exported: exported || default_export || found.properties.exported,
                default_export,
                ambient,
            });
        }
        let Some((kind, body, path)) = opened else { return false };
        let end = self.out.drafts.len() as u32;
        if let Some(wrapper) = self.wrapper_at(depth) {
            wrapper.drafts = Some((first, end));
        }
        let local = makes_local(kind);
        self.locals += usize::from(local);
        let body = body.filter(|_| kind == SymbolKind::Namespace);
        let kind = ScopeKind::Symbol { index: first, local, path, body };
        self.scopes.push(Scope { depth, kind });
        true
    }

    /// Matches the patterns rooted on one node and sorts what they captured.
    fn run(&mut self, rules: &RuleSet, node: Node<'tree>, wrapper: &mut Wrapper, own: &mut Claim) {
        let source = self.source;
        let before = own.found.len();
        let mut covered = Vec::new();
        self.matcher.run(&rules.patterns, rules.rooted_on(node.kind_id()), node);
        for index in 0..self.matcher.match_count() {
            let (pattern, captures) = self.matcher.found(index);
            let properties = rules.patterns[pattern].properties;
            let mut parts = Parts::default();
            for (capture, at) in captures.iter().copied() {
                match capture {
                    Capture::Definition(kind) => parts.definition = Some((at, kind)),
                    Capture::Name => parts.name = Some(at),
                    Capture::Body => parts.body = Some(at),
                    Capture::BodyOf => {
                        let field = self.rules.body_field;
                        parts.body = field.and_then(|field| at.child_by_field_id(field.get()));
                    }
                    Capture::Value => parts.value = Some(at),
                    Capture::ContainerText => parts.container_text = Some(at),
                    Capture::Container => parts.container = Some(at),
                    Capture::ContainerName => parts.container_name = Some(at),
                    Capture::Export => wrapper.exported = true,
                    Capture::ExportDefault => {
                        wrapper.exported = true;
                        wrapper.default_export = true;
                    }
                    Capture::ExportName => self.out.exports.push((name_of(source, at), false)),
                    Capture::ExportDefaultName => {
                        self.out.exports.push((name_of(source, at), true));
                    }
                    Capture::Import => parts.import = Some(at),
                    Capture::ImportModule => parts.module = Some(at),
                    Capture::ImportName => parts.import_name = Some(at),
                    Capture::Covered => {
                        covered.push(at.start_byte() as u32);
                        self.claims.entry(at.id()).or_default().covered = true;
                    }
                    Capture::Private => {}
                }
            }
            if let Some(import) = parts.import {
                let imports = &mut self.out.imports;
                let index = *self.imports.entry(import.id()).or_insert_with(|| {
                    imports.push(ImportDraft {
                        start: import.start_byte() as u32,
                        module: String::new(),
                        names: Vec::new(),
                        re_export: false,
                    });
                    imports.len() - 1
                });
                let import = &mut imports[index];
                import.re_export |= properties.re_export;
                if let Some(module) = parts.module {
                    import.module = name_of(source, module);
                }
                if let Some(name) = parts.import_name {
                    let text = properties.name.map_or_else(|| name_of(source, name), String::from);
                    import.names.push((name.start_byte() as u32, text));
                }
            }
            if let (Some(container), Some(name)) = (parts.container, parts.container_name) {
                let name = Some(name_of(source, name));
                if container.id() == node.id() {
                    // What a query that is run earlier says wins.
                    own.container = own.container.take().or(name);
                } else {
                    self.claims.entry(container.id()).or_default().container = name;
                }
            }
            if let Some((at, kind)) = parts.definition {
                let found = Found {
                    pattern: (rules.rank, pattern),
                    kind,
                    key: parts.name.map_or(UNNAMED, |name| name.start_byte() as u32),
                    name: parts
                        .name
                        .map_or_else(|| "default".to_owned(), |name| name_of(source, name)),
                    body: parts.body.map(|body| (body.start_byte() as u32, body.id())),
                    value: parts.value.map(|value| value.start_byte() as u32),
                    container: parts.container_text.map(|text| name_of(source, text)),
                    properties,
                };
                if at.id() == node.id() {
                    own.found.push(found);
                } else {
                    self.claims.entry(at.id()).or_default().found.push(found);
                }
            }
        }
        if !covered.is_empty() {
            let found = own.found.split_off(before);
            own.found.extend(found.into_iter().filter(|found| !covered.contains(&found.key)));
        }
    }
}

/// The span between the first and the last child of a node.
fn delimited(node: Node<'_>) -> Span {
    let last = node.child_count().saturating_sub(1);
    match (node.child(0), node.child(last)) {
        (Some(first), Some(last)) if first.id() != last.id() => {
            Span { start: first.end_byte() as u32, end: last.start_byte() as u32 }
        }
        _ => span_of(node),
    }
}

/// Adds a name to a dotted path.
fn extend_path(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Whether variables inside a symbol of that kind are local ones.
fn makes_local(kind: SymbolKind) -> bool {
    use SymbolKind::{Constructor, Function, Getter, Method, Setter, Test};
    matches!(kind, Function | Method | Getter | Setter | Constructor | Test)
}

/// The text of a node as a name: without quotes, white space folded.
fn name_of(source: &[u8], node: Node<'_>) -> String {
    let text = String::from_utf8_lossy(span_of(node).slice(source));
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
    let unquoted = unquote(text).or_else(|| bare.and_then(|inner| unquote(inner.trim())));
    let text = unquoted.unwrap_or(text);
    if text.contains(|c: char| c.is_whitespace() && c != ' ') || text.contains("  ") {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        text.to_owned()
    }
}

/// What stands between quotes of the same kind.
fn unquote(text: &str) -> Option<&str> {
    ['"', '\'', '`'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote))
}
