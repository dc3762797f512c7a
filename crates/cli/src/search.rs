//! `reseek search`: one search, without the loop.
