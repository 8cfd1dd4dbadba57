//! Companion library libdwarves_reorganize.so.1.
