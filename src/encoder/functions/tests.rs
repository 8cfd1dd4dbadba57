use super::super::fragment::{DeclTag, SavedParam};
use super::super::kfuncs::{Kfuncs, flags};
use super::super::names::testing::LocalNames;
use super::super::options::Options;
use super::super::report::Collected;
use super::*;
use crate::btf::{Endian, INT_SIGNED, Kind};

fn options() -> Options {
    Options { decl_tags: true, consistent_protos: true, tag_kfuncs: true, attributes: true, ..Options::default() }
}

/// A BTF with some types, and functions to come.
struct Setup {
    btf: Btf,
    saved: SavedFunctions,
    tables: Vec<ElfFunctions>,
    kfuncs: Kfuncs,
    options: Options,
}

const INT: u32 = 1;
const LONG: u32 = 2;
const PTR: u32 = 3;

fn symbols(symbols: &[(&str, u64)]) -> ElfFunctions {
    ElfFunctions::from_symbols(symbols.iter().map(|&(name, addr)| (name.as_bytes(), addr)))
}

fn setup(table: &[(&str, u64)]) -> Setup {
    let mut btf = Btf::new(Endian::HOST);
    btf.add_int(b"int", 4, INT_SIGNED).unwrap();
    btf.add_int(b"long", 8, INT_SIGNED).unwrap();
    btf.add_ptr(TypeId(INT)).unwrap();
    Setup { btf, saved: SavedFunctions::default(), tables: vec![symbols(table)], kfuncs: Kfuncs::default(), options: options() }
}

/// A function's description, without what its indices in a fragment are.
fn func(addr: u64) -> SavedFunc {
    SavedFunc {
        elf_func: 0,
        addr,
        ret: INT,
        params: 0..0,
        annots: 0..0,
        unexpected_reg: false,
        optimized_parms: false,
        uncertain_parm_loc: false,
        reordered_parm: false,
        signature_changed: false,
        inconsistent_proto: false,
    }
}

impl Setup {
    fn save(&mut self, name: &str, func: SavedFunc, params: &[(&str, u32)]) {
        self.save_in(0, name, func, params, &[]);
    }

    fn save_in(&mut self, table: u16, name: &str, mut func: SavedFunc, params: &[(&str, u32)], tags: &[(&str, i32)]) {
        let mut fragment = Fragment::default();
        func.elf_func = self.tables[usize::from(table)].find(name.as_bytes()).unwrap();
        for &(name, type_id) in params {
            let name = fragment.strings.push(name.as_bytes());
            fragment.params.push(SavedParam { name, member: Default::default(), type_id });
        }
        for &(value, component_idx) in tags {
            let value = fragment.strings.push(value.as_bytes());
            fragment.annots.push(DeclTag { type_id: 0, value, component_idx });
        }
        func.params = 0..params.len() as u32;
        func.annots = 0..tags.len() as u32;
        fragment.funcs.push(func);
        self.saved.add(&mut self.btf, &fragment, table, &mut LocalNames, TypeId).unwrap();
    }

    /// The functions as prototypes in C's manner, and what was said.
    fn emit(mut self) -> (Vec<String>, String) {
        let mut report = Collected { verbose: true, ..Collected::default() };
        let tables: Vec<_> = self.tables.iter().collect();
        self.saved.emit(&mut self.btf, &tables, &self.kfuncs, &self.options, &mut report).unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut found = Vec::new();
        for (_, t) in self.btf.own_types() {
            let target = t.type_id().unwrap_or_default();
            let name = text(self.btf.str_at(t.name()));
            match t.kind() {
                Kind::Func => {
                    let proto = self.btf.get(target).unwrap();
                    let params: Vec<_> =
                        proto.params().map(|p| format!("{} {}", p.type_id.0, text(self.btf.str_at(p.name)))).collect();
                    found.push(format!("{} {name}({})", proto.type_id().unwrap().0, params.join(", ")));
                }
                Kind::DeclTag => {
                    found.push(format!("{}: {name} {}", text(self.btf.name(target)), t.component_idx().unwrap()));
                }
                _ => {}
            }
        }
        (found, text(&report.output) + &text(&report.errors))
    }
}

