//! The one table of weights that ranking depends on. Learned or set on development topics only.

use crate::concepts::{LEXICON_WEIGHTS, LexiconWeights};

/// Version of the table; raised with every change of a value.
pub const WEIGHTS_VERSION: u32 = 1;

/// Weights of the fields, with the `b` of their length normalisation (0: none, 1: full).
#[derive(Clone, Debug, PartialEq)]
pub struct FieldWeights {
    /// Saturation.
    pub k1: f32,
    /// `(weight, b)` of the fields of symbol and file documents, in the order of [`Scored`](crate::postings::Scored).
    pub own: [(f32, f32); 11],
    /// `(weight, b)` of names, doc comments, code and texts of all symbols of a file together.
    pub whole: [(f32, f32); 4],
    /// Weight of a compound of a symbol's name in the file as a whole.
    pub whole_compound: f32,
    /// Weight of a signature's term in the file as a whole.
    pub whole_signature: f32,
}

/// The table in force.
pub const FIELD_WEIGHTS: FieldWeights = FieldWeights {
    k1: 1.2,
    own: [
        (4.0, 0.3),
        (2.0, 0.0),
        (1.5, 0.3),
        (1.5, 0.75),
        (2.0, 0.75),
        (1.0, 0.75),
        (1.0, 0.75),
        (3.0, 0.3),
        (2.0, 0.0),
        (3.0, 0.3),
        (1.0, 0.75),
    ],
    whole: [(3.0, 0.75), (1.0, 0.75), (1.0, 0.75), (1.0, 0.75)],
    whole_compound: 1.0,
    whole_signature: 0.3,
};

/// All weights that tuning may replace; by default those in force.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Of fields.
    pub fields: FieldWeights,
    /// Of what the lexicon says.
    pub lexicon: LexiconWeights,
}

impl Default for Weights {
    fn default() -> Self {
        Self { fields: FIELD_WEIGHTS, lexicon: LEXICON_WEIGHTS }
    }
}
