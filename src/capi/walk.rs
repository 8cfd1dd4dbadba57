//! Walks over the tags of a unit.

use std::ffi::{c_int, c_void};

use super::dwarf_loader::need_tags;
use super::entry::{entry, non_null};
use crate::abi::{Cu, Ftype, Function, InlineExpansion, Lexblock, ListHead, Namespace, PtrTable, Tag, dw_tag};

/// What is still to be done: visit a tag, or first what is below it.
enum Step {
    Visit(*mut Tag),
    Enter(*mut Tag),
}

/// The lists below a tag, in the order in which they are walked.
unsafe fn lists_below(tag: *mut Tag) -> [Option<*mut ListHead>; 2] {
    // SAFETY: the kind says what the tag is part of.
    unsafe {
        match (*tag).tag {
            // Shared enumerators are visited where they belong.
            _ if (*tag).has_namespace() && (*tag).shared_tags() => [None, None],
            _ if (*tag).has_namespace() => [Some(&raw mut (*tag.cast::<Namespace>()).tags), None],
            dw_tag::SUBPROGRAM => {
                let function = tag.cast::<Function>();
                [Some(&raw mut (*function).proto.parms), Some(&raw mut (*function).lexblock.tags)]
            }
            dw_tag::SUBROUTINE_TYPE => [Some(&raw mut (*tag.cast::<Ftype>()).parms), None],
            dw_tag::LEXICAL_BLOCK => [Some(&raw mut (*tag.cast::<Lexblock>()).tags), None],
            _ => [None, None],
        }
    }
}

/// Calls `iterator` for every tag, each list from its end, what is below a tag before the tag; 1 when it stopped the walk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__for_all_tags(
    cu: *mut Cu,
    iterator: Option<unsafe extern "C" fn(*mut Tag, *mut Cu, *mut c_void) -> c_int>,
    cookie: *mut c_void,
) -> c_int {
    entry(|| {
        non_null!(cu);
        let Some(iterator) = iterator else { return 0 };
        // SAFETY: a valid unit. The steps of a list are taken down before any of it is visited, so that the program may unlink
        // or free the tag it is shown.
        unsafe {
            need_tags(cu);
            // The last step is the next one, so lists go in from their start and come out from their end.
            let mut steps: Vec<Step> = ListHead::nodes(&raw const (*cu).tags).map(|node| Step::Enter(node.cast())).collect();
            while let Some(step) = steps.pop() {
                match step {
                    Step::Visit(tag) => {
                        if iterator(tag, cu, cookie) != 0 {
                            return 1;
                        }
                    }
                    Step::Enter(tag) => {
                        steps.push(Step::Visit(tag));
                        for head in lists_below(tag).into_iter().rev().flatten() {
                            steps.extend(ListHead::nodes(head).map(|node| Step::Enter(node.cast())));
                        }
                    }
                }
            }
            0
        }
    })
}

/// Adds up, in the functions that were expanded inline and in the unit, how often and at what size that happened.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cu__account_inline_expansions(cu: *mut Cu) {
    entry(|| {
        non_null!(cu);
        // SAFETY: a valid unit.
        unsafe {
            for node in ListHead::nodes(&raw const (*cu).tags) {
                let tag = node.cast::<Tag>();
                if !(*tag).is_function() {
                    continue;
                }
                let block = &raw mut (*tag.cast::<Function>()).lexblock;
                account_block(block, cu);
                (*cu).nr_inline_expansions += u64::from((*block).nr_inline_expansions);
                (*cu).size_inline_expansions += (*block).size_inline_expansions as usize;
            }
        }
    })
}

unsafe fn account_block(outermost: *mut Lexblock, cu: *mut Cu) {
    // SAFETY: a block of this unit; what an expansion is of is looked up in the table of functions.
    unsafe {
        let mut blocks = vec![outermost];
        while let Some(block) = blocks.pop() {
            if (*block).nr_inline_expansions == 0 {
                continue;
            }
            for node in ListHead::nodes(&raw const (*block).tags) {
                let tag = node.cast::<Tag>();
                match (*tag).tag {
                    dw_tag::LEXICAL_BLOCK => blocks.push(tag.cast()),
                    dw_tag::INLINED_SUBROUTINE => {
                        let callee = PtrTable::get(&raw const (*cu).functions_table, (*tag).r#type).cast::<Function>();
                        if let Some(callee) = callee.as_mut() {
                            let size = (*tag.cast::<InlineExpansion>()).size as u32;
                            callee.cu_total_nr_inline_expansions = callee.cu_total_nr_inline_expansions.wrapping_add(1);
                            callee.cu_total_size_inline_expansions = callee.cu_total_size_inline_expansions.wrapping_add(size);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}
