//! The query language of `reseek search`: words, phrases, filters, and exclusions of them.
//!
//! ```text
//! rate limiter                words; the more of them match, the better
//! "too many requests"         an exact phrase, in any letter case; white space and line breaks are alike
//! kind:class,interface        only symbols of these kinds
//! lang:tsx                    only files of this language, by its name or a file extension
//! path:packages/**/src        only below this folder, file or glob
//! file:router                 only files whose name holds this text
//! name:Router                 only symbols with this name, or with all its parts in their name
//! exported:yes                only what other modules can import; exported:no for the rest
//! test:no                     without tests; test:only for tests alone, test:yes to rank them like other code
//! -legacy -path:x -kind:test  without what matches; a word leaves out what holds it, and files with it in their path
//! ```
//!
//! Several values of `kind`, `lang`, `path` and `file` widen the search (any of them), several of `name` narrow it. A
//! value with white space is put in quotes: `path:"my app/src"`. A prefix that is none of these (`std::map`,
//! `https://x`, `foo:bar`) is part of a word, unless it is a slip of a known one, which is an error, because a filter that
//! silently searches for its own text finds nothing. Printing a query and reading it again gives the same query.

use std::fmt;

use reseek_indexer::corpus::kind::LANGUAGES;
use reseek_symbols::SymbolKind;

use crate::error::Error;

/// A query as read; clauses in the order of the text, because neighbouring words may form one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// What to look for and where.
    pub clauses: Vec<Clause>,
}

/// One part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Whether what matches is left out.
    pub negated: bool,
    /// What is matched.
    pub term: Term,
}

/// What a clause matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A word as written; it may be an identifier, and may hold several words in the sense of the analyzer.
    Word(String),
    /// An exact phrase.
    Phrase(String),
    /// Any of these kinds.
    Kind(Vec<SymbolKind>),
    /// Any of these languages, by name.
    Language(Vec<&'static str>),
    /// A path or glob, as written.
    Path(String),
    /// A symbol name or its parts.
    Name(String),
    /// A part of a file name.
    File(String),
    /// Whether the symbol is exported.
    Exported(bool),
    /// What to do with tests.
    Test(TestFilter),
}

/// What a search does with tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestFilter {
    /// Leaves them out.
    No,
    /// Ranks them like other code.
    Yes,
    /// Leaves everything else out.
    Only,
}

/// The prefixes with an example of a right value each, for messages.
const PREFIXES: &[(&str, &str)] = &[
    ("kind", "kind:class"),
    ("lang", "lang:tsx"),
    ("path", "path:packages/*/src"),
    ("name", "name:Router"),
    ("file", "file:router"),
    ("exported", "exported:yes"),
    ("test", "test:no"),
];

/// Other spellings of prefixes.
const PREFIX_ALIASES: &[(&str, &str)] =
    &[("language", "lang"), ("tests", "test"), ("export", "exported")];

/// Words that are one slip away from a prefix and are more often meant as themselves.
const NO_SLIPS: &[&str] = &["patch", "pat", "at", "am", "filet"];

/// Other names of kinds, as people write them.
const KIND_ALIASES: &[(&str, SymbolKind)] = &[
    ("func", SymbolKind::Function),
    ("fn", SymbolKind::Function),
    ("component", SymbolKind::Function),
    ("hook", SymbolKind::Function),
    ("type-alias", SymbolKind::TypeAlias),
    ("alias", SymbolKind::TypeAlias),
    ("const", SymbolKind::Variable),
    ("let", SymbolKind::Variable),
    ("var", SymbolKind::Variable),
    ("field", SymbolKind::Property),
    ("module", SymbolKind::Namespace),
];

