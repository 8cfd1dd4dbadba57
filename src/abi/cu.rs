//! A compilation unit, its id tables, and the descriptor of the format it came from.

use std::any::Any;
use std::ffi::{CStr, c_char, c_int, c_ulong, c_ulonglong, c_void};
use std::ptr;

use super::external::{DwflModule, Elf, Obstack};
use super::{Arena, ConfLoad, Cus, Function, ListHead, RbNode, RbRoot, Tag, TypeId};

/// `struct ptr_table`: tags by id, NULL in empty slots.
#[repr(C)]
pub struct PtrTable {
    pub entries: *mut *mut c_void,
    pub nr_entries: u32,
    /// Room, in entries.
    pub allocated_entries: u32,
}
layout! { PtrTable: 16, 8 { entries: 0, nr_entries: 8, allocated_entries: 12 } }

/// `struct debug_fmt_ops`: what a format can do. Any function may be missing.
#[repr(C)]
#[allow(non_snake_case)]
pub struct DebugFmtOps {
    pub name: *const c_char,
    pub init: Option<unsafe extern "C" fn() -> c_int>,
    pub exit: Option<unsafe extern "C" fn()>,
    pub load_file: Option<unsafe extern "C" fn(*mut Cus, *mut ConfLoad, *const c_char) -> c_int>,
    pub tag__decl_file: Option<unsafe extern "C" fn(*const Tag, *const Cu) -> *const c_char>,
    pub tag__decl_line: Option<unsafe extern "C" fn(*const Tag, *const Cu) -> u32>,
    /// Offset of the DIE.
    pub tag__orig_id: Option<unsafe extern "C" fn(*const Tag, *const Cu) -> c_ulonglong>,
    pub tag__alloc: Option<unsafe extern "C" fn(*mut Cu, usize) -> *mut c_void>,
    pub tag__free: Option<unsafe extern "C" fn(*mut Tag, *mut Cu)>,
    pub cu__delete: Option<unsafe extern "C" fn(*mut Cu)>,
    /// Whether the format tells declared alignments.
    pub has_alignment_info: bool,
}
layout! { DebugFmtOps: 88, 8 {
    name: 0, init: 8, exit: 16, load_file: 24, tag__decl_file: 32, tag__decl_line: 40, tag__orig_id: 48, tag__alloc: 56,
    tag__free: 64, cu__delete: 72, has_alignment_info: 80,
} }

/// `struct cu`.
#[repr(C)]
pub struct Cu {
    /// In its set.
    pub node: ListHead,
    /// Those at the top level, in order.
    pub tags: ListHead,
    pub tool_list: ListHead,
    /// Slot 0 is `void` and always empty.
    pub types_table: PtrTable,
    /// Subprograms.
    pub functions_table: PtrTable,
    /// Everything else that has an id.
    pub tags_table: PtrTable,
    /// By address, through `rb_node`.
    pub functions: RbRoot,
    /// Its place in the file, from 0.
    pub id: u32,
    /// Owned, as is `filename`.
    pub name: *const c_char,
    pub filename: *mut c_char,
    /// The loader's.
    pub r#priv: *mut c_void,
    pub dfops: *mut DebugFmtOps,
    pub elf: *mut Elf,
    pub dwfl: *mut DwflModule,
    /// See [`CuSide`].
    pub obstack: Obstack,
    pub cached_symtab_nr_entries: u32,
    pub use_obstack: bool,
    /// In bytes.
    pub addr_size: u8,
    pub flags: u8,
    pub nr_register_params: u8,
    pub register_params: [c_int; 8],
    pub functions_saved: c_int,
    /// DW_LANG number.
    pub language: u16,
    pub nr_inline_expansions: c_ulong,
    /// In bytes.
    pub size_inline_expansions: usize,
    /// These, down to `function_bytes_removed`, are codiff's.
    pub nr_functions_changed: u32,
    pub nr_structures_changed: u32,
    pub max_len_changed_item: usize,
    pub function_bytes_added: usize,
    pub function_bytes_removed: usize,
    pub build_id_len: c_int,
    /// `build_id_len` bytes.
    pub build_id: [u8; 0],
}
layout! { Cu: 352, 8 {
    node: 0, tags: 16, tool_list: 32, types_table: 48, functions_table: 64, tags_table: 80, functions: 96, id: 104, name:
    112, filename: 120, r#priv: 128, dfops: 136, elf: 144, dwfl: 152, obstack: 160, cached_symtab_nr_entries: 248,
    use_obstack: 252, addr_size: 253, flags: 254, nr_register_params: 255, register_params: 256, functions_saved: 288,
    language: 292, nr_inline_expansions: 296, size_inline_expansions: 304, nr_functions_changed: 312,
    nr_structures_changed: 316, max_len_changed_item: 320, function_bytes_added: 328, function_bytes_removed: 336,
    build_id_len: 344, build_id: 348,
} }
bits! { Cu.flags {
    extra_dbg_info, set_extra_dbg_info: 0;
    has_addr_info, set_has_addr_info: 1;
    uses_global_strings, set_uses_global_strings: 2;
    little_endian, set_little_endian: 3;
    producer_clang, set_producer_clang: 4;
    agg_use_two_regs, set_agg_use_two_regs: 5;
} }

