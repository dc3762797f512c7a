//! `reseek symbols`: symbols by name, kind and place.
