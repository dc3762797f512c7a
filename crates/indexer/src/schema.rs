//! Every field of the index: its type, its analyzer and why it is there.
//!
//! There are three kinds of documents. A *file document* is followed, in the same segment and without a gap, by the
//! *symbol documents* of that file, in the order of [`ParsedFile::symbols`](reseek_symbols::ParsedFile::symbols); `ordinal`
//! counts them from 1 and is 0 for the file, so a symbol's file is `doc - ordinal`. A *commit document*
//! holds one commit of the history and the keys of the files that it touched.
//!
//! No text is indexed twice: the terms of a file are those of its symbols and of its own document together.

use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, STORED, STRING, Schema, SchemaBuilder,
    TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

/// Handles of all fields.
#[derive(Clone, Debug)]
pub struct Fields {
    /// File: the path relative to the root with `/`, raw; a fast field, so that the manifest can be read in one pass.
    pub path: Field,
    /// File and symbol: [`path_key`]; deletes a file with its symbols and finds it by key.
    pub key: Field,
    /// File: terms of the folders.
    pub folders: Field,
    /// File: terms of the file name without its extension.
    pub file_name: Field,
    /// File: [compounds](crate::analyzer::Analyzer::compounds) of its name.
    pub file_compounds: Field,
    /// File: terms of what stands outside of all symbols; the whole text of a file without symbols.
    pub file_text: Field,
    /// File: exact terms of imported names and of the last part of imported modules.
    pub imports: Field,
    /// File: size in bytes.
    pub size: Field,
    /// File: modification time in nanoseconds since 1970.
    pub mtime: Field,
    /// File: time of the last change of content or attributes, same unit; no program can set it back.
    pub ctime: Field,
    /// File: content hash.
    pub hash: Field,
    /// File: [`FileFlags`](crate::entry::FileFlags).
    pub flags: Field,
    /// File: number of terms in the names, doc comments, code and texts of its symbols: field lengths of the file as a whole.
    pub lengths: [Field; 4],
    /// File: the stored [`FileEntry`](crate::entry::FileEntry).
    pub entry: Field,
    /// File (0) and symbol (1, 2, ...): place in the file's block of documents.
    pub ordinal: Field,
    /// Symbol: [`SymbolKind::code`](reseek_symbols::SymbolKind::code).
    pub kind: Field,
    /// Symbol: terms of its name.
    pub name: Field,
    /// Symbol: the exact term of its name.
    pub exact_name: Field,
    /// Symbol: [compounds](crate::analyzer::Analyzer::compounds) of its name.
    pub compounds: Field,
    /// Symbol: terms of the names around it.
    pub container: Field,
    /// Symbol: terms of its signature without its name.
    pub signature: Field,
    /// Symbol: terms of its doc comment.
    pub doc: Field,
    /// Symbol: terms of its own code, that of inner symbols left out.
    pub body: Field,
    /// Symbol: terms of its strings and inner comments.
    pub text: Field,
    /// Symbol and file: exact terms of the identifiers that it uses.
    pub references: Field,
    /// Commit: its id, raw.
    pub commit: Field,
    /// Commit: terms of its subject and the first line of its body.
    pub message: Field,
    /// Commit: stored subject.
    pub subject: Field,
    /// Commit: keys of the files that it touched.
    pub touches: Field,
    /// Commit: time in seconds since 1970.
    pub time: Field,
}

/// Name of the one tokenizer. Texts reach tantivy as terms of the [analyzer](crate::analyzer), joined by spaces, because
/// the writer needs their number before.
const TERMS: &str = "terms";

/// The key of a path: the first eight bytes of its blake3 hash. Two of a million paths share one with a chance of 3 in 10^8;
/// the writer refuses a second path with the same key and reports it as skipped.
pub fn path_key(path: &str) -> u64 {
    let hash = blake3::hash(path.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(bytes)
}

fn terms(builder: &mut SchemaBuilder, name: &str, record: IndexRecordOption) -> Field {
    let scored = record != IndexRecordOption::Basic;
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TERMS)
        .set_index_option(record)
        .set_fieldnorms(scored);
    builder.add_text_field(name, TextOptions::default().set_indexing_options(indexing))
}

/// The schema and the handles of its fields.
pub fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let b = &mut builder;
    let (basic, freqs) = (IndexRecordOption::Basic, IndexRecordOption::WithFreqs);
    let fast = NumericOptions::default().set_fast();
    let fields = Fields {
        path: b.add_text_field("path", STRING | FAST),
        key: b.add_u64_field("key", INDEXED | FAST),
        folders: terms(b, "folders", freqs),
        file_name: terms(b, "file_name", freqs),
        file_compounds: terms(b, "file_compounds", basic),
        file_text: terms(b, "file_text", freqs),
        imports: terms(b, "imports", basic),
        size: b.add_u64_field("size", fast.clone()),
        mtime: b.add_i64_field("mtime", fast.clone()),
        ctime: b.add_i64_field("ctime", fast.clone()),
        hash: b.add_u64_field("hash", fast.clone()),
        flags: b.add_u64_field("flags", fast.clone()),
        lengths: [
            b.add_u64_field("names_length", fast.clone()),
            b.add_u64_field("docs_length", fast.clone()),
            b.add_u64_field("bodies_length", fast.clone()),
            b.add_u64_field("texts_length", fast.clone()),
        ],
        entry: b.add_bytes_field("entry", STORED),
        ordinal: b.add_u64_field("ordinal", fast.clone()),
        kind: b.add_u64_field("kind", fast.clone()),
        name: terms(b, "name", freqs),
        exact_name: terms(b, "exact_name", basic),
        compounds: terms(b, "compounds", basic),
        container: terms(b, "container", freqs),
        signature: terms(b, "signature", freqs),
        doc: terms(b, "doc", freqs),
        body: terms(b, "body", freqs),
        text: terms(b, "text", freqs),
        references: terms(b, "references", basic),
        commit: b.add_text_field("commit", STRING | FAST),
        message: terms(b, "message", freqs),
        subject: b.add_text_field("subject", STORED),
        touches: b.add_u64_field("touches", INDEXED | FAST),
        time: b.add_i64_field("time", fast),
    };
    (builder.build(), fields)
}

/// The tokenizer that the schema names.
pub fn tokenizers() -> TokenizerManager {
    let manager = TokenizerManager::default();
    manager.register(TERMS, TextAnalyzer::from(Splitter::default()));
    manager
}

/// Splits joined terms at the one byte that joins them; terms hold no space.
#[derive(Clone, Default)]
struct Splitter {
    token: Token,
}

/// The terms that are left of a text.
struct Split<'a> {
    rest: &'a str,
    offset: usize,
    token: &'a mut Token,
}

impl Tokenizer for Splitter {
    type TokenStream<'a> = Split<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Split<'a> {
        self.token.reset();
        Split { rest: text, offset: 0, token: &mut self.token }
    }
}

impl TokenStream for Split<'_> {
    fn advance(&mut self) -> bool {
        if self.rest.is_empty() {
            return false;
        }
        let length = self.rest.bytes().position(|byte| byte == b' ').unwrap_or(self.rest.len());
        self.token.text.clear();
        self.token.text.push_str(&self.rest[..length]);
        self.token.position = self.token.position.wrapping_add(1);
        self.token.offset_from = self.offset;
        self.token.offset_to = self.offset + length;
        let next = (length + 1).min(self.rest.len());
        self.offset += next;
        self.rest = &self.rest[next..];
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
