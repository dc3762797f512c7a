//! The languages, as data: a table of rows, each with a grammar, file extensions and query files.
//!
//! A new language is a folder under `languages/` and one row of [`LANGUAGES`]; no other code knows
//! any language. The vocabulary of the query files is described in `languages/README.md`. Queries
//! are compiled once per language, on first use.

use std::fmt;
use std::sync::OnceLock;

use crate::rules::Rules;

/// A language that symbols can be extracted from. Compared by name.
pub struct Language {
    name: &'static str,
    extensions: &'static [&'static str],
    grammar: fn() -> tree_sitter::Language,
    pub(crate) sources: Sources,
    rules: OnceLock<Rules>,
}

/// The texts of the query files that a row lists, shared ones first.
#[derive(Clone, Copy)]
pub(crate) struct Sources {
    pub(crate) tokens: &'static [&'static str],
    pub(crate) definitions: &'static [&'static str],
    pub(crate) module: &'static [&'static str],
    pub(crate) imports: &'static [&'static str],
    pub(crate) tests: &'static [&'static str],
    pub(crate) reserved: &'static [&'static str],
}

/// The text of a file below `languages/`.
macro_rules! file {
    ($path:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/languages/", $path))
    };
}

/// The query files of both TypeScript grammars; TSX adds the prose of JSX.
const TYPESCRIPT: Sources = Sources {
    tokens: &[file!("ecmascript/tokens.scm"), file!("typescript/tokens.scm")],
    definitions: &[file!("typescript/definitions.scm"), file!("ecmascript/definitions.scm")],
    module: &[file!("ecmascript/module.scm")],
    imports: &[file!("ecmascript/imports.scm"), file!("typescript/imports.scm")],
    tests: &[file!("ecmascript/tests.scm")],
    reserved: &[file!("ecmascript/reserved.txt"), file!("typescript/reserved.txt")],
};

/// Every language, one row each.
static LANGUAGES: [Language; 3] = [
    Language {
        name: "typescript",
        extensions: &["ts", "mts", "cts"],
        grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        sources: TYPESCRIPT,
        rules: OnceLock::new(),
    },
    Language {
        name: "tsx",
        extensions: &["tsx"],
        grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
        sources: Sources {
            tokens: &[
                file!("ecmascript/tokens.scm"),
                file!("typescript/tokens.scm"),
                file!("jsx/tokens.scm"),
            ],
            ..TYPESCRIPT
        },
        rules: OnceLock::new(),
    },
    Language {
        name: "javascript",
        extensions: &["js", "mjs", "cjs", "jsx"],
        grammar: || tree_sitter_javascript::LANGUAGE.into(),
        sources: Sources {
            tokens: &[
                file!("ecmascript/tokens.scm"),
                file!("javascript/tokens.scm"),
                file!("jsx/tokens.scm"),
            ],
            definitions: &[
                file!("javascript/definitions.scm"),
                file!("ecmascript/definitions.scm"),
            ],
            module: &[file!("ecmascript/module.scm")],
            imports: &[file!("ecmascript/imports.scm")],
            tests: &[file!("ecmascript/tests.scm")],
            reserved: &[file!("ecmascript/reserved.txt")],
        },
        rules: OnceLock::new(),
    },
];

