//! The configuration of a root: `reseek.toml`, and what the command line puts in its place.
//!
//! Every key has a default, so a root without the file is fine. A key that is not known is an error that names
//! the line and the nearest known key: a misspelt `exlude` that is quietly ignored would index what its author
//! wanted out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{self, Deserializer};

use crate::corpus::kind;
use crate::corpus::read::content_hash;
use crate::corpus::walk::{DEFAULT_MAX_SOURCE_BYTES, WalkOptions};
use crate::error::Error;

/// Name of the configuration file at the root.
pub const FILE_NAME: &str = "reseek.toml";
/// Commits of history that are read by default.
pub const DEFAULT_HISTORY_DEPTH: usize = 5_000;

/// The whole configuration of one root.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Patterns of which a file must match one; empty admits all. See
    /// [`PathPattern`](crate::corpus::PathPattern).
    pub include: Vec<String>,
    /// Patterns that leave out, or with a leading `!` bring back. The last match wins.
    pub exclude: Vec<String>,
    /// Source files above this size are skipped. A number of bytes or a text such as `"2MiB"`.
    pub max_file_size: ByteSize,
    /// Admits names that start with a dot.
    pub hidden: bool,
    /// Names of the languages to index; absent means all.
    pub languages: Option<Vec<LanguageName>>,
    /// Follows symbolic links out of the root.
    pub follow_links: bool,
    /// Indexes files whose name says that they hold secrets.
    pub secrets: bool,
    /// What is read of the commit history.
    pub history: History,
    /// Everyday phrases and the words that code has for them.
    pub lexicon: Lexicon,
    /// Memory limits.
    pub memory: Memory,
    /// The user's global git excludes, whose lines count inside a repository. Not part of the file: the program finds it
    /// (see [`global_excludes`](crate::corpus::walk::global_excludes)).
    #[serde(skip)]
    pub global_excludes: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            include: Vec::new(),
            exclude: Vec::new(),
            max_file_size: ByteSize(DEFAULT_MAX_SOURCE_BYTES),
            hidden: false,
            languages: None,
            follow_links: false,
            secrets: false,
            history: History::default(),
            lexicon: Lexicon::default(),
            memory: Memory::default(),
            global_excludes: None,
        }
    }
}

/// The table `[history]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct History {
    /// The newest so many commits are read; 0 reads none.
    pub depth: usize,
}

impl Default for History {
    fn default() -> History {
        History { depth: DEFAULT_HISTORY_DEPTH }
    }
}

/// The table `[lexicon]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Lexicon {
    /// Whether refinement may use the lexicon that comes with the program, and [`entries`](Self::entries).
    pub enabled: bool,
    /// Further entries: a word or phrase, and the terms that this code base uses for it.
    pub entries: BTreeMap<String, Vec<String>>,
}

impl Default for Lexicon {
    fn default() -> Lexicon {
        Lexicon { enabled: true, entries: BTreeMap::new() }
    }
}

/// The table `[memory]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// What the index writer may hold before it writes a segment; absent leaves the choice to the writer.
    pub budget: Option<ByteSize>,
}

/// A number of bytes, written as a number or as a text such as `"512 KiB"`, `"2MiB"`, `"1.5 GB"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

