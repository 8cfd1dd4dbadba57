//! `languages__*` and `lang__*`: leaving units out by the language they are written in.

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use super::entry::{entry, non_null};
use super::stdio::{put, stderr, stdout, text};
use crate::abi::{Cu, Languages};

/// Names by DW_LANG number (DWARF 5, table 7.17); these numbers have no gaps, but 0 is none.
const NAMES: [&CStr; 38] = [
    c"",
    c"c89",
    c"c",
    c"ada83",
    c"c++",
    c"cobol74",
    c"cobol85",
    c"fortran77",
    c"fortran90",
    c"pascal83",
    c"modula2",
    c"java",
    c"c99",
    c"ada95",
    c"fortran95",
    c"pli",
    c"objc",
    c"objc++",
    c"upc",
    c"d",
    c"python",
    c"opencl",
    c"go",
    c"modula3",
    c"haskell",
    c"c++03",
    c"c++11",
    c"ocaml",
    c"rust",
    c"c11",
    c"swift",
    c"julia",
    c"dylan",
    c"c++14",
    c"fortran03",
    c"fortran08",
    c"renderscript",
    c"bliss",
];

/// `DW_LANG_Mips_Assembler`.
const MIPS_ASSEMBLER: c_int = 0x8001;

pub(super) fn name_of(language: c_int) -> &'static CStr {
    match usize::try_from(language) {
        Ok(number @ 1..) if number < NAMES.len() => NAMES[number],
        _ if language == MIPS_ASSEMBLER => c"asm",
        _ => c"UNKNOWN",
    }
}

fn number_of(name: &[u8]) -> Option<c_int> {
    if name.eq_ignore_ascii_case(b"asm") {
        return Some(MIPS_ASSEMBLER);
    }
    let number = NAMES.iter().skip(1).position(|known| known.to_bytes().eq_ignore_ascii_case(name))? + 1;
    c_int::try_from(number).ok()
}

/// The name of a DW_LANG number, "UNKNOWN" for others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lang__int2str(lang: c_int) -> *const c_char {
    entry(|| name_of(lang).as_ptr())
}

/// The DW_LANG number of a name, whatever its case; -1 for others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lang__str2int(lang: *const c_char) -> c_int {
    entry(|| {
        non_null!(lang);
        // SAFETY: a string.
        number_of(unsafe { text(lang) }).unwrap_or(-1)
    })
}

/// Turns the comma-separated names of `languages->str` into a sorted array that the structure owns.
///
/// -1, after a message in `tool`'s name, for an unknown name or when memory is short.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn languages__parse(languages: *mut Languages, tool: *const c_char) -> c_int {
    entry(|| {
        non_null!(languages);
        // SAFETY: a valid structure with strings in it.
        unsafe {
            non_null!((*languages).str);
            (*languages).entries = ptr::null_mut();
            (*languages).nr_entries = 0;
            let mut numbers = Vec::new();
            for name in text((*languages).str).split(|&byte| byte == b',') {
                match number_of(name) {
                    Some(number) => numbers.push(number),
                    None => {
                        // The message shows the rest of the list, as the C string it is taken from has it.
                        let rest = &text((*languages).str)[name.as_ptr().addr() - (*languages).str.addr()..];
                        put(stderr(), &[text(tool), b": unknown language \"", rest, b"\"\n"]);
                        return -1;
                    }
                }
            }
            numbers.sort_unstable();
            let entries = libc::malloc(size_of_val(numbers.as_slice())).cast::<c_int>();
            if entries.is_null() {
                put(stderr(), &[text(tool), b": not enough memory to parse --lang\n"]);
                return -1;
            }
            ptr::copy_nonoverlapping(numbers.as_ptr(), entries, numbers.len());
            (*languages).entries = entries;
            (*languages).nr_entries = numbers.len() as c_int;
            0
        }
    })
}

unsafe fn numbers<'a>(languages: *const Languages) -> &'a [c_int] {
    // SAFETY: a parsed structure: nr_entries numbers, or none.
    unsafe {
        match usize::try_from((*languages).nr_entries) {
            Ok(len @ 1..) if !(*languages).entries.is_null() => std::slice::from_raw_parts((*languages).entries, len),
            _ => &[],
        }
    }
}

/// Whether a language is in the parsed array.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn languages__in(languages: *mut Languages, lang: c_int) -> bool {
    entry(|| {
        non_null!(languages);
        // SAFETY: a parsed structure.
        unsafe { numbers(languages).binary_search(&lang).is_ok() }
    })
}

/// Parses the list that was given, or else what PAHOLE_LANG_EXCLUDE excludes; 0 when there is neither.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn languages__init(languages: *mut Languages, tool: *const c_char) -> c_int {
    entry(|| {
        non_null!(languages);
        // SAFETY: a valid structure; the environment's string stays.
        unsafe {
            if (*languages).str.is_null() {
                (*languages).str = libc::getenv(c"PAHOLE_LANG_EXCLUDE".as_ptr());
                if (*languages).str.is_null() {
                    return 0;
                }
                (*languages).exclude = true;
            }
            languages__parse(languages, tool)
        }
    })
}

/// Whether the list leaves the unit out; `verbose` tells so on stdout. Called from worker threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn languages__cu_filtered(languages: *mut Languages, cu: *mut Cu, verbose: bool) -> bool {
    entry(|| {
        non_null!(languages, cu);
        // SAFETY: a parsed structure, which nobody changes any more, and a unit with its language read.
        unsafe {
            let listed = numbers(languages);
            let language = c_int::from((*cu).language);
            if listed.is_empty() || listed.binary_search(&language).is_ok() != (*languages).exclude {
                return false;
            }
            if verbose {
                let name = text((*cu).name);
                put(stdout(), &[b"Filtering CU ", name, b" written in ", name_of(language).to_bytes(), b".\n"]);
            }
            true
        }
    })
}