// SAFETY: the addresses are of static strings and functions, which any thread may use.
unsafe impl Sync for DebugFmtOps {}

/// What belongs to a unit beyond `struct cu`: the arena that stands for its obstack, and whatever its loader keeps with it.
///
/// Hangs at `obstack.extra_arg`, which C code has no business with.
#[derive(Default)]
pub struct CuSide {
    pub arena: Arena,
    /// Dropped when the unit is deleted, before its memory goes.
    pub hook: Option<Box<dyn Any + Send>>,
}

impl CuSide {
    /// The side record of a unit; `None` for a `struct cu` that C code made by itself.
    ///
    /// # Safety
    /// `cu` is valid, and nobody else uses the record during `'a`.
    pub unsafe fn of<'a>(cu: *mut Cu) -> Option<&'a mut CuSide> {
        // SAFETY: cu__new stores a CuSide there, everything else leaves it NULL.
        unsafe { (*cu).obstack.extra_arg.cast::<CuSide>().as_mut() }
    }
}

/// How many slots a table grows by.
const TABLE_STEP: u32 = 2048;

/// Tables are plain C arrays; the safety condition of every method is a valid, otherwise unused table.
impl PtrTable {
    /// The entry of `id`; NULL for an empty slot and beyond the end.
    ///
    /// # Safety
    /// The table is valid.
    pub unsafe fn get(table: *const PtrTable, id: u32) -> *mut c_void {
        // SAFETY: nr_entries slots are there.
        unsafe { if id < (*table).nr_entries { *(*table).entries.add(id as usize) } else { ptr::null_mut() } }
    }

    /// Puts `entry` at `id` and leaves NULL in the slots skipped; false when memory is short.
    ///
    /// # Safety
    /// The table is valid and used by this thread only.
    #[inline]
    pub unsafe fn put(table: *mut PtrTable, id: u32, entry: *mut c_void) -> bool {
        // SAFETY: the array is made large enough before the slot is written.
        unsafe {
            if id >= (*table).allocated_entries && !PtrTable::grow(table, id) {
                return false;
            }
            *(*table).entries.add(id as usize) = entry;
            (*table).nr_entries = (*table).nr_entries.max(id + 1);
            true
        }
    }

    /// Makes room for `id`.
    #[cold]
    unsafe fn grow(table: *mut PtrTable, id: u32) -> bool {
        // SAFETY: the caller's table; new slots are written before they count.
        unsafe {
            let allocated = (*table).allocated_entries;
            let Some(wanted) = id.checked_add(1).and_then(|n| n.checked_next_multiple_of(TABLE_STEP)) else {
                return false;
            };
            let entries = if (*table).entries.is_null() {
                // Memory of this size comes zeroed from the system, and parts of a table may never be touched.
                libc::calloc(wanted as usize, size_of::<*mut c_void>()).cast::<*mut c_void>()
            } else {
                libc::realloc((*table).entries.cast(), wanted as usize * size_of::<*mut c_void>()).cast()
            };
            if entries.is_null() {
                return false;
            }
            if !(*table).entries.is_null() {
                ptr::write_bytes(entries.add(allocated as usize), 0, (wanted - allocated) as usize);
            }
            (*table).entries = entries;
            (*table).allocated_entries = wanted;
            true
        }
    }

    /// Appends `entry`; its id, or `None` when memory is short.
    ///
    /// # Safety
    /// As for [`PtrTable::put`].
    #[inline]
    pub unsafe fn push(table: *mut PtrTable, entry: *mut c_void) -> Option<u32> {
        // SAFETY: passed on.
        unsafe {
            let id = (*table).nr_entries;
            PtrTable::put(table, id, entry).then_some(id)
        }
    }

    /// The occupied slots from `first` on, with their ids.
    ///
    /// # Safety
    /// The table is valid and not changed during the walk.
    pub unsafe fn tags(table: *const PtrTable, first: u32) -> impl Iterator<Item = (u32, *mut Tag)> {
        // SAFETY: slots hold NULL or tags.
        unsafe {
            (first..(*table).nr_entries).filter_map(move |id| {
                let tag = PtrTable::get(table, id).cast::<Tag>();
                (!tag.is_null()).then_some((id, tag))
            })
        }
    }

    unsafe fn clear(table: *mut PtrTable) {
        // SAFETY: the array came from realloc.
        unsafe {
            libc::free((*table).entries.cast());
            (*table).entries = ptr::null_mut();
        }
    }
}

/// What a unit is created from.
pub struct NewCu<'a> {
    pub name: &'a CStr,
    pub filename: &'a CStr,
    /// In bytes.
    pub addr_size: u8,
    pub build_id: &'a [u8],
    /// Tags come from an arena and go with the unit.
    pub use_obstack: bool,
}

