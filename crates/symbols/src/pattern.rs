//! The patterns of the query files: read from their text and matched against nodes.
//!
//! The files are standard queries of tree-sitter, and a test compiles each with its engine. They are
//! not run by it: compiling them takes that engine tens of milliseconds for each language, and on a
//! node with many children the states that it keeps grow until a file takes minutes. What the rules
//! need of the syntax is little: kinds, fields, captures, alternations, the anchor before a child,
//! and conditions on the text of captures.
//!
//! A pattern is matched by going through the children of its nodes. Two things keep the work linear
//! in their number: of the children that a pattern asks of one node, only one may be free to be
//! anywhere, which is checked when the text is read; and a condition is tested as soon as its node
//! is captured.

use std::num::NonZeroU16;
use std::ops::Range;

use regex::bytes::Regex;
use tree_sitter::{Node, Tree, TreeCursor};

use crate::rules::{Capture, Names, Properties};

/// One pattern of a query file.
pub(crate) struct Pattern {
    root: Step,
    captures: Vec<Captured>,
    /// Words, one of which the text of the node starts with; none for any text.
    starts: Vec<String>,
    pub(crate) properties: Properties,
}

/// A capture of a pattern with the conditions on its text.
struct Captured {
    name: String,
    capture: Capture,
    conditions: Vec<Condition>,
}

/// A predicate that compares the text of a capture.
enum Condition {
    /// Whether it is one of these.
    AnyOf(Vec<String>, bool),
    /// Whether this is found in it.
    Match(Regex, bool),
}

impl Condition {
    fn holds(&self, text: &[u8]) -> bool {
        match self {
            Self::AnyOf(words, wanted) => {
                words.iter().any(|word| word.as_bytes() == text) == *wanted
            }
            Self::Match(regex, wanted) => regex.is_match(text) == *wanted,
        }
    }
}

/// What one node must be.
struct Step {
    /// `None` for any named node.
    kind: Option<u16>,
    /// Fields that it must not have.
    absent: Vec<NonZeroU16>,
    /// Places in the captures of the pattern.
    captures: Vec<usize>,
    /// In the order of the text: each is a later child than the one before.
    children: Vec<Child>,
}

/// A child that a node must have.
struct Child {
    field: Option<NonZeroU16>,
    /// No named child stands before it.
    anchored: bool,
    /// It is a token, such as a keyword, of which a node has few.
    token: bool,
    /// It is one of these.
    options: Vec<Step>,
}

/// A query text that is no pattern that this crate understands; the message says why.
type Wrong = String;

impl Pattern {
    /// Reads all patterns of a query text.
    pub(crate) fn read_all(names: &Names<'_>, text: &str) -> Result<Vec<Self>, Wrong> {
        let mut reader = Reader { names, rest: text, captures: Vec::new(), starts: Vec::new() };
        let mut patterns = Vec::new();
        while !reader.at("") {
            patterns.push(reader.pattern()?);
        }
        Ok(patterns)
    }

    /// The kind of node that it is rooted on; `None` for any.
    pub(crate) fn root_kind(&self) -> Option<u16> {
        self.root.kind
    }
}

/// Reads patterns from the front of `rest`.
struct Reader<'a> {
    names: &'a Names<'a>,
    rest: &'a str,
    /// Of the pattern that is being read.
    captures: Vec<Captured>,
    starts: Vec<String>,
}