#[test]
fn sorted_by_name_and_merged() {
    let mut s = setup(&[("b", 1), ("a", 2)]);
    s.save("b", func(1), &[("x", INT)]);
    s.save("a", func(2), &[]);
    s.save("b", func(0), &[("y", INT)]);
    let (found, said) = s.emit();
    assert_eq!(found, ["1 a()", "1 b(1 x)"]);
    assert_eq!(
        said,
        "[4] FUNC_PROTO (anon) return=1 args=(void)\n[5] FUNC a type_id=4\n\
         [6] FUNC_PROTO (anon) return=1 args=(1 x)\n[7] FUNC b type_id=6\n"
    );
}

#[test]
fn inconsistent_prototypes() {
    let cases: [(&[(&str, u32)], &str); 2] = [
        (&[], "f : skipping BTF encoding of function due to param count mismatch; 1 params != 0 params\n"),
        (&[("y", LONG)], "f : skipping BTF encoding of function due to param type mismatch for param#1 x != y\n"),
    ];
    for (params, told) in cases {
        for consistent in [true, false] {
            let mut s = setup(&[("f", 1)]);
            s.options.consistent_protos = consistent;
            s.save("f", func(1), &[("x", INT)]);
            s.save("f", func(0), params);
            let (found, said) = s.emit();
            assert!(said.starts_with(told), "{said}");
            if consistent {
                assert!(found.is_empty());
                assert!(said.ends_with("f : skipping BTF encoding of function due to inconsistet prototype\n"));
            } else {
                assert_eq!(found, ["1 f(1 x)"]);
            }
        }
    }
    let mut s = setup(&[("f", 1)]);
    s.save("f", func(1), &[]);
    s.save("f", SavedFunc { ret: LONG, ..func(1) }, &[]);
    assert!(s.emit().1.starts_with("f : skipping BTF encoding of function due to return type mismatch\n"));
}

#[test]
fn reasons_to_skip_and_their_order() {
    let base = func(1);
    let bad = [
        (SavedFunc { unexpected_reg: true, ..base.clone() }, "unexpected register usage for parameter"),
        (SavedFunc { inconsistent_proto: true, ..base.clone() }, "inconsistet prototype"),
        (SavedFunc { uncertain_parm_loc: true, ..base.clone() }, "uncertain parameter location"),
        (SavedFunc { reordered_parm: true, ..base.clone() }, "reordered parameters"),
        (SavedFunc { optimized_parms: true, signature_changed: true, ..base.clone() }, "optimized parameters"),
    ];
    for (index, (func, reason)) in bad.iter().enumerate() {
        // Alone, and beside a description with the next stronger reason.
        let mut s = setup(&[("f", 1)]);
        s.save("f", func.clone(), &[]);
        assert_eq!(s.emit().1, format!("f : skipping BTF encoding of function due to {reason}\n"));
        if let Some((stronger, reason)) = bad[..4].get(index + 1) {
            let mut s = setup(&[("f", 1)]);
            s.save("f", func.clone(), &[]);
            s.save("f", stronger.clone(), &[]);
            assert_eq!(s.emit().1, format!("f : skipping BTF encoding of function due to {reason}\n"));
        }
    }
    let mut s = setup(&[("f", 1), ("f", 2), ("z", 3)]);
    s.save("f", bad[4].0.clone(), &[]);
    assert_eq!(s.emit().1, "f : skipping BTF encoding of function due to ambiguous address\n");
    // Parameters that are merely unused do no harm.
    let mut s = setup(&[("f", 1)]);
    s.save("f", SavedFunc { optimized_parms: true, ..base }, &[]);
    assert_eq!(s.emit().0, ["1 f()"]);
}

#[test]
fn clones_with_lost_parameters() {
    let table = [("f.constprop.0", 16), ("f", 32), ("z", 64)];
    let lost = SavedFunc { optimized_parms: true, ..func(16) };
    let mut s = setup(&table[..1]);
    s.save("f", lost.clone(), &[("x", INT)]);
    assert_eq!(s.emit().1, "f : skipping BTF encoding of function due to optimized parameters\n");
    let mut s = setup(&table[..1]);
    s.options.true_signature = true;
    s.save("f", lost.clone(), &[("x", INT)]);
    assert_eq!(s.emit().0, ["1 f.constprop.0(1 x)"]);
    // One that cannot be traced is no true signature, and what is held against it counts for the name.
    let mut s = setup(&table[..1]);
    s.options.true_signature = true;
    s.save("f", SavedFunc { uncertain_parm_loc: true, ..lost }, &[("x", INT)]);
    assert_eq!(s.emit().1, "f : skipping BTF encoding of function due to uncertain parameter location\n");
}

