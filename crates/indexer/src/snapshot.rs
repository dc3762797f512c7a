//! One consistent view of the index: postings, columns and stored records, by numbers that hold for this view only.
//!
//! Documents of all segments are numbered through. The numbers never leave a view: they are neither stored nor
//! printed, and nothing that is answered depends on them, because every statistic counts
//! living documents only and every order is broken by path and span. That is why an index that grew
//! by a hundred updates answers like a fresh one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tantivy::columnar::{Column, ColumnValues, StrColumn};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption, Value};
use tantivy::{DocSet, Searcher, SegmentReader, TERMINATED, TantivyDocument, Term};

use crate::documents::decode;
use crate::entry::{FileEntry, FileFlags, Stamp};
use crate::error::Error;
use crate::format::{Meta, Totals};
use crate::schema::{Fields, path_key};

/// Number of a document within one [`Snapshot`].
pub type Doc = u32;

/// One occurrence of a term.
#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// The document.
    pub doc: Doc,
    /// How often the term occurs in the field.
    pub term_freq: u32,
    /// Code of the field's length; see [`length_of`].
    pub length_code: u8,
}

/// The length in terms that a [`Hit::length_code`] stands for.
pub fn length_of(code: u8) -> u32 {
    FieldNormReader::id_to_fieldnorm(code)
}

struct Segment {
    base: Doc,
    reader: SegmentReader,
    ordinal: Arc<dyn ColumnValues<u64>>,
    kind: Arc<dyn ColumnValues<u64>>,
    flags: Column<u64>,
    lengths: [Column<u64>; 4],
    key: Column<u64>,
    path: Option<StrColumn>,
    touches: Option<Column<u64>>,
    time: Option<Column<i64>>,
}

/// The columns of a segment that tell of files.
struct Stamps {
    size: Option<Column<u64>>,
    mtime: Option<Column<i64>>,
    ctime: Option<Column<i64>>,
    hash: Option<Column<u64>>,
}

impl Stamps {
    fn of(segment: &Segment) -> Result<Self, Error> {
        let fast = segment.reader.fast_fields();
        Ok(Self {
            size: fast.column_opt("size")?,
            mtime: fast.column_opt("mtime")?,
            ctime: fast.column_opt("ctime")?,
            hash: fast.column_opt("hash")?,
        })
    }

    fn file(&self, path: String, segment: &Segment, local: u32) -> ManifestFile {
        let unsigned =
            |column: &Option<Column<u64>>| column.as_ref().and_then(|column| column.first(local));
        let signed =
            |column: &Option<Column<i64>>| column.as_ref().and_then(|column| column.first(local));
        ManifestFile {
            path,
            stamp: Stamp {
                size: unsigned(&self.size).unwrap_or(0),
                mtime_ns: signed(&self.mtime).unwrap_or(0),
                ctime_ns: signed(&self.ctime).unwrap_or(0),
            },
            hash: unsigned(&self.hash).unwrap_or(0),
            flags: FileFlags(segment.flags.first(local).unwrap_or(0)),
            doc: segment.base + local,
        }
    }
}

/// A consistent view of the index.
pub struct Snapshot {
    searcher: Searcher,
    fields: Fields,
    meta: Meta,
    segments: Vec<Segment>,
    n_docs: Doc,
}

/// One file of the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestFile {
    /// Path relative to the root.
    pub path: String,
    /// Size and times when it was read.
    pub stamp: Stamp,
    /// Content hash; 0 for a skipped file.
    pub hash: u64,
    /// Flags.
    pub flags: FileFlags,
    /// The file's document.
    pub doc: Doc,
}

impl Snapshot {
    pub(crate) fn new(searcher: Searcher, fields: Fields, meta: Meta) -> Result<Self, Error> {
        let mut segments = Vec::new();
        let mut base = 0;
        for reader in searcher.segment_readers() {
            let fast = reader.fast_fields();
            let u64_column = |name: &str| -> Result<Column<u64>, Error> {
                Ok(fast
                    .column_opt(name)?
                    .unwrap_or_else(|| Column::build_empty_column(reader.max_doc())))
            };
            segments.push(Segment {
                base,
                ordinal: u64_column("ordinal")?.first_or_default_col(0),
                kind: u64_column("kind")?.first_or_default_col(0),
                flags: u64_column("flags")?,
                lengths: [
                    u64_column("names_length")?,
                    u64_column("docs_length")?,
                    u64_column("bodies_length")?,
                    u64_column("texts_length")?,
                ],
                key: u64_column("key")?,
                path: fast.str("path")?,
                touches: fast.column_opt("touches")?,
                time: fast.column_opt("time")?,
                reader: reader.clone(),
            });
            base += reader.max_doc();
        }
        Ok(Self { searcher, fields, meta, segments, n_docs: base })
    }

