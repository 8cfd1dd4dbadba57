//! `strlist__*`: sets of strings, ordered by bytes in the tree and by insertion in the list.

use std::ffi::{c_char, c_int, c_void};
use std::mem::offset_of;
use std::ptr;

use super::entry::{entry, non_null};
use super::memory::strdup_or_null;
use crate::abi::{ListHead, RbNode, RbRoot, StrNode, Strlist};

/// Where a string is, or would be linked.
enum Place {
    Found,
    Free { parent: *mut RbNode, link: *mut *mut RbNode },
}

unsafe fn node_of(node: *mut RbNode) -> *mut StrNode {
    // SAFETY: the tree node is the first field.
    const { assert!(offset_of!(StrNode, rb_node) == 0) };
    node.cast()
}

unsafe fn find(list: *mut Strlist, s: *const c_char) -> Place {
    // SAFETY: a valid list and a string, by every caller's check and word.
    unsafe {
        let mut link = &raw mut (*list).entries.rb_node;
        let mut parent = ptr::null_mut();
        while !(*link).is_null() {
            parent = *link;
            link = match libc::strcmp((*node_of(parent)).s, s) {
                0 => return Place::Found,
                order if order > 0 => &raw mut (*parent).rb_left,
                _ => &raw mut (*parent).rb_right,
            };
        }
        Place::Free { parent, link }
    }
}

/// An empty list; `dupstr` says whether it copies the strings it is given. NULL when memory is short.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strlist__new(dupstr: bool) -> *mut Strlist {
    entry(|| {
        // SAFETY: the fresh block is zeroed before its fields are set.
        unsafe {
            let list = libc::calloc(1, size_of::<Strlist>()).cast::<Strlist>();
            if !list.is_null() {
                ListHead::init(&raw mut (*list).list_entries);
                (*list).dupstr = dupstr;
            }
            list
        }
    })
}

/// A node for `s`, copied when asked; NULL when memory is short.
///
/// cbindgen:ignore
#[unsafe(no_mangle)]
pub unsafe extern "C" fn str_node__new(s: *const c_char, dupstr: bool) -> *mut StrNode {
    entry(|| {
        // SAFETY: a string by the caller's word.
        unsafe {
            let kept = if dupstr { strdup_or_null(s).cast_const() } else { s };
            if dupstr && kept.is_null() {
                return ptr::null_mut();
            }
            let node = libc::calloc(1, size_of::<StrNode>()).cast::<StrNode>();
            if !node.is_null() {
                (*node).s = kept;
            } else if dupstr {
                libc::free(kept.cast_mut().cast());
            }
            node
        }
    })
}

/// Adds `str` with a pointer of the caller's: 0, `-EEXIST` when it is there already, `-ENOMEM`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __strlist__add(slist: *mut Strlist, str: *const c_char, r#priv: *mut c_void) -> c_int {
    entry(|| {
        non_null!(slist, str);
        // SAFETY: a valid list and a string.
        unsafe {
            let Place::Free { parent, link } = find(slist, str) else { return -libc::EEXIST };
            let node = str_node__new(str, (*slist).dupstr);
            if node.is_null() {
                return -libc::ENOMEM;
            }
            (*node).r#priv = r#priv;
            RbNode::link(&raw mut (*node).rb_node, parent, link);
            RbRoot::insert_color(&raw mut (*slist).entries, &raw mut (*node).rb_node);
            ListHead::add_tail(&raw mut (*slist).list_entries, &raw mut (*node).node);
            0
        }
    })
}

/// [`__strlist__add`] without a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strlist__add(slist: *mut Strlist, str: *const c_char) -> c_int {
    // SAFETY: passed on.
    unsafe { __strlist__add(slist, str, ptr::null_mut()) }
}

/// Adds each line of a file, without its last byte; -1 when the file does not open or a line cannot be added.
///
/// Lines longer than 1023 bytes come in pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strlist__load(slist: *mut Strlist, filename: *const c_char) -> c_int {
    entry(|| {
        non_null!(slist, filename);
        // SAFETY: a string; the stream is closed on every way out.
        unsafe {
            let fp = libc::fopen(filename, c"r".as_ptr());
            if fp.is_null() {
                return -1;
            }
            let mut line = [0 as c_char; 1024];
            let mut result = 0;
            while !libc::fgets(line.as_mut_ptr(), line.len() as c_int, fp).is_null() {
                let len = libc::strlen(line.as_ptr());
                if len == 0 {
                    continue;
                }
                line[len - 1] = 0;
                if strlist__add(slist, line.as_ptr()) != 0 {
                    result = -1;
                    break;
                }
            }
            libc::fclose(fp);
            result
        }
    })
}

/// Takes a node out and frees it, with its string when the list copied it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strlist__remove(slist: *mut Strlist, sn: *mut StrNode) {
    entry(|| {
        non_null!(slist, sn);
        // SAFETY: a node of this list.
        unsafe {
            RbRoot::erase(&raw mut (*slist).entries, &raw mut (*sn).rb_node);
            ListHead::unlink(&raw mut (*sn).node);
            if (*slist).dupstr {
                libc::free((*sn).s.cast_mut().cast());
            }
            libc::free(sn.cast());
        }
    })
}

/// Frees the nodes and the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strlist__delete(slist: *mut Strlist) {
    entry(|| {
        non_null!(slist);
        // SAFETY: the first node is looked up anew each time.
        unsafe {
            loop {
                let first = RbRoot::first(&raw const (*slist).entries);
                if first.is_null() {
                    break;
                }
                strlist__remove(slist, node_of(first));
            }
            libc::free(slist.cast());
        }
    })
}

/// Whether the string is in the list.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strlist__has_entry(slist: *mut Strlist, entry: *const c_char) -> bool {
    super::entry::entry(|| {
        non_null!(slist, entry);
        // SAFETY: a valid list and a string.
        unsafe { matches!(find(slist, entry), Place::Found) }
    })
}
