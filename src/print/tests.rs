//! Small trees made by hand, and their text.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use super::{Conf, MAX_DEPTH, Printer, compose};
use crate::abi::*;

/// A unit with its types. What tests allocate stays until they end.
struct Unit {
    cu: *mut Cu,
}

/// A zeroed structure that starts with a tag.
fn zeroed<T>() -> *mut T {
    // SAFETY: plain C structures, for which zeroes are valid.
    Box::into_raw(Box::new(unsafe { std::mem::zeroed::<T>() }))
}

fn string(name: &str) -> *const c_char {
    CString::new(name).unwrap().into_raw()
}

impl Unit {
    fn new() -> Unit {
        let new = NewCu { name: c"unit", filename: c"unit", addr_size: 8, build_id: &[], use_obstack: false };
        Unit { cu: Cu::create(&new) }
    }

    fn tag<T>(&self, kind: u16, of: TypeId) -> (*mut T, TypeId) {
        let tag = zeroed::<T>();
        // SAFETY: a new tag and the test's own unit.
        unsafe {
            let head = tag.cast::<Tag>();
            (*head).tag = kind;
            (*head).r#type = of;
            let table = Cu::table_of(self.cu, head);
            (tag, PtrTable::push(table, head.cast()).unwrap())
        }
    }

    fn base(&self, name: &str, bytes: u16) -> TypeId {
        let (base, id) = self.tag::<BaseType>(dw_tag::BASE_TYPE, 0);
        // SAFETY: a new tag.
        unsafe {
            (*base).name = string(name);
            (*base).bit_size = bytes * 8;
            (*base).set_name_has_encoding(true);
        }
        id
    }

    fn pointer(&self, to: TypeId) -> TypeId {
        self.tag::<Tag>(dw_tag::POINTER_TYPE, to).1
    }

    fn array(&self, of: TypeId, counts: &[u32]) -> TypeId {
        let (array, id) = self.tag::<ArrayType>(dw_tag::ARRAY_TYPE, of);
        // SAFETY: a new tag.
        unsafe {
            (*array).dimensions = counts.len() as u8;
            (*array).nr_entries = Box::leak(counts.to_vec().into_boxed_slice()).as_mut_ptr();
        }
        id
    }

    fn function(&self, returns: TypeId, parameters: &[TypeId]) -> TypeId {
        let (ftype, id) = self.tag::<Ftype>(dw_tag::SUBROUTINE_TYPE, returns);
        // SAFETY: new tags.
        unsafe {
            ListHead::init(&raw mut (*ftype).parms);
            for &of in parameters {
                let parameter = zeroed::<Parameter>();
                (*parameter).tag.tag = 0x05;
                (*parameter).tag.r#type = of;
                ListHead::add_tail(&raw mut (*ftype).parms, parameter.cast());
            }
        }
        id
    }

    fn class(&self, name: Option<&str>, size: u32) -> (*mut Class, TypeId) {
        let (class, id) = self.tag::<Class>(dw_tag::STRUCTURE_TYPE, 0);
        // SAFETY: a new tag.
        unsafe {
            let ty = &mut (*class).r#type;
            ListHead::init(&raw mut ty.namespace.tags);
            ListHead::init(&raw mut ty.variant_parts);
            ty.namespace.name = name.map_or(ptr::null(), string);
            ty.size = size;
        }
        (class, id)
    }