#[test]
fn true_signatures_are_not_compared_with_the_source() {
    for true_signature in [true, false] {
        let mut s = setup(&[("f.isra.0", 16)]);
        s.options.true_signature = true_signature;
        s.save("f", func(0), &[("x", INT), ("y", INT)]);
        s.save("f", func(16), &[("x", INT)]);
        let (found, _) = s.emit();
        assert_eq!(found, if true_signature { vec!["1 f.isra.0(1 x)"] } else { vec![] });
    }
}

#[test]
fn the_definition_with_the_symbol_counts() {
    for consistent in [true, false] {
        for order in [[0, 1], [1, 0]] {
            let mut s = setup(&[("wk", 0x1160)]);
            s.options.consistent_protos = consistent;
            for which in order {
                match which {
                    0 => s.save("wk", func(0x1140), &[("x", INT)]),
                    _ => s.save("wk", SavedFunc { ret: LONG, ..func(0x1160) }, &[("a", LONG), ("b", LONG)]),
                }
            }
            assert_eq!(s.emit().0, ["2 wk(2 a, 2 b)"]);
        }
    }
    // Without a definition at the symbol nobody knows better.
    let mut s = setup(&[("wk", 0x1180)]);
    s.save("wk", func(0x1140), &[("x", INT)]);
    s.save("wk", func(0x1160), &[]);
    assert!(s.emit().0.is_empty());
    // Two definitions at symbols still contradict each other.
    let mut s = setup(&[("wk", 0x1140), ("wk", 0x1140)]);
    s.save("wk", func(0x1160), &[]);
    s.save("wk", func(0x1140), &[("x", INT)]);
    s.save("wk", func(0x1140), &[]);
    assert!(s.emit().0.is_empty());
}

#[test]
fn kfuncs_are_tagged() {
    let mut s = setup(&[("get", 1), ("put", 2)]);
    s.kfuncs.insert(0, flags::FASTCALL | flags::ARENA_RET | flags::ARENA_ARG2);
    s.kfuncs.insert(1, flags::ARENA_ARG1 | flags::ARENA_RET | flags::ARENA_ARG2);
    s.save("get", SavedFunc { ret: PTR, ..func(1) }, &[("a", PTR), ("b", PTR)]);
    s.save_in(0, "put", func(2), &[("a", INT)], &[("own", 0)]);
    let (found, said) = s.emit();
    // 4 to 7: attribute and pointer of the result and of the second argument.
    assert_eq!(
        found,
        ["5 get(3 a, 7 b)", "get: bpf_kfunc -1", "get: bpf_fastcall -1", "1 put(1 a)", "put: own 0", "put: bpf_kfunc -1"]
    );
    assert!(said.contains("TYPE_TAG address_space(1) Error adding BPF_ARENA_ATTR for return type of kfunc 'put'"), "{said}");
    assert!(said.contains("for an argument of kfunc 'put' (libbpf error -22)\n"), "{said}");
}

#[test]
fn tags_and_long_names() {
    let mut s = setup(&[("f", 1)]);
    let long = "p".repeat(300);
    s.save_in(0, "f", func(1), &[(&long, INT), ("", 0)], &[("one", -1), ("", 0), (&long, 0)]);
    let (found, said) = s.emit();
    assert_eq!(found[0], format!("1 f(1 {}, 0 )", &long[..127]));
    assert_eq!(found[1..], ["f: one -1".to_owned(), format!("f: {long} 0")]);
    assert!(said.contains("error: failed to encode tag '' to func f with component_idx 0\n"));
    assert!(said.contains(", vararg)\n"));
}

#[test]
fn several_files() {
    let mut s = setup(&[("b", 1), ("d", 2)]);
    s.tables.push(symbols(&[("a", 1), ("b", 2), ("c", 3)]));
    for (table, name) in [(1, "c"), (0, "d"), (1, "b"), (0, "b"), (1, "a")] {
        s.save_in(table, name, func(1), &[(if table == 0 { "first" } else { "second" }, INT)], &[]);
    }
    let expected = ["1 a(1 second)", "1 b(1 second)", "1 b(1 first)", "1 c(1 second)", "1 d(1 first)"];
    assert_eq!(s.emit().0, expected);
}