    /// Handles of the fields.
    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// What the commit of this view says of itself.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// All document numbers of this view are below this.
    pub fn n_docs(&self) -> Doc {
        self.n_docs
    }

    fn segment(&self, doc: Doc) -> (&Segment, u32) {
        let index = self.segments.partition_point(|segment| segment.base <= doc) - 1;
        let segment = &self.segments[index];
        (segment, doc - segment.base)
    }

    /// Gives every living document that has the term in the field to `each`, in ascending order within a segment.
    /// Fields without frequencies give 1 and a length code of 0.
    pub fn scan(&self, field: Field, term: &str, each: impl FnMut(Hit)) -> Result<(), Error> {
        self.scan_term(&Term::from_field_text(field, term), each)
    }

    fn scan_term(&self, term: &Term, mut each: impl FnMut(Hit)) -> Result<(), Error> {
        let field = term.field();
        for segment in &self.segments {
            let inverted = segment.reader.inverted_index(field)?;
            let Some(info) = inverted.get_term_info(term)? else { continue };
            let mut postings =
                inverted.read_postings_from_terminfo(&info, IndexRecordOption::WithFreqs)?;
            let norms = segment.reader.fieldnorms_readers().get_field(field)?;
            let alive = segment.reader.alive_bitset();
            let mut doc = postings.doc();
            while doc != TERMINATED {
                if alive.is_none_or(|alive| alive.is_alive(doc)) {
                    each(Hit {
                        doc: segment.base + doc,
                        term_freq: postings.term_freq(),
                        length_code: norms.as_ref().map_or(0, |norms| norms.fieldnorm_id(doc)),
                    });
                }
                doc = postings.advance();
            }
        }
        Ok(())
    }

    /// An upper bound of the number of documents with the term in the field; cheap, and 0 only if there is none.
    pub fn doc_freq_bound(&self, field: Field, term: &str) -> Result<u32, Error> {
        let term = Term::from_field_text(field, term);
        let mut sum = 0;
        for segment in &self.segments {
            sum += segment.reader.inverted_index(field)?.doc_freq(&term)?;
        }
        Ok(sum)
    }

    /// Whether a living document has the term in the field.
    pub fn contains(&self, field: Field, term: &str) -> Result<bool, Error> {
        let mut found = false;
        if self.doc_freq_bound(field, term)? > 0 {
            self.scan(field, term, |_| found = true)?;
        }
        Ok(found)
    }

    /// The terms of a field that start with `prefix`, each once, sorted, at most `limit` of them, dead ones included.
    pub fn terms_with_prefix(
        &self,
        field: Field,
        prefix: &str,
        limit: usize,
    ) -> Result<Vec<String>, Error> {
        let mut terms = std::collections::BTreeSet::new();
        for segment in &self.segments {
            let inverted = segment.reader.inverted_index(field)?;
            let mut stream = inverted.terms().range().ge(prefix.as_bytes()).into_stream()?;
            let mut n = 0;
            while n < limit && stream.advance() {
                let Ok(term) = std::str::from_utf8(stream.key()) else { continue };
                if !term.starts_with(prefix) {
                    break;
                }
                terms.insert(term.to_owned());
                n += 1;
            }
        }
        Ok(terms.into_iter().take(limit).collect())
    }

    /// Place of a document in its file's block: 0 for the file, from 1 for its symbols.
    pub fn ordinal(&self, doc: Doc) -> u32 {
        let (segment, local) = self.segment(doc);
        segment.ordinal.get_val(local) as u32
    }

    /// The document of the file that a file or symbol document belongs to.
    pub fn file_of(&self, doc: Doc) -> Doc {
        doc - self.ordinal(doc)
    }

    /// Code of the kind of a symbol document.
    pub fn kind_code(&self, doc: Doc) -> u8 {
        let (segment, local) = self.segment(doc);
        segment.kind.get_val(local) as u8
    }

    /// Flags of a file document.
    pub fn flags(&self, file: Doc) -> FileFlags {
        let (segment, local) = self.segment(file);
        FileFlags(segment.flags.first(local).unwrap_or(0))
    }

    /// Number of terms in the names, doc comments, code and texts of a file's symbols.
    pub fn lengths(&self, file: Doc) -> [u64; 4] {
        let (segment, local) = self.segment(file);
        [0, 1, 2, 3].map(|i: usize| segment.lengths[i].first(local).unwrap_or(0))
    }

