//! Reads one file and judges its contents: the text to index, or the reason to pass it over.
//!
//! Files change while they are read. The result carries the size and times that the open file had just *before*
//! its bytes were read, so a change during or after the read leaves a difference that the next refresh sees;
//! times taken after the read could hide it. A file that vanished is [`Outcome::Absent`]. One that grew is read
//! up to its limit and skipped as too large when there is more.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use super::kind;
use super::walk::{self, FoundFile, SkipReason, WalkOptions};

/// A line longer than this many bytes counts as one of a bundle.
const LONG_LINE_BYTES: usize = 5_000;
/// Below this size a file is never taken for a bundle by its average line.
const MINIFIED_MIN_BYTES: usize = 20_000;
/// Average line, in bytes, above which a large enough file is taken for a bundle.
const MINIFIED_AVERAGE_BYTES: usize = 500;
/// A file with this many lines that somebody may have written is never taken for a bundle: sources hold tables
/// and pictures on one line next to code that people look for.
const MIN_WRITTEN_LINES: usize = 20;
/// The banner of generated code is looked for in this many bytes.
const BANNER_BYTES: usize = 1_024;

/// What reading a file came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The text and what is known of it.
    Read(Contents),
    /// The file is not indexed.
    Skipped {
        /// Why.
        reason: SkipReason,
        /// The file with its size and times at reading.
        file: FoundFile,
    },
    /// There is no such file any more.
    Absent,
}

/// The contents of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// The file with its size and times at reading, which may be newer than those of the walk.
    pub file: FoundFile,
    /// The text without a byte order mark; line ends are as in the file.
    pub text: String,
    /// Bytes of the byte order mark that was taken off: 3 or 0. Add it to a byte offset in [`text`](Self::text)
    /// to get the offset in the file. Line numbers are the same in both.
    pub bom_bytes: usize,
    /// [`content_hash`] of the whole file, the byte order mark included.
    pub hash: u64,
    /// The first kilobyte holds a banner such as `DO NOT EDIT`.
    pub generated: bool,
}

/// The first eight bytes of the BLAKE3 hash, as a little-endian number. It only has to tell an edited file from
/// its own earlier state, so 64 bits do: the chance that one edit goes unseen is 2^-64, and that any two of a
/// million different files share a hash is about 3 in 100 million.
pub fn content_hash(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// Reads `file` below `root`. The limits of `options` apply to the size at reading.
pub fn read(root: &Path, file: &FoundFile, options: &WalkOptions) -> Outcome {
    let path = root.join(&file.path);
    let limit = walk::max_bytes(options, file.kind);
    let (bytes, stamp) = match read_up_to(&path, limit) {
        Ok(found) => found,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Outcome::Absent;
        }
        Err(_) => return Outcome::Skipped { reason: SkipReason::Unreadable, file: file.clone() },
    };
    let file = file.restamped(&stamp);
    if bytes.len() as u64 > limit {
        return Outcome::Skipped { reason: SkipReason::TooLarge, file };
    }
    let hash = content_hash(&bytes);
    let judged = decode(bytes).and_then(|(text, bom_bytes)| {
        unfit(&text, kind::is_script(file.language)).map_or(Ok((text, bom_bytes)), Err)
    });
    match judged {
        Ok((text, bom_bytes)) => {
            let generated = has_generated_banner(&text);
            Outcome::Read(Contents { file, text, bom_bytes, hash, generated })
        }
        Err(reason) => Outcome::Skipped { reason, file },
    }
}

/// Reads at most one byte more than `limit`, with the metadata from just before.
fn read_up_to(path: &Path, limit: u64) -> io::Result<(Vec<u8>, Metadata)> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let mut bytes = Vec::with_capacity(metadata.len().min(limit) as usize + 1);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes, metadata))
}

/// The text without byte order mark, and the length of the mark.
fn decode(mut bytes: Vec<u8>) -> Result<(String, usize), SkipReason> {
    // UTF-16 has a NUL in every ASCII character, so its mark is looked at before NULs mean binary.
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(SkipReason::NotUtf8);
    }
    if bytes.contains(&0) {
        return Err(SkipReason::Binary);
    }
    let bom_bytes = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
    bytes.drain(..bom_bytes);
    String::from_utf8(bytes).map(|text| (text, bom_bytes)).map_err(|_| SkipReason::NotUtf8)
}

/// The reason not to index a text, if there is one. `script` says that the text claims to be TypeScript or
/// JavaScript.
fn unfit(text: &str, script: bool) -> Option<SkipReason> {
    // The same extension serves the translation files of Qt, which are XML.
    if script {
        let start = text.trim_start();
        if start.starts_with("<?xml") || start.starts_with("<!DOCTYPE") {
            return Some(SkipReason::Binary);
        }
    }
    is_minified(text).then_some(SkipReason::Minified)
}

