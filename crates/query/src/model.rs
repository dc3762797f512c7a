//! The model that turns features into relevance.

use crate::features::{Features, NAMES};

fn value(features: &Features, name: &str) -> f32 {
    NAMES.iter().position(|known| *known == name).map_or(0.0, |at| features[at])
}

/// Relevance, 0 to 1.
pub fn relevance(features: &Features) -> f32 {
    let f = |name: &str| value(features, name);
    let z = 0.5 * f("best") + 0.1 * f("next") + 0.4 * f("whole") + 0.5 * f("history") + 0.1 * f("together")
        - 0.6 * f("test_unasked") - 0.5 * f("aside_unasked") - 0.2 * f("declaration") - 0.1 * f("barrel") - 0.6 * f("text") - 0.3 * f("generated")
        + 0.2 * f("path_named") + 0.1 * f("folder_named") + 0.1 * f("cover_symbol");
    1.0 / (1.0 + (-(z - 1.0) * 4.0).exp())
}
