use super::super::fragment::{DeclTag, SavedVar};
use super::super::names::testing::LocalNames;
use super::super::report::Collected;
use super::*;
use crate::btf::{Endian, INT_SIGNED};

fn options(percpu_vars: bool, global_vars: bool, force: bool) -> Options {
    Options { percpu_vars, global_vars, force, ..Options::default() }
}

const SECTIONS: [(&[u8], u32, u64, u64); 6] = [
    (b"", 0, 0, 0),
    (b".text", SHT_PROGBITS.0, 0x1000, 0x100),
    (PERCPU_SECTION, SHT_PROGBITS.0, 0x2000, 0x100),
    (b".bss", SHT_NOBITS.0, 0x2100, 0x1000),
    (b".symtab", 2, 0x5000, 0x100),
    (b"", SHT_PROGBITS.0, 0x6000, 0x10),
];

fn variables(options: &Options) -> Variables {
    Variables::from_sections(SECTIONS.into_iter(), options)
}

struct Found {
    result: Result<(), VariableError>,
    names: Vec<String>,
    sections: Vec<String>,
    said: String,
}

/// Encodes variables of name, address, size and type.
fn encode(options: &Options, vars: &[(&str, u64, u64, u32)]) -> Found {
    let mut btf = Btf::new(Endian::HOST);
    btf.add_int(b"int", 4, INT_SIGNED).unwrap();
    let mut fragment = Fragment::default();
    let value = fragment.strings.push(b"tagged");
    fragment.annots.push(DeclTag { type_id: 0, value, component_idx: -1 });
    for &(name, addr, size, type_id) in vars {
        let name = fragment.strings.push(name.as_bytes());
        let annots = if addr % 8 == 1 { 0..1 } else { 0..0 };
        fragment.vars.push(SavedVar { name, addr, type_id, size, external: addr % 16 == 8, annots });
    }
    let mut report = Collected { verbose: true, ..Collected::default() };
    let mut variables = variables(options);
    let result = variables.add(&mut btf, &fragment, b"unit.c", &mut LocalNames, TypeId, &mut report);
    variables.emit(&mut btf, Path::new("file"), &mut report).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut found = Found { result, names: Vec::new(), sections: Vec::new(), said: String::new() };
    for (_, t) in btf.own_types() {
        let name = text(btf.str_at(t.name()));
        match t.kind() {
            Kind::Var => found.names.push(format!("{name}/{}", t.var_linkage().unwrap())),
            Kind::DeclTag => found.names.push(format!("{name} of {}", text(btf.name(t.type_id().unwrap())))),
            Kind::Datasec => {
                let vars: Vec<_> =
                    t.secinfos().map(|v| format!("{}@{}+{}", text(btf.name(v.type_id)), v.offset, v.size)).collect();
                found.sections.push(format!("{name}[{}]: {}", t.size().unwrap(), vars.join(" ")));
            }
            _ => {}
        }
    }
    found.said = text(&report.errors);
    if found.result.is_ok() {
        assert!(text(&report.output).starts_with("search cu 'unit.c' for percpu global variables.\n"));
    }
    found
}

#[test]
fn sections_and_their_order() {
    let vars = [
        ("late", 0x2110, 4, 1),
        ("percpu_b", 0x2009, 4, 1),
        ("early", 0x2108, 4, 1),
        ("percpu_a", 0x2004, 4, 1),
        ("__UNIQUE_ID_x1", 0x2010, 4, 1),
        ("in_symtab", 0x5000, 4, 1),
        ("nowhere", 0x9000, 4, 1),
        ("in_code", 0x1008, 8, 1),
    ];
    let found = encode(&options(true, false, false), &vars);
    assert_eq!(found.names, ["percpu_b/0", "tagged of percpu_b", "percpu_a/0"]);
    assert_eq!(found.sections, [".data..percpu[13]: percpu_a@4+4 percpu_b@9+4"]);
    let found = encode(&options(true, true, false), &vars);
    assert_eq!(
        found.sections,
        [".text[16]: in_code@8+8", ".data..percpu[13]: percpu_a@4+4 percpu_b@9+4", ".bss[20]: early@8+4 late@16+4"]
    );
    assert_eq!(found.names.iter().filter(|name| name.ends_with("/1")).count(), 2);
    let found = encode(&options(false, false, false), &vars);
    assert!(found.names.is_empty() && found.result.is_ok());
}

