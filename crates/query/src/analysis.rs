//! What a task says: its words, and the identifiers, paths and quotations among them.

use reseek_indexer::analyzer::{Analyzer, exact, is_stop_word, split, words};

/// A word of the task that searches look for.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// The term.
    pub stem: String,
    /// The word as written.
    pub surface: String,
    /// Whether it is a part of a longer identifier.
    pub part: bool,
    /// Weight: 1 for a plain word, less for generic verbs and for words of a long description.
    pub weight: f32,
}

/// A task, analysed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// The task as given.
    pub text: String,
    /// Its words in order, each stem once.
    pub words: Vec<Word>,
    /// Stems in the order of the text, repeats included, with `None` at the borders of sentences; for phrases.
    pub sequence: Vec<Option<String>>,
    /// Exact terms of the identifiers that it names: camel or snake case, in backticks, or called with `()`.
    pub identifiers: Vec<String>,
    /// Paths and file names that it names, as written.
    pub paths: Vec<String>,
    /// Whether it speaks of tests.
    pub about_tests: bool,
    /// Whether it speaks of types or declarations.
    pub about_types: bool,
    /// Whether it speaks of examples, benchmarks, documents or the like.
    pub about_aside: bool,
}

/// Words of tasks that name the kind of work and say nothing about where. Stems, sorted.
#[rustfmt::skip]
const GENERIC: &[&str] = &[
    "abil", "abl", "actual", "add", "adjust", "allow", "alway", "appear", "avoid", "bad", "better", "break",
    "broken", "bug", "can", "chang", "clean", "cleanup", "code", "correct", "creat", "default", "don",
    "drop", "enabl", "enhanc", "ensur", "error", "expos", "fail", "featur", "fix", "fixe", "handl", "happen",
    "implement", "improv", "incorrect", "introduc", "issu", "make", "miss", "move", "new", "option",
    "prevent", "problem", "proper", "properti", "provid", "refactor", "refin", "remov", "renam", "replac",
    "return", "set", "show", "simplifi", "some", "stop", "support", "sure", "thing", "tri", "tweak",
    "unexpect", "updat", "use", "work", "wrong",
];

/// Weight of a generic word.
const GENERIC_WEIGHT: f32 = 0.4;

fn looks_like_identifier(word: &str) -> bool {
    let has_case = word.chars().any(char::is_lowercase) || word.starts_with(char::is_uppercase);
    split(word).len() > 1 && (has_case || word.contains('_'))
}

fn is_path_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '@' | '(' | ')' | '[' | ']' | '$')
}

/// Extensions by which a bare word is taken for a file name.
const EXTENSIONS: &[&str] = &[
    "ts", "tsx", "js", "jsx", "mts", "cts", "mjs", "cjs", "vue", "svelte", "astro", "json", "css",
    "scss", "md", "mdx", "yml", "yaml",
];

fn paths(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for token in text.split(|c: char| !is_path_char(c)) {
        let token = token.trim_matches(|c: char| matches!(c, '.' | '(' | ')' | '-'));
        let has_extension = token
            .rsplit_once('.')
            .is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension));
        let n_slashes = token.matches('/').count();
        let is_path =
            has_extension || (n_slashes > 0 && token.len() > 3 && !token.starts_with("//"));
        if is_path && !paths.iter().any(|path| path == token) {
            paths.push(token.to_owned());
        }
    }
    paths
}

/// Reads a task.
pub fn analyse(text: &str) -> Analysis {
    let mut analyzer = Analyzer::new();
    let mut analysis =
        Analysis { text: text.to_owned(), paths: paths(text), ..Analysis::default() };
    let (title, _) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
    let title_end = text.len() - text.trim_start().len() + title.len();
    let mut last_end = 0;
    for (offset, word) in words(text) {
        let between = &text[last_end..offset];
        if between.contains(['.', ',', ';', ':', '!', '?', '\n', '(', ')', '"']) {
            analysis.sequence.push(None);
        }
        let after = &text[offset + word.len()..];
        last_end = offset + word.len();
        let quoted = between.ends_with('`') && after.starts_with('`');
        let is_identifier = looks_like_identifier(word)
            || (word.len() > 1
                && (quoted || after.starts_with("()"))
                && !is_stop_word(&word.to_lowercase()));
        if is_identifier
            && let Some(term) = exact(word)
            && !analysis.identifiers.contains(&term)
        {
            analysis.identifiers.push(term);
        }
        let terms = analyzer.word_terms(word, false);
        let part = terms.len() > 1;
        for stem in terms.iter() {
            analysis.sequence.push(Some(stem.to_string()));
            if analysis.words.iter().any(|known| known.stem == **stem) {
                continue;
            }
            let generic = GENERIC.binary_search(&&**stem).is_ok() && !is_identifier;
            let mut weight = if generic { GENERIC_WEIGHT } else { 1.0 };
            if offset >= title_end {
                weight *= 0.3;
            }
            analysis.words.push(Word {
                stem: stem.to_string(),
                surface: word.to_owned(),
                part,
                weight,
            });
        }
    }
    let says =
        |stems: &[&str]| analysis.words.iter().any(|word| stems.contains(&word.stem.as_str()));
    analysis.about_tests = says(&["test", "spec", "e2e"]);
    analysis.about_types = says(&["type", "typing", "typescript", "declar", "dts"]);
    analysis.about_aside = says(&[
        "exampl",
        "benchmark",
        "bench",
        "demo",
        "playground",
        "sampl",
        "fixtur",
        "legaci",
        "templat",
        "script",
        "compat",
    ]);
    analysis
}

/// Whether a stem names only the kind of work.
pub fn is_generic(stem: &str) -> bool {
    GENERIC.binary_search(&stem).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_words_are_sorted_for_binary_search() {
        assert!(GENERIC.is_sorted());
    }
}