impl SearchQuery {
    /// Reads a query.
    ///
    /// # Errors
    ///
    /// [`Error::Query`] with the part that is wrong: a value that a filter does not know, a missing value, a quotation
    /// mark without a second, a slip in the name of a filter, or nothing to look for.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut clauses = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (clause, after) = clause(rest)?;
            clauses.push(clause);
            rest = after.trim_start();
        }
        if clauses.is_empty() {
            return Err(bad(
                text,
                "there is nothing to look for; give a word or a filter such as kind:class",
            ));
        }
        if clauses.iter().all(|clause| clause.negated) {
            return Err(bad(text, "it only leaves things out; add a word or a filter to look for"));
        }
        Ok(Self { clauses })
    }
}

fn bad(query: &str, message: impl Into<String>) -> Error {
    Error::Query { query: query.to_owned(), message: message.into() }
}

/// Reads one clause; gives the text after it.
fn clause(text: &str) -> Result<(Clause, &str), Error> {
    let (negated, body) = match text.strip_prefix('-') {
        // `--flag`, `->` and a lone dash are words.
        Some(body)
            if body.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '"')) =>
        {
            (true, body)
        }
        _ => (false, text),
    };
    if body.starts_with('"') {
        let (phrase, after) = quoted(body)?;
        let words = phrase.split_whitespace().collect::<Vec<_>>().join(" ");
        if negated {
            return Err(bad(
                &text[..text.len() - after.len()],
                "a phrase cannot be left out; leave out a word: -legacy",
            ));
        }
        if words.is_empty() {
            return Err(bad("\"\"", "the phrase is empty"));
        }
        return Ok((Clause { negated, term: Term::Phrase(words) }, after));
    }
    let token = &body[..body.find(char::is_whitespace).unwrap_or(body.len())];
    let Some(prefix) = prefix_of(token)? else {
        let (term, after) = (Term::Word(token.to_owned()), &body[token.len()..]);
        return Ok((Clause { negated, term }, after));
    };
    let colon = token.find(':').unwrap_or(0);
    let (value, after) = if body[colon + 1..].starts_with('"') {
        quoted(&body[colon + 1..])?
    } else {
        (token[colon + 1..].to_owned(), &body[token.len()..])
    };
    let part = &text[..text.len() - after.len()];
    let term = filter(prefix, value.trim(), part)?;
    Ok(match (negated, term) {
        (true, Term::Exported(exported)) => {
            (Clause { negated: false, term: Term::Exported(!exported) }, after)
        }
        (true, Term::Test(_)) => return Err(bad(part, "say test:no, test:yes or test:only")),
        (negated, term) => (Clause { negated, term }, after),
    })
}

/// Reads from a quotation mark to the next; a backslash takes the special meaning of the character after it.
fn quoted(text: &str) -> Result<(String, &str), Error> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok((value, &text[at + 1..])),
            '\\' => match chars.next() {
                Some((_, c @ ('"' | '\\'))) => value.push(c),
                Some((_, c)) => value.extend(['\\', c]),
                None => value.push('\\'),
            },
            c => value.push(c),
        }
    }
    Err(bad(text, "the quotation mark has no second; close it, or search for the words without it"))
}

/// The known prefix of a token; `None` for a word.
fn prefix_of(token: &str) -> Result<Option<&'static str>, Error> {
    let Some((prefix, value)) = token.split_once(':') else { return Ok(None) };
    if value.starts_with(':') || value.starts_with("//") {
        return Ok(None);
    }
    let prefix = prefix.to_lowercase();
    let aliased =
        PREFIX_ALIASES.iter().find(|(alias, _)| *alias == prefix).map(|(_, known)| *known);
    let known =
        aliased.or_else(|| PREFIXES.iter().map(|(known, _)| *known).find(|known| *known == prefix));
    if known.is_some() {
        return Ok(known);
    }
    if value.is_empty() || NO_SLIPS.contains(&prefix.as_str()) {
        return Ok(None);
    }
    match PREFIXES.iter().find(|(known, _)| is_slip(&prefix, known)) {
        Some((known, _)) => Err(bad(
            token,
            format!("did you mean `{known}:{value}`? In quotes it is searched for as it stands"),
        )),
        None => Ok(None),
    }
}