    /// The key of a file document.
    pub fn key(&self, file: Doc) -> u64 {
        let (segment, local) = self.segment(file);
        segment.key.first(local).unwrap_or(0)
    }

    /// The path of a file document.
    pub fn path(&self, file: Doc) -> Result<String, Error> {
        let (segment, local) = self.segment(file);
        let mut path = String::new();
        if let Some(column) = &segment.path
            && let Some(ord) = column.term_ords(local).next()
        {
            column.ord_to_str(ord, &mut path)?;
        }
        Ok(path)
    }

    /// The stored record of a file document.
    pub fn entry(&self, file: Doc) -> Result<FileEntry, Error> {
        let document = self.stored(file)?;
        document
            .get_first(self.fields.entry)
            .and_then(|value| value.as_bytes())
            .and_then(decode)
            .ok_or_else(|| Error::Damaged { what: "a file record cannot be read".to_owned() })
    }

    fn stored(&self, doc: Doc) -> Result<TantivyDocument, Error> {
        let index = self.segments.partition_point(|segment| segment.base <= doc) - 1;
        let address = tantivy::DocAddress::new(index as u32, doc - self.segments[index].base);
        Ok(self.searcher.doc(address)?)
    }

    /// The document of the file at `path`, skipped files included.
    pub fn file(&self, path: &str) -> Result<Option<Doc>, Error> {
        let mut found = None;
        self.scan(self.fields.path, path, |hit| found = Some(hit.doc))?;
        Ok(found)
    }

    /// The document of the file with that key.
    pub fn file_by_key(&self, key: u64) -> Result<Option<Doc>, Error> {
        let mut found: Option<Doc> = None;
        self.scan_term(&Term::from_field_u64(self.fields.key, key), |hit| {
            found = Some(found.map_or(hit.doc, |doc| doc.min(hit.doc)));
        })?;
        Ok(found)
    }

    /// The documents of the commits that touched the file with that key.
    pub fn commits_touching(&self, key: u64) -> Result<Vec<Doc>, Error> {
        let mut commits = Vec::new();
        self.scan_term(&Term::from_field_u64(self.fields.touches, key), |hit| {
            commits.push(hit.doc);
        })?;
        Ok(commits)
    }

    /// Keys of the files that a commit touched, ascending.
    pub fn touches(&self, commit: Doc) -> Vec<u64> {
        let (segment, local) = self.segment(commit);
        let mut keys: Vec<u64> = segment
            .touches
            .as_ref()
            .map(|column| column.values_for_doc(local).collect())
            .unwrap_or_default();
        keys.sort_unstable();
        keys
    }

    /// Time of a commit in seconds since 1970.
    pub fn commit_time(&self, commit: Doc) -> i64 {
        let (segment, local) = self.segment(commit);
        segment.time.as_ref().and_then(|column| column.first(local)).unwrap_or(0)
    }

    /// Time of a commit in seconds since 1970, its id and its subject.
    pub fn commit(&self, commit: Doc) -> Result<(i64, String, String), Error> {
        let (segment, local) = self.segment(commit);
        let fast = segment.reader.fast_fields();
        let time = self.commit_time(commit);
        let mut id = String::new();
        if let Some(column) = fast.str("commit")?
            && let Some(ord) = column.term_ords(local).next()
        {
            column.ord_to_str(ord, &mut id)?;
        }
        let document = self.stored(commit)?;
        let subject = document
            .get_first(self.fields.subject)
            .and_then(|value| value.as_str())
            .unwrap_or_default();
        Ok((time, id, subject.to_owned()))
    }

    /// Ids of all commits in the index, sorted.
    pub fn commit_ids(&self) -> Result<Vec<String>, Error> {
        let mut ids = Vec::new();
        for segment in &self.segments {
            let Some(column) = segment.reader.fast_fields().str("commit")? else { continue };
            for local in segment.reader.doc_ids_alive() {
                if let Some(ord) = column.term_ords(local).next() {
                    let mut id = String::new();
                    column.ord_to_str(ord, &mut id)?;
                    ids.push(id);
                }
            }
        }
        ids.sort_unstable();
        Ok(ids)
    }