impl<'a> Reader<'a> {
    /// Whether a token stands next, past white space and comments; the empty one for the end.
    fn at(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        while self.rest.starts_with(';') {
            let end = self.rest.find('\n').unwrap_or(self.rest.len());
            self.rest = self.rest[end..].trim_start();
        }
        if token.is_empty() { self.rest.is_empty() } else { self.rest.starts_with(token) }
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.at(token);
        if found {
            self.rest = &self.rest[token.len()..];
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Wrong> {
        if self.take(token) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> Wrong {
        format!("not understood: {:?}", self.rest.lines().next().unwrap_or_default())
    }

    fn word(&mut self) -> Result<&'a str, Wrong> {
        self.at("");
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.unexpected());
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Ok(word)
    }

    /// A text in quotes, in which a backslash only protects the character after it.
    fn string(&mut self) -> Result<String, Wrong> {
        self.expect("\"")?;
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => text.extend(chars.next().map(|(_, c)| c)),
                c => text.push(c),
            }
        }
        Err(self.unexpected())
    }

    fn field(&mut self, name: &str) -> Result<NonZeroU16, Wrong> {
        self.names.field(name).ok_or_else(|| format!("the grammar has no field {name}"))
    }

    /// A pattern, alone or in a group with its predicates.
    fn pattern(&mut self) -> Result<Pattern, Wrong> {
        let mut properties = Properties::default();
        let grouped = self.at("(") && self.rest[1..].trim_start().starts_with(['(', '[', '"']);
        if grouped {
            self.expect("(")?;
        }
        if !self.at("(") {
            return Err("a pattern must start with a named node".to_owned());
        }
        let root = self.node()?;
        if grouped {
            while self.take("(#") {
                self.predicate(&mut properties)?;
            }
            self.expect(")")?;
        }
        let (captures, starts) =
            (std::mem::take(&mut self.captures), std::mem::take(&mut self.starts));
        Ok(Pattern { root, captures, starts, properties })
    }

    /// A node or an alternation, with the captures behind it.
    fn options(&mut self) -> Result<Vec<Step>, Wrong> {
        if !self.take("[") {
            return Ok(vec![self.node()?]);
        }
        let mut options = Vec::new();
        while !self.take("]") {
            options.extend(self.options()?);
        }
        let captures = self.captures()?;
        for option in &mut options {
            option.captures.extend(&captures);
        }
        Ok(options)
    }

    fn node(&mut self) -> Result<Step, Wrong> {
        let mut step =
            Step { kind: None, absent: Vec::new(), captures: Vec::new(), children: Vec::new() };
        if self.at("\"") {
            let token = self.string()?;
            let kind = self.names.kind(&token, false);
            step.kind = Some(kind.ok_or_else(|| format!("the grammar has no token \"{token}\""))?);
            step.captures = self.captures()?;
            return Ok(step);
        }
        self.expect("(")?;
        let name = self.word()?;
        if name != "_" {
            let kind = self.names.kind(name, true);
            step.kind = Some(kind.ok_or_else(|| format!("the grammar has no node ({name})"))?);
        }
        while !self.take(")") {
            if self.take("!") {
                let name = self.word()?;
                step.absent.push(self.field(name)?);
                continue;
            }
            let anchored = self.take(".");
            let mut field = None;
            if !self.at("(") && !self.at("[") && !self.at("\"") {
                let name = self.word()?;
                field = Some(self.field(name)?);
                self.expect(":")?;
            }
            let token = self.at("\"");
            step.children.push(Child { field, anchored, token, options: self.options()? });
        }
        let is_free = |child: &&Child| child.field.is_none() && !child.anchored && !child.token;
        if step.children.iter().filter(is_free).count() > 1 {
            return Err(format!("more than one child of ({name}) has neither field nor anchor"));
        }
        step.captures = self.captures()?;
        Ok(step)
    }

    /// The captures that stand next, as places in the list of the pattern.
    fn captures(&mut self) -> Result<Vec<usize>, Wrong> {
        let mut places = Vec::new();
        while self.take("@") {
            let name = self.word()?;
            let known = self.captures.iter().position(|captured| captured.name == name);
            let place = known.unwrap_or(self.captures.len());
            if known.is_none() {
                let capture =
                    Capture::from_name(name).ok_or_else(|| format!("unknown capture @{name}"))?;
                let name = name.to_owned();
                self.captures.push(Captured { name, capture, conditions: Vec::new() });
            }
            places.push(place);
        }
        Ok(places)
    }

    /// What follows `(#`.
    fn predicate(&mut self, properties: &mut Properties) -> Result<(), Wrong> {
        let operator = self.word()?;
        if operator == "set" {
            self.expect("!")?;
            let key = self.word()?;
            let value = self.string()?;
            if key == "starts" {
                self.starts.extend(value.split_whitespace().map(str::to_owned));
            } else {
                properties.set(key, &value)?;
            }
            return self.expect(")");
        }
        self.expect("?")?;
        self.expect("@")?;
        let name = self.word()?;
        let mut texts = Vec::new();
        while !self.take(")") {
            texts.push(self.string()?);
        }
        let condition = match (operator, texts.as_slice()) {
            ("match" | "not-match", [text]) => {
                let regex = Regex::new(text).map_err(|error| error.to_string())?;
                Condition::Match(regex, operator == "match")
            }
            ("eq" | "not-eq", [_]) => Condition::AnyOf(texts, operator == "eq"),
            ("any-of", [_, ..]) => Condition::AnyOf(texts, true),
            _ => return Err(format!("unknown predicate #{operator}? with {} texts", texts.len())),
        };
        let captured = self.captures.iter_mut().find(|captured| captured.name == name);
        let captured = captured.ok_or_else(|| format!("nothing is captured as @{name}"))?;
        captured.conditions.push(condition);
        Ok(())
    }
}

