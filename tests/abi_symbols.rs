//! The exported names, as data: what the built library has, and what `docs/symbols.md` says.
//!
//! `src/capi/symbols.tsv` is the list: the C library's 210 names, and ours that it does not have (`extra`).
//! `UPDATE_DOCS=1 cargo test --test abi_symbols` writes the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use object::Endianness;
use object::elf;
use object::read::elf::{Dyn as _, ElfFile64, FileHeader as _, ProgramHeader as _, Sym as _};

struct Symbol<'a> {
    name: &'a str,
    /// `None` for functions, size in bytes for objects.
    object: Option<u64>,
    header: &'a str,
    state: &'a str,
}

fn list() -> Vec<Symbol<'static>> {
    include_str!("../src/capi/symbols.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let [name, kind, header, state] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("four columns expected: {line}")
            };
            let object = kind.strip_prefix("data(").and_then(|size| size.strip_suffix(')')).map(|size| size.parse().unwrap());
            assert!(object.is_some() || kind == "func", "{line}");
            Symbol { name, object, header, state }
        })
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The library that was built together with this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors()
        .skip(1)
        .map(|dir| dir.join("libdwarves.so"))
        .find(|path| path.exists())
        .expect("cargo builds libdwarves.so with the tests")
}

#[test]
fn the_list_is_complete_and_sorted() {
    let list = list();
    assert_eq!(list.iter().filter(|symbol| symbol.state != "extra").count(), 210);
    assert!(list.is_sorted_by(|a, b| a.name < b.name));
    assert!(list.iter().all(|symbol| matches!(symbol.state, "done" | "extra")));
}

#[test]
fn the_library_exports_the_list_and_nothing_else() {
    let data = fs::read(library()).unwrap();
    let file = ElfFile64::<Endianness>::parse(&*data).unwrap();
    let endian = file.endian();
    let symbols = file.elf_dynamic_symbol_table();
    let mut exported = BTreeMap::new();
    for symbol in symbols.iter().filter(|symbol| !symbol.is_undefined(endian) && symbol.st_name(endian) != 0) {
        let name = String::from_utf8(symbol.name(endian, symbols.strings()).unwrap().to_vec()).unwrap();
        let object = (symbol.st_type() == elf::STT_OBJECT).then(|| symbol.st_size(endian));
        exported.insert(name, object);
    }
    let expected: BTreeMap<_, _> = list().into_iter().map(|symbol| (symbol.name.to_owned(), symbol.object)).collect();
    assert_eq!(exported, expected);

    // Versions would be looked up in vain by programs that were linked against unversioned names.
    let sections = file.elf_section_table();
    assert!(sections.gnu_verdef(endian, &*data).unwrap().is_none(), "the library must not define symbol versions");
}

#[test]
fn the_library_needs_nothing_but_the_c_runtime() {
    let data = fs::read(library()).unwrap();
    let header = elf::FileHeader64::<Endianness>::parse(&*data).unwrap();
    let endian = header.endian().unwrap();
    let file = ElfFile64::<Endianness>::parse(&*data).unwrap();
    let strings = file.elf_dynamic_symbol_table().strings();
    let (mut needed, mut soname) = (BTreeSet::new(), None);
    for segment in header.program_headers(endian, &*data).unwrap() {
        for entry in segment.dynamic(endian, &*data).unwrap().unwrap_or_default() {
            let text = || String::from_utf8(entry.string(endian, strings).unwrap().to_vec()).unwrap();
            match entry.d_tag(endian) {
                elf::DT_NEEDED => _ = needed.insert(text()),
                elf::DT_SONAME => soname = Some(text()),
                _ => {}
            }
        }
    }
    assert_eq!(soname.as_deref(), Some("libdwarves.so.1"));
    let allowed = ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"];
    assert!(needed.iter().all(|name| allowed.contains(&name.as_str())), "{needed:?}");
}

fn page(list: &[Symbol]) -> String {
    let mut page = String::from("# Exported symbols of libdwarves.so.1\n\n");
    page += "Generated from `src/capi/symbols.tsv` by `UPDATE_DOCS=1 cargo test --test abi_symbols`.\n\n";
    let extra = list.iter().filter(|symbol| symbol.state == "extra").count();
    page += &format!("{} names, and {extra} extra.\n", list.len() - extra);
    page += "An extra one is not in the C library: programs that are to run on both look it up at run time.\n\n";
    page += "`capi-tests` calls each from C. Two are exported by accident, no header declares them, and no function takes what they\n";
    page += "give: `elf_functions__new` makes something for `free()` where the C library makes its encoder's table of functions, and\n";
    page += "`variable_in_sec` reads the encoder's file anew.\n\n";
    page += "| Name | Kind | Header | State |\n|---|---|---|---|\n";
    for symbol in list {
        let kind = symbol.object.map_or("function".to_owned(), |size| format!("object, {size} bytes"));
        page += &format!("| `{}` | {kind} | {} | {} |\n", symbol.name, symbol.header, symbol.state);
    }
    page
}

#[test]
fn the_page_is_up_to_date() {
    let path = root().join("docs/symbols.md");
    let text = page(&list());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap_or_default() == text, "UPDATE_DOCS=1 rewrites {}", path.display());
}