impl Cu {
    /// Makes a unit that is in no set, with empty tables but for the slot of `void`; NULL when memory is short.
    ///
    /// Fields that [`NewCu`] does not name are zero: callers set `id`, `language`, `dfops` and the like through the pointer.
    pub fn create(new: &NewCu) -> *mut Cu {
        let Ok(build_id_len) = c_int::try_from(new.build_id.len()) else { return ptr::null_mut() };
        // SAFETY: zeroes are a valid Cu; the block has room for the build id behind it.
        unsafe {
            let cu = libc::calloc(1, size_of::<Cu>() + new.build_id.len()).cast::<Cu>();
            if cu.is_null() {
                return cu;
            }
            for head in [&raw mut (*cu).node, &raw mut (*cu).tags, &raw mut (*cu).tool_list] {
                ListHead::init(head);
            }
            (*cu).use_obstack = new.use_obstack;
            (*cu).addr_size = new.addr_size;
            (*cu).obstack.extra_arg = Box::into_raw(Box::<CuSide>::default()).cast();
            (*cu).build_id_len = build_id_len;
            let build_id = (&raw mut (*cu).build_id).cast::<u8>();
            ptr::copy_nonoverlapping(new.build_id.as_ptr(), build_id, new.build_id.len());
            (*cu).name = libc::strdup(new.name.as_ptr());
            (*cu).filename = libc::strdup(new.filename.as_ptr());
            let has_void = PtrTable::put(&raw mut (*cu).types_table, 0, ptr::null_mut());
            if (*cu).name.is_null() || (*cu).filename.is_null() || !has_void {
                Cu::destroy(cu);
                return ptr::null_mut();
            }
            cu
        }
    }

    /// Frees a unit, its tables, its hook and its arena, but not tags that were allocated one by one.
    ///
    /// # Safety
    /// `cu` comes from [`Cu::create`], is in no set, and is not used afterwards.
    pub unsafe fn destroy(cu: *mut Cu) {
        // SAFETY: create allocated every part; the format's own part goes while the unit is still whole.
        unsafe {
            for table in [&raw mut (*cu).tags_table, &raw mut (*cu).types_table, &raw mut (*cu).functions_table] {
                PtrTable::clear(table);
            }
            if let Some(delete) = (*cu).dfops.as_ref().and_then(|ops| ops.cu__delete) {
                delete(cu);
            }
            let side = (*cu).obstack.extra_arg.cast::<CuSide>();
            if !side.is_null() {
                drop(Box::from_raw(side));
            }
            libc::free((*cu).filename.cast());
            libc::free((*cu).name.cast_mut().cast());
            libc::free(cu.cast());
        }
    }

    /// The table a tag of this kind gets its id from.
    ///
    /// # Safety
    /// `cu` and `tag` are valid.
    pub unsafe fn table_of(cu: *mut Cu, tag: *const Tag) -> *mut PtrTable {
        // SAFETY: valid by the caller's word.
        unsafe {
            if (*tag).is_tag_type() {
                &raw mut (*cu).types_table
            } else if (*tag).is_function() {
                &raw mut (*cu).functions_table
            } else {
                &raw mut (*cu).tags_table
            }
        }
    }

    /// Enters a function in the tree by address; of equal addresses the later one goes right. `last` is the one on the right end, if that is
    /// known: functions come in order of their addresses, or without addresses.
    ///
    /// # Safety
    /// `cu` is valid, `function` valid and in no tree, `last` NULL or in the tree with nothing to the right of it.
    pub unsafe fn insert_function(cu: *mut Cu, function: *mut Function, last: *mut Function) {
        // SAFETY: the tree's nodes are those of functions.
        unsafe {
            let root = &raw mut (*cu).functions;
            let mut link = &raw mut (*root).rb_node;
            let mut parent = ptr::null_mut();
            if !last.is_null() && (*function).lexblock.ip.addr >= (*last).lexblock.ip.addr {
                parent = &raw mut (*last).rb_node;
                link = &raw mut (*parent).rb_right;
            }
            while !(*link).is_null() {
                parent = *link;
                let before = (*function).lexblock.ip.addr < (*Function::of_node(parent)).lexblock.ip.addr;
                link = if before { &raw mut (*parent).rb_left } else { &raw mut (*parent).rb_right };
            }
            RbNode::link(&raw mut (*function).rb_node, parent, link);
            RbRoot::insert_color(root, &raw mut (*function).rb_node);
        }
    }

    /// The type of an id; NULL for `void`, unknown ids and a NULL unit.
    ///
    /// # Safety
    /// `cu` is NULL or valid.
    pub unsafe fn type_of(cu: *const Cu, id: TypeId) -> *mut Tag {
        // SAFETY: valid by the caller's word.
        unsafe { if cu.is_null() { ptr::null_mut() } else { PtrTable::get(&raw const (*cu).types_table, id).cast() } }
    }

    /// The types of a unit, with their ids.
    ///
    /// # Safety
    /// `cu` is valid and not changed during the walk.
    pub unsafe fn types(cu: *const Cu) -> impl Iterator<Item = (TypeId, *mut Tag)> {
        // SAFETY: passed on; slot 0 is void.
        unsafe { PtrTable::tags(&raw const (*cu).types_table, 1) }
    }
}