/// Whether `word` is `known` with one letter left out, added, or two neighbours swapped. Another letter in place of one
/// is no slip here: `text:`, `mind:` and `bath:` are words of their own.
fn is_slip(word: &str, known: &str) -> bool {
    let (word, known): (Vec<char>, Vec<char>) = (word.chars().collect(), known.chars().collect());
    let without = |longer: &[char], shorter: &[char]| {
        (0..longer.len()).any(|i| longer[..i].iter().chain(&longer[i + 1..]).eq(shorter))
    };
    if word.len() == known.len() + 1 {
        return without(&word, &known);
    }
    if word.len() + 1 == known.len() {
        return without(&known, &word);
    }
    word.len() == known.len()
        && (1..word.len()).any(|i| {
            let mut swapped = word.clone();
            swapped.swap(i - 1, i);
            word != known && swapped == known
        })
}

/// A filter from its prefix and value; `part` is its text, for messages.
fn filter(prefix: &str, value: &str, part: &str) -> Result<Term, Error> {
    if value.is_empty() {
        let example =
            PREFIXES.iter().find(|(known, _)| *known == prefix).map_or("", |(_, example)| example);
        return Err(bad(part, format!("the value is missing; right would be `{example}`")));
    }
    let yes_or_no = || match value.to_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    };
    match prefix {
        "kind" => {
            let mut kinds = Vec::new();
            for name in value.split(',').filter(|name| !name.is_empty()) {
                let name = name.trim().to_lowercase();
                let plural = |end| name.strip_suffix(end).and_then(kind_of);
                let kind = kind_of(&name)
                    .or_else(|| plural("s"))
                    .or_else(|| plural("es"))
                    .ok_or_else(|| {
                        let known: Vec<&str> =
                            SymbolKind::ALL.iter().map(|kind| kind.name()).collect();
                        bad(part, format!("`{name}` is no kind; kinds are {}", known.join(", ")))
                    })?;
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            if kinds.is_empty() {
                return Err(bad(part, "the value is missing; right would be `kind:class`"));
            }
            Ok(Term::Kind(kinds))
        }
        "lang" => {
            let mut languages = Vec::new();
            for name in value.split(',').filter(|name| !name.is_empty()) {
                let name = name.trim().trim_start_matches('.').to_lowercase();
                let language = LANGUAGES
                    .iter()
                    .find(|language| {
                        language.name == name || language.extensions.contains(&name.as_str())
                    })
                    .ok_or_else(|| {
                        let known: Vec<&str> =
                            LANGUAGES.iter().map(|language| language.name).collect();
                        bad(
                            part,
                            format!(
                                "`{name}` is no language of the index; known are {}",
                                known.join(", ")
                            ),
                        )
                    })?;
                if !languages.contains(&language.name) {
                    languages.push(language.name);
                }
            }
            if languages.is_empty() {
                return Err(bad(part, "the value is missing; right would be `lang:tsx`"));
            }
            Ok(Term::Language(languages))
        }
        "exported" => {
            yes_or_no().map(Term::Exported).ok_or_else(|| bad(part, "the value must be yes or no"))
        }
        "test" => match (value.to_lowercase().as_str(), yes_or_no()) {
            ("only", _) => Ok(Term::Test(TestFilter::Only)),
            (_, Some(true)) => Ok(Term::Test(TestFilter::Yes)),
            (_, Some(false)) => Ok(Term::Test(TestFilter::No)),
            _ => Err(bad(part, "the value must be no, yes or only")),
        },
        "path" => Ok(Term::Path(value.to_owned())),
        "name" => Ok(Term::Name(value.to_owned())),
        _ => Ok(Term::File(value.to_owned())),
    }
}