    /// Adds a member behind the others.
    fn member(&self, class: *mut Class, name: Option<&str>, of: TypeId, at: u32, size: usize) {
        let member = zeroed::<ClassMember>();
        // SAFETY: new tags of this unit.
        unsafe {
            (*member).tag.tag = dw_tag::MEMBER;
            (*member).tag.r#type = of;
            (*member).name = name.map_or(ptr::null(), string);
            (*member).byte_offset = at;
            (*member).bit_offset = at * 8;
            (*member).byte_size = size;
            (*class).r#type.nr_members += 1;
            ListHead::add_tail(&raw mut (*class).r#type.namespace.tags, member.cast());
        }
    }

    fn text(&self, print: impl FnOnce(&mut Printer)) -> String {
        // SAFETY: the test's own unit.
        let text = unsafe { compose(self.cu, print) };
        String::from_utf8(text.bytes().to_vec()).unwrap()
    }

    /// The line of a member that is of that type.
    fn line(&self, of: TypeId) -> String {
        let (class, _) = self.class(Some("s"), 8);
        self.member(class, Some("x"), of, 0, 8);
        // SAFETY: a class of this unit.
        let text = self.text(|printer| unsafe { printer.whole_class(class, &Conf::standard()) });
        let line = text.lines().nth(1).unwrap();
        line.split(" /*").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn expanded(&self, class: *mut Class) -> String {
        let mut conf = Conf::standard();
        conf.set_expand_types(true);
        // SAFETY: a class of this unit.
        self.text(|printer| unsafe { printer.whole_class(class, &conf) })
    }
}

#[test]
fn declarators_wrap_the_name() {
    let unit = Unit::new();
    let (int, char) = (unit.base("int", 4), unit.base("char", 1));
    let void_function = unit.function(0, &[]);
    let function_pointer = unit.pointer(void_function);
    let of_char = unit.pointer(unit.function(int, &[char]));
    assert_eq!(unit.line(unit.pointer(int)), "int * x;");
    assert_eq!(unit.line(function_pointer), "void (*x)(void);");
    assert_eq!(unit.line(unit.pointer(unit.array(int, &[5]))), "int (*x)[5];");
    assert_eq!(unit.line(unit.array(function_pointer, &[4])), "void (*x[4])(void);");
    assert_eq!(unit.line(unit.pointer(unit.function(of_char, &[int]))), "int (*(*x)(int))(char);");
    assert_eq!(unit.line(unit.pointer(function_pointer)), "void (**x)(void);");
    assert_eq!(unit.line(unit.array(unit.array(int, &[3]), &[2])), "int x[2][3];");
}

#[test]
fn a_struct_has_its_layout_in_comments() {
    let unit = Unit::new();
    let (char, long) = (unit.base("char", 1), unit.base("long int", 8));
    let (class, _) = unit.class(Some("s"), 72);
    unit.member(class, Some("c"), char, 0, 1);
    unit.member(class, Some("l"), long, 64, 8);
    // SAFETY: a class of this unit.
    let text = unit.text(|printer| unsafe { printer.whole_class(class, &Conf::standard()) });
    let expected = "struct s {
\tchar                       c;                    /*     0     1 */

\t/* XXX 63 bytes hole, try to pack */

\t/* --- cacheline 1 boundary (64 bytes) --- */
\tlong int                   l;                    /*    64     8 */

\t/* size: 72, cachelines: 2, members: 2 */
\t/* sum members: 9, holes: 1, sum holes: 63 */
\t/* last cacheline: 8 bytes */
}";
    assert_eq!(text, expected);
}

#[test]
fn a_nameless_type_is_shown_where_it_is_used() {
    let unit = Unit::new();
    let int = unit.base("int", 4);
    let (outer, _) = unit.class(Some("outer"), 4);
    let (inner, id) = unit.class(None, 4);
    unit.member(inner, Some("in_it"), int, 0, 4);
    // SAFETY: classes of this unit.
    let text = unsafe {
        ListHead::add_tail(&raw mut (*outer).r#type.namespace.tags, inner.cast());
        unit.member(outer, Some("m"), id, 0, 4);
        unit.text(|printer| printer.whole_class(outer, &Conf::standard()))
    };
    assert_eq!(text.matches("in_it").count(), 1, "{text}");
}

#[test]
fn structs_within_themselves_end() {
    let unit = Unit::new();
    let (class, id) = unit.class(Some("s"), 8);
    unit.member(class, Some("a"), id, 0, 4);
    unit.member(class, Some("b"), id, 4, 4);
    let text = unit.expanded(class);
    assert!(text.len() < 4096, "{}", text.len());
    assert!(text.contains("struct s "), "{text}");
}

#[test]
fn nested_structs_are_cut() {
    let unit = Unit::new();
    let mut of = unit.base("int", 4);
    let mut outermost = ptr::null_mut();
    for level in 0..20_000 {
        let (class, id) = unit.class(Some(&format!("s{level}")), 4);
        unit.member(class, Some("m"), of, 0, 4);
        (of, outermost) = (id, class);
    }
    assert!(unit.expanded(outermost).lines().count() < 10 * MAX_DEPTH as usize);
}

#[test]
fn function_types_that_take_each_other_end() {
    let unit = Unit::new();
    let (ftype, id) = unit.tag::<Ftype>(dw_tag::SUBROUTINE_TYPE, 0);
    let pointer = unit.pointer(id);
    // SAFETY: tags of this unit.
    unsafe {
        ListHead::init(&raw mut (*ftype).parms);
        (*ftype).tag.r#type = id;
        for _ in 0..2 {
            let parameter = zeroed::<Parameter>();
            (*parameter).tag.r#type = pointer;
            ListHead::add_tail(&raw mut (*ftype).parms, parameter.cast());
        }
    }
    assert!(unit.line(pointer).len() < 256);
}

#[test]
fn blocks_nest_to_any_depth() {
    const DEPTH: usize = 200_000;
    let unit = Unit::new();
    let function = zeroed::<Function>();
    // SAFETY: tags of the test's own.
    let text = unsafe {
        (*function).name = c"f".as_ptr();
        let mut block = &raw mut (*function).lexblock;
        ListHead::init(&raw mut (*block).tags);
        for _ in 0..DEPTH {
            let inner = zeroed::<Lexblock>();
            (*inner).ip.tag.tag = dw_tag::LEXICAL_BLOCK;
            ListHead::init(&raw mut (*inner).tags);
            ListHead::add_tail(&raw mut (*block).tags, inner.cast());
            block = inner;
        }
        unit.text(|printer| printer.body(&raw const (*function).lexblock, function, 0, &Conf::standard()))
    };
    assert_eq!(text.matches('{').count(), DEPTH + 1);
    assert_eq!(text.matches('}').count(), DEPTH + 1);
}

#[test]
fn long_names_end_where_a_c_buffer_ends() {
    let unit = Unit::new();
    let (class, id) = unit.class(Some(&"n".repeat(300)), 4);
    let pointer = unit.pointer(id);
    let tag = type_of(&unit, pointer);
    // SAFETY: a type of this unit.
    let name = unit.text(|printer| unsafe { printer.type_name(tag, 128, &Conf::standard()) });
    assert_eq!(name, format!("struct {}", "n".repeat(120)));
    assert!(!class.is_null());
}

fn type_of(unit: &Unit, id: TypeId) -> *const Tag {
    // SAFETY: the test's own unit.
    unsafe { Cu::type_of(unit.cu, id) }
}

#[test]
fn enumerators_are_aligned_and_signed() {
    let unit = Unit::new();
    let (ty, _) = unit.tag::<Type>(dw_tag::ENUMERATION_TYPE, 0);
    let print = move |unit: &Unit, hex: bool| {
        let mut conf = Conf::standard();
        conf.set_hex_fmt(hex);
        // SAFETY: an enumeration of this unit.
        unit.text(|printer| unsafe { printer.whole_enumeration(ty, &conf) })
    };
    // SAFETY: new tags of this unit.
    unsafe {
        (*ty).namespace.name = c"e".as_ptr();
        (*ty).size = 8;
        (*ty).nr_members = 2;
        (*ty).set_is_signed_enum(true);
        ListHead::init(&raw mut (*ty).namespace.tags);
        for (name, value) in [(c"ONE", 1_i64), (c"MINUS", -2)] {
            let enumerator = zeroed::<Enumerator>();
            (*enumerator).tag.tag = 0x28;
            (*enumerator).name = CStr::as_ptr(name);
            (*enumerator).value = value as u64;
            ListHead::add_tail(&raw mut (*ty).namespace.tags, enumerator.cast());
        }
    }
    assert_eq!(print(&unit, false), "enum e {\n\tONE   = 1,\n\tMINUS = -2,\n} __attribute__((__packed__))");
    assert!(print(&unit, true).contains("ONE   = 0x1,\n\tMINUS = 0xfffffffffffffffe,"));
}

#[test]
fn counts_beyond_32_bits_are_whole() {
    let unit = Unit::new();
    let char = unit.base("char", 1);
    let id = unit.array(char, &[0]);
    // SAFETY: an array of this unit.
    unsafe { ArrayType::set_high_half(type_of(&unit, id).cast_mut().cast(), 1) };
    assert_eq!(unit.line(id), "char x[4294967296];");
}