/// Whether lines longer than [`LONG_LINE_BYTES`] make up most of the text, or a text of at least
/// [`MINIFIED_MIN_BYTES`] has lines of more than [`MINIFIED_AVERAGE_BYTES`] on average; and fewer than
/// [`MIN_WRITTEN_LINES`] are neither blank, a comment, nor longer than that average.
fn is_minified(text: &str) -> bool {
    if text.len() <= LONG_LINE_BYTES {
        return false;
    }
    let (mut n_lines, mut n_long_bytes, mut n_written) = (0, 0, 0);
    for line in text.lines() {
        n_lines += 1;
        if line.len() > LONG_LINE_BYTES {
            n_long_bytes += line.len();
        } else if line.len() <= MINIFIED_AVERAGE_BYTES {
            let line = line.trim_start();
            let is_comment = ["*", "//", "/*"].iter().any(|mark| line.starts_with(mark));
            n_written += usize::from(!line.is_empty() && !is_comment);
        }
    }
    let has_long_lines = n_long_bytes * 2 > text.len()
        || (text.len() >= MINIFIED_MIN_BYTES && text.len() / n_lines > MINIFIED_AVERAGE_BYTES);
    has_long_lines && n_written < MIN_WRITTEN_LINES
}

/// Whether the start of the text says that a program wrote it.
fn has_generated_banner(text: &str) -> bool {
    let mut end = text.len().min(BANNER_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let start = &text[..end];
    // `@generated` is written with a word boundary after it, else it is the name of something else.
    let tagged = start.match_indices("@generated").any(|(at, tag)| {
        !start[at + tag.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '/')
    });
    tagged || start.contains("DO NOT EDIT") || start.contains("Code generated by")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::fs;

    use super::*;

    fn outcome(name: &str, bytes: &[u8]) -> Outcome {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join(name), bytes).unwrap();
        let language = kind::language_of(name).unwrap();
        let metadata = fs::metadata(root.path().join(name)).unwrap();
        let file = FoundFile::new(name.to_owned(), language, &metadata);
        read(root.path(), &file, &WalkOptions::default())
    }

    fn check_skipped(name: &str, bytes: &[u8], expected: SkipReason) {
        match outcome(name, bytes) {
            Outcome::Skipped { reason, file } => {
                assert_eq!(reason, expected);
                assert_eq!(file.size, bytes.len() as u64);
            }
            other => panic!("{other:?}"),
        }
    }

    fn contents(name: &str, bytes: &[u8]) -> Contents {
        match outcome(name, bytes) {
            Outcome::Read(contents) => contents,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_bundle_on_one_line_is_minified() {
        let line = "var a=1;".repeat(300_000 / 8);
        check_skipped("app.js", line.as_bytes(), SkipReason::Minified);
    }

    #[test]
    fn a_bundle_behind_a_licence_header_is_minified() {
        let text = format!("/*\n{} */\n{}\n", " * words\n".repeat(20), "a=1;".repeat(2_000));
        check_skipped("app.js", text.as_bytes(), SkipReason::Minified);
    }

    #[test]
    fn a_bundle_broken_into_long_lines_is_minified() {
        let text = format!("{}\n", "b=2;".repeat(200)).repeat(40);
        check_skipped("app.js", text.as_bytes(), SkipReason::Minified);
    }

    #[test]
    fn source_with_one_long_line_is_read() {
        let mut text = format!("export const logo = \"{}\";\n", "A".repeat(6_000));
        for n in 0..400 {
            writeln!(text, "export function f{n}() {{ return {n}; }}").unwrap();
        }
        assert_eq!(contents("logo.ts", text.as_bytes()).text, text);
    }

    #[test]
    fn source_around_a_table_that_is_most_of_it_is_read() {
        let mut text = format!("const TABLE = \"{}\";\n", "x".repeat(60_000));
        for n in 0..30 {
            writeln!(text, "export function f{n}() {{ return TABLE[{n}]; }}").unwrap();
        }
        assert_eq!(contents("strings.ts", text.as_bytes()).text, text);
    }

    #[test]
    fn a_data_file_of_five_megabytes_is_too_large() {
        let text = format!("export const data = [{}];", "1,".repeat(2_500_000));
        check_skipped("data.ts", text.as_bytes(), SkipReason::TooLarge);
    }

    #[test]
    fn a_large_text_is_cut_off_by_the_limit_for_texts() {
        let text = "word ".repeat(60_000);
        check_skipped("notes.md", text.as_bytes(), SkipReason::TooLarge);
    }

    #[test]
    fn translations_in_xml_behind_a_source_extension_are_binary() {
        check_skipped("de.ts", b"<?xml version=\"1.0\"?>\n<TS></TS>\n", SkipReason::Binary);
        check_skipped("fr.ts", b"\n<!DOCTYPE TS>\n<TS></TS>\n", SkipReason::Binary);
        assert_eq!(contents("a.html", b"<!DOCTYPE html>\n").text, "<!DOCTYPE html>\n");
    }

    #[test]
    fn random_bytes_with_nul_are_binary() {
        check_skipped("noise.ts", &[7, 0, 200, 3], SkipReason::Binary);
    }

    #[test]
    fn other_encodings_are_not_utf8() {
        check_skipped("a.ts", b"\xff\xfea\0", SkipReason::NotUtf8);
        check_skipped("a.ts", b"\xfe\xff\0a", SkipReason::NotUtf8);
        check_skipped("a.ts", b"const a = \"\xe9\";\n", SkipReason::NotUtf8);
    }

    #[test]
    fn a_byte_order_mark_is_taken_off_and_counted() {
        let with = contents("a.ts", b"\xef\xbb\xbfexport {};\r\n");
        assert_eq!((with.text.as_str(), with.bom_bytes), ("export {};\r\n", 3));
        let without = contents("a.ts", b"export {};\r\n");
        assert_eq!((without.text.as_str(), without.bom_bytes), ("export {};\r\n", 0));
        assert_ne!(with.hash, without.hash);
    }

    #[test]
    fn the_hash_is_that_of_the_bytes_and_stable() {
        assert_eq!(contents("a.ts", b"x").hash, content_hash(b"x"));
        // The BLAKE3 test vector of no input starts with these bytes.
        assert_eq!(
            content_hash(b""),
            u64::from_le_bytes([0xaf, 0x13, 0x49, 0xb9, 0xf5, 0xf9, 0xa1, 0xa6])
        );
    }

    #[test]
    fn generated_code_is_kept_and_flagged() {
        for banner in [
            "// Code generated by x. DO NOT EDIT.",
            "/** @generated */",
            "/* do\n * DO NOT EDIT\n */",
        ] {
            let text = format!("{banner}\nexport const client = 1;\n");
            assert!(contents("client.ts", text.as_bytes()).generated, "{banner}");
        }
        for text in [
            "import x from \"@generated/client\";\n",
            "// @generatedBy us\n",
            "// generated words\n",
        ] {
            assert!(!contents("client.ts", text.as_bytes()).generated, "{text}");
        }
        let late = format!("{}// DO NOT EDIT\n", "// words\n".repeat(200));
        assert!(!contents("client.ts", late.as_bytes()).generated);
    }

    #[test]
    fn a_file_that_vanished_is_absent() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a.ts"), "x").unwrap();
        let metadata = fs::metadata(root.path().join("a.ts")).unwrap();
        let file = FoundFile::new("a.ts".into(), kind::language_of("a.ts").unwrap(), &metadata);
        fs::remove_file(root.path().join("a.ts")).unwrap();
        assert_eq!(read(root.path(), &file, &WalkOptions::default()), Outcome::Absent);
    }

    #[test]
    fn a_file_that_changed_since_the_walk_is_read_as_it_is_now() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a.ts"), "x").unwrap();
        let metadata = fs::metadata(root.path().join("a.ts")).unwrap();
        let file = FoundFile::new("a.ts".into(), kind::language_of("a.ts").unwrap(), &metadata);
        fs::write(root.path().join("a.ts"), "longer").unwrap();
        let Outcome::Read(contents) = read(root.path(), &file, &WalkOptions::default()) else {
            panic!("it can be read");
        };
        assert_eq!((contents.text.as_str(), contents.file.size), ("longer", 6));
    }

    #[test]
    fn a_file_that_grew_over_the_limit_is_too_large() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("a.ts"), "x").unwrap();
        let metadata = fs::metadata(root.path().join("a.ts")).unwrap();
        let file = FoundFile::new("a.ts".into(), kind::language_of("a.ts").unwrap(), &metadata);
        fs::write(root.path().join("a.ts"), "12345").unwrap();
        let options = WalkOptions { max_source_bytes: 4, ..WalkOptions::default() };
        let Outcome::Skipped { reason, file } = read(root.path(), &file, &options) else {
            panic!("it is over the limit");
        };
        assert_eq!((reason, file.size), (SkipReason::TooLarge, 5));
    }

    #[test]
    fn a_folder_in_place_of_a_file_is_unreadable() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("a.ts")).unwrap();
        let metadata = fs::metadata(root.path().join("a.ts")).unwrap();
        let file = FoundFile::new("a.ts".into(), kind::language_of("a.ts").unwrap(), &metadata);
        assert!(matches!(
            read(root.path(), &file, &WalkOptions::default()),
            Outcome::Skipped { reason: SkipReason::Unreadable, .. }
        ));
    }
}