    /// Every file that the index knows of, skipped ones included, sorted by path.
    pub fn manifest(&self) -> Result<Vec<ManifestFile>, Error> {
        let mut files: Vec<ManifestFile> = Vec::new();
        for (place, segment) in self.segments.iter().enumerate() {
            let Some(paths) = &segment.path else { continue };
            let stamps = Stamps::of(segment)?;
            // Numbers of texts ascend with the texts, so that one pass over the dictionary gives all paths in order.
            let mut found: Vec<(u64, u32)> = segment
                .reader
                .doc_ids_alive()
                .filter_map(|local| Some((paths.term_ords(local).next()?, local)))
                .collect();
            found.sort_unstable();
            let ords: Vec<u64> = found.iter().map(|(ord, _)| *ord).collect();
            let mut locals = found.iter().map(|(_, local)| *local);
            let mut damaged = false;
            paths.dictionary().sorted_ords_to_term_cb(&ords, |bytes| {
                match (std::str::from_utf8(bytes), locals.next()) {
                    (Ok(path), Some(local)) => {
                        files.push(stamps.file(path.to_owned(), segment, local));
                    }
                    _ => damaged = true,
                }
            })?;
            if damaged || locals.next().is_some() {
                return Err(Error::Damaged {
                    what: format!("the paths of segment {place} cannot be read"),
                });
            }
        }
        // The segments are runs in order, which a stable sort merges without comparing everything again.
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    /// What the index knows of the file at `path`, which may be a skipped one.
    pub fn manifest_file(&self, path: &str) -> Result<Option<ManifestFile>, Error> {
        let Some(doc) = self.file(path)? else { return Ok(None) };
        let (segment, local) = self.segment(doc);
        Ok(Some(Stamps::of(segment)?.file(path.to_owned(), segment, local)))
    }

    /// Every file below a folder that the index knows of, sorted by path.
    pub fn manifest_below(&self, folder: &str) -> Result<Vec<ManifestFile>, Error> {
        let prefix = format!("{folder}/");
        let paths = self.terms_with_prefix(self.fields.path, &prefix, usize::MAX)?;
        let mut files = Vec::new();
        for path in paths {
            files.extend(self.manifest_file(&path)?);
        }
        Ok(files)
    }

    /// Looks at every document and record, and tells what does not fit: blocks that are torn, keys and counts that are
    /// wrong, sums that are not those of the commit. Empty for a sound index.
    pub(crate) fn faults(&self) -> Result<Vec<String>, Error> {
        let mut faults = Vec::new();
        let mut totals = Totals::default();
        let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
        let mut paths = BTreeSet::new();
        for (place, segment) in self.segments.iter().enumerate() {
            let commits = segment.reader.fast_fields().str("commit")?;
            let mut alive = segment.reader.doc_ids_alive().peekable();
            while let Some(local) = alive.next() {
                let doc = segment.base + local;
                if commits.as_ref().is_some_and(|column| column.term_ords(local).next().is_some()) {
                    continue;
                }
                let path = self.path(doc)?;
                if path.is_empty() || self.ordinal(doc) != 0 {
                    faults.push(format!("document {local} of segment {place} belongs to no file"));
                    continue;
                }
                let entry = self.entry(doc)?;
                for expected in 1..=entry.symbols.len() as u32 {
                    let next = alive.next_if(|next| {
                        let ordinal = segment.ordinal.get_val(*next) as u32;
                        let key = segment.key.first(*next);
                        *next == local + expected
                            && ordinal == expected
                            && key == segment.key.first(local)
                    });
                    if next.is_none() {
                        faults.push(format!(
                            "{path}: symbol {expected} of {} is missing",
                            entry.symbols.len()
                        ));
                        break;
                    }
                }
                if entry.path != path || self.key(doc) != path_key(&path) {
                    faults.push(format!("{path}: its record or key is that of another path"));
                }
                if entry.skipped.is_empty() == self.flags(doc).has(FileFlags::SKIPPED) {
                    faults.push(format!(
                        "{path}: its record and its flags disagree on whether it is indexed"
                    ));
                }
                if entry.skipped.is_empty() {
                    totals.add(entry.share);
                } else {
                    *skipped.entry(entry.skipped).or_default() += 1;
                }
                if !paths.insert(path.clone()) {
                    faults.push(format!("{path}: it is in the index twice"));
                }
            }
        }
        if totals != self.meta.totals {
            faults.push(format!(
                "the sums are {:?}, and those of the files {totals:?}",
                self.meta.totals
            ));
        }
        if skipped != self.meta.skipped {
            faults.push(format!(
                "skipped are {skipped:?}, and the commit says {:?}",
                self.meta.skipped
            ));
        }
        let mut commits = self.commit_ids()?;
        let n_commits = commits.len() as u64;
        commits.dedup();
        if commits.len() as u64 != self.meta.n_commits || n_commits != self.meta.n_commits {
            faults.push(format!(
                "{n_commits} commits are there, and {} are wanted",
                self.meta.n_commits
            ));
        }
        Ok(faults)
    }

    /// Number of segments, for reports.
    pub fn n_segments(&self) -> usize {
        self.segments.len()
    }
}
