//! Companion library libdwarves_emit.so.1.