impl Language {
    /// The language of a path or file name, by its extension in any case; `None` for other files.
    pub fn of_path(path: &str) -> Option<&'static Language> {
        let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let (_, extension) = file.rsplit_once('.')?;
        LANGUAGES.iter().find(|language| {
            language.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
        })
    }

    /// The language of that [name](Language::name).
    pub fn by_name(name: &str) -> Option<&'static Language> {
        LANGUAGES.iter().find(|language| language.name == name)
    }

    /// Every language, in the order of the table.
    pub fn all() -> &'static [Language] {
        &LANGUAGES
    }

    /// The name in output and in `lang:` filters, such as `typescript`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The file extensions, lower case, without a dot.
    pub fn extensions(&self) -> &'static [&'static str] {
        self.extensions
    }

    /// The grammar.
    pub(crate) fn grammar(&self) -> tree_sitter::Language {
        (self.grammar)()
    }

    /// The compiled rules.
    pub(crate) fn rules(&self) -> &Rules {
        self.rules.get_or_init(|| {
            Rules::compile(&self.grammar(), &self.sources)
                .unwrap_or_else(|error| panic!("the rules of {} are wrong: {error}", self.name))
        })
    }

    /// Whether `word` is a keyword of the language or the name of a built-in type.
    pub(crate) fn is_reserved(&self, word: &[u8]) -> bool {
        self.rules().is_reserved(word)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Language {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: Option<&str>) {
        assert_eq!(Language::of_path(path).map(Language::name), expected, "{path}");
    }

    #[test]
    fn the_extension_decides_the_language() {
        check("src/a.ts", Some("typescript"));
        check("a.mts", Some("typescript"));
        check("a.cts", Some("typescript"));
        check("types/index.d.ts", Some("typescript"));
        check("a.tsx", Some("tsx"));
        check("a.js", Some("javascript"));
        check("a.mjs", Some("javascript"));
        check("a.cjs", Some("javascript"));
        check("App.JSX", Some("javascript"));
    }

    #[test]
    fn other_files_have_no_language() {
        check("README.md", None);
        check("ts", None);
        check("dir.ts/file", None);
        check("", None);
    }

    #[test]
    fn every_language_is_found_by_its_name_and_extensions() {
        for language in Language::all() {
            assert_eq!(Language::by_name(language.name()), Some(language));
            for extension in language.extensions() {
                check(&format!("x.{extension}"), Some(language.name()));
            }
        }
        assert_eq!(Language::by_name("cobol"), None);
    }

    /// The words after a mark in a text, such as the captures of a query file.
    fn words_after<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
        let ends = |c: char| c.is_whitespace() || matches!(c, ')' | ']' | '`' | ',');
        let rest = text.split(mark).skip(1);
        rest.map(|rest| rest.split(ends).next().unwrap_or_default()).collect()
    }

    #[test]
    fn every_word_of_the_query_files_is_documented() {
        let readme = file!("README.md");
        for language in Language::all() {
            let Sources { tokens, definitions, module, imports, tests, .. } = language.sources;
            for text in [tokens, definitions, module, imports, tests].concat() {
                let code: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
                let code = code.join("\n");
                for word in words_after(&code, " @") {
                    let known = word.starts_with('_') || readme.contains(&format!("`@{word}`"));
                    let definition = word.strip_prefix("definition.");
                    assert!(known || definition.is_some(), "@{word} is not in the README");
                }
                for word in words_after(&code, "#set! ") {
                    assert!(readme.contains(&format!("`{word} \"")), "{word} is not in the README");
                }
            }
        }
    }

    #[test]
    fn an_unknown_word_in_a_query_file_is_an_error() {
        let language = &LANGUAGES[0];
        let compile = |sources: Sources| {
            Rules::compile(&language.grammar(), &sources).err().unwrap_or_default()
        };
        let definitions = |text| Sources { definitions: text, ..TYPESCRIPT };
        assert_eq!(compile(definitions(&["(class) @klass"])), "unknown capture @klass");
        assert_eq!(
            compile(definitions(&["((class) @name (#set! scope \"x\"))"])),
            "unknown property scope \"x\""
        );
        assert_eq!(
            compile(definitions(&["[(class) (enum_body)] @name"])),
            "a pattern must start with a named node"
        );
        assert!(compile(definitions(&["(klass) @name"])).contains("klass"));
        let tokens = |text| Sources { tokens: text, ..TYPESCRIPT };
        assert_eq!(compile(tokens(&["(comment) @remark"])), "unknown mark @remark");
        assert_eq!(compile(tokens(&["(remark) @comment"])), "the grammar has no node (remark)");
    }

    #[test]
    fn the_rules_of_every_language_compile() {
        for language in Language::all() {
            if let Err(error) = Rules::compile(&language.grammar(), &language.sources) {
                panic!("{}: {error}", language.name());
            }
        }
    }
}