/// The kind that a lowercase word names, other common names included.
pub fn kind_of(name: &str) -> Option<SymbolKind> {
    SymbolKind::from_name(name)
        .or_else(|| KIND_ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, kind)| *kind))
}

/// A value as it is read back: in quotes where it must be.
struct Value<'a>(&'a str, bool);

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Value(value, always) = *self;
        let read_otherwise = value.contains(char::is_whitespace)
            || value.starts_with(['"', ':'])
            || value.starts_with("//");
        if !always && !read_otherwise {
            return f.write_str(value);
        }
        write!(f, "\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Phrase(phrase) => Value(phrase, true).fmt(f),
            Self::Kind(kinds) => {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                write!(f, "kind:{}", names.join(","))
            }
            Self::Language(names) => write!(f, "lang:{}", names.join(",")),
            Self::Path(path) => write!(f, "path:{}", Value(path, false)),
            Self::Name(name) => write!(f, "name:{}", Value(name, false)),
            Self::File(file) => write!(f, "file:{}", Value(file, false)),
            Self::Exported(true) => f.write_str("exported:yes"),
            Self::Exported(false) => f.write_str("exported:no"),
            Self::Test(TestFilter::No) => f.write_str("test:no"),
            Self::Test(TestFilter::Yes) => f.write_str("test:yes"),
            Self::Test(TestFilter::Only) => f.write_str("test:only"),
        }
    }
}

impl fmt::Display for SearchQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, clause) in self.clauses.iter().enumerate() {
            let space = if i > 0 { " " } else { "" };
            let dash = if clause.negated { "-" } else { "" };
            write!(f, "{space}{dash}{}", clause.term)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A query reads and prints as `printed`, and reads the same again.
    #[track_caller]
    fn check(text: &str, printed: &str) {
        let query = SearchQuery::parse(text).unwrap();
        assert_eq!(query.to_string(), printed, "{text}");
        assert_eq!(SearchQuery::parse(printed).unwrap(), query, "{text}");
    }

    #[track_caller]
    fn check_terms(text: &str, terms: &[Term]) {
        let query = SearchQuery::parse(text).unwrap();
        let found: Vec<Term> = query.clauses.into_iter().map(|clause| clause.term).collect();
        assert_eq!(found, terms, "{text}");
    }

    #[track_caller]
    fn check_error(text: &str, message: &str) {
        assert_eq!(SearchQuery::parse(text).unwrap_err().to_string(), message, "{text}");
    }

    fn word(text: &str) -> Term {
        Term::Word(text.to_owned())
    }

    #[test]
    fn words_filters_phrases_and_exclusions_are_read_in_order() {
        check(
            "rate  kind:class lang:tsx path:packages/**/src name:Router \"Exact\n phrase\" -legacy",
            "rate kind:class lang:tsx path:packages/**/src name:Router \"Exact phrase\" -legacy",
        );
        check("a -path:x -kind:test -file:gen", "a -path:x -kind:test -file:gen");
    }

    #[test]
    fn several_kinds_and_languages_are_listed_by_commas() {
        check_terms(
            "kind:class,interface",
            &[Term::Kind(vec![SymbolKind::Class, SymbolKind::Interface])],
        );
        check_terms("lang:ts,tsx,ts", &[Term::Language(vec!["typescript", "tsx"])]);
    }

    #[test]
    fn other_names_of_kinds_and_prefixes_are_understood() {
        check("kind:fn", "kind:function");
        check("kind:Classes", "kind:class");
        check("kind:consts", "kind:variable");
        check("Language:mts", "lang:typescript");
        check("exported:true test:false", "exported:yes test:no");
        check("-exported:yes", "exported:no");
    }

