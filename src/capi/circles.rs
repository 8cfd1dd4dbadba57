//! Types that lead back to themselves with nothing between that a program would stop at, in BTF and CTF: cut where the circle closes.

use super::stdio;
use crate::abi::{Cu, PtrTable, Tag};
use crate::dwarf::circle::closing_links;
use crate::tree::link_of;

/// Cuts the circles of a unit, and tells of each; `format` is what the ids are of. `firsts` are as [`closing_links`] wants them, ids of types.
///
/// # Safety
/// `cu` is complete and nobody else's.
pub(super) unsafe fn cut(cu: *mut Cu, firsts: impl IntoIterator<Item = u32>, format: &str) {
    // SAFETY: a table of tags by the caller's word.
    unsafe {
        let table = &raw const (*cu).types_table;
        let tag_at = |id: u32| PtrTable::get(table, id).cast::<Tag>();
        let next = |id: u32| {
            let tag = tag_at(id).as_ref()?;
            Some((link_of(tag.tag)?, tag.r#type))
        };
        for id in closing_links(firsts, next) {
            (*tag_at(id)).r#type = 0;
            let text = format!("WARNING: {format} type {id} leads back to itself: taken for void there\n");
            stdio::put(stdio::stderr(), &[text.as_bytes()]);
        }
    }
}