impl std::str::FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<ByteSize, String> {
        let wrong = || {
            format!("`{text}` is not a size; write a number of bytes or a text such as \"2MiB\"")
        };
        let text = text.trim();
        let unit_at =
            text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
        let (number, unit) = text.split_at(unit_at);
        let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "kb" => 1_000,
            "mb" => 1_000_000,
            "gb" => 1_000_000_000,
            "k" | "kib" => 1 << 10,
            "m" | "mib" => 1 << 20,
            "g" | "gib" => 1 << 30,
            _ => return Err(wrong()),
        };
        let number = number.replace('_', "");
        if let Ok(whole) = number.parse::<u64>() {
            return whole.checked_mul(factor).map(ByteSize).ok_or_else(wrong);
        }
        // A fraction is exact enough: sizes are limits, not counts.
        let bytes = number.parse::<f64>().map_err(|_| wrong())? * factor as f64;
        if bytes < u64::MAX as f64 { Ok(ByteSize(bytes as u64)) } else { Err(wrong()) }
    }
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByteSize, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = ByteSize;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number of bytes or a text such as \"2MiB\"")
            }
            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<ByteSize, E> {
                u64::try_from(bytes)
                    .map(ByteSize)
                    .map_err(|_| E::custom("a size cannot be negative"))
            }
            fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<ByteSize, E> {
                Ok(ByteSize(bytes))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<ByteSize, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// The name of a language that is known, as in [`kind::LANGUAGES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LanguageName(&'static str);

impl LanguageName {
    /// The name.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl std::str::FromStr for LanguageName {
    type Err = String;

    fn from_str(name: &str) -> Result<LanguageName, String> {
        kind::LANGUAGES
            .iter()
            .find(|entry| entry.name == name)
            .map(|entry| LanguageName(entry.name))
            .ok_or_else(|| {
                let known: Vec<String> =
                    kind::LANGUAGES.iter().map(|entry| format!("`{}`", entry.name)).collect();
                format!("unknown language `{name}`, expected one of {}", known.join(", "))
            })
    }
}

impl<'de> Deserialize<'de> for LanguageName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LanguageName, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// What the command line says in place of the configuration. `None` and empty lists say nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Replaces `include`.
    pub include: Vec<String>,
    /// Added after `exclude`, so that it wins.
    pub exclude: Vec<String>,
    /// Replaces `max_file_size`.
    pub max_file_size: Option<ByteSize>,
    /// Replaces `hidden`.
    pub hidden: Option<bool>,
    /// Replaces `languages`.
    pub languages: Option<Vec<LanguageName>>,
    /// Replaces `follow_links`.
    pub follow_links: Option<bool>,
    /// Replaces `secrets`.
    pub secrets: Option<bool>,
    /// Replaces `history.depth`.
    pub history_depth: Option<usize>,
    /// Replaces `lexicon.enabled`.
    pub lexicon: Option<bool>,
    /// Replaces `memory.budget`.
    pub memory_budget: Option<ByteSize>,
}

impl Config {
    /// Reads `reseek.toml` at `root`. Where there is none, the defaults.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with file, line and key; [`Error::Io`] when the file cannot be read.
    pub fn load(root: &Path) -> Result<Config, Error> {
        let path = root.join(FILE_NAME);
        if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
            return Err(Error::Io { path, source });
        }
        match fs::read_to_string(&path) {
            Ok(text) => Config::parse(&text, &path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Config::default()),
            Err(source) => Err(Error::Io { path, source }),
        }
    }

    /// Reads the text of a configuration file; `path` is only for messages.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with line and key.
    pub fn parse(text: &str, path: &Path) -> Result<Config, Error> {
        toml::from_str(text).map_err(|error| describe(&error, text, path.to_path_buf()))
    }

    /// The configuration with what the command line says in its place.
    #[must_use]
    pub fn with(mut self, overrides: Overrides) -> Config {
        if !overrides.include.is_empty() {
            self.include = overrides.include;
        }
        self.exclude.extend(overrides.exclude);
        self.max_file_size = overrides.max_file_size.unwrap_or(self.max_file_size);
        self.hidden = overrides.hidden.unwrap_or(self.hidden);
        self.languages = overrides.languages.or(self.languages);
        self.follow_links = overrides.follow_links.unwrap_or(self.follow_links);
        self.secrets = overrides.secrets.unwrap_or(self.secrets);
        self.history.depth = overrides.history_depth.unwrap_or(self.history.depth);
        self.lexicon.enabled = overrides.lexicon.unwrap_or(self.lexicon.enabled);
        self.memory.budget = overrides.memory_budget.or(self.memory.budget);
        self
    }

    /// The part of the configuration that a walk needs.
    pub fn walk_options(&self) -> WalkOptions {
        WalkOptions {
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            hidden: self.hidden,
            secrets: self.secrets,
            follow_links: self.follow_links,
            languages: self
                .languages
                .as_ref()
                .map(|names| names.iter().map(|name| name.as_str().to_owned()).collect()),
            max_source_bytes: self.max_file_size.0,
            global_excludes: self.global_excludes.clone(),
            ..WalkOptions::default()
        }
    }

    /// A hash over the options that change what the index holds; others may change without a rebuild. Equal
    /// options give an equal hash on every platform and in every version that knows the same options.
    pub fn options_hash(&self) -> u64 {
        let Config {
            include,
            exclude,
            max_file_size,
            hidden,
            languages,
            follow_links,
            secrets,
            history,
            lexicon: _,
            memory: _,
            // A change of that file adds or removes paths, as a change of a `.gitignore` does.
            global_excludes: _,
        } = self;
        let mut include = include.clone();
        include.sort_unstable();
        include.dedup();
        let languages = languages.as_ref().map(|names| {
            let mut names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            names
        });
        let mut canonical = String::new();
        // Writing to a string cannot fail. `{:?}` quotes texts, so that no two options can be taken for one.
        let _ = write!(
            canonical,
            "include={include:?}\nexclude={exclude:?}\nmax_file_size={}\nhidden={hidden}\nlanguages={languages:?}\n\
             follow_links={follow_links}\nsecrets={secrets}\nhistory.depth={}\n",
            max_file_size.0, history.depth,
        );
        content_hash(canonical.as_bytes())
    }
}