/// A node that patterns are matched against.
#[derive(Clone, Copy)]
struct Met<'tree> {
    node: Node<'tree>,
    kind: u16,
    field: Option<NonZeroU16>,
    /// Where its children stand among all that were met, once asked for.
    children: Option<(u32, u32)>,
}

/// Matches patterns on one node after the other.
pub(crate) struct Matcher<'a, 'tree> {
    source: &'a [u8],
    cursor: TreeCursor<'tree>,
    /// The node, and the nodes below it as far as patterns asked for them.
    met: Vec<Met<'tree>>,
    /// The captures on the way to where the matching is.
    path: Vec<(Capture, Node<'tree>)>,
    /// The captures of all matches, one match after the other.
    captured: Vec<(Capture, Node<'tree>)>,
    /// Place of the pattern of each match, and where its captures are.
    matches: Vec<(usize, Range<usize>)>,
    /// Nodes met and tries made, over all of the tree.
    work: u64,
}

impl<'a, 'tree> Matcher<'a, 'tree> {
    pub(crate) fn new(tree: &'tree Tree, source: &'a [u8]) -> Self {
        Self {
            source,
            cursor: tree.walk(),
            met: Vec::new(),
            path: Vec::new(),
            captured: Vec::new(),
            matches: Vec::new(),
            work: 0,
        }
    }

    /// Nodes met and tries made so far.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// How many matches the last run found.
    pub(crate) fn match_count(&self) -> usize {
        self.matches.len()
    }

    /// The pattern of a match of the last run and what it captured, in the order of the pattern.
    pub(crate) fn found(&self, index: usize) -> (usize, &[(Capture, Node<'tree>)]) {
        let (pattern, captures) = &self.matches[index];
        (*pattern, &self.captured[captures.clone()])
    }

    /// Finds all matches of those patterns that are listed by place and are rooted at the node.
    pub(crate) fn run(&mut self, patterns: &[Pattern], listed: &[u16], node: Node<'tree>) {
        self.matches.clear();
        self.captured.clear();
        let text = self.source.get(node.byte_range()).unwrap_or_default();
        if self.met.first().is_none_or(|root| root.node.id() != node.id()) {
            self.met.clear();
            self.met.push(Met { node, kind: node.kind_id(), field: None, children: None });
        }
        for index in listed {
            let index = usize::from(*index);
            let pattern = &patterns[index];
            let starts = |word: &String| text.starts_with(word.as_bytes());
            if !pattern.starts.is_empty() && !pattern.starts.iter().any(starts) {
                self.work += 1;
                continue;
            }
            self.step(pattern, &pattern.root, 0, &mut |matcher| {
                let from = matcher.captured.len();
                matcher.captured.extend_from_slice(&matcher.path);
                matcher.matches.push((index, from..matcher.captured.len()));
            });
        }
    }

    /// Calls `then` with the captures on the path for each way that a step matches a node.
    fn step(&mut self, pattern: &Pattern, step: &Step, at: usize, then: &mut dyn FnMut(&mut Self)) {
        self.work += 1;
        let Met { node, kind, .. } = self.met[at];
        let fits = match step.kind {
            Some(wanted) => kind == wanted,
            None => node.is_named() && !node.is_error(),
        };
        if !fits || step.absent.iter().any(|field| node.child_by_field_id(field.get()).is_some()) {
            return;
        }
        let from = self.path.len();
        for place in &step.captures {
            let captured = &pattern.captures[*place];
            if !captured.conditions.is_empty() {
                let text = self.source.get(node.byte_range()).unwrap_or_default();
                if !captured.conditions.iter().all(|condition| condition.holds(text)) {
                    self.path.truncate(from);
                    return;
                }
            }
            self.path.push((captured.capture, node));
        }
        if step.children.is_empty() {
            then(self);
        } else {
            let (first, end) = self.children_of(at);
            self.children(pattern, &step.children, (first, end), then);
        }
        self.path.truncate(from);
    }

    /// The same for several steps and the nodes from one place to another.
    fn children(
        &mut self,
        pattern: &Pattern,
        wanted: &[Child],
        (first, end): (u32, u32),
        then: &mut dyn FnMut(&mut Self),
    ) {
        let Some((child, others)) = wanted.split_first() else { return then(self) };
        for at in first..end {
            self.work += 1;
            let Met { node, field, .. } = self.met[at as usize];
            if child.field.is_none() || child.field == field {
                for option in &child.options {
                    self.step(pattern, option, at as usize, &mut |matcher| {
                        matcher.children(pattern, others, (at + 1, end), then);
                    });
                }
            }
            if child.anchored && node.is_named() {
                break;
            }
        }
    }

    /// The places of a node's children, which are met on the first question.
    fn children_of(&mut self, at: usize) -> (u32, u32) {
        if let Some(children) = self.met[at].children {
            return children;
        }
        let first = self.met.len();
        self.cursor.reset(self.met[at].node);
        let mut more = self.cursor.goto_first_child();
        while more {
            let node = self.cursor.node();
            let (kind, field) = (node.kind_id(), self.cursor.field_id());
            self.met.push(Met { node, kind, field, children: None });
            more = self.cursor.goto_next_sibling();
        }
        let children = (first as u32, self.met.len() as u32);
        self.work += u64::from(children.1 - children.0);
        self.met[at].children = Some(children);
        children
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator};

    use super::*;
    use crate::language::Language;

    /// A match as data: pattern, then name, start and end of each capture.
    type Found = (usize, Vec<(String, usize, usize)>);

    fn each_node<'tree>(tree: &'tree Tree, mut seen: impl FnMut(Node<'tree>)) {
        let mut open = vec![tree.root_node()];
        while let Some(node) = open.pop() {
            seen(node);
            let mut cursor = node.walk();
            open.extend(node.children(&mut cursor));
        }
    }

    fn in_order(mut captures: Vec<(String, usize, usize)>) -> Vec<(String, usize, usize)> {
        captures.sort();
        captures
    }

    /// What the query engine of tree-sitter finds.
    fn by_engine(query: &Query, tree: &Tree, source: &str) -> BTreeSet<Found> {
        let mut found = BTreeSet::new();
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, tree.root_node(), source.as_bytes());
        while let Some(one) = matches.next() {
            let captures = one.captures().iter().map(|capture| {
                let name = query.capture_names()[capture.index as usize].to_owned();
                (name, capture.node.start_byte(), capture.node.end_byte())
            });
            found.insert((one.pattern_index, in_order(captures.collect())));
        }
        found
    }

    /// What this module finds.
    fn by_matcher(patterns: &[Pattern], tree: &Tree, source: &str) -> BTreeSet<Found> {
        let mut found = BTreeSet::new();
        let mut matcher = Matcher::new(tree, source.as_bytes());
        each_node(tree, |node| {
            for (index, pattern) in patterns.iter().enumerate() {
                matcher.run(patterns, &[index as u16], node);
                for one in 0..matcher.match_count() {
                    let captures = matcher.found(one).1.iter().map(|(capture, at)| {
                        let named = |captured: &&Captured| captured.capture == *capture;
                        let name = pattern.captures.iter().find(named).map(|one| one.name.clone());
                        (name.unwrap_or_default(), at.start_byte(), at.end_byte())
                    });
                    found.insert((index, in_order(captures.collect())));
                }
            }
        });
        found
    }

    /// Compares both on a source; captures for predicates only are one and the same to this crate.
    #[track_caller]
    fn check(language: &str, source: &str) {
        let language = Language::by_name(language).expect("a row of the table");
        let grammar = language.grammar();
        let mut parser = Parser::new();
        parser.set_language(&grammar).expect("a grammar of this version");
        let tree = parser.parse(source, None).expect("a tree");
        let crate::language::Sources { definitions, module, imports, tests, .. } = language.sources;
        for text in [definitions, module, imports, tests].concat() {
            let query = Query::new(&grammar, text).expect("a query of tree-sitter");
            let patterns = Pattern::read_all(&Names::new(&grammar), text).expect("patterns");
            assert_eq!(patterns.len(), query.pattern_count());
            let without_private = |found: BTreeSet<Found>| -> BTreeSet<Found> {
                let public = |(pattern, mut captures): Found| {
                    captures.retain(|(name, ..)| !name.starts_with('_'));
                    (pattern, captures)
                };
                found.into_iter().map(public).collect()
            };
            let expected = without_private(by_engine(&query, &tree, source));
            assert_eq!(without_private(by_matcher(&patterns, &tree, source)), expected);
        }
    }

    #[test]
    fn every_query_file_matches_as_the_query_engine_does() {
        check("typescript", include_str!("../languages/typescript/sample.ts"));
        check("typescript", include_str!("../tests/cases/titles.test.ts"));
        check("typescript", include_str!("../tests/cases/overloads.ts"));
        check("typescript", include_str!("../tests/cases/parameter_properties.ts"));
        check("typescript", include_str!("../tests/cases/satisfies_and_using.ts"));
        check("tsx", include_str!("../languages/tsx/sample.tsx"));
        check("tsx", include_str!("../tests/cases/wrapped_components.tsx"));
        check("javascript", include_str!("../languages/javascript/sample.js"));
        check("javascript", include_str!("../tests/cases/commonjs.js"));
        check("javascript", include_str!("../tests/cases/members_with_line_breaks.js"));
    }

    #[test]
    fn an_anchor_counts_named_children_and_comments() {
        check("javascript", "require('a'); require(/* b */ 'b'); require(x, 'c'); require();");
        check("javascript", "import('a'); const b = await import('b'); c = require('c').d;");
    }

    #[test]
    fn matches_inside_of_errors_are_found() {
        check("typescript", "class A { accessor b = 1; c( } interface D { e: ; f(): g }");
        check("javascript", "export default { a() {}, b: () => {}, ; exports.c = function ( {}");
    }

    #[track_caller]
    fn check_wrong(text: &str, expected: &str) {
        let grammar = Language::by_name("javascript").expect("a row of the table").grammar();
        let wrong = Pattern::read_all(&Names::new(&grammar), text).err().unwrap_or_default();
        assert_eq!(wrong, expected, "{text}");
    }

    #[test]
    fn what_is_not_understood_is_told() {
        check_wrong("(identifier) @name junk", "a pattern must start with a named node");
        check_wrong("(pair key: (_)* @name)", "not understood: \"* @name)\"");
        check_wrong("(pair kee: (_))", "the grammar has no field kee");
        check_wrong("(pair \"pear\")", "the grammar has no token \"pear\"");
        check_wrong("(pair key: (_) @name", "not understood: \"\"");
        check_wrong("((pair) @name (#near? @name \"a\"))", "unknown predicate #near? with 1 texts");
        check_wrong("((pair) (#eq? @name \"a\"))", "nothing is captured as @name");
        check_wrong("((pair) @name (#eq? @name \"a))", "not understood: \"a))\"");
    }

    #[test]
    fn two_children_that_could_be_anywhere_are_refused() {
        check_wrong(
            "(object (pair) @name (pair) @value)",
            "more than one child of (object) has neither field nor anchor",
        );
    }
}
