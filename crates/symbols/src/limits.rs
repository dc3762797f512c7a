//! Named limits of extraction. Each has a [`DiagnosticKind`](crate::DiagnosticKind) that tells of its effect.

use std::time::Duration;

/// Sources above this many bytes are not parsed.
pub const MAX_SOURCE_BYTES: usize = 16 * 1024 * 1024;
/// Nesting of syntax nodes beyond this depth is not visited.
pub const MAX_DEPTH: usize = 1_000;
/// Parsing and visiting that together take longer are given up.
pub const MAX_PARSE_TIME: Duration = Duration::from_secs(10);
/// Symbols of one file beyond this count are left out.
pub const MAX_SYMBOLS: usize = 100_000;
/// Signatures are cut to this many bytes, at a character boundary.
pub const MAX_SIGNATURE_BYTES: usize = 400;