/// Turns the message of the TOML reader into one that names the line, the key and what would be right.
fn describe(error: &toml::de::Error, text: &str, path: PathBuf) -> Error {
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text[..start].matches('\n').count() + 1;
    let mut message = error.message().trim_end_matches('.').to_owned();
    let quoted: Vec<&str> = error.message().split('`').skip(1).step_by(2).collect();
    if error.message().starts_with("unknown ") {
        if let Some((wrong, known)) = quoted.split_first()
            && let Some(nearest) = nearest(wrong, known)
        {
            let _ = write!(message, "; did you mean `{nearest}`?");
        }
    } else if let Some((key, _)) = text.lines().nth(line - 1).and_then(|line| line.split_once('='))
    {
        message = format!("`{}`: {message}", key.trim());
    }
    Error::Config { path, line, message }
}

/// The known word nearest to a wrong one, if it is near enough to be meant.
fn nearest<'a>(wrong: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|word| (distance(wrong, word), *word))
        .filter(|(distance, word)| *distance <= word.len().div_ceil(3))
        .min()
        .map(|(_, word)| word)
}

/// Edit distance where inserting, deleting and replacing one byte cost 1 (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let mut previous: Vec<usize> = (0..=to.len()).collect();
    for (row, from_byte) in from.bytes().enumerate() {
        let mut current = vec![row + 1];
        for (column, to_byte) in to.bytes().enumerate() {
            let replaced = previous[column] + usize::from(from_byte != to_byte);
            current.push(replaced.min(previous[column + 1] + 1).min(current[column] + 1));
        }
        previous = current;
    }
    previous[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Config {
        Config::parse(text, Path::new(FILE_NAME)).unwrap()
    }

    fn check_error(text: &str, expected: &str) {
        let error = Config::parse(text, Path::new(FILE_NAME)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_root_without_the_file_has_the_defaults() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(Config::load(root.path()).unwrap(), Config::default());
        assert_eq!(Config::default().history.depth, 5_000);
    }

    #[test]
    fn every_key_is_read() {
        let config = parse(
            r#"
            include = ["packages/**"]
            exclude = ["legacy", "!legacy/keep"]
            max_file_size = "1MiB"
            hidden = true
            languages = ["typescript", "markdown"]
            follow_links = true
            secrets = true
            [history]
            depth = 10
            [lexicon]
            enabled = false
            entries = { "rate limit" = ["throttle"] }
            [memory]
            budget = 50_000_000
            "#,
        );
        let expected = Config {
            include: vec!["packages/**".into()],
            exclude: vec!["legacy".into(), "!legacy/keep".into()],
            max_file_size: ByteSize(1 << 20),
            hidden: true,
            languages: Some(vec![LanguageName("typescript"), LanguageName("markdown")]),
            follow_links: true,
            secrets: true,
            history: History { depth: 10 },
            lexicon: Lexicon {
                enabled: false,
                entries: BTreeMap::from([("rate limit".into(), vec!["throttle".into()])]),
            },
            memory: Memory { budget: Some(ByteSize(50_000_000)) },
            global_excludes: None,
        };
        assert_eq!(config, expected);
    }

    #[test]
    fn a_misspelt_key_names_its_line_and_the_nearest_key() {
        check_error(
            "hidden = true\nexlude = [\"a\"]\n",
            "reseek.toml:2: unknown field `exlude`, expected one of `include`, `exclude`, `max_file_size`, \
             `hidden`, `languages`, `follow_links`, `secrets`, `history`, `lexicon`, `memory`; did you mean `exclude`?",
        );
        check_error(
            "[history]\ndeph = 3\n",
            "reseek.toml:2: unknown field `deph`, expected `depth`; did you mean `depth`?",
        );
    }

    #[test]
    fn an_unknown_language_lists_the_known_ones() {
        let error = Config::parse("\nlanguages = [\"typscript\"]", Path::new(FILE_NAME))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(
                "reseek.toml:2: unknown language `typscript`, expected one of `typescript`, `tsx`"
            ),
            "{error}"
        );
        assert!(error.ends_with("did you mean `typescript`?"), "{error}");
    }

    #[test]
    fn a_wrong_type_names_the_key_and_what_is_expected() {
        check_error(
            "hidden = \"yes\"",
            "reseek.toml:1: `hidden`: invalid type: string \"yes\", expected a boolean",
        );
        check_error(
            "max_file_size = \"2 potatoes\"",
            "reseek.toml:1: `max_file_size`: `2 potatoes` is not a size; write a number of bytes or a text such as \"2MiB\"",
        );
        check_error(
            "max_file_size = -1",
            "reseek.toml:1: `max_file_size`: a size cannot be negative",
        );
    }

    #[test]
    fn broken_toml_names_its_line() {
        let error = Config::parse("hidden = true\ninclude = [", Path::new(FILE_NAME))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("reseek.toml:2: "), "{error}");
    }

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("0", 0),
            ("1_000", 1_000),
            ("2MiB", 2 << 20),
            ("2 mib", 2 << 20),
            ("64k", 64 << 10),
            ("1.5 GB", 1_500_000_000),
            ("10 B", 10),
        ] {
            assert_eq!(text.parse(), Ok(ByteSize(bytes)), "{text}");
        }
        for text in ["", "MiB", "2 XB", "-1", "1.2.3", "99999999999 GiB"] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_command_line_wins_and_adds_excludes_last() {
        let config =
            parse("exclude = [\"a\"]\nhidden = true\n[history]\ndepth = 7").with(Overrides {
                exclude: vec!["!a".into()],
                hidden: Some(false),
                max_file_size: Some(ByteSize(9)),
                ..Overrides::default()
            });
        assert_eq!(config.exclude, ["a", "!a"]);
        assert!(!config.hidden);
        assert_eq!(config.max_file_size, ByteSize(9));
        assert_eq!(config.history.depth, 7);
        assert_eq!(config.walk_options().max_source_bytes, 9);
    }

    #[test]
    fn only_options_that_change_the_index_change_the_hash() {
        let base = Config::default().options_hash();
        for same in [
            "",
            "max_file_size = 2_097_152",
            "[lexicon]\nenabled = false",
            "[memory]\nbudget = \"1GiB\"",
        ] {
            assert_eq!(parse(same).options_hash(), base, "{same}");
        }
        for other in [
            "hidden = true",
            "secrets = true",
            "follow_links = true",
            "include = [\"a\"]",
            "exclude = [\"a\"]",
            "max_file_size = 1",
            "languages = [\"tsx\"]",
            "[history]\ndepth = 1",
        ] {
            assert_ne!(parse(other).options_hash(), base, "{other}");
        }
        assert_eq!(
            parse("languages = [\"tsx\", \"css\"]").options_hash(),
            parse("languages = [\"css\", \"tsx\"]").options_hash()
        );
        assert_ne!(
            parse("exclude = [\"a\", \"!a\"]").options_hash(),
            parse("exclude = [\"!a\", \"a\"]").options_hash()
        );
    }
}