    #[test]
    fn values_in_quotes_keep_white_space_and_quotation_marks() {
        check_terms("path:\"my app/src\" x", &[Term::Path("my app/src".to_owned()), word("x")]);
        check_terms(r#""say \"hi\" \\n""#, &[Term::Phrase(r#"say "hi" \n"#.to_owned())]);
        check(r#"name:"a b""#, r#"name:"a b""#);
    }

    #[test]
    fn unknown_prefixes_urls_and_scoped_names_are_words() {
        for text in [
            "foo:bar",
            "std::map",
            "path::join",
            "https://x.test/a",
            "file://x",
            "todo:",
            "a:b:c",
            "text:x",
            "patch:x",
        ] {
            check_terms(text, &[word(text)]);
        }
    }

    #[test]
    fn dashes_that_exclude_nothing_are_words() {
        for text in ["--no-color", "-", "->", "a-b", "-->"] {
            check_terms(text, &[word(text)]);
        }
    }

    #[test]
    fn a_slip_in_a_prefix_is_an_error_that_names_the_right_one() {
        let hint = "In quotes it is searched for as it stands";
        check_error(
            "knd:class",
            &format!("bad query `knd:class`: did you mean `kind:class`? {hint}"),
        );
        check_error("paht:src", &format!("bad query `paht:src`: did you mean `path:src`? {hint}"));
        check_error("x names:A", &format!("bad query `names:A`: did you mean `name:A`? {hint}"));
    }

    #[test]
    fn a_wrong_value_is_an_error_that_tells_what_is_right() {
        check_error(
            "kind:",
            "bad query `kind:`: the value is missing; right would be `kind:class`",
        );
        check_error(
            "exported:perhaps",
            "bad query `exported:perhaps`: the value must be yes or no",
        );
        check_error("test:some", "bad query `test:some`: the value must be no, yes or only");
        check_error("-test:no", "bad query `-test:no`: say test:no, test:yes or test:only");
        let error = SearchQuery::parse("kind:klass").unwrap_err().to_string();
        assert!(
            error.starts_with(
                "bad query `kind:klass`: `klass` is no kind; kinds are function, class,"
            ),
            "{error}"
        );
        let error = SearchQuery::parse("lang:cobol").unwrap_err().to_string();
        assert!(
            error.starts_with("bad query `lang:cobol`: `cobol` is no language of the index"),
            "{error}"
        );
    }

    #[test]
    fn open_quotes_and_queries_that_look_for_nothing_are_errors() {
        check_error(
            "a \"b c",
            "bad query `\"b c`: the quotation mark has no second; close it, or search for the words without it",
        );
        check_error(
            "  ",
            "bad query `  `: there is nothing to look for; give a word or a filter such as kind:class",
        );
        check_error(
            "-a -path:b",
            "bad query `-a -path:b`: it only leaves things out; add a word or a filter to look for",
        );
        check_error("\" \"", "bad query `\"\"`: the phrase is empty");
        check_error(
            "a -\"b c\"",
            "bad query `-\"b c\"`: a phrase cannot be left out; leave out a word: -legacy",
        );
    }

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-zA-Z_$0-9]{1,8}",
            "-{0,2}[a-z]{0,3}:?[a-z/\"\\\\,:.*\\[\\]() -]{0,8}",
            "-?(kind|lang|path|name|file|exported|test|knd):(class|type,enum|ts|yes|no|only|\"a b\"|a\\\\b|)",
            "-?\"[a-z \\\\\"]{0,6}\"?",
            "\\PC{0,5}",
        ]
    }

    proptest! {
        #[test]
        fn no_text_panics_and_what_is_read_is_printed_so_that_it_reads_the_same(
            pieces in proptest::collection::vec(piece(), 0..6),
            separator in "[ \\t]{1,2}",
        ) {
            let text = pieces.join(&separator);
            if let Ok(query) = SearchQuery::parse(&text) {
                let printed = query.to_string();
                prop_assert_eq!(SearchQuery::parse(&printed).unwrap(), query, "{} printed as {}", text, printed);
            }
        }

        #[test]
        fn any_text_at_all_is_read_without_panic(text in "\\PC{0,40}") {
            let _ = SearchQuery::parse(&text);
        }
    }
}
