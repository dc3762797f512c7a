//! Postings of the terms of one task, fetched once and kept through all cycles.

use std::collections::BTreeMap;
use std::rc::Rc;

use reseek_indexer::Snapshot;
use reseek_indexer::snapshot::{Doc, Hit};
use tantivy::schema::Field;

use crate::error::Error;

/// A scored field; the order is that of every per-field table in this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Scored {
    /// Terms of symbol names.
    Name = 0,
    /// Adjacent parts of symbol names, joined.
    Compound = 1,
    /// Names around the symbol.
    Container = 2,
    /// Signatures.
    Signature = 3,
    /// Doc comments.
    Doc = 4,
    /// Code.
    Body = 5,
    /// Strings and inner comments.
    Text = 6,
    /// File names.
    FileName = 7,
    /// Adjacent parts of file names, joined.
    FileCompound = 8,
    /// Folders.
    Folders = 9,
    /// Text outside of symbols.
    FileText = 10,
}

/// Number of scored fields.
pub const N_FIELDS: usize = 11;
/// Fields below this number belong to symbol documents, the others to file documents.
pub const N_SYMBOL_FIELDS: usize = 7;

impl Scored {
    /// All scored fields in order.
    pub const ALL: [Scored; N_FIELDS] = [
        Self::Name,
        Self::Compound,
        Self::Container,
        Self::Signature,
        Self::Doc,
        Self::Body,
        Self::Text,
        Self::FileName,
        Self::FileCompound,
        Self::Folders,
        Self::FileText,
    ];

    /// What people call the field.
    pub fn label(self) -> &'static str {
        match self {
            Self::Name | Self::Compound => "name",
            Self::Container => "container",
            Self::Signature => "signature",
            Self::Doc => "doc comment",
            Self::Body => "code",
            Self::Text => "string or comment",
            Self::FileName | Self::FileCompound => "file name",
            Self::Folders => "folder",
            Self::FileText => "text",
        }
    }

    fn field(self, snapshot: &Snapshot) -> Field {
        let fields = snapshot.fields();
        match self {
            Self::Name => fields.name,
            Self::Compound => fields.compounds,
            Self::Container => fields.container,
            Self::Signature => fields.signature,
            Self::Doc => fields.doc,
            Self::Body => fields.body,
            Self::Text => fields.text,
            Self::FileName => fields.file_name,
            Self::FileCompound => fields.file_compounds,
            Self::Folders => fields.folders,
            Self::FileText => fields.file_text,
        }
    }
}

/// Where one term occurs.
#[derive(Debug, Default)]
pub struct TermPostings {
    /// Hits per [`Scored`] field.
    pub fields: [Vec<Hit>; N_FIELDS],
    /// Commits with the term in their message.
    pub commits: Vec<Doc>,
}

impl TermPostings {
    /// Whether no file and no symbol has the term.
    pub fn is_empty(&self) -> bool {
        self.fields.iter().all(Vec::is_empty)
    }
}

/// Fetches postings and keeps them.
pub struct PostingsCache<'s> {
    snapshot: &'s Snapshot,
    terms: BTreeMap<String, Rc<TermPostings>>,
}

impl<'s> PostingsCache<'s> {
    /// An empty cache over a view.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, terms: BTreeMap::new() }
    }

    /// The postings of a term in all scored fields.
    pub fn get(&mut self, term: &str) -> Result<Rc<TermPostings>, Error> {
        if let Some(postings) = self.terms.get(term) {
            return Ok(Rc::clone(postings));
        }
        let mut postings = TermPostings::default();
        for scored in Scored::ALL {
            let hits = &mut postings.fields[scored as usize];
            self.snapshot.scan(scored.field(self.snapshot), term, |hit| hits.push(hit))?;
        }
        self.snapshot
            .scan(self.snapshot.fields().message, term, |hit| postings.commits.push(hit.doc))?;
        let postings = Rc::new(postings);
        self.terms.insert(term.to_owned(), Rc::clone(&postings));
        Ok(postings)
    }
}