#[test]
fn equal_offsets_keep_their_order() {
    let found = encode(&options(true, false, false), &[("b", 0x2004, 4, 1), ("a", 0x2004, 2, 1)]);
    assert_eq!(found.sections, [".data..percpu[6]: b@4+4 a@4+2"]);
}

#[test]
fn what_is_refused() {
    let cases = [
        ("a::b", 4, 1, "PAHOLE: Error: Found invalid variable name when encoding btf (sym: 'a::b').\n"),
        ("v", 4, 0, "error: found variable 'v' in CU 'unit.c' that has void type\n"),
    ];
    for (name, size, type_id, told) in cases {
        for force in [false, true] {
            let found = encode(&options(true, false, force), &[(name, 0x2004, size, type_id), ("ok", 0x2008, 4, 1)]);
            assert_eq!(found.result.is_ok(), force);
            assert_eq!(found.sections.len(), usize::from(force));
            assert!(found.said.starts_with(told) || force && found.said.starts_with("PAHOLE: Warning"), "{}", found.said);
        }
    }
}

#[test]
fn what_is_ignored() {
    let vars = [("zero", 0x2004, 0, 1), ("huge", 0x2004, 1 << 32, 1), ("no_size", 0x2004, u64::MAX, 1)];
    let found = encode(&options(true, false, false), &vars);
    assert!(found.names.is_empty() && found.result.is_ok());
    assert_eq!(
        found.said,
        "Ignoring zero-sized variable 'zero'...\nIgnoring over-sized variable 'huge'...\n\
         Ignoring over-sized variable 'no_size'...\n"
    );
}

#[test]
fn a_section_without_name_is_left_out() {
    let found = encode(&options(true, true, false), &[("v", 0x6004, 4, 1)]);
    assert_eq!(found.names, ["v/0"]);
    assert!(found.sections.is_empty());
    assert!(found.said.contains("DATASEC (anon) size=8 vlen=1 Error emitting BTF type (libbpf error -22)"), "{}", found.said);
}

#[test]
fn the_first_of_overlapping_sections_has_the_address() {
    let section = |addr, size| (&b".s"[..], SHT_PROGBITS.0, addr, size);
    let sections = [
        section(0, 1000),
        section(100, 50),
        section(0, 10),
        section(0, 200),
        section(180, 100),
        section(90, 5),
        section(u64::MAX, 9),
    ];
    let variables = Variables::from_sections(sections.into_iter(), &options(true, true, false));
    for addr in 0..400 {
        let inside = |&(_, _, start, size): &(&[u8], u32, u64, u64)| start <= addr && addr - start < size;
        let expected = sections[1..].iter().position(inside).map(|index| index + 1);
        assert_eq!(variables.section_of(addr), expected, "{addr}");
    }
}

#[test]
fn names() {
    let longest = "x".repeat(128);
    for good in ["a", "_", ".a", "A9_.", &longest] {
        assert!(is_valid_name(good.as_bytes()), "{good}");
    }
    let too_long = "x".repeat(129);
    for bad in ["", "9a", "a b", "a-b", "é", &too_long] {
        assert!(!is_valid_name(bad.as_bytes()), "{bad}");
    }
}

#[test]
fn offset_zero_needs_a_symbol() {
    let mut variables = variables(&options(true, false, false));
    variables.objects.insert((2, b"kept"[..].into()));
    variables.objects.insert((3, b"elsewhere"[..].into()));
    let mut fragment = Fragment::default();
    for name in ["discarded", "kept", "elsewhere"] {
        let name = fragment.strings.push(name.as_bytes());
        fragment.vars.push(SavedVar { name, addr: 0x2000, type_id: 1, size: 4, external: false, annots: 0..0 });
    }
    let mut btf = Btf::new(Endian::HOST);
    btf.add_int(b"int", 4, INT_SIGNED).unwrap();
    variables.add(&mut btf, &fragment, b"", &mut LocalNames, TypeId, &mut Collected::default()).unwrap();
    assert_eq!(btf.name(TypeId(2)), b"kept");
    assert_eq!(btf.type_count(), 3);
}
