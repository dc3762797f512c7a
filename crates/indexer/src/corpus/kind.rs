//! What a file is by its name alone: its language, and whether its name says secret, generated or minified.
//!
//! These are flat tables on purpose: adding a language or a name is one line. Names are compared without
//! regard to ASCII case, because file systems differ in it.

/// Whether a file has symbols or is only text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// Source code of a language with a grammar.
    Source,
    /// Text without symbols: one document for the whole file.
    Text,
}

/// A language by name, with the file extensions that mean it.
#[derive(Debug)]
pub struct LanguageEntry {
    /// The name used in the configuration, in queries and in the index.
    pub name: &'static str,
    /// Whether files of this language have symbols.
    pub kind: FileKind,
    /// Extensions without the dot, lower case.
    pub extensions: &'static [&'static str],
}

const fn source(name: &'static str, extensions: &'static [&'static str]) -> LanguageEntry {
    LanguageEntry { name, kind: FileKind::Source, extensions }
}

const fn text(name: &'static str, extensions: &'static [&'static str]) -> LanguageEntry {
    LanguageEntry { name, kind: FileKind::Text, extensions }
}

/// Every language that is indexed, in the order in which messages list them.
pub const LANGUAGES: &[LanguageEntry] = &[
    source("typescript", &["ts", "mts", "cts"]),
    source("tsx", &["tsx"]),
    source("javascript", &["js", "mjs", "cjs", "jsx"]),
    text("markdown", &["md", "mdx", "markdown"]),
    text("json", &["json", "jsonc", "json5"]),
    text("yaml", &["yaml", "yml"]),
    text("toml", &["toml"]),
    text("css", &["css"]),
    text("scss", &["scss", "sass"]),
    text("less", &["less"]),
    text("html", &["html", "htm"]),
    text("vue", &["vue"]),
    text("svelte", &["svelte"]),
    text("astro", &["astro"]),
    text("graphql", &["graphql", "gql"]),
    text("sql", &["sql"]),
    text("prisma", &["prisma"]),
    text("shell", &["sh", "bash", "zsh"]),
    text("text", &["txt"]),
];

/// The language of a file name, or `None` when its extension is not one that is indexed.
pub fn language_of(name: &str) -> Option<&'static LanguageEntry> {
    let extension = extension_of(name)?;
    LANGUAGES
        .iter()
        .find(|entry| entry.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Whether a language is TypeScript or JavaScript in any form.
pub fn is_script(language: &str) -> bool {
    LANGUAGES.iter().any(|entry| entry.name == language && entry.kind == FileKind::Source)
}

/// The text after the last dot, if there is a dot and something before it.
fn extension_of(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

/// One kind of file name that usually means a secret.
#[derive(Debug, Clone, Copy)]
pub enum SecretName {
    /// The whole name.
    Is(&'static str),
    /// The start of the name.
    Starts(&'static str),
    /// The end of the name.
    Ends(&'static str),
    /// The start of the name, if the extension is one of these; an empty one stands for none.
    StartsWithExtension(&'static str, &'static [&'static str]),
}

/// File names that are taken for secrets: keys, credentials and environment files. Such files are reported
/// with the reason `secret` and never read unless the configuration says `secrets = true`.
pub const SECRET_NAMES: &[SecretName] = &[
    SecretName::Starts(".env"),
    SecretName::Ends(".env"),
    SecretName::Ends(".pem"),
    SecretName::Ends(".key"),
    SecretName::Ends(".p12"),
    SecretName::Ends(".pfx"),
    SecretName::Ends(".jks"),
    SecretName::Ends(".keystore"),
    SecretName::Ends(".kdbx"),
    SecretName::Ends(".ppk"),
    SecretName::Starts("id_rsa"),
    SecretName::Starts("id_dsa"),
    SecretName::Starts("id_ecdsa"),
    SecretName::Starts("id_ed25519"),
    SecretName::StartsWithExtension("credentials", &["", "json", "yaml", "yml"]),
    SecretName::StartsWithExtension("secrets.", &["json", "yaml", "yml"]),
    SecretName::StartsWithExtension("service-account", &["json"]),
    SecretName::Is(".npmrc"),
    SecretName::Is(".yarnrc.yml"),
    SecretName::Is(".netrc"),
    SecretName::Is("_netrc"),
    SecretName::Is(".pgpass"),
    SecretName::Is(".git-credentials"),
    SecretName::Is(".htpasswd"),
    SecretName::Is(".dockercfg"),
];

/// Whether a file name is one of [`SECRET_NAMES`].
pub fn is_secret(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|secret| match *secret {
        SecretName::Is(whole) => lower == whole,
        SecretName::Starts(start) => lower.starts_with(start),
        SecretName::Ends(end) => lower.ends_with(end),
        SecretName::StartsWithExtension(start, extensions) => {
            lower.starts_with(start) && extensions.contains(&extension_of(&lower).unwrap_or(""))
        }
    })
}

/// Names that tools write and nobody reads: lock files.
const GENERATED_NAMES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "cargo.lock",
    "composer.lock",
];

/// Whether a file name means machine output that is not worth an entry: lock files, source maps, snapshots.
pub fn is_generated(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    GENERATED_NAMES.contains(&lower.as_str())
        || matches!(extension_of(&lower), Some("map" | "snap"))
}

/// Whether a file name means a minified bundle, such as `chart.min.js`.
pub fn is_minified(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut parts = lower.rsplit('.');
    matches!(parts.next(), Some("js" | "mjs" | "cjs" | "css"))
        && parts.next() == Some("min")
        && parts.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_language(name: &str, expected: Option<(&str, FileKind)>) {
        assert_eq!(language_of(name).map(|entry| (entry.name, entry.kind)), expected, "{name}");
    }

    #[test]
    fn extensions_map_to_languages_without_regard_to_case() {
        check_language("a.ts", Some(("typescript", FileKind::Source)));
        check_language("a.d.MTS", Some(("typescript", FileKind::Source)));
        check_language("Page.TSX", Some(("tsx", FileKind::Source)));
        check_language("README.md", Some(("markdown", FileKind::Text)));
        check_language("logo.png", None);
        check_language("Makefile", None);
        check_language(".ts", None);
    }

    #[test]
    fn no_extension_means_two_languages() {
        let mut extensions: Vec<_> = LANGUAGES.iter().flat_map(|entry| entry.extensions).collect();
        let n_all = extensions.len();
        extensions.sort_unstable();
        extensions.dedup();
        assert_eq!(extensions.len(), n_all);
    }

    #[test]
    fn secret_names_are_known_and_ordinary_source_is_not_taken_for_one() {
        for name in [
            ".env",
            ".env.local.ts",
            "prod.env",
            "service.pem",
            "tls.KEY",
            "id_rsa",
            "id_ed25519.pub",
            "a.p12",
            "a.pfx",
            "debug.keystore",
            "credentials",
            "credentials-prod",
            "credentials.json",
            "credentials.prod.yaml",
            "secrets.yml",
            "secrets.prod.json",
            ".npmrc",
            ".netrc",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "credentials.ts",
            "secrets.ts",
            "keyboard.ts",
            "environment.ts",
            "key.ts",
            "monkey.tsx",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn generated_and_minified_names() {
        for name in
            ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "app.js.map", "a.test.ts.snap"]
        {
            assert!(is_generated(name), "{name}");
        }
        assert!(!is_generated("package.json"));
        assert!(!is_generated("map.ts"));
        assert!(is_minified("chart.min.js"));
        assert!(is_minified("site.MIN.css"));
        assert!(!is_minified("admin.js"));
        assert!(!is_minified("min.js"));
    }
}
