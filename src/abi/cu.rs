//! A compilation unit, its id tables, and the descriptor of the format it came from.

use std::any::Any;
use std::ffi::{c_char, c_int, c_ulong, c_ulonglong, c_void};

use super::external::{DwflModule, Elf, Obstack};
use super::{Arena, ConfLoad, Cus, ListHead, RbRoot, Tag};

/// `struct ptr_table`.
#[repr(C)]
pub struct PtrTable {
    pub entries: *mut *mut c_void,
    pub nr_entries: u32,
    pub allocated_entries: u32,
}
layout! { PtrTable: 16, 8 { entries: 0, nr_entries: 8, allocated_entries: 12 } }

/// `struct debug_fmt_ops`.
#[repr(C)]
#[allow(non_snake_case)]
pub struct DebugFmtOps {
    pub name: *const c_char,
    pub init: Option<unsafe extern "C" fn() -> c_int>,
    pub exit: Option<unsafe extern "C" fn()>,
    pub load_file: Option<unsafe extern "C" fn(*mut Cus, *mut ConfLoad, *const c_char) -> c_int>,
    pub tag__decl_file: Option<unsafe extern "C" fn(*const Tag, *const Cu) -> *const c_char>,
    pub tag__decl_line: Option<unsafe extern "C" fn(*const Tag, *const Cu) -> u32>,
    pub tag__orig_id: Option<unsafe extern "C" fn(*const Tag, *const Cu) -> c_ulonglong>,
    pub tag__alloc: Option<unsafe extern "C" fn(*mut Cu, usize) -> *mut c_void>,
    pub tag__free: Option<unsafe extern "C" fn(*mut Tag, *mut Cu)>,
    pub cu__delete: Option<unsafe extern "C" fn(*mut Cu)>,
    pub has_alignment_info: bool,
}
layout! { DebugFmtOps: 88, 8 {
    name: 0, init: 8, exit: 16, load_file: 24, tag__decl_file: 32, tag__decl_line: 40, tag__orig_id: 48, tag__alloc: 56,
    tag__free: 64, cu__delete: 72, has_alignment_info: 80,
} }

/// `struct cu`.
#[repr(C)]
pub struct Cu {
    pub node: ListHead,
    pub tags: ListHead,
    pub tool_list: ListHead,
    pub types_table: PtrTable,
    pub functions_table: PtrTable,
    pub tags_table: PtrTable,
    pub functions: RbRoot,
    pub id: u32,
    pub name: *const c_char,
    pub filename: *mut c_char,
    pub r#priv: *mut c_void,
    pub dfops: *mut DebugFmtOps,
    pub elf: *mut Elf,
    pub dwfl: *mut DwflModule,
    pub obstack: Obstack,
    pub cached_symtab_nr_entries: u32,
    pub use_obstack: bool,
    pub addr_size: u8,
    pub flags: u8,
    pub nr_register_params: u8,
    pub register_params: [c_int; 8],
    pub functions_saved: c_int,
    pub language: u16,
    pub nr_inline_expansions: c_ulong,
    pub size_inline_expansions: usize,
    pub nr_functions_changed: u32,
    pub nr_structures_changed: u32,
    pub max_len_changed_item: usize,
    pub function_bytes_added: usize,
    pub function_bytes_removed: usize,
    pub build_id_len: c_int,
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
